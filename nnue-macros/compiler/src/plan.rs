//! How one instruction set carries a network out: tiles, unrolling, independent sums.
//!
//! Every decision about speed is made here and can be printed; [`crate::emit()`] only writes it down.

use std::fmt;

use crate::isa::Isa;
use crate::layout::{Affine, Form, LayerLayout, Layout};
use crate::network::{
    self, Element, Network, Op, Pooling, Sparse, SparseBy, TransformerActivation,
};

/// How much is written out as straight-line code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unroll {
    /// What measurement favours: register tiles and small layers, loops over the rest.
    #[default]
    Auto,
    /// Everything, at the price of code size and compile time.
    Full,
}

/// The plan of one network for one instruction set.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// For which.
    pub isa: &'static Isa,
    /// Accumulator refresh and update.
    pub accumulate: Accumulate,
    /// From accumulators to the layers' inputs.
    pub transform: Transform,
    /// One per layer of the network.
    pub layers: Vec<LayerPlan>,
}

/// Rows are added to a tile of the accumulator that stays in registers until the last row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accumulate {
    /// Values in a register.
    pub lanes: usize,
    /// Registers of a tile.
    pub registers: usize,
    /// Tiles of an accumulator.
    pub tiles: usize,
    /// Whether the tiles follow one another without a loop.
    pub unrolled: bool,
}

/// Packed vectors are clipped, pooled, stored and searched for non-zero blocks one group after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transform {
    /// Packed vectors of one perspective.
    pub packed: usize,
    /// Packed vectors of a group.
    pub group: usize,
    /// Whether the groups follow one another without a loop; a group may then span both perspectives.
    pub unrolled: bool,
    /// Whether a list of non-zero blocks is made.
    pub lists_nonzero: bool,
    /// For products: how far the factors are shifted left, so that the high half of their product is the result.
    pub factor_shifts: (u32, u32),
    /// For a `screlu`: how its squares are made.
    pub squares: Squares,
}

/// How a value of up to eight bits is squared and shifted to the right, in 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Squares {
    /// By the high half of a product, as for [`Transform::factor_shifts`].
    High(u32, u32),
    /// By the low half, which is then shifted: 16 bits hold the square.
    Low,
    /// By the product of both halves of the value: the square has one bit too many, and is shifted by one.
    Halved,
}

/// How a layer is carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerPlan {
    /// For every block of the list of non-zero ones: repeat it over a vector, multiply and add.
    Sparse {
        /// Vectors of outputs.
        vectors: usize,
        /// Blocks handled side by side, each with its own sums.
        sums: usize,
        /// Which products.
        products: Products,
    },
    /// For every block of the input.
    Dense {
        /// Vectors of outputs.
        vectors: usize,
        /// Blocks handled side by side, each with its own sums.
        sums: usize,
        /// Whether the blocks follow one another without a loop.
        unrolled: bool,
        /// Whether each step is a call: so many scalar steps in one function take minutes to compile.
        called: bool,
        /// Whether the spec says that most inputs are zero, and skipping them would not pay.
        too_small: bool,
        /// Which products.
        products: Products,
    },
    /// One horizontal sum per output.
    Rows {
        /// Which products.
        products: Products,
    },
    /// A function of the runtime, generic over the shape.
    Kernel {
        /// Its name.
        name: &'static str,
        /// For kernels whose sums are exact only where the weights prove it: the one that is used otherwise.
        unless_proved: Option<&'static str>,
        /// Why this one.
        why: &'static str,
    },
    /// Element by element, for the optimiser to turn into vectors.
    Elementwise,
}

/// How bytes are multiplied: inputs beyond 127 may saturate the fast way, where an instruction set adds pairs of products in
/// 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Products {
    /// The fast way, which is exact for these inputs.
    Fast,
    /// The fast way where the weights prove that no pair saturates, else the exact one.
    FastIfProved,
}

/// Dense layers of up to this many steps (vector operations) become straight-line code: beyond it
/// compile time grows faster than speed.
const MOST_UNROLLED_STEPS: usize = 512;

/// Blocks that are handled side by side at most: with one vector of outputs, as many independent sums hide a dot product's
/// latency of four, for each takes two loads.
const SIDE_BY_SIDE: usize = 4;

/// Independent sums that hide it where several vectors of outputs share the load of their inputs.
const CHAINS: usize = 8;

impl Plan {
    /// Plans a network for one instruction set.
    pub fn of(network: &Network, layout: &Layout, isa: &'static Isa, unroll: Unroll) -> Plan {
        let layers: Vec<LayerPlan> = network
            .layers
            .iter()
            .zip(&layout.layers)
            .map(|(layer, laid_out)| match (laid_out, &layer.op) {
                (LayerLayout::Affine(affine), Op::Affine(op)) => {
                    let products = products(network, layer, isa);
                    plan_affine(affine, op, products, isa, unroll)
                }
                _ => LayerPlan::Elementwise,
            })
            .collect();
        let lists_nonzero = layers
            .iter()
            .any(|layer| matches!(layer, LayerPlan::Sparse { .. }));
        Plan {
            isa,
            accumulate: plan_accumulate(layout, isa, unroll),
            transform: plan_transform(network, layout, isa, unroll, lists_nonzero),
            layers,
        }
    }
}

fn plan_accumulate(layout: &Layout, isa: &'static Isa, unroll: Unroll) -> Accumulate {
    let lanes = isa.lanes(2);
    let vectors = layout.columns.width / lanes;
    // Half of the registers proved as fast as all, whatever the instruction set, and leaves room for the PSQT sums.
    let most = isa.registers / 2;
    let registers = (1..=most)
        .rev()
        .find(|count| vectors.is_multiple_of(*count))
        .unwrap_or(1);
    let tiles = vectors / registers;
    Accumulate {
        lanes,
        registers,
        tiles,
        unrolled: unroll == Unroll::Full || tiles == 1,
    }
}

fn plan_transform(
    network: &Network,
    layout: &Layout,
    isa: &'static Isa,
    unroll: Unroll,
    lists_nonzero: bool,
) -> Transform {
    let transformer = &network.transformer;
    let packed = layout.columns.half / isa.vector_bytes;
    let group = if lists_nonzero {
        isa.nonzero_vectors
    } else {
        1
    };
    let factor_shifts = match transformer.pooling {
        Pooling::Product { shift } => factor_shifts(transformer.activated.range.1 as u32, shift),
        _ => (0, 0),
    };
    let squares = match transformer.activation {
        TransformerActivation::Screlu { shift } => squares(transformer.one, shift),
        _ => Squares::Low,
    };
    let unrolled = unroll == Unroll::Full || !packed.is_multiple_of(group) || packed <= 2;
    Transform {
        packed,
        group,
        unrolled,
        lists_nonzero,
        factor_shifts,
        squares,
    }
}

/// How far two factors up to `largest` are shifted left for the high 16 bits of their product to be the product shifted
/// right by `shift`: the first as far as 16 bits allow.
fn factor_shifts(largest: u32, shift: u32) -> (u32, u32) {
    let total = i16::BITS - shift;
    let first = (i16::MAX as u32 / largest).ilog2().min(total);
    (first, total - first)
}

/// How values up to `largest` are squared and shifted by `shift`.
fn squares(largest: u32, shift: u32) -> Squares {
    const MOST: u32 = i16::MAX as u32;
    let (first, second) = factor_shifts(largest, shift);
    if largest << second <= MOST {
        Squares::High(first, second)
    } else if largest * largest <= MOST {
        Squares::Low
    } else {
        Squares::Halved
    }
}

/// Inputs up to this can be multiplied in bytes on every instruction set, whatever the weights.
pub const LARGEST_FAST_INPUT: i64 = 127;

/// Whether bytes can be multiplied the fast way whatever the weights.
fn products(network: &Network, layer: &network::Layer, isa: &Isa) -> Products {
    let largest = layer
        .inputs
        .iter()
        .map(|slice| network.tensor(slice.source).range.1)
        .max();
    if isa.exact_dot || largest.is_none_or(|largest| largest <= LARGEST_FAST_INPUT) {
        Products::Fast
    } else {
        Products::FastIfProved
    }
}

fn plan_affine(
    affine: &Affine,
    op: &network::Affine,
    products: Products,
    isa: &'static Isa,
    unroll: Unroll,
) -> LayerPlan {
    let kernel = |name, why| LayerPlan::Kernel {
        name,
        unless_proved: None,
        why,
    };
    match (affine.form, affine.input) {
        (Form::Blocks, _) => plan_blocks(affine, op, products, isa, unroll),
        (Form::Rows, Element::U8) => LayerPlan::Rows { products },
        (Form::Rows, Element::F32) => kernel("affine_f32_lanes", "f32, few outputs"),
        (Form::Rows, _) if affine.squares => LayerPlan::Kernel {
            name: "affine_squares",
            unless_proved: Some("affine_squares_exact"),
            why: "squares times 16-bit weights",
        },
        (Form::Rows, _) => kernel("affine_i16", "16-bit inputs or weights"),
        (Form::Columns, Element::F32) => kernel("affine_f32_columns", "f32, an output per lane"),
        (Form::Columns, _) => kernel("affine_sparse_inputs", sparse_reason(op)),
        (Form::OutputBlocks(_), _) => {
            kernel("affine_output_blocks", "each input reaches few outputs")
        }
        (Form::Bits, _) => kernel("affine_binary", "signs"),
    }
}

fn sparse_reason(op: &network::Affine) -> &'static str {
    match op.sparse {
        Some(sparse) if sparse.by == SparseBy::Inputs => "the spec says so",
        Some(sparse) if sparse.density.is_some() => "so few inputs are not zero",
        _ => "blocks of four are for bytes",
    }
}

fn plan_blocks(
    affine: &Affine,
    op: &network::Affine,
    products: Products,
    isa: &'static Isa,
    unroll: Unroll,
) -> LayerPlan {
    let vectors = affine.outputs / isa.lanes(4);
    let chains = if isa.short_dot_chain { 2 } else { CHAINS };
    let sums = chains
        .div_ceil(vectors)
        .min(SIDE_BY_SIDE)
        .min(affine.blocks());
    let skips = op
        .sparse
        .is_some_and(|sparse| is_worth_skipping(sparse, affine.blocks()));
    if skips && unroll == Unroll::Auto {
        return LayerPlan::Sparse {
            vectors,
            sums,
            products,
        };
    }
    let few_steps = affine.blocks() * vectors <= MOST_UNROLLED_STEPS;
    let unrolled = unroll == Unroll::Full || few_steps;
    LayerPlan::Dense {
        vectors,
        sums,
        unrolled,
        called: unrolled && !few_steps && isa.is_portable(),
        too_small: op.sparse.is_some() && !skips,
        products,
    }
}

/// The share of blocks that are not zero where the spec does not tell: that of Stockfish's nets.
const USUAL_BLOCKS: f64 = 0.4;

/// Zero blocks beyond which finding them costs less than multiplying them: a list has to be made, and no branch
/// predictor knows how long it is. With 32 blocks in all (small128) skipping costs 17 ns of an evaluation's 120 at
/// `avx512icl` and 37 of 160 at `avx2`; with 256 (SFNNv5) it gains 13 and 65.
const FEW_ZERO_BLOCKS: f64 = 64.0;

/// Whether it pays to skip zero blocks of four inputs.
fn is_worth_skipping(sparse: Sparse, blocks: usize) -> bool {
    let nonzero = sparse
        .density
        .map_or(USUAL_BLOCKS, |density| 1.0 - (1.0 - density).powi(4));
    sparse.by == SparseBy::Blocks || blocks as f64 * (1.0 - nonzero) > FEW_ZERO_BLOCKS
}

/// A plan with the names of what it plans, as `nnue-compiler plan` prints it.
pub struct Printed<'a> {
    /// What is planned.
    pub network: &'a Network,
    /// Its memory.
    pub layout: &'a Layout,
    /// The plan.
    pub plan: &'a Plan,
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Printed {
            network,
            layout,
            plan,
        } = self;
        let isa = plan.isa;
        let features = if isa.features.is_empty() {
            "none"
        } else {
            isa.features
        };
        writeln!(
            f,
            "{}: vectors of {} bytes, target features {features}",
            isa.name, isa.vector_bytes
        )?;
        let Accumulate {
            lanes,
            registers,
            tiles,
            unrolled,
        } = &plan.accumulate;
        writeln!(
            f,
            "  accumulate   {tiles} tile(s) of {registers} registers of {lanes} x i16{}",
            straight(*unrolled)
        )?;
        let transform = &plan.transform;
        writeln!(
            f,
            "  transform    2 x {} packed vector(s) in groups of {}{}{}",
            transform.packed,
            transform.group,
            straight(transform.unrolled),
            if transform.lists_nonzero {
                ", listing non-zero blocks"
            } else {
                ""
            }
        )?;
        for (index, (layer, planned)) in network.layers.iter().zip(&plan.layers).enumerate() {
            write!(f, "  {:<12} ", layer.name)?;
            let affine = layout.affine(index);
            let blocks = affine.map_or(0, Affine::blocks);
            match planned {
                LayerPlan::Sparse {
                    vectors,
                    sums,
                    products,
                } => writeln!(
                    f,
                    "sparse: up to {blocks} blocks x {vectors} vector(s), {sums} block(s) side by side{}",
                    proof(*products)
                )?,
                LayerPlan::Dense {
                    vectors,
                    sums,
                    unrolled,
                    called,
                    too_small,
                    products,
                } => writeln!(
                    f,
                    "dense: {blocks} blocks x {vectors} vector(s), {sums} block(s) side by side{}{}{}{}",
                    if *too_small {
                        ", too few to skip zeros"
                    } else {
                        ""
                    },
                    straight(*unrolled),
                    if *called { ", each step a call" } else { "" },
                    proof(*products)
                )?,
                LayerPlan::Rows { products } => {
                    let slots = affine.map_or(0, |affine| affine.slots);
                    writeln!(
                        f,
                        "rows: {} horizontal sum(s) over {slots} inputs{}",
                        layer.output.len,
                        proof(*products)
                    )?;
                }
                LayerPlan::Kernel {
                    name,
                    why,
                    unless_proved,
                } => {
                    let exact = unless_proved.map_or(String::new(), |exact| {
                        format!(", `{exact}` unless the weights prove it exact")
                    });
                    writeln!(f, "kernel `{name}`: {why}{exact}")?;
                }
                LayerPlan::Elementwise => writeln!(f, "elementwise: {} values", layer.output.len)?,
            }
        }
        Ok(())
    }
}

fn straight(unrolled: bool) -> &'static str {
    if unrolled { ", straight-line" } else { "" }
}

fn proof(products: Products) -> &'static str {
    match products {
        Products::Fast => "",
        Products::FastIfProved => {
            ", exact products unless the weights prove that no pair saturates"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What vectors of 16-bit integers make of `x`.
    fn squared(x: i16, squares: Squares, shift: u32) -> i16 {
        match squares {
            Squares::High(first, second) => {
                let (a, b) = (x << first, x << second);
                assert!(
                    a >> first == x && b >> second == x,
                    "{x} is shifted too far"
                );
                ((i32::from(a) * i32::from(b)) >> 16) as i16
            }
            Squares::Low => x.wrapping_mul(x) >> shift,
            Squares::Halved => {
                let half = x >> 1;
                (half << 1).wrapping_mul(x - half)
            }
        }
    }

    #[test]
    fn squares_fit_in_16_bits_whatever_the_shift() {
        for largest in 1..=255u32 {
            // Larger squares are kept as roots.
            let shifts = (0..=15).filter(|shift| (largest * largest) >> shift <= i16::MAX as u32);
            for shift in shifts {
                let squares = squares(largest, shift);
                for x in 0..=largest {
                    let expected = ((x * x) >> shift) as i16;
                    let found = squared(x as i16, squares, shift);
                    assert_eq!(found, expected, "{x}^2 >> {shift}, {squares:?}");
                }
            }
        }
    }
}
