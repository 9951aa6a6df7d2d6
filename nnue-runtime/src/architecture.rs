//! The interface between the code that is generated for a network and this crate.

use core::fmt;

use nnue_format::FileLayout;

use crate::chess::Color;
use crate::feature_set::FeatureSet;
use crate::features::EntryNumbers;
use crate::level::Level;
use crate::line::Kind;
use crate::memory::Plain;
use crate::neurons::Neurons;
use crate::proof::{Proofs, Proved};
use crate::rows::{MovedRows, RowLists, TableRows};

/// A call that cannot happen.
const NO_MOVES: &str = "a network with several sets has no rows that follow from a move alone";

/// A network's shape, tables and kernels. Implemented by what
/// [`nnue_net!`](crate::nnue_net) and nnue-build generate and by nobody else: what it asks for may
/// change.
pub trait Architecture: Copy + fmt::Debug + Send + Sync + 'static {
    /// All weights, as the kernels read them.
    #[doc(hidden)]
    type Weights: Plain + Send + Sync;
    /// The part of the weights that the layers read: one stack for each bucket. Only its columns
    /// have different orders at different levels.
    #[doc(hidden)]
    type Stacks: Plain + Send + Sync;
    /// The accumulator of one perspective: the sums of all its neurons.
    #[doc(hidden)]
    type Half: Plain + Send + Sync;
    /// The type of an evaluation: [`Output`] or [`Wdl`], or the module's own `Outputs`, which has
    /// an evaluation of these types and the values of further heads.
    type Output: Evaluated;
    /// Lists of the transformer's rows: [`Rows`](crate::rows::Rows), one list for each of its
    /// tables.
    #[doc(hidden)]
    type Rows: RowLists;
    /// The refresh cache's entry for each viewpoint:
    /// [`Entries`](crate::__private::features::Entries).
    #[doc(hidden)]
    type Entries: EntryNumbers;
    /// The parts of a line of moves: a kind of [`line`](mod@crate::line).
    type Line: Kind;

    /// The name of the network in its spec.
    const NAME: &'static str;
    /// The perspective that the layers see first.
    const ORDER: Order;
    /// The perspectives that are kept up to date: both, unless only white's is ever read.
    #[doc(hidden)]
    const PERSPECTIVES: &'static [Color];
    /// Neurons of the transformer per perspective.
    const WIDTH: usize;
    /// How many layer stacks there are: a stack for each bucket.
    const BUCKETS: usize;
    /// Whether there are kernels that ask for proofs: otherwise only reports do.
    #[doc(hidden)]
    const NEEDS_PROOFS: bool;
    /// The feature sets, whose rows are summed.
    #[doc(hidden)]
    const FEATURES: &'static [FeatureSet];
    /// The content of a net file, and the places of its tensors in [`Self::Weights`].
    #[doc(hidden)]
    const FILE: &'static FileLayout;
    /// The values that the layers see of the transformer's neurons.
    const NEURONS: Neurons;

    /// The accumulator of an empty board, as a perspective sees it.
    #[doc(hidden)]
    fn biases(weights: &Self::Weights, perspective: Color) -> &Self::Half;
    /// The values of an accumulator, a value for each neuron.
    #[doc(hidden)]
    fn values(half: &Self::Half) -> &[i16];
    /// The weights of one of the transformer's tables.
    #[doc(hidden)]
    fn rows(weights: &Self::Weights, table: usize) -> TableRows<'_>;
    /// The stacks within the weights.
    #[doc(hidden)]
    fn stacks(weights: &Self::Weights) -> &Self::Stacks;
    /// Bounds that the weights prove for the layers.
    #[doc(hidden)]
    fn proofs(stacks: &Self::Stacks) -> Proofs;
    /// Asks for the beginning of a table's row, which will be added soon.
    #[doc(hidden)]
    fn prefetch(weights: &Self::Weights, table: usize, row: u32);
    /// `into = base + added rows - removed rows`.
    #[doc(hidden)]
    fn accumulate(
        level: Level,
        weights: &Self::Weights,
        base: &Self::Half,
        added: &Self::Rows,
        removed: &Self::Rows,
        into: &mut Self::Half,
    );
    /// `into = entry = entry + added rows - removed rows`, in one pass.
    #[doc(hidden)]
    fn refresh(
        level: Level,
        weights: &Self::Weights,
        entry: &mut Self::Half,
        added: &Self::Rows,
        removed: &Self::Rows,
        into: &mut Self::Half,
    );
    /// `after = before + added - removed`, for the few rows of a move. Only networks with one set
    /// follow moves, and all of these have kernels for it.
    #[doc(hidden)]
    #[inline]
    fn follow_move(
        _: Level,
        _: &Self::Weights,
        _: &Self::Half,
        _: &[u32],
        _: &[u32],
        _: &mut Self::Half,
    ) {
        unreachable!("{NO_MOVES}")
    }
    /// `after = before + added - removed - captured` for all perspectives, and
    /// [`Self::propagate`] of them, in one pass where that is faster. All halves and rows are in the
    /// order of [`Self::ORDER`].
    #[doc(hidden)]
    #[inline]
    #[allow(
        clippy::too_many_arguments,
        reason = "what an update and a forward pass need"
    )]
    fn propagate_move(
        _: Level,
        _: &Self::Weights,
        _: &Self::Stacks,
        _: [&Self::Half; 2],
        _: MovedRows,
        _: [&mut Self::Half; 2],
        _: usize,
        _: Proved,
    ) -> Self::Output {
        unreachable!("{NO_MOVES}")
    }
    /// Transformer output, layers and output of one bucket. The halves are in the order of
    /// [`Self::ORDER`]; networks of one perspective read the first alone.
    #[doc(hidden)]
    fn propagate(
        level: Level,
        stacks: &Self::Stacks,
        halves: [&Self::Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Self::Output;
}

/// All feature sets of a network.
#[inline]
pub(crate) fn sets<A: Architecture>() -> impl Iterator<Item = &'static FeatureSet> + Clone {
    // By index: compilers unroll a loop whose number of turns is a constant, and then know the
    // tables.
    (0..A::FEATURES.len()).map(|index| &A::FEATURES[index])
}

/// The perspective that the layers see first. An evaluation is from its view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The half of the side to move comes first.
    SideToMoveFirst,
    /// White's half comes first.
    WhiteFirst,
}

impl Order {
    /// The items of the perspective that the layers see first, then those of the other.
    #[inline]
    pub(crate) fn of<T>(self, [white, black]: [T; 2], side_to_move: Color) -> [T; 2] {
        match (self, side_to_move) {
            (Order::SideToMoveFirst, Color::Black) => [black, white],
            (Order::SideToMoveFirst, Color::White) | (Order::WhiteFirst, _) => [white, black],
        }
    }
}

/// Networks whose bucket follows from the number of pieces. Other networks leave the choice of the
/// bucket to the caller.
#[diagnostic::on_unimplemented(
    message = "the bucket of `{Self}` does not follow from the number of pieces",
    label = "which bucket is not known here",
    note = "choose the bucket yourself: `evaluate_bucket` takes its number",
    note = "or let the spec say it: `select = {{ pieces = ... }}` in `[stacks]`"
)]
pub trait SelectedByPieces: Architecture {
    /// The bucket of a position with 0, 1, ... 32 pieces.
    const BUCKETS: [u8; 33];
}

/// Networks that carry a net file: `nnue_net!("...", weights = "...")`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no net file embedded",
    label = "there is no file that this could load",
    note = "name one in the macro, `nnue_net!(\"specs/my-net.toml\", weights = \"my-net.nnue\")`, or load one with `Network::open`"
)]
pub trait Embedded: Architecture {
    /// The net file or its weights, which were checked while compiling.
    #[doc(hidden)]
    const NET: EmbeddedNet<Self::Weights>;
}

/// The network that is part of a program: its net file, or its weights.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum EmbeddedNet<W: 'static> {
    /// The net file.
    File(&'static [u8]),
    /// The weights as they lie in memory.
    Weights {
        /// The weights.
        weights: &'static W,
        /// The order of packed columns in the weights.
        packed: &'static [usize],
        /// What the net file has besides its weights, as
        /// [`Loaded::encode`](nnue_format::Loaded::encode) writes it.
        kept: &'static [u8],
    },
}

/// An evaluation, from the side to move's view. Networks whose order is [`Order::WhiteFirst`]
/// evaluate as they were trained to: usually from white's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The PSQT part: half the difference of both perspectives' sums, rounded towards zero; of
    /// networks with one perspective, its sum. 0 for networks without PSQT.
    pub psqt: i32,
    /// The layers' part, in the same units.
    pub positional: i32,
    /// Both parts together, in the engine's units: divided as the spec says.
    pub value: i32,
}

/// The three outputs of a network that predicts a game's end, from the side to move's view. How
/// these become probabilities is the network's author's choice: usually by a softmax.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wdl {
    /// The output for a win of the side to move.
    pub win: Output,
    /// The output for a draw.
    pub draw: Output,
    /// The output for a loss of the side to move.
    pub loss: Output,
}

/// The common interface of all networks' evaluations.
///
/// A network with further heads has a type of its own, `Outputs`, with a field for each of them.
/// This trait is for code that does not know the network.
pub trait Evaluated: Copy + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The evaluation without further heads: [`Output`] or [`Wdl`].
    type Evaluation: Evaluated;

    /// The names of the further heads, in the order of the spec.
    const HEADS: &'static [&'static str];

    /// The evaluation without further heads.
    #[must_use]
    fn evaluation(&self) -> Self::Evaluation;

    /// The value of a further head, by its place in [`Self::HEADS`].
    #[must_use]
    fn head(&self, index: usize) -> Option<HeadValue>;

    /// The values of the evaluation: one, or those of win, draw and loss.
    #[doc(hidden)]
    fn outputs(&self) -> [Option<Output>; 3] {
        self.evaluation().outputs()
    }
}

/// The value of a further head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeadValue {
    /// The value of a head that sums up integers, in the units that the spec says.
    Integer(i32),
    /// The value of a head that sums up floating point, times its scale.
    Float(f32),
}

impl Evaluated for Output {
    type Evaluation = Output;

    const HEADS: &'static [&'static str] = &[];

    fn evaluation(&self) -> Output {
        *self
    }

    fn head(&self, _: usize) -> Option<HeadValue> {
        None
    }

    fn outputs(&self) -> [Option<Output>; 3] {
        [Some(*self), None, None]
    }
}

impl Evaluated for Wdl {
    type Evaluation = Wdl;

    const HEADS: &'static [&'static str] = &[];

    fn evaluation(&self) -> Wdl {
        *self
    }

    fn head(&self, _: usize) -> Option<HeadValue> {
        None
    }

    fn outputs(&self) -> [Option<Output>; 3] {
        [self.win, self.draw, self.loss].map(Some)
    }
}
