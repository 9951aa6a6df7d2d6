//! Networks of any spec, which the interpreter evaluates.

use nnue_compiler::feature_set::FeatureSet;
use nnue_compiler::format::Format;
use nnue_compiler::network::Network;
use nnue_interpreter::{Accumulators, Net, Trace};
use nnue_runtime::{Board, Color, Position, Role, Square};

use super::{Answer, BucketOutput, Evaluation};
use crate::adopt::Doubt;
use crate::nets::Error;
use crate::nets::given::Given;
use crate::nets::net_file::NetFile;

/// A network with its weights that evaluates positions.
#[derive(Debug)]
pub struct Interpreted(Net);

impl Interpreted {
    /// The network of a file.
    ///
    /// # Errors
    ///
    /// [`Error::Load`] if weights cannot be loaded.
    pub fn of(file: &NetFile) -> Result<Interpreted, Error> {
        Ok(Interpreted(file.net()?))
    }

    /// A net as the interpreter has it.
    #[must_use]
    pub fn new(net: Net) -> Interpreted {
        Interpreted(net)
    }

    /// The number of layer stacks.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.0.network().stacks.count
    }

    /// The bucket of positions with `pieces` pieces; `None` where the engine chooses the bucket.
    #[must_use]
    pub fn bucket(&self, pieces: usize) -> Option<usize> {
        self.0.bucket(pieces)
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        self.0.network()
    }

    /// The evidence of the weights in these bytes of the file against its spec.
    #[must_use]
    pub fn doubt(&self, bytes: &[u8]) -> Option<Doubt> {
        Doubt::of(&self.0, bytes)
    }

    /// Whether PSQT values are a part of the evaluation.
    #[must_use]
    pub fn has_psqt(&self) -> bool {
        self.0.network().transformer.psqt_of_output() > 0
    }

    /// Whether the network's files have Stockfish's format.
    #[must_use]
    pub fn is_of_stockfish(&self) -> bool {
        matches!(self.0.network().file.format, Format::Stockfish { .. })
    }

    /// Evaluates a position with every bucket. Custom sets have no active features.
    #[must_use]
    pub fn evaluate(&self, board: &Board) -> Evaluation {
        let bucket = self.bucket(board.occupied().len());
        let accumulators = self.0.accumulate(&self.0.active_rows(board));
        self.outputs(&accumulators, board.side_to_move(), bucket)
    }

    /// Evaluates what was [given](Given::parse) for this network with every bucket.
    #[must_use]
    pub fn evaluate_given(&self, given: &Given) -> Evaluation {
        self.outputs(&given.accumulate(&self.0), given.side_to_move, given.stack)
    }

    /// Evaluates what was given for this network with the layers of a bucket, and keeps all values
    /// on the way.
    #[must_use]
    pub fn trace(&self, given: &Given, bucket: usize) -> Trace {
        let accumulators = given.accumulate(&self.0);
        self.0.trace(&accumulators, given.side_to_move, bucket)
    }

    /// What white's evaluation, which is `value`, loses when the piece on each square is taken off.
    /// Kings have none, as no network was trained on boards without them.
    #[must_use]
    pub fn contributions(&self, board: &Board, value: i32) -> [Option<i32>; 64] {
        Square::ALL.map(|square| {
            let piece = board.piece_at(square)?;
            if piece.role == Role::King {
                return None;
            }
            let without = self.evaluate(&board.without(square));
            Some(value.wrapping_sub(without.white_value()?))
        })
    }

    fn outputs(
        &self,
        accumulators: &Accumulators,
        side_to_move: Color,
        bucket: Option<usize>,
    ) -> Evaluation {
        let net = &self.0;
        let output = |bucket| {
            let trace = net.trace(accumulators, side_to_move, bucket);
            let names = net.network().output.further.iter();
            let names = names.map(|head| head.name.clone());
            BucketOutput {
                answer: Answer::from(trace.evaluation),
                heads: names.zip(trace.heads).collect(),
            }
        };
        Evaluation {
            side_to_move,
            bucket,
            outputs: (0..self.buckets()).map(output).collect(),
        }
    }
}

/// The name of a feature set whose active features the engine tells, if the network has such a set.
#[must_use]
pub fn told_features(network: &Network) -> Option<&str> {
    let told = network
        .features
        .iter()
        .find(|set| FeatureSet::is_supplied(set))?;
    Some(&told.name)
}
