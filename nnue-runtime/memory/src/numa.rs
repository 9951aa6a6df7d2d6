//! NUMA nodes: groups of processors with memory of their own, from which they read faster than from
//! the memory of others.
//!
//! Linux puts memory on the node of the processor that touches it first. So a copy for a node is
//! made on a thread that is bound to it, by [`Topology::run_on`].

use std::thread;

#[cfg_attr(target_os = "linux", path = "numa/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "numa/other.rs")]
mod system;

/// The nodes of a machine that have processors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    nodes: Vec<Node>,
}

/// A NUMA node that has processors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    id: usize,
    cpus: Vec<usize>,
}

impl Node {
    /// The system's number of the node. A system may leave numbers out.
    #[must_use]
    pub fn id(&self) -> usize {
        self.id
    }

    /// The system's numbers of the node's processors, ascending. There is at least one processor,
    /// and this process need not be allowed to run there.
    #[must_use]
    pub fn cpus(&self) -> &[usize] {
        &self.cpus
    }
}

impl Topology {
    /// The nodes of this machine, as Linux lists them in `/sys/devices/system/node`. Other systems,
    /// and systems without this folder, have a single node with all processors.
    #[must_use]
    pub fn detect() -> Topology {
        Topology::of(system::nodes().unwrap_or_default())
    }

    /// A machine whose nodes have these processors, for tests. The nodes are numbered from 0, and
    /// nodes without processors are left out. If all nodes are left out, there is a single node
    /// with the processors of this machine.
    #[must_use]
    pub fn with_nodes(cpus: Vec<Vec<usize>>) -> Topology {
        Topology::of(cpus.into_iter().enumerate().collect())
    }

    fn of(cpus: Vec<(usize, Vec<usize>)>) -> Topology {
        let mut nodes = Vec::new();
        for (id, mut cpus) in cpus {
            cpus.sort_unstable();
            cpus.dedup();
            // A node that has only memory needs no copy, because nobody reads from there.
            if !cpus.is_empty() {
                nodes.push(Node { id, cpus });
            }
        }
        nodes.sort_by_key(|node| node.id);
        if nodes.is_empty() {
            let count = thread::available_parallelism().map_or(1, usize::from);
            let cpus = (0..count).collect();
            nodes.push(Node { id: 0, cpus });
        }
        Topology { nodes }
    }

    /// The nodes, by ascending number. There is at least a single node.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The number of nodes, at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is always a node")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The index in [`nodes`](Topology::nodes) of the node on which the calling thread runs now; 0
    /// where the node is not known. Unless the thread is bound, it may run on another node at any
    /// later time.
    ///
    /// The call takes tens of nanoseconds, and more on machines with many processors.
    #[must_use]
    pub fn current(&self) -> usize {
        let Some(cpu) = system::current_cpu() else {
            return 0;
        };
        let of = |node: &Node| node.cpus.binary_search(&cpu).is_ok();
        self.nodes.iter().position(of).unwrap_or(0)
    }

    /// Runs a function on a new thread that is bound to the processors of a node, given by its
    /// index in [`nodes`](Topology::nodes), so that memory that the thread touches first lies on
    /// this node. Returns the result of the function.
    ///
    /// If the thread cannot be bound, because the processors are off or the process may not use
    /// them, the function runs on any processor. If there are no more threads, the function runs on
    /// the calling thread.
    ///
    /// # Panics
    ///
    /// If there is no node with that index, and if the function panics, with the function's panic.
    pub fn run_on<T: Send>(&self, node: usize, f: impl FnOnce() -> T + Send) -> T {
        let count = self.nodes.len();
        let Some(node) = self.nodes.get(node) else {
            panic!("node {node} is asked for, of {count} that there are");
        };
        let mut waiting = Some(f);
        let slot = &mut waiting;
        let result = thread::scope(|scope| {
            let builder = thread::Builder::new().name(format!("node {}", node.id));
            let run = move || {
                system::bind(&node.cpus);
                slot.take().map(|f| f())
            };
            let thread = builder.spawn_scoped(scope, run).ok()?;
            match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        match (result, waiting) {
            (Some(result), _) => result,
            (None, Some(f)) => f(),
            (None, None) => unreachable!("the function ran without a result"),
        }
    }
}
