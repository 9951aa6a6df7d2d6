mod small128 {
    nnue_runtime::nnue_net!("small128.toml");
}

fn main() {
    let _ = small128::Network::embedded();
}
