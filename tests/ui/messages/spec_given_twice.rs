mod by_path_and_inline {
    nnue_runtime::nnue_net!("specs/sfnnv5.toml", inline = "name = \"SFNNv5\"");
}

mod by_two_paths {
    nnue_runtime::nnue_net!("specs/sfnnv5.toml", "nn-ad9b42354671.nnue");
}

fn main() {}
