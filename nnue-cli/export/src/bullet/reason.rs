//! Why bullet cannot train a network.

use std::fmt;

/// What of a network bullet cannot train, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The features of this custom set are told by the engine.
    CustomSet(String),
    /// This key tells white from black.
    Colours(String),
    /// This set has virtual rows that no repetition of a matrix is.
    VirtualRows(String),
    /// The perspectives' values alternate.
    Interleaved,
    /// Neurons are pooled in blocks, and the file has them as the graph.
    PairsOfWeights,
    /// This layer's weights are -1 and 1.
    Binary(String),
    /// This layer has an operation, which is named, that nobody has described for bullet.
    UnknownOperation(String, &'static str),
    /// This layer's sums are multiplied by numbers of the file.
    Scales(String),
    /// Each input of this layer reaches few outputs, which its weights choose.
    OutputBlocks(String),
    /// The engine chooses the stack.
    Caller,
    /// A further head of this name.
    FurtherHead(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::CustomSet(set) => write!(
                f,
                "the engine tells the features of `{set}`: bullet would need the rule by which it \
                 finds them"
            ),
            Reason::Colours(key) => write!(
                f,
                "{key} tells white from black: bullet's positions are as the side to move sees \
                 them, and do not say which colour it has"
            ),
            Reason::VirtualRows(set) => write!(
                f,
                "`{set}` is factorised in a way that bullet cannot compute: it can only repeat \
                 virtual rows, which takes `factorised = [\"A\"]`, 12 planes without an offset, \
                 and rows of its own in the file"
            ),
            Reason::Interleaved => write!(
                f,
                "`order = \"interleaved\"` mixes the perspectives' values: bullet can only put one \
                 behind the other"
            ),
            Reason::PairsOfWeights => write!(
                f,
                "pairs other than halves with `kind = \"weights\"`: the graph pools halves, and \
                 bullet applies no transforms to that file"
            ),
            Reason::Binary(layer) => write!(
                f,
                "`{layer}` has binary weights: bullet has no signs with a gradient that passes"
            ),
            Reason::UnknownOperation(layer, operation) => write!(
                f,
                "`{layer}` has the operation `{operation}`, which this program does not know of \
                 bullet"
            ),
            Reason::Scales(layer) => write!(
                f,
                "`{layer}` has `scales` in the file: they follow from its weights after training, \
                 which bullet's saved formats cannot compute together"
            ),
            Reason::OutputBlocks(layer) => write!(
                f,
                "`{layer}` has `output_blocks`: bullet cannot keep most of its weights at zero"
            ),
            Reason::Caller => write!(
                f,
                "the engine chooses the stack: bullet needs the rule by which it does"
            ),
            Reason::FurtherHead(head) => write!(
                f,
                "the head `{head}` has no target: bullet's value trainer knows scores and results"
            ),
        }
    }
}
