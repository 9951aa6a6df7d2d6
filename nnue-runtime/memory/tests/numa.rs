//! Nodes of this machine, and of machines that it plays.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use nnue_memory::numa::Topology;

#[test]
fn this_machine_has_nodes() {
    let topology = Topology::detect();
    assert!(topology.len() >= 1);
    assert!(topology.current() < topology.len());
    assert!(topology.nodes().iter().all(|node| !node.cpus().is_empty()));
}

#[test]
fn nodes_without_processors_are_left_out() {
    let topology = Topology::with_nodes(vec![vec![], vec![3, 1, 1], vec![], vec![0]]);
    let nodes: Vec<_> = topology
        .nodes()
        .iter()
        .map(|node| (node.id(), node.cpus()))
        .collect();
    assert_eq!(nodes, [(1, &[1, 3][..]), (3, &[0])]);
    let unknown = Topology::with_nodes(vec![vec![]]);
    assert_eq!(unknown.len(), 1);
    let cpus = thread::available_parallelism().unwrap().get();
    assert_eq!(unknown.nodes()[0].cpus().len(), cpus);
}

#[test]
fn functions_run_on_other_threads_and_return() {
    let topology = Topology::with_nodes(vec![vec![0], vec![1 << 40]]);
    let here = thread::current().id();
    let mut count = 0;
    for node in 0..2 {
        // No machine has the processor of the second, and it runs nevertheless.
        let there = topology.run_on(node, || {
            count += 1;
            thread::current().id()
        });
        assert_ne!(there, here);
    }
    assert_eq!(count, 2);
    let panics = |node| {
        let run = AssertUnwindSafe(|| topology.run_on(node, || panic!("as it was")));
        let panic = catch_unwind(run).unwrap_err();
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap()
    };
    assert_eq!(panics(0), "as it was");
    assert_eq!(panics(2), "node 2 is asked for, of 2 that there are");
}

#[test]
#[cfg(target_os = "linux")]
fn threads_are_bound_to_their_node() {
    use rustix::thread::{CpuSet, sched_getaffinity};

    let allowed = sched_getaffinity(None).unwrap();
    let cpus = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu));
    let nodes: Vec<_> = cpus.map(|cpu| vec![cpu]).collect();
    let topology = Topology::with_nodes(nodes.clone());
    for (index, node) in nodes.iter().enumerate() {
        let (bound, current) = topology.run_on(index, || {
            (sched_getaffinity(None).unwrap(), topology.current())
        });
        assert!(bound.is_set(node[0]) && bound.count() == 1);
        assert_eq!(current, index);
    }
    // The calling thread stays as it was.
    assert_eq!(sched_getaffinity(None).unwrap(), allowed);
    if nodes.len() == 1 {
        use std::io::Write;
        let skipped = "\n!!! SKIPPED: threads on several nodes, for there is one processor\n";
        std::io::stderr().write_all(skipped.as_bytes()).unwrap();
    }
}
