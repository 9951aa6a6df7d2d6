mod net {
    nnue_runtime::nnue_net!("specs/sfnnv5.toml", weights = "net.nnue", embed = "memory");
}

mod nothing {
    nnue_runtime::nnue_net!("specs/sfnnv5.toml", embed = "weights");
}

fn main() {}
