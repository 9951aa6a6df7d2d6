//! Chooses the kernel of an affine layer for one instruction set, and how its sums are unrolled.

use nnue_format::levels::Isa;

use super::budget::Work;
use super::unroll::Unroll;
#[cfg(feature = "description")]
use crate::description::plans;
use crate::layout::{Affine, Form, Input};
use crate::network::{self, Layer, Network, Source, Sparse, SparseBy, Sums};

/// The kernel of an affine layer: the way in which it is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "description", derive(serde::Serialize))]
#[cfg_attr(
    feature = "description",
    serde(tag = "kernel", rename_all = "snake_case")
)]
pub enum Kernel {
    /// For every block in the list of non-zero blocks: repeat it over a vector, multiply and add.
    Sparse(Blocks),
    /// For every block of the input: repeat it over a vector, multiply and add.
    Dense {
        /// How the sums are computed from blocks of four inputs.
        #[cfg_attr(feature = "description", serde(flatten))]
        blocks: Blocks,
        /// How the blocks follow one another.
        #[cfg_attr(feature = "description", serde(flatten))]
        steps: BlockOrder,
        /// Whether the spec says that zeros are skipped, but the layer is too small for that to
        /// pay.
        too_small: bool,
        /// Whether inputs that come from several layers are hidden from the optimiser. At levels
        /// with vectors of 64 bytes, LLVM would make each block from single bytes, by shuffles:
        /// small128 and SFNNv5 take 1 % longer. At `avx2` it leaves the bytes in a vector, and
        /// hiding costs 1 %.
        hides_inputs: bool,
    },
    /// A horizontal sum for each output.
    Rows {
        /// How bytes are multiplied.
        #[cfg_attr(
            feature = "description",
            serde(rename = "needs_proof", serialize_with = "plans::needs_proof")
        )]
        products: Products,
    },
    /// A horizontal sum for each output over words of the transformer that no other layer reads.
    /// They are multiplied in the registers in which they are activated, and are never in memory.
    Fused(FusedPlan),
    /// For every input of 32 bits: repeat it over a vector, multiply and add.
    Columns {
        /// The number of vectors that the outputs fill.
        vectors: usize,
        /// The number of vectors of sums that are in registers at a time. Such a tile takes all
        /// inputs before the next tile begins.
        tile: usize,
    },
    /// A function of the runtime, generic over the shape.
    Function {
        /// The name of the function in the runtime.
        #[cfg_attr(feature = "description", serde(rename = "function"))]
        name: &'static str,
        /// For functions whose sums are exact only where the weights prove it: the function that is
        /// called where they do not.
        unless_proved: Option<&'static str>,
        /// Why this function is chosen, for the table of the plan.
        why: &'static str,
    },
}

/// The sums of a layer that takes its inputs in blocks of four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "description", derive(serde::Serialize))]
pub struct Blocks {
    /// The number of blocks of the input.
    #[cfg_attr(feature = "description", serde(rename = "blocks"))]
    pub count: usize,
    /// The number of vectors that the outputs fill.
    pub vectors: usize,
    /// The number of blocks that are handled side by side, each with its own sums, so that they
    /// need not wait for one another.
    pub side_by_side: usize,
    /// How bytes are multiplied.
    #[cfg_attr(
        feature = "description",
        serde(rename = "needs_proof", serialize_with = "plans::needs_proof")
    )]
    pub products: Products,
    /// Whether sums of products of two blocks are added in 16 bits, where the weights prove that
    /// they fit. A dense layer takes blocks that are half of all blocks apart: large weights are
    /// often near each other.
    pub two_at_once: bool,
}

/// The sums of a layer that takes its inputs from the registers in which they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "description", derive(serde::Serialize))]
pub struct FusedPlan {
    /// The number of vectors of inputs of one perspective.
    pub vectors: usize,
    /// The number of outputs that share the vectors of inputs. The vectors are made again for the
    /// next outputs.
    pub tile: usize,
    /// How words are multiplied.
    #[cfg_attr(
        feature = "description",
        serde(rename = "needs_proof", serialize_with = "plans::needs_proof")
    )]
    pub products: Products,
}

/// How the blocks of a dense layer follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "description", derive(serde::Serialize))]
#[cfg_attr(
    feature = "description",
    serde(tag = "steps", rename_all = "snake_case")
)]
pub enum BlockOrder {
    /// The blocks follow one another without a loop.
    StraightLine,
    /// The blocks follow one another without a loop, and each vector operation is a call: all
    /// scalar operations in a single function would take minutes to compile.
    Calls,
    /// A loop takes as many blocks in each round as are handled side by side. The blocks that are
    /// left follow the loop.
    Loop {
        /// The number of rounds of the loop.
        rounds: usize,
        /// The index of the first block behind the loop.
        rest: usize,
    },
}

/// How inputs are multiplied with weights.
///
/// There is a fast way, which is not always exact. For bytes, an instruction set may add pairs of
/// products in 16 bits, where inputs beyond 127 may saturate, or it may read inputs with a sign, so
/// that large inputs become negative. For words, a weight times the root of an input may not fit in
/// 16 bits, and large words without a sign become negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Products {
    /// The fast way, because it is exact for these inputs.
    Fast,
    /// The fast way where the weights prove that it is exact, else the exact way.
    FastIfProved,
    /// The exact way, because no weights make the fast way exact for these inputs.
    Exact,
}

/// The proof that a kernel needs from the weights of a layer, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needed {
    /// That the sums of pairs of products, or the products with roots, fit in 16 bits.
    Products,
    /// That pairs fit with those of the block that is half of all blocks apart.
    Halves,
    /// That pairs fit with those of any other block.
    AnyTwo,
}

/// The largest number of steps (vector operations) of a dense layer that becomes straight-line
/// code. Beyond it, compile time grows faster than speed.
const MOST_UNROLLED_STEPS: usize = 512;

/// The largest number of blocks that a dense layer handles side by side. With one vector of
/// outputs, this many independent sums hide a dot product's latency of four, because each takes two
/// loads. A sparse layer does without this limit, because the places of its blocks are known late.
const SIDE_BY_SIDE: usize = 4;

/// The number of independent sums that hide a dot product's latency where several vectors of
/// outputs share the load of their inputs.
const CHAINS: usize = 8;

/// The least number of blocks that a round of a sparse layer's loop takes where their sums fill no
/// more than half of the registers, and a dot product takes four steps.
const SPARSE_SIDE_BY_SIDE: usize = 3;

/// The share of blocks that are not zero, where the spec does not give it: that of Stockfish's
/// nets.
const USUAL_BLOCKS: f64 = 0.4;

/// The number of zero blocks beyond which finding them costs less than multiplying them: a list has
/// to be made, and no branch predictor knows how long it is. With 32 blocks in all (small128),
/// skipping costs 17 ns of an evaluation's 120 ns at `avx512icl` and 37 ns of 160 ns at `avx2`;
/// with 256 blocks (SFNNv5), it gains 13 ns and 65 ns.
const FEW_ZERO_BLOCKS: f64 = 64.0;

/// The number of vectors of sums that registers hold beside an input and its products, where each
/// input of 32 bits is multiplied with a vector of weights.
const COLUMN_TILE: usize = 8;

/// The number of sums of a fused layer that do not wait for one another. This many hide the four
/// steps of the instruction that multiplies and adds.
const FUSED_CHAINS: usize = 4;

impl Kernel {
    pub(super) fn of(network: &Network, affine: &Affine<'_>, isa: &Isa, unroll: Unroll) -> Kernel {
        if let Some(fused) = FusedPlan::of(network, affine, isa) {
            return Kernel::Fused(fused);
        }
        let function = |name, why| Kernel::Function {
            name,
            unless_proved: None,
            why,
        };
        match (affine.form, affine.input) {
            (Form::Blocks, _) => blocks(affine, products(network, affine, isa), isa, unroll),
            (Form::Rows | Form::Shards(_), Input::Bytes) => {
                let products = products(network, affine, isa);
                Kernel::Rows { products }
            }
            (Form::Rows, Input::Floats) => match affine.op.sums {
                Sums::Pairs => function("affine_f32_pairs", "f32, few outputs"),
                Sums::Products => function("affine_f32_products", "f32, few outputs, no fma"),
                _ => function("affine_f32_lanes", "f32, few outputs"),
            },
            (Form::Rows, Input::Roots) => Kernel::Function {
                name: "affine_squares",
                unless_proved: Some("affine_squares_exact"),
                why: "squares times 16-bit weights",
            },
            (Form::Rows, Input::Unsigned) => function("affine_u16", "16-bit inputs without a sign"),
            (Form::Rows, Input::Longs) => match affine.op.sums {
                Sums::I64 => function("affine_i64_rows", "32-bit weights, sums of 64 bits"),
                _ => function("affine_i32_rows", "32-bit weights, few outputs"),
            },
            (Form::Columns, Input::Longs) => {
                let vectors = affine.outputs / isa.lanes(4);
                Kernel::Columns {
                    vectors,
                    tile: vectors.min(COLUMN_TILE),
                }
            }
            (Form::Rows | Form::Shards(_), _) => function("affine_i16", "16-bit inputs or weights"),
            (Form::Columns, Input::Floats) => {
                function("affine_f32_columns", "f32, an output per lane")
            }
            (Form::Columns, _) => function("affine_sparse_inputs", sparse_reason(affine.op)),
            (Form::OutputBlocks(_), _) => {
                function("affine_output_blocks", "each input reaches few outputs")
            }
            (Form::Bits, _) => function("affine_binary", "signs"),
        }
    }

    /// The proof that the kernel needs from the weights, if it needs one.
    pub fn needs(&self) -> Option<Needed> {
        let products = match self {
            Kernel::Sparse(blocks) if blocks.two_at_once => return Some(Needed::AnyTwo),
            Kernel::Dense { blocks, .. } if blocks.two_at_once => return Some(Needed::Halves),
            Kernel::Sparse(Blocks { products, .. })
            | Kernel::Dense {
                blocks: Blocks { products, .. },
                ..
            }
            | Kernel::Fused(FusedPlan { products, .. })
            | Kernel::Rows { products } => *products == Products::FastIfProved,
            Kernel::Function { unless_proved, .. } => unless_proved.is_some(),
            Kernel::Columns { .. } => false,
        };
        products.then_some(Needed::Products)
    }
}

impl FusedPlan {
    /// The fused sums of a layer; `None` for a layer that does not read all of the transformer's
    /// words row by row, and where another layer reads them too. No sums are fused at the portable
    /// level, whose vectors are arrays: LLVM makes better code of a loop over memory, which takes
    /// 470 ns for 2048 inputs on Zen 3, where fused sums take 1100 ns.
    fn of(network: &Network, affine: &Affine<'_>, isa: &Isa) -> Option<FusedPlan> {
        if isa.is_portable() {
            return None;
        }
        let products = match affine.input {
            Input::Words => Products::Fast,
            Input::Roots => Products::FastIfProved,
            Input::Unsigned => Products::Exact,
            _ => return None,
        };
        let reads = |layer: &&Layer| {
            let mut slices = layer.inputs.iter();
            slices.any(|slice| slice.source == Source::Transformer)
        };
        let reads_all = affine.form == Form::Rows && affine.in_place == Some(Source::Transformer);
        // Scales by the magnitude of the inputs read the inputs once more.
        let reads_twice = affine.op.scales.is_some_and(|scales| scales.inputs);
        if !reads_all || reads_twice || network.layers.iter().filter(reads).count() > 1 {
            return None;
        }
        // Half of the registers are for sums. The exact way has two sums for each output.
        let most = match products {
            Products::Fast => isa.registers / 2,
            Products::FastIfProved | Products::Exact => isa.registers / 4,
        };
        let tiles = affine.outputs.div_ceil(most);
        let perspectives = network.transformer.perspectives.count;
        Some(FusedPlan {
            vectors: affine.slots / perspectives / isa.lanes(2),
            tile: affine.outputs.div_ceil(tiles),
            products,
        })
    }

    /// The number of sets of sums that do not wait for one another. That an output has two sums does
    /// not make it less: LLVM parts instructions that multiply and add where sums wait.
    pub fn sets(&self) -> usize {
        FUSED_CHAINS.div_ceil(self.tile)
    }

    /// The work for it: sums start, are added to in a round of the loop, and are brought together.
    /// The exact way has two sums for each output. Tiles have no more sums than registers hold.
    fn work(&self, outputs: usize) -> Work {
        let way = |sums: usize| sums * outputs * (2 * self.sets() + FUSED_CHAINS);
        Work::in_loop(match self.products {
            Products::Fast => way(1),
            Products::Exact => way(2),
            Products::FastIfProved => way(1) + way(2),
        })
    }

    /// The number of vectors of each perspective that a round of the loop takes.
    pub fn side_by_side(&self, perspectives: usize) -> usize {
        FUSED_CHAINS / perspectives
    }
}

impl Blocks {
    /// The number of vector operations that are written out, if `written` blocks are: sums start,
    /// are added to, and are brought together.
    fn steps(&self, written: usize) -> usize {
        self.vectors * (2 * self.side_by_side + written)
    }

    /// How often as much work it is because registers do not hold the sums: each sum that is kept
    /// in memory is in the way of all others.
    fn crowd(&self, isa: &Isa) -> usize {
        self.vectors.div_ceil(isa.registers)
    }
}

impl Kernel {
    /// The work of a Rust compiler for the kernel.
    pub(super) fn work(&self, outputs: usize, isa: &Isa) -> Work {
        let twice_if_proved = |work: Work| match self.needs() {
            None => work,
            Some(_) => work * 2,
        };
        match self {
            Kernel::Sparse(blocks) => {
                // The blocks that do not fill a group follow the loop.
                let written = match blocks.side_by_side {
                    1 => 1,
                    sets => 2 * sets,
                };
                twice_if_proved(Work::in_loop(blocks.steps(written)) * blocks.crowd(isa))
            }
            Kernel::Dense { blocks, steps, .. } => {
                let all = blocks.steps(blocks.count);
                let work = match steps {
                    BlockOrder::StraightLine => Work::straight(all) * blocks.crowd(isa),
                    BlockOrder::Calls => Work::called(all),
                    BlockOrder::Loop { rest, .. } => {
                        let written = blocks.side_by_side + blocks.count - rest;
                        Work::in_loop(blocks.steps(written)) * blocks.crowd(isa)
                    }
                };
                twice_if_proved(work)
            }
            Kernel::Rows { .. } => twice_if_proved(Work::straight(outputs)),
            Kernel::Fused(fused) => fused.work(outputs),
            // A vector of sums starts, is added to, and is stored.
            Kernel::Columns { vectors, .. } => Work::in_loop(3 * vectors),
            Kernel::Function { .. } => Work::straight(1),
        }
    }
}

/// The way in which bytes are multiplied: the fast way, if it is exact whatever the weights are.
fn products(network: &Network, affine: &Affine<'_>, isa: &Isa) -> Products {
    let (_, largest) = network.input_range(affine.layer);
    if largest <= i64::from(isa.exact_inputs) {
        Products::Fast
    } else if isa.exact_if_proved {
        Products::FastIfProved
    } else {
        Products::Exact
    }
}

fn sparse_reason(op: &network::Affine) -> &'static str {
    match op.sparse {
        Some(sparse) if sparse.by == SparseBy::Inputs => "the spec says so",
        Some(sparse) if sparse.density.is_some() => "so few inputs are not zero",
        _ => "blocks of four are for bytes",
    }
}

fn blocks(affine: &Affine<'_>, products: Products, isa: &Isa, unroll: Unroll) -> Kernel {
    let vectors = affine.outputs / isa.lanes(4);
    let count = affine.blocks();
    let chains = if isa.short_dot_chain { 2 } else { CHAINS };
    let sparse = affine.op.sparse;
    let skips = sparse.is_some_and(|sparse| is_worth_skipping(sparse, count));
    let is_sparse = skips && unroll == Unroll::Auto;
    let most = if is_sparse { CHAINS } else { SIDE_BY_SIDE };
    let has_room = SPARSE_SIDE_BY_SIDE * vectors <= isa.registers / 2;
    let least = if is_sparse && !isa.short_dot_chain && has_room {
        SPARSE_SIDE_BY_SIDE
    } else {
        1
    };
    let side_by_side = chains.div_ceil(vectors).clamp(least, most).min(count);
    let few_steps = count * vectors <= MOST_UNROLLED_STEPS;
    let adds_in_words = isa.exact_if_proved && products == Products::Fast;
    let blocks = Blocks {
        count,
        vectors,
        side_by_side,
        products,
        two_at_once: adds_in_words && (is_sparse || few_steps && count.is_multiple_of(2)),
    };
    if is_sparse {
        return Kernel::Sparse(blocks);
    }
    // At the portable level each step is many instructions. There, small128 takes 1.1 us with a
    // loop and 1.5 us without; SFNNv5 takes 3.8 us with a loop and 4.3 us without.
    let stays_loop = isa.is_portable() && unroll == Unroll::Auto && count > side_by_side;
    let steps = match unroll {
        _ if few_steps && !stays_loop => BlockOrder::StraightLine,
        Unroll::Full if isa.is_portable() => BlockOrder::Calls,
        Unroll::Full => BlockOrder::StraightLine,
        Unroll::Auto => BlockOrder::Loop {
            rounds: count / side_by_side,
            rest: count / side_by_side * side_by_side,
        },
    };
    Kernel::Dense {
        blocks,
        steps,
        too_small: sparse.is_some() && !skips,
        hides_inputs: isa.vector_bytes == 64 && affine.in_place.is_none(),
    }
}

/// Whether it pays to skip zero blocks of four inputs.
fn is_worth_skipping(sparse: Sparse, blocks: usize) -> bool {
    let nonzero = sparse
        .density
        .map_or(USUAL_BLOCKS, |density| 1.0 - (1.0 - density).powi(4));
    sparse.by == SparseBy::Blocks || blocks as f64 * (1.0 - nonzero) > FEW_ZERO_BLOCKS
}
