//! Plans: how one instruction set computes a network, with tiles, unrolling and independent sums.
//!
//! Every decision about speed is made here and can be printed. [`crate::emit()`] only writes the
//! plan down.

mod affine;
mod budget;
mod planned;
mod print;
mod transform;
mod unroll;

use nnue_format::PAIRED_RUN;
use nnue_format::levels::{ISAS, Isa};

#[cfg(feature = "description")]
use crate::description::plans;
use crate::layout::{Affine, Form, LayerLayout, Layout, Table};
use planned::kernels;

pub use affine::{BlockOrder, Blocks, FusedPlan, Kernel, Needed, Products};
pub use budget::TooMuchCode;
pub use planned::PlannedLayer;
pub use transform::{Bytes, Multiplication, Transform, TransformOutputs};
pub use unroll::Unroll;

/// The plans of a network for all instruction sets, and the decisions that they share.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "description", derive(serde::Serialize))]
pub struct Plans<'l> {
    /// The parts of a row that are fetched before they are needed.
    pub prefetch: PrefetchPlan,
    /// One plan for each instruction set, in the order of [`ISAS`].
    pub levels: Vec<Plan<'l>>,
}

/// The zeros among the transformer's outputs that the kernels of some level skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// No zeros are skipped.
    Nothing,
    /// Every output that is zero is skipped.
    Outputs,
    /// Blocks of four outputs of a perspective are skipped if all are zero.
    Blocks,
}

/// How much of a row of the transformer is prefetched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "description", derive(serde::Serialize))]
pub struct PrefetchPlan {
    /// For each table of rows, the number of cache lines of a row's weights that are prefetched
    /// when the row is listed.
    pub weights: Vec<usize>,
    /// The number of cache lines of a row's PSQT values that are prefetched.
    pub psqt: usize,
}

/// The plan of one network for one instruction set.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "description", derive(serde::Serialize))]
pub struct Plan<'l> {
    /// The instruction set that the plan is for.
    #[cfg_attr(feature = "description", serde(flatten, serialize_with = "plans::isa"))]
    pub isa: &'static Isa,
    /// How accumulators are refreshed and updated.
    pub accumulate: AccumulatePlan,
    /// The instruction set whose code for accumulators is used instead: an earlier instruction set
    /// with the same vectors, which this instruction set extends.
    #[cfg_attr(feature = "description", serde(serialize_with = "plans::name"))]
    pub accumulate_of: Option<&'static Isa>,
    /// How accumulators become the layers' inputs.
    pub transform: Transform,
    /// Whether the rows of a move are added in the pass that makes the layers' inputs.
    pub fuses_moves: bool,
    /// The layers of the network, in their order.
    pub layers: Vec<PlannedLayer<'l>>,
}

/// How rows are added to accumulators: a tile of the accumulator stays in registers until the last
/// row is added.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "description", derive(serde::Serialize))]
pub struct AccumulatePlan {
    /// The number of values in a register.
    pub lanes: usize,
    /// The number of registers of a tile.
    pub registers: usize,
    /// The number of values of a tile.
    pub tile: usize,
    /// The number of tiles of an accumulator.
    pub tiles: usize,
    /// The number of vectors of an accumulator.
    pub vectors: usize,
    /// Whether rows of bytes are added as words, each of two bytes.
    pub pairs: bool,
    /// Whether the tiles follow one another without a loop.
    pub unrolled: bool,
    /// The updates that have a function of their own, as the numbers of rows that they add and
    /// remove. Only networks with a single table of rows have any.
    pub updates: &'static [(usize, usize)],
}

/// The updates of quiet moves, captures and castling, as numbers of added and removed rows. They go
/// over the accumulator once, with all rows at hand: there is no loop over rows whose end could be
/// mispredicted.
const UPDATES: &[(usize, usize)] = &[(1, 1), (1, 2), (2, 2), (1, 3)];

/// The number of bytes of a cache line.
const CACHE_LINE: usize = 64;

/// The number of cache lines of a row that are prefetched when it is listed, in networks with a
/// single table. The processor's own prefetcher follows with the others.
const PREFETCHED_LINES: usize = 2;

/// The same in networks with several tables. They list many short rows, for which the processor's
/// prefetcher is too late.
const PREFETCHED_LINES_OF_SEVERAL: usize = 8;

impl<'l> Plans<'l> {
    /// Plans a network for all instruction sets.
    ///
    /// # Errors
    ///
    /// [`TooMuchCode`] if the network would become more code than a Rust compiler takes in
    /// reasonable time. For a network that [`crate::analyse()`] accepts, only [`Unroll::Full`]
    /// makes so much.
    pub fn of(layout: &'l Layout<'l>, unroll: Unroll) -> Result<Plans<'l>, TooMuchCode> {
        let mut levels: Vec<Plan> = ISAS
            .iter()
            .map(|isa| Plan::of(layout, isa, unroll))
            .collect();
        for index in 1..levels.len() {
            let (before, plan) = levels.split_at_mut(index);
            plan[0].accumulate_of = before.iter().find_map(|other| other.lends(&plan[0]));
        }
        TooMuchCode::check(layout, &levels, unroll)?;
        let width = layout.columns.width;
        let most = match layout.tables.len() {
            1 => PREFETCHED_LINES,
            _ => PREFETCHED_LINES_OF_SEVERAL,
        };
        let lines = |table: &Table| (width * table.element.size() / CACHE_LINE).min(most);
        Ok(Plans {
            prefetch: PrefetchPlan {
                weights: layout.tables.iter().map(lines).collect(),
                psqt: layout.network.transformer.psqt.min(1),
            },
            levels,
        })
    }

    /// The zeros that kernels skip, at the level whose kernels skip the most.
    #[must_use]
    pub fn skipped(&self, layout: &Layout<'_>) -> Skipped {
        let by_outputs = |affine: &Affine<'_>| {
            affine.op.sparse.is_some()
                && matches!(affine.form, Form::Columns | Form::OutputBlocks(_))
        };
        let mut levels = self.levels.iter();
        if levels.any(|plan| plan.transform.lists_nonzero()) {
            Skipped::Blocks
        } else if layout.affines().any(by_outputs) {
            Skipped::Outputs
        } else {
            Skipped::Nothing
        }
    }

    /// Whether a kernel of any instruction set depends on proofs from the weights.
    pub fn need_proofs(&self) -> bool {
        self.levels.iter().any(Plan::needs_proofs)
    }

    /// The proof that the kernels of all instruction sets need from the weights of this layer;
    /// `None` if no kernel depends on it.
    pub fn need_of(&self, affine: &Affine<'_>) -> Option<Needed> {
        let kernels = self.levels.iter().flat_map(Plan::kernels);
        let kernels = kernels.filter(|(planned, _)| planned.index == affine.index);
        kernels.filter_map(|(_, kernel)| kernel.needs()).max()
    }
}

impl<'l> Plan<'l> {
    /// Plans a network for one instruction set.
    pub fn of(layout: &'l Layout<'l>, isa: &'static Isa, unroll: Unroll) -> Plan<'l> {
        let layers: Vec<PlannedLayer> = layout
            .layers
            .iter()
            .map(|layer| match layer {
                LayerLayout::Affine(affine) => {
                    let kernel = Kernel::of(layout.network, affine, isa, unroll);
                    PlannedLayer::Affine(affine, kernel)
                }
                LayerLayout::Elementwise(elementwise) => PlannedLayer::Elementwise(elementwise),
            })
            .collect();
        Plan {
            isa,
            accumulate: AccumulatePlan::of(layout, isa, unroll),
            accumulate_of: None,
            transform: Transform::of(layout, isa, unroll, &layers),
            fuses_moves: fuses_moves(layout, &layers),
            layers,
        }
    }

    /// This plan's instruction set, if its code for accumulators serves the other plan too: the
    /// other instruction set has all of its features, and would compute the same steps with the
    /// same vectors. Its further features are of no use where nothing is multiplied.
    fn lends(&self, to: &Plan<'_>) -> Option<&'static Isa> {
        let has_all = self
            .isa
            .features
            .iter()
            .all(|feature| to.isa.features.contains(feature));
        let same = self.isa.target_arch == to.isa.target_arch && self.accumulate == to.accumulate;
        (has_all && same && self.accumulate_of.is_none()).then_some(self.isa)
    }

    /// The affine layers with their kernels.
    pub fn kernels(&self) -> impl Iterator<Item = (&'l Affine<'l>, &Kernel)> {
        kernels(&self.layers)
    }

    /// Whether a kernel of the plan depends on proofs from the weights.
    pub fn needs_proofs(&self) -> bool {
        self.kernels().any(|(_, kernel)| kernel.needs().is_some())
    }
}

/// Whether one pass adds the rows of a move and makes the layers' inputs. All neurons become inputs
/// then, once, and a value is in a word of its own.
fn fuses_moves(layout: &Layout<'_>, layers: &[PlannedLayer<'_>]) -> bool {
    let transformer = &layout.network.transformer;
    let makes_inputs_again = |(affine, kernel): (&Affine<'_>, &Kernel)| match kernel {
        Kernel::Fused(fused) => affine.outputs > fused.tile,
        _ => false,
    };
    matches!(layout.tables.as_slice(), [table] if !table.paired)
        && transformer.unpooled.is_none()
        && !kernels(layers).any(makes_inputs_again)
}

impl AccumulatePlan {
    fn of(layout: &Layout<'_>, isa: &Isa, unroll: Unroll) -> AccumulatePlan {
        let lanes = isa.lanes(2);
        let vectors = layout.columns.width / lanes;
        // Half of the registers were as fast as all in measurements, on every instruction set, and
        // this leaves room for the PSQT sums.
        let most = isa.registers / 2;
        // Two values that share a word have to be in registers at the same time.
        let pairs = layout.tables.iter().any(|table| table.paired);
        let unit = if pairs { PAIRED_RUN / lanes } else { 1 };
        let registers = (unit..=most)
            .rev()
            .find(|count| vectors.is_multiple_of(*count) && count.is_multiple_of(unit))
            .unwrap_or(unit);
        let tiles = vectors / registers;
        AccumulatePlan {
            lanes,
            registers,
            tile: registers * lanes,
            tiles,
            vectors,
            pairs,
            unrolled: unroll == Unroll::Full || tiles <= 2,
            updates: if layout.tables.len() == 1 {
                UPDATES
            } else {
                &[]
            },
        }
    }
}
