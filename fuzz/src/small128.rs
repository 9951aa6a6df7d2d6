//! A network, and its net on every level of this machine.

use std::sync::LazyLock;

use nnue_runtime::Level;

nnue_runtime::nnue_net!("../specs/small128.toml");

pub static NETS: LazyLock<Vec<Network>> = LazyLock::new(|| {
    let file = include_bytes!("../../examples/nets/nn-37f18f62d772.nnue");
    let net = Network::from_bytes(file).expect("the net of the spec");
    Level::available()
        .map(|level| net.clone().with_level(level))
        .collect()
});
