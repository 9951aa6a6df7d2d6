mod net {
    nnue_runtime::nnue_net!("specs/sfnnv5.toml", weight = "nn-ad9b42354671.nnue");
}

// The mistake keeps nothing else from compiling.
fn main() {
    println!("{:?}", net::Network::embedded());
}
