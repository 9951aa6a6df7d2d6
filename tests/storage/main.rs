//! Networks whose weights live elsewhere than on the heap: they evaluate as those on the heap do,
//! on every level.

mod in_place;
mod mapped;
mod neuron_order;
mod nodes;
mod shared;

use nnue_runtime::line::FromPosition;
use nnue_runtime::{Architecture, Board, Evaluated, Level, Network, SelectedByPieces};
use nnue_tests::small128;

/// The nets of these tests are this file, or a copy of it.
const NET: &[u8] = include_bytes!("../../examples/nets/nn-37f18f62d772.nnue");

/// The same file, whose weights are laid out in the program.
mod embedded {
    nnue_runtime::nnue_net!(
        "../specs/small128.toml",
        weights = "../examples/nets/nn-37f18f62d772.nnue",
        embed = "weights"
    );
}

/// Positions with many pieces and few, of both sides.
const FENS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1",
];

/// The evaluations of the net at a level, by a network whose weights are on the heap.
fn expected(level: Level) -> Vec<i32> {
    values(&on_the_heap().with_level(level))
}

fn on_the_heap() -> small128::Network {
    Network::from_bytes(NET).expect("the file is small128's")
}

/// The numbers of all tensors but the largest, by the tensors' names.
fn layers<A: Architecture>(net: &Network<A>) -> Vec<(&str, Vec<f64>)> {
    let tensors = net.tensors().filter(|tensor| tensor.shape()[1] < 10_000);
    let layers = tensors.map(|tensor| (tensor.name(), tensor.values().collect()));
    layers.collect()
}

/// Its evaluations of all positions.
fn values<A: SelectedByPieces<Line = FromPosition, Output = nnue_runtime::Output>>(
    net: &Network<A>,
) -> Vec<i32> {
    let boards = FENS.map(|fen| Board::from_fen(fen).expect("a position"));
    let values = boards.map(|board| {
        let accumulator = nnue_runtime::Accumulator::new(net, &board);
        net.evaluate(&accumulator, &board).evaluation().value
    });
    values.to_vec()
}

/// A network is the net on every level, one after the other and back.
fn check<A: Architecture + SelectedByPieces<Line = FromPosition, Output = nnue_runtime::Output>>(
    net: Network<A>,
) {
    let first = net.level();
    let mut net = net;
    for level in Level::available().chain([first]) {
        net = net.with_level(level);
        assert_eq!(net.level(), level);
        assert_eq!(values(&net), expected(level), "{level}");
        assert!(net.to_bytes() == NET, "{level}");
        assert_eq!(layers(&net), layers(&on_the_heap()), "{level}");
        // Not the same memory, where the order of columns differs.
        assert_eq!(values(&net.clone()), expected(level), "{level}");
    }
    // Neurons that go together change places with others of their kind.
    let classes = A::NEURONS.classes();
    let mut order: Vec<usize> = (0..classes.len()).collect();
    for class in 0..2 {
        let of_class = |place: &usize| classes[*place] == class;
        let places: Vec<usize> = (0..classes.len()).filter(of_class).collect();
        for (place, from) in places.iter().zip(places.iter().rev()) {
            order[*place] = *from;
        }
    }
    let reordered = net.reordered(&order).expect("an order within classes");
    assert_eq!(values(&reordered), expected(first));
    println!("levels: {}", Level::names().collect::<Vec<_>>().join(" "));
}
