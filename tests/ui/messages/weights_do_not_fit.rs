// Files of another network, of a damaged one, and of one that is cut off.
mod other_network {
    nnue_runtime::nnue_net!("sfnnv5.toml", weights = "small128.nnue");
}

mod damaged {
    nnue_runtime::nnue_net!("small128.toml", weights = "damaged.nnue");
}

mod cut_off {
    nnue_runtime::nnue_net!("small128.toml", weights = "cut-off.nnue");
}

fn main() {
    let _ = (
        other_network::Network::embedded(),
        damaged::Network::embedded(),
        cut_off::Network::embedded(),
    );
}
