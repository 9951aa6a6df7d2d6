//! A copy of a network for each NUMA node.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use std::sync::OnceLock;

use nnue_memory::numa::Topology;

use super::Network;
use crate::architecture::Architecture;

/// A network on a machine with several NUMA nodes. A node reads faster from its own memory: it gets
/// a copy of the weights when the first of its threads asks for the network.
///
/// On a machine with one node, nothing is copied. Engines whose threads stay on a node (which is up
/// to them, or to `numactl`) ask once in each thread:
///
#[cfg_attr(feature = "macros", doc = "```")]
#[cfg_attr(not(feature = "macros"), doc = "```ignore")]
/// # mod small128 {
/// #     nnue_runtime::nnue_net!("../specs/small128.toml");
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use nnue_runtime::NodeCopies;
///
/// let net = small128::Network::open("../examples/nets/nn-37f18f62d772.nnue")?;
/// let net = NodeCopies::new(net);
/// std::thread::scope(|threads| {
///     threads.spawn(|| {
///         let board = nnue_runtime::Board::start();
///         let mut evaluator = small128::Evaluator::new(net.here().clone(), &board);
///         assert_eq!(evaluator.evaluate().value, 251);
///     });
/// });
/// # Ok(())
/// # }
/// ```
pub struct NodeCopies<A: Architecture> {
    topology: Topology,
    /// The network of each node, once a thread there has asked for it.
    copies: Vec<OnceLock<Arc<Network<A>>>>,
    /// The node of the network that the others are copied from.
    first: usize,
}

impl<A: Architecture> NodeCopies<A> {
    /// Takes a network, which the node of the calling thread uses as it is.
    #[must_use]
    pub fn new(network: Network<A>) -> NodeCopies<A> {
        NodeCopies::with_topology(network, Topology::detect())
    }

    /// [`Self::new`] on a machine that is only imagined, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_topology(network: Network<A>, topology: Topology) -> NodeCopies<A> {
        let first = topology.current();
        let mut copies: Vec<_> = (0..topology.len()).map(|_| OnceLock::new()).collect();
        copies[first] = OnceLock::from(Arc::new(network));
        NodeCopies {
            topology,
            copies,
            first,
        }
    }

    /// The network of the node on which the calling thread runs. The first call on a node copies the
    /// weights, to the heap.
    #[must_use]
    pub fn here(&self) -> &Arc<Network<A>> {
        self.on(self.topology.current())
    }

    /// The network of a node, from 0 to [`Self::nodes`] - 1.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    #[must_use]
    pub fn on(&self, node: usize) -> &Arc<Network<A>> {
        self.copies[node].get_or_init(|| {
            let Some(network) = self.copies[self.first].get() else {
                unreachable!("the first node has its network from the start");
            };
            // Memory is taken from the node whose thread touches it first.
            let copy = self.topology.run_on(node, || network.on_the_heap());
            Arc::new(copy)
        })
    }

    /// How many nodes of the machine have processors: at least 1.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.copies.len()
    }

    /// How many nodes have the network by now.
    #[must_use]
    pub fn copies(&self) -> usize {
        let copies = self.copies.iter().filter(|copy| copy.get().is_some());
        copies.count()
    }
}

impl<A: Architecture> fmt::Debug for NodeCopies<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeCopies")
            .field("net", &A::NAME)
            .field("nodes", &self.nodes())
            .field("copies", &self.copies())
            .finish_non_exhaustive()
    }
}
