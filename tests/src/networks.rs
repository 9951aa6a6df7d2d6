//! The networks under test, compiled once for all tests.

/// `specs/sfnnv5.toml`.
pub mod sfnnv5 {
    nnue_runtime::nnue_net!("../specs/sfnnv5.toml");
}

/// `specs/sfnnv5.toml`, every layer as straight-line code.
pub mod sfnnv5_unrolled {
    nnue_runtime::nnue_net!("../specs/sfnnv5.toml", unroll = "full");
}

/// `specs/small128.toml` with the net that the project carries.
pub mod small128 {
    nnue_runtime::nnue_net!(
        "../specs/small128.toml",
        weights = "../examples/nets/nn-37f18f62d772.nnue"
    );
}

/// `specs/small128.toml`, every layer as straight-line code.
pub mod small128_unrolled {
    nnue_runtime::nnue_net!("../specs/small128.toml", unroll = "full");
}
