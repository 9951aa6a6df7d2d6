mod net {
    nnue_runtime::nnue_net!("specs/sfnnv5.toml", unroll = "fully");
}

fn main() {}
