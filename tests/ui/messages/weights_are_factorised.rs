// Sums with virtual rows are checked when a net is loaded, and not while compiling.
mod factorised {
    nnue_runtime::nnue_net!("factorised.toml", weights = "small128.nnue");
}

fn main() {
    let _ = factorised::Network::embedded();
}
