//! The engine's own accumulators, and its own copies of the weights.

use std::fs;
use std::sync::{Arc, OnceLock};

use cozy_chess::Board;

use super::BoardObserver;
use crate::board::Placed;
use crate::handwritten::{Accumulator, Weights};

/// A copy of the weights for each NUMA node, made when one of its threads asks.
pub struct NodeWeights {
    first: Weights,
    copies: Vec<OnceLock<Arc<Weights>>>,
}

impl NodeWeights {
    /// Asks Linux how many nodes there are. Elsewhere there is one.
    #[must_use]
    pub fn new(first: Weights) -> NodeWeights {
        let is_node = |name: &str| {
            let number = name.strip_prefix("node");
            number.is_some_and(|number| number.parse::<u32>().is_ok())
        };
        let nodes = fs::read_dir("/sys/devices/system/node").map_or(1, |entries| {
            let names = entries.flatten().map(|entry| entry.file_name());
            names
                .filter(|name| name.to_str().is_some_and(is_node))
                .count()
        });
        NodeWeights {
            first,
            copies: vec![OnceLock::new(); nodes.max(1)],
        }
    }

    /// The weights of a thread. The engine binds its threads to the nodes in turns.
    #[must_use]
    pub fn of_thread(&self, thread: usize) -> Arc<Weights> {
        let copy = &self.copies[thread % self.copies.len()];
        copy.get_or_init(|| Arc::new(self.first.clone())).clone()
    }
}

/// Accumulators that follow a board.
pub struct Eval {
    weights: Arc<Weights>,
    stack: Vec<Accumulator>,
}

impl Eval {
    /// Follows a board from a position.
    #[must_use]
    pub fn new(weights: Arc<Weights>, board: &Board) -> Eval {
        let stack = vec![Accumulator::new(&weights, board)];
        Eval { weights, stack }
    }

    fn top(&mut self) -> &mut Accumulator {
        self.stack.last_mut().expect("an accumulator for the start")
    }
}

impl BoardObserver for Eval {
    fn on_move(&mut self) {
        let copy = *self.top();
        self.stack.push(copy);
    }

    fn on_take(&mut self, piece: Placed) {
        let weights = Arc::clone(&self.weights);
        self.top().remove(&weights, piece);
    }

    fn on_put(&mut self, piece: Placed) {
        let weights = Arc::clone(&self.weights);
        self.top().add(&weights, piece);
    }

    fn on_moved(&mut self) {}

    fn on_undo(&mut self) {
        self.stack.pop();
    }

    fn on_reset(&mut self, board: &Board) {
        self.stack.clear();
        self.stack.push(Accumulator::new(&self.weights, board));
    }

    fn value(&mut self, board: &Board) -> i32 {
        let top = *self.top();
        self.weights.evaluate(&top, board.side_to_move())
    }
}
