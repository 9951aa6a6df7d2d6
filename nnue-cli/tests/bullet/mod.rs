//! What the tests of programs for bullet have in common.

use std::path::Path;

use nnue_compiler::feature_set::Family;
use nnue_compiler::feature_set::piece_square::Flip;
use nnue_compiler::format::{Encoding, Section};
use nnue_compiler::network::Network;
use nnue_test_support::specs::specs_in;

use crate::networks::network_in;

/// Positions with either side to move: castled and not, queens on all quadrants, several of them,
/// pawns that face each other, pieces that threaten their kind.
pub(crate) const POSITIONS: [&str; 9] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "2kr3r/pp1n1ppp/2p1p3/q2pP3/3P1PP1/2PB4/PP1Q3P/2KR3R b - - 4 18",
    "6k1/5ppp/8/1Q3Q2/1q6/8/5PPP/3Q2K1 b - - 0 40",
    "8/8/4k3/3pPp2/3PpP2/4K3/8/8 b - - 0 50",
    "3rr1k1/1b2bppp/p1n2n2/1pqp4/8/1NN1BB2/PPP2PPP/R2QR1K1 w - - 0 17",
];

/// The networks of a folder of the repository, each with its path from there on.
pub(crate) fn networks(folder: &str) -> impl Iterator<Item = (String, Network)> {
    specs_in(folder)
        .into_iter()
        .map(move |path| (name(folder, &path), network_in(&path)))
}

/// The path of a spec from its folder on, without the extension.
fn name(folder: &str, path: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/support/../..")
        .join(folder);
    let path = path.canonicalize().expect("the spec is there");
    let root = root.canonicalize().expect("the folder is there");
    let name = path.strip_prefix(root).expect("it is in the folder");
    name.with_extension("")
        .display()
        .to_string()
        .replace('\\', "/")
}

/// The same network with a file in which nothing is compressed.
pub(crate) fn unpacked(network: &Network) -> Network {
    let mut network = network.clone();
    let file = &mut network.file;
    let groups = file.stack_groups.iter_mut();
    for section in groups.chain([&mut file.sections]).flatten() {
        if let Section::Tensor(tensor) = section {
            tensor.stored.encoding = Encoding::Raw;
        }
    }
    network
}

/// Whether the opponent sees the board from the other side: bullet then sees the mirror image of a
/// position with black to move.
pub(crate) fn rotates(network: &Network) -> bool {
    network.features.iter().any(|set| match &set.family {
        Family::PieceSquare(set) => set.flip == Flip::Rotate,
        _ => false,
    })
}
