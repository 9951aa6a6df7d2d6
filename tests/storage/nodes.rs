//! A copy for each NUMA node, on machines that are imagined.

use nnue_runtime::__private::Topology;
use nnue_runtime::{Level, Network, NodeCopies, Storage};
use nnue_tests::small128;

use super::{NET, expected, values};

fn net() -> Network<small128::Net> {
    Network::from_bytes(NET).expect("the file is small128's")
}

#[test]
fn each_node_has_a_copy_once_it_asks_for_one() {
    // The second and third node have processors that this machine may not have.
    let topology = Topology::with_nodes(vec![vec![0, 1], vec![1022], vec![1023]]);
    let first = topology.current();
    let copies = NodeCopies::with_topology(net(), topology);
    assert_eq!((copies.nodes(), copies.copies()), (3, 1));
    let here = values(copies.here());
    assert_eq!(here, expected(Level::detect()));
    assert_eq!(copies.copies(), 1);
    for node in (0..3).filter(|node| *node != first) {
        let copy = copies.on(node);
        assert_eq!(values(copy), here);
        assert_eq!(copy.storage(), Storage::Heap);
        assert!(std::ptr::eq(
            &raw const **copy,
            &raw const **copies.on(node)
        ));
        assert!(!std::ptr::eq(&raw const **copy, &raw const **copies.here()));
    }
    assert_eq!(copies.copies(), 3);
}

#[test]
fn threads_that_ask_at_once_get_one_copy() {
    let topology = Topology::with_nodes(vec![vec![1022], vec![1023]]);
    let other = 1 - topology.current();
    let copies = NodeCopies::with_topology(net(), topology);
    let networks: Vec<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| (&raw const **copies.on(other)).addr()))
            .collect();
        let ends = threads.into_iter().map(|thread| thread.join());
        ends.map(|end| end.expect("no thread panics")).collect()
    });
    assert!(networks.iter().all(|network| *network == networks[0]));
}

#[test]
fn one_node_needs_no_copy() {
    let shared = Network::<small128::Net>::shared(NET).unwrap();
    let storage = shared.storage();
    let copies = NodeCopies::with_topology(shared, Topology::with_nodes(vec![]));
    assert_eq!((copies.nodes(), copies.here().storage()), (1, storage));
    println!("nodes of this machine: {}", NodeCopies::new(net()).nodes());
}
