//! Net files of all formats.

use std::cell::RefCell;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_interpreter::Net;
use nnue_runtime::Board;

use crate::net_under_test::{NetUnderTest, specs};

thread_local! {
    static NETS: RefCell<Vec<(NetUnderTest, Network)>> = RefCell::new(specs().map(net).collect());
}

fn net(spec: String) -> (NetUnderTest, Network) {
    let network = analyse(&SourceFile::new("spec.toml", spec));
    let network = network.unwrap_or_else(|errors| panic!("{errors}"));
    (NetUnderTest::new(&network, 1 << 10), network)
}

/// The names of the networks, each with a right file whose weights are zeros.
#[must_use]
pub fn right_files() -> Vec<(String, Vec<u8>)> {
    NETS.with_borrow(|nets| {
        let nets = nets.iter();
        nets.map(|(net, _)| (net.layout.name.to_string(), net.file.clone()))
            .collect()
    })
}

/// Checks that a file, which is made of the right one of a network, is refused with a message that
/// can be shown, or that it is written as a file that loads as the same, and evaluates.
///
/// # Panics
///
/// If it is not so.
pub fn check(which: u8, file: impl FnOnce(&[u8]) -> Vec<u8>) {
    NETS.with_borrow_mut(|nets| {
        let count = nets.len();
        let (net, network) = &mut nets[usize::from(which) % count];
        let file = file(&net.file);
        if !net.check(&file) {
            return;
        }
        // The interpreter's own loader agrees, and any weights can be evaluated.
        let net = Net::from_bytes(network, &file).expect("the runtime loads it");
        if !network.features.iter().any(|set| set.is_supplied()) {
            let _ = net.evaluate(&Board::start(), 0);
        }
    });
}
