mod nets {
    nnue_runtime::nnue_net!("small128.toml");

    // What a module in it defines does not matter.
    pub mod inner {
        nnue_runtime::nnue_net!("small128.toml");
    }

    nnue_runtime::nnue_net!("sfnnv5.toml", weights = "small128.nnue");
}

mod apart {
    nnue_runtime::nnue_net!("sfnnv5.toml");
}

fn main() {
    println!("{} {} {}", nets::NAME, nets::inner::NAME, apart::NAME);
}
