//! Networks of any spec, which the interpreter evaluates.

use nnue_compiler::feature_set::FeatureSet;
use nnue_compiler::network::Network;
use nnue_interpreter::Net;
use nnue_runtime::{Board, Position, Warning};

use super::{Answer, BucketOutput, Evaluate, Evaluation};
use crate::nets::Error;
use crate::nets::net_file::NetFile;

/// A network with its weights, and with the other content of its file.
#[derive(Debug)]
pub struct Interpreted {
    net: Net,
    description: Vec<u8>,
    warnings: Vec<Warning>,
}

impl Interpreted {
    /// The network of a file. Its features must follow from the position.
    ///
    /// # Errors
    ///
    /// [`Error::Load`] if weights cannot be loaded.
    pub fn of(file: &NetFile) -> Result<Interpreted, Error> {
        Ok(Interpreted {
            net: file.net()?,
            warnings: file.warnings(),
            description: file.loaded.description.clone(),
        })
    }
}

/// The name of a feature set whose active features the engine tells, if the network has such a set.
#[must_use]
pub fn told_features(network: &Network) -> Option<&str> {
    let told = network
        .features
        .iter()
        .find(|set| FeatureSet::is_told(set))?;
    Some(&told.name)
}

impl Evaluate for Interpreted {
    fn name(&self) -> &str {
        &self.net.network().name
    }

    fn computed_by(&self) -> &'static str {
        "interpreted"
    }

    fn description(&self) -> &[u8] {
        &self.description
    }

    fn warnings(&self) -> Vec<Warning> {
        self.warnings.clone()
    }

    fn buckets(&self) -> usize {
        self.net.network().stacks.count
    }

    fn bucket(&self, pieces: usize) -> Option<usize> {
        self.net.bucket(pieces)
    }

    fn has_one_value(&self) -> bool {
        let network = self.net.network();
        let output = &network.output;
        output.heads.len() == 1 && output.further.is_empty() && network.stacks.by_pieces.is_some()
    }

    fn evaluate(&self, board: &Board) -> Evaluation {
        let side_to_move = board.side_to_move();
        let accumulators = self.net.accumulate(&self.net.active_rows(board));
        let output = |bucket| {
            let trace = self.net.trace(&accumulators, side_to_move, bucket);
            let names = self.net.network().output.further.iter();
            let names = names.map(|head| head.name.clone());
            BucketOutput {
                answer: Answer::from(trace.evaluation),
                heads: names.zip(trace.heads).collect(),
            }
        };
        Evaluation {
            side_to_move,
            bucket: self.bucket(board.occupied().len()),
            outputs: (0..self.buckets()).map(output).collect(),
        }
    }
}
