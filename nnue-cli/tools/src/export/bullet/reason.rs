//! Why bullet cannot train a network.

/// A reason for which bullet cannot train a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The engine tells the features of the custom set of this name.
    #[error(
        "the engine tells the features of `{0}`: bullet would need the rule by which it finds them"
    )]
    CustomSet(String),
    /// Other pieces than the opponent's queens choose the bucket of the set of this name.
    #[error(
        "`buckets` of `{0}` counts pieces, or has another order than `queen_buckets` alone: the \
         programs for bullet have no rule for it"
    )]
    Buckets(String),
    /// The set of this name follows the half-move clock.
    #[error("`{0}` follows the half-move clock, which bullet's positions do not have")]
    Clock(String),
    /// This key tells white from black.
    #[error(
        "{0} tells white from black: bullet's positions are as the side to move sees them, and do \
         not say which colour it has"
    )]
    Colours(String),
    /// The virtual rows of the set of this name are no repeated matrix.
    #[error(
        "`{0}` is factorised in a way that bullet cannot compute: it can only repeat virtual rows, \
         which takes `factorised = [\"A\"]`, 12 planes without an offset, and rows of its own in \
         the file"
    )]
    VirtualRows(String),
    /// The values of the perspectives alternate.
    #[error(
        "`order = \"interleaved\"` mixes the perspectives' values: bullet can only put one behind \
         the other"
    )]
    Interleaved,
    /// Neurons are pooled in blocks, but the file must have them in the order of the graph.
    #[error(
        "pairs other than halves with `kind = \"weights\"`: the graph pools halves, and bullet \
         applies no transforms to that file"
    )]
    PairsOfWeights,
    /// The weights of the layer of this name are -1 and 1.
    #[error("`{0}` has binary weights: bullet has no signs with a gradient that passes")]
    Binary(String),
    /// The layer of this name has the operation of this name, which cannot be written for bullet.
    #[error("`{0}` has the operation `{1}`, which this program does not know of bullet")]
    UnknownOperation(String, &'static str),
    /// The sums of the layer of this name are multiplied by numbers of the file.
    #[error(
        "`{0}` has `scales` in the file: they follow from its weights after training, which \
         bullet's saved formats cannot compute together"
    )]
    Scales(String),
    /// Each input of the layer of this name reaches few outputs, which its weights choose.
    #[error("`{0}` has `output_blocks`: bullet cannot keep most of its weights at zero")]
    OutputBlocks(String),
    /// Each output of the layer of this name reads few inputs.
    #[error("`{0}` has `shards`: bullet cannot keep its other weights at zero")]
    Shards(String),
    /// The engine chooses the stack.
    #[error("the engine chooses the stack: bullet needs the rule by which it does")]
    Caller,
    /// The file has numbers of this name that the network does not use.
    #[error("the file has `{0}`, which the network does not use: training tells no values for it")]
    Kept(String),
    /// A further head of this name.
    #[error("the head `{0}` has no target: bullet's value trainer knows scores and results")]
    FurtherHead(String),
}
