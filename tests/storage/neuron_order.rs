//! A net file whose neurons lie in memory in the order of the spec: wherever the weights are, they
//! evaluate as those of the plain network do, and the file stays as it is.

use std::{env, fs, process};

use nnue_runtime::{Accumulator, Architecture, Board, Color, Level, MapError, Network};
use nnue_tests::small128;

use super::{FENS, NET, expected, layers, on_the_heap, values};

mod weights {
    nnue_runtime::nnue_net!(
        "specs/order/small128.toml",
        weights = "../examples/nets/nn-37f18f62d772.nnue",
        embed = "weights"
    );
}

mod file {
    nnue_runtime::nnue_net!(
        "specs/order/small128.toml",
        weights = "../examples/nets/nn-37f18f62d772.nnue"
    );
}

/// The order in a file of its own.
mod apart {
    nnue_runtime::nnue_net!(
        "../specs/small128.toml",
        neuron_order = "specs/order/small128.order"
    );
}

/// A network whose files begin with the rows.
mod rows {
    nnue_runtime::nnue_net!("specs/order/rows.toml");
}

/// The accumulators of all positions, as they lie in memory.
fn sums<A: Architecture<Line = nnue_runtime::line::FromPosition>>(net: &Network<A>) -> Vec<i16> {
    let boards = FENS.map(|fen| Board::from_fen(fen).expect("a position"));
    let of_board = |board: &Board| {
        let accumulator = Accumulator::new(net, board);
        Color::ALL.map(|color| accumulator.values(color).to_vec())
    };
    boards.iter().flat_map(of_board).flatten().collect()
}

/// The network is the plain network that was put into the same order.
fn check(net: Network<file::Net>) {
    let order = <file::Net as Architecture>::NEURONS.order;
    let reordered = on_the_heap().reordered(order).expect("an order");
    let first = net.level();
    let mut net = net;
    for level in Level::available().chain([first]) {
        net = net.with_level(level);
        assert_eq!(values(&net), expected(level), "{level}");
        assert!(sums(&net) == sums(&reordered), "{level}: another order");
        assert!(sums(&net) != sums(&on_the_heap()), "{level}: no order");
        assert!(net.to_bytes() == NET, "{level}: another file");
        assert_eq!(layers(&net), layers(&on_the_heap()), "{level}");
        assert_eq!(values(&net.clone()), expected(level), "{level}");
    }
}

#[test]
fn loaded_nets_have_the_order_of_the_spec() {
    check(Network::from_bytes(NET).unwrap());
    check(Network::read(NET).unwrap());
    check(Network::open("../examples/nets/nn-37f18f62d772.nnue").unwrap());
    check(Network::shared(NET).unwrap());
    check(Network::<file::Net>::embedded());
}

#[test]
fn embedded_weights_have_the_order_of_the_spec() {
    let net = Network::<weights::Net>::embedded();
    let loaded = Network::<file::Net>::from_bytes(NET).unwrap();
    assert_eq!(values(&net), values(&loaded));
    assert!(sums(&net) == sums(&loaded));
    assert!(net.to_bytes() == NET);
}

#[test]
fn a_file_of_its_own_gives_the_same_order() {
    let order = <apart::Net as Architecture>::NEURONS.order;
    assert_eq!(order, <file::Net as Architecture>::NEURONS.order);
    let net = Network::<apart::Net>::from_bytes(NET).unwrap();
    let of_spec = Network::<file::Net>::from_bytes(NET).unwrap();
    assert_eq!(values(&net), values(&of_spec));
    assert!(sums(&net) == sums(&of_spec));
    assert!(net.to_bytes() == NET);
}

#[test]
fn an_ordered_net_is_reordered_by_the_places_in_memory() {
    let net = Network::<file::Net>::from_bytes(NET).unwrap();
    let neurons = <file::Net as Architecture>::NEURONS;
    let order: Vec<usize> = (0..neurons.outputs).map(|place| place ^ 5).collect();
    let again = net.reordered(&order).unwrap();
    assert_eq!(values(&again), values(&net));
    let both = neurons.order_of_spec(&order);
    let plain = on_the_heap().reordered(&both).unwrap();
    assert!(sums(&again) == sums(&plain));
}

#[test]
fn laid_out_files_belong_to_their_order() {
    let path = env::temp_dir().join(format!("nnue-order-{}", process::id()));
    let net = Network::<file::Net>::from_bytes(NET).unwrap();
    let mut laid_out = Vec::new();
    net.write_laid_out(&mut laid_out).unwrap();
    fs::write(&path, laid_out).unwrap();
    // SAFETY: nobody else knows the file.
    let (own, plain) = unsafe {
        (
            Network::<file::Net>::map(&path),
            Network::<small128::Net>::map(&path),
        )
    };
    fs::remove_file(&path).unwrap();
    check(own.unwrap());
    assert!(matches!(plain, Err(MapError::OtherLayout { .. })));
}

#[test]
fn net_files_are_not_mapped_in_another_order() {
    let path = env::temp_dir().join(format!("nnue-order-rows-{}", process::id()));
    fs::write(&path, NET).unwrap();
    // SAFETY: nobody else knows the file.
    let refused = unsafe { Network::<rows::Net>::map(&path) };
    fs::remove_file(&path).unwrap();
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("in the order of the spec"), "{error}");
}
