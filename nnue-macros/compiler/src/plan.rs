//! How one instruction set carries a network out: tiles, unrolling, independent sums.
//!
//! Every decision about speed is made here and can be printed. [`crate::emit()`] only writes it
//! down.

mod affine;
mod budget;
mod print;
mod transform;

use nnue_format::PAIRED_RUN;
use nnue_levels::{ISAS, Isa};

use crate::layout::{Affine, Elementwise, LaidOut, Layout, Table};

pub use affine::{Blocks, Fused, Kernel, Products, Steps};
pub use budget::TooMuchCode;
pub use transform::{Bytes, Multiply, Outputs, Transform};

/// How much is written out as straight-line code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unroll {
    /// What measurement favours: register tiles and small layers, loops over the rest.
    #[default]
    Auto,
    /// Everything, at the price of code size and compile time.
    Full,
}

/// The plans of a network for all instruction sets, and what they share.
#[derive(Clone, Debug, PartialEq)]
pub struct Plans<'l> {
    /// What is fetched of a row before it is needed.
    pub prefetch: Prefetch,
    /// One plan for each instruction set, in the order of [`ISAS`].
    pub levels: Vec<Plan<'l>>,
}

/// How much of a row of the transformer is asked for ahead of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefetch {
    /// For each table of rows, cache lines of the row's weights that are asked for when it is
    /// listed.
    pub weights: Vec<usize>,
    /// Cache lines of the row's PSQT values.
    pub psqt: usize,
    /// How many neurons before their tile all others are asked for; `None` leaves them to the
    /// processor's own prefetcher.
    pub ahead: Option<usize>,
}

/// The plan of one network for one instruction set.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<'l> {
    /// The instruction set that the plan is for.
    pub isa: &'static Isa,
    /// Accumulator refresh and update.
    pub accumulate: Accumulate,
    /// The instruction set whose code for that is used: an earlier one that this one extends, with
    /// the same vectors.
    pub accumulate_of: Option<&'static Isa>,
    /// From accumulators to the layers' inputs.
    pub transform: Transform,
    /// The layers of the network, in their order.
    pub layers: Vec<Planned<'l>>,
}

/// A layer of the network with everything that is decided about it: its operation, its memory and
/// how it is carried out.
#[derive(Clone, Debug, PartialEq)]
pub enum Planned<'l> {
    /// An affine layer and its kernel.
    Affine(&'l Affine<'l>, Kernel),
    /// Any other layer: a loop over its values, which the optimiser turns into vectors.
    Elementwise(&'l Elementwise<'l>),
}

/// Rows are added to a tile of the accumulator that stays in registers until the last row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accumulate {
    /// Values in a register.
    pub lanes: usize,
    /// Registers of a tile.
    pub registers: usize,
    /// Values of a tile.
    pub tile: usize,
    /// Tiles of an accumulator.
    pub tiles: usize,
    /// Vectors of an accumulator.
    pub vectors: usize,
    /// Whether rows of bytes are added as words of two.
    pub pairs: bool,
    /// Whether the tiles follow one another without a loop.
    pub unrolled: bool,
    /// Rows added and rows removed by the updates that have a function of their own; only networks
    /// with one table of rows have any.
    pub updates: &'static [(usize, usize)],
}

/// Quiet moves, captures and castling. Such updates go over the accumulator once, with all their
/// rows at hand: there is no loop over rows whose end could be mispredicted.
const UPDATES: &[(usize, usize)] = &[(1, 1), (1, 2), (2, 2)];

/// Bytes of a cache line.
const CACHE_LINE: usize = 64;

/// Lines of a row that are asked for when it is listed, in networks with one table: the processor's
/// own prefetcher follows the others.
const PREFETCHED_LINES: usize = 2;

/// Neurons of a row that are asked for when it is listed, in networks with several tables. They
/// list many short rows, which the processor's prefetcher is too late for. So many neurons are the
/// first tile of the widest vectors; all others are asked for as long before their tile.
const PREFETCHED_NEURONS: usize = 512;

impl<'l> Plans<'l> {
    /// Plans a network for all instruction sets.
    ///
    /// # Errors
    ///
    /// The network would become more code than a Rust compiler takes in reasonable time: of one
    /// that [`crate::analyse()`] accepts, only [`Unroll::Full`] makes so much.
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
        let lines = |neurons: usize, table: &Table| neurons * table.element.size() / CACHE_LINE;
        let (weights, ahead) = match layout.tables.as_slice() {
            [table] => (vec![lines(width, table).min(PREFETCHED_LINES)], None),
            tables => {
                let neurons = width.min(PREFETCHED_NEURONS);
                let weights = tables.iter().map(|table| lines(neurons, table)).collect();
                (weights, (width > neurons).then_some(neurons))
            }
        };
        Ok(Plans {
            prefetch: Prefetch {
                weights,
                psqt: layout.network.transformer.psqt.min(1),
                ahead,
            },
            levels,
        })
    }

    /// Whether kernels of any instruction set ask what the weights prove.
    pub fn need_proofs(&self) -> bool {
        self.levels.iter().any(Plan::needs_proofs)
    }

    /// Whether a kernel of this layer, on any instruction set, asks what the weights prove.
    pub fn need_proof_of(&self, affine: &Affine<'_>) -> bool {
        let kernels = self.levels.iter().flat_map(Plan::kernels);
        let mut kernels = kernels.filter(|(planned, _)| planned.index == affine.index);
        kernels.any(|(_, kernel)| kernel.needs_proof())
    }
}

impl<'l> Plan<'l> {
    /// Plans a network for one instruction set.
    pub fn of(layout: &'l Layout<'l>, isa: &'static Isa, unroll: Unroll) -> Plan<'l> {
        let layers: Vec<Planned> = layout
            .layers
            .iter()
            .map(|layer| match layer {
                LaidOut::Affine(affine) => {
                    let kernel = Kernel::of(layout.network, affine, isa, unroll);
                    Planned::Affine(affine, kernel)
                }
                LaidOut::Elementwise(elementwise) => Planned::Elementwise(elementwise),
            })
            .collect();
        Plan {
            isa,
            accumulate: Accumulate::of(layout, isa, unroll),
            accumulate_of: None,
            transform: Transform::of(layout, isa, unroll, &layers),
            layers,
        }
    }

    /// This plan's instruction set, if its code for accumulators serves the other plan too: the
    /// other instruction set has all of its features, and would carry out the same steps with the
    /// same vectors. What it has beyond them is of no use where nothing is multiplied.
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

    /// Whether its kernels ask what the weights prove.
    pub fn needs_proofs(&self) -> bool {
        self.kernels().any(|(_, kernel)| kernel.needs_proof())
    }
}

/// The affine layers among these, with their kernels.
fn kernels<'p, 'l>(
    layers: &'p [Planned<'l>],
) -> impl Iterator<Item = (&'l Affine<'l>, &'p Kernel)> {
    layers.iter().filter_map(|layer| match layer {
        Planned::Affine(affine, kernel) => Some((*affine, kernel)),
        Planned::Elementwise(_) => None,
    })
}

impl Accumulate {
    fn of(layout: &Layout<'_>, isa: &Isa, unroll: Unroll) -> Accumulate {
        let lanes = isa.lanes(2);
        let vectors = layout.columns.width / lanes;
        // Half of the registers proved as fast as all, whatever the instruction set, and leaves
        // room for the PSQT sums.
        let most = isa.registers / 2;
        // Values that share words have to be in registers together.
        let pairs = layout.tables.iter().any(|table| table.paired);
        let unit = if pairs { PAIRED_RUN / lanes } else { 1 };
        let registers = (unit..=most)
            .rev()
            .find(|count| vectors.is_multiple_of(*count) && count.is_multiple_of(unit))
            .unwrap_or(unit);
        let tiles = vectors / registers;
        Accumulate {
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
