//! The plans of a network as data for other programs: what `nnue plan --json` prints.

use serde::Serialize;

use crate::plan::{self, BlockOrder, Kernel, Products, TransformOutputs};

/// The plans of a network for all levels that are shown.
#[derive(Debug, Serialize)]
pub struct Plans {
    /// The name of the network.
    network: String,
    /// The part of a row that is fetched before it is needed.
    prefetch: PrefetchPlan,
    /// The plans of the instruction sets.
    levels: Vec<Level>,
}

/// How much of a row of the transformer is prefetched.
#[derive(Debug, Serialize)]
struct PrefetchPlan {
    /// For each table of rows: the number of cache lines of a row's weights that are prefetched.
    weights: Vec<usize>,
    /// The number of cache lines of a row's PSQT values that are prefetched.
    psqt: usize,
}

/// The plan of an instruction set.
#[derive(Debug, Serialize)]
struct Level {
    /// The name of the instruction set.
    level: &'static str,
    /// The number of bytes of a vector.
    vector_bytes: usize,
    /// The target features that the level needs.
    target_features: &'static [&'static str],
    /// The plan for adding rows.
    accumulate: AccumulatePlan,
    /// The plan from accumulators to the layers' inputs.
    transform: Transform,
    /// Whether the rows of a move are added in the pass that makes the layers' inputs.
    fuses_moves: bool,
    /// The plans of the layers, in their order.
    layers: Vec<Layer>,
}

/// Rows are added to a tile of the accumulator that stays in registers until the last row.
#[derive(Debug, Serialize)]
struct AccumulatePlan {
    /// The instruction set whose code is used; `null` if the instruction set has code of its own.
    code_of: Option<&'static str>,
    /// The number of tiles of an accumulator.
    tiles: usize,
    /// The number of registers of a tile.
    registers: usize,
    /// The number of values in a register.
    lanes: usize,
    /// Whether rows of bytes are added as words of two bytes.
    pairs: bool,
    /// Whether the tiles are straight-line code.
    unrolled: bool,
    /// The numbers of rows that are added and removed by the updates that have a function.
    updates: &'static [(usize, usize)],
}

/// The activation and the pooling of the transformer.
#[derive(Debug, Serialize)]
#[serde(tag = "outputs", rename_all = "snake_case")]
enum Transform {
    /// Values that fit in a byte.
    Bytes {
        /// The number of packed vectors of one perspective.
        vectors: usize,
        /// The number of packed vectors that are handled together.
        group: usize,
        /// Whether the groups are straight-line code.
        unrolled: bool,
        /// Whether a list of blocks that are not zero is made.
        lists_nonzero: bool,
    },
    /// Values of 16 bits.
    Words {
        /// The number of vectors of one perspective.
        vectors: usize,
    },
    /// Values of 16 bits that stay in registers.
    Registers {
        /// The number of vectors of one perspective.
        vectors: usize,
    },
}

/// The plan of a layer.
#[derive(Debug, Serialize)]
struct Layer {
    /// The name of the layer.
    name: String,
    /// The kernel of the layer.
    #[serde(flatten)]
    kernel: KernelData,
}

/// The kernel of a layer, named by the key `kernel`.
#[derive(Debug, Serialize)]
#[serde(tag = "kernel", rename_all = "snake_case")]
enum KernelData {
    /// Blocks of four inputs that are not all zero.
    Sparse(Blocks),
    /// All blocks of four inputs.
    Dense {
        #[serde(flatten)]
        blocks: Blocks,
        /// `loop`, `straight_line`, or `calls`: straight-line with a call for each step.
        steps: &'static str,
        /// Whether inputs that come from several layers are hidden from the optimiser.
        hides_inputs: bool,
    },
    /// One horizontal sum for each output.
    Rows {
        /// The number of sums.
        outputs: usize,
        /// The number of inputs, padding included.
        inputs: usize,
        /// Whether the fast products need a proof from the weights.
        needs_proof: bool,
    },
    /// One horizontal sum for each output, over values that are in registers.
    Fused {
        /// The number of sums.
        outputs: usize,
        /// The number of outputs that share the vectors of inputs.
        tile: usize,
        /// The number of inputs, padding included.
        inputs: usize,
        /// Whether the fast products need a proof from the weights.
        needs_proof: bool,
    },
    /// A vector operation for each input of 32 bits.
    Columns {
        /// The number of inputs, padding included.
        inputs: usize,
        /// The number of vectors of outputs.
        vectors: usize,
        /// The number of vectors of outputs whose sums are in registers at a time.
        tile: usize,
    },
    /// A function of the runtime.
    Function {
        /// The name of the function.
        name: &'static str,
        /// The reason for which the function is chosen.
        why: &'static str,
        /// The function that is called unless the weights prove the other function exact.
        unless_proved: Option<&'static str>,
    },
    /// A loop over values.
    Elementwise {
        /// The number of values.
        values: usize,
    },
}

/// Sums over blocks of four inputs.
#[derive(Debug, Serialize)]
struct Blocks {
    /// The number of blocks of the input.
    blocks: usize,
    /// The number of vectors of outputs.
    vectors: usize,
    /// The number of blocks with sums of their own.
    side_by_side: usize,
    /// Whether sums of two blocks are added in 16 bits where the weights prove that they fit.
    two_at_once: bool,
    /// Whether the fast products need a proof from the weights.
    needs_proof: bool,
}

impl Plans {
    /// The plans of the network with the name `network`, for the levels whose names `shows`
    /// accepts.
    pub fn of(network: &str, plans: &plan::Plans<'_>, shows: impl Fn(&str) -> bool) -> Plans {
        let plan::PrefetchPlan { weights, psqt } = &plans.prefetch;
        let levels = plans.levels.iter().filter(|plan| shows(plan.isa.name));
        Plans {
            network: network.into(),
            prefetch: PrefetchPlan {
                weights: weights.clone(),
                psqt: *psqt,
            },
            levels: levels.map(Level::of).collect(),
        }
    }
}

impl Level {
    fn of(plan: &plan::Plan<'_>) -> Level {
        let accumulate = &plan.accumulate;
        Level {
            level: plan.isa.name,
            vector_bytes: plan.isa.vector_bytes,
            target_features: plan.isa.features,
            accumulate: AccumulatePlan {
                code_of: plan.accumulate_of.map(|isa| isa.name),
                tiles: accumulate.tiles,
                registers: accumulate.registers,
                lanes: accumulate.lanes,
                pairs: accumulate.pairs,
                unrolled: accumulate.unrolled,
                updates: accumulate.updates,
            },
            transform: match &plan.transform.outputs {
                TransformOutputs::Bytes(bytes) => Transform::Bytes {
                    vectors: bytes.vectors,
                    group: bytes.group,
                    unrolled: bytes.unrolled,
                    lists_nonzero: bytes.lists_nonzero,
                },
                TransformOutputs::Words { vectors } => Transform::Words { vectors: *vectors },
                TransformOutputs::Registers { vectors } => {
                    Transform::Registers { vectors: *vectors }
                }
            },
            fuses_moves: plan.fuses_moves,
            layers: plan.layers.iter().map(Layer::of).collect(),
        }
    }
}

impl Layer {
    fn of(planned: &plan::PlannedLayer<'_>) -> Layer {
        let (affine, kernel) = match planned {
            plan::PlannedLayer::Affine(affine, kernel) => (affine, kernel),
            plan::PlannedLayer::Elementwise(elementwise) => {
                let layer = elementwise.layer;
                return Layer {
                    name: layer.name.clone(),
                    kernel: KernelData::Elementwise {
                        values: layer.output.len,
                    },
                };
            }
        };
        Layer {
            name: affine.layer.name.clone(),
            kernel: match kernel {
                Kernel::Sparse(blocks) => KernelData::Sparse(Blocks::of(blocks)),
                Kernel::Dense {
                    blocks,
                    steps,
                    hides_inputs,
                    ..
                } => KernelData::Dense {
                    blocks: Blocks::of(blocks),
                    steps: match steps {
                        BlockOrder::StraightLine => "straight_line",
                        BlockOrder::Calls => "calls",
                        BlockOrder::Loop { .. } => "loop",
                    },
                    hides_inputs: *hides_inputs,
                },
                Kernel::Rows(products) => KernelData::Rows {
                    outputs: affine.outputs,
                    inputs: affine.slots,
                    needs_proof: *products == Products::FastIfProved,
                },
                Kernel::Fused(fused) => KernelData::Fused {
                    outputs: affine.outputs,
                    tile: fused.tile,
                    inputs: affine.slots,
                    needs_proof: fused.products == Products::FastIfProved,
                },
                Kernel::Columns { vectors, tile } => KernelData::Columns {
                    inputs: affine.slots,
                    vectors: *vectors,
                    tile: *tile,
                },
                Kernel::Function {
                    name,
                    why,
                    unless_proved,
                } => KernelData::Function {
                    name,
                    why,
                    unless_proved: *unless_proved,
                },
            },
        }
    }
}

impl Blocks {
    fn of(blocks: &plan::Blocks) -> Blocks {
        Blocks {
            blocks: blocks.count,
            vectors: blocks.vectors,
            side_by_side: blocks.side_by_side,
            two_at_once: blocks.two_at_once,
            needs_proof: blocks.products == Products::FastIfProved,
        }
    }
}
