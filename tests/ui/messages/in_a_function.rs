fn main() {
    nnue_runtime::nnue_net!("small128.toml");

    // In a module it may be there.
    mod net {
        nnue_runtime::nnue_net!("small128.toml");
    }

    println!("{}", net::NAME);
}

const WIDTH: usize = {
    mod net {
        nnue_runtime::nnue_net!("small128.toml");
    }
    net::WIDTH
};

pub const HALF: usize = {
    nnue_runtime::nnue_net!("small128.toml");
    WIDTH / 2
};
