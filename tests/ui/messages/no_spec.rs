mod net {
    nnue_runtime::nnue_net!(weights = "nn-ad9b42354671.nnue");
}

fn main() {}
