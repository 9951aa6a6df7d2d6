//! A checked network as data for other programs: the output of `nnue describe`.
//!
//! `docs/describe.md` explains the values. A change that readers of an earlier version would
//! misunderstand raises [`SCHEMA`]; a new key does not.

pub mod features;
pub mod file;
pub mod layers;
pub mod ones;
pub(crate) mod plans;

use serde::{Deserialize, Serialize};

use crate::network::{self, Network};

use self::features::FeatureSet;
use self::file::{File, Tensor};
use self::layers::{Layer, Output, Transformer};

/// The version of the schema.
pub const SCHEMA: u32 = 1;

/// A checked network as data: everything but the values of its weights.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Description {
    /// The version of the schema: [`SCHEMA`].
    pub schema: u32,
    /// The name of the network.
    pub name: String,
    /// The feature sets, in the order of their rows.
    pub features: Vec<FeatureSet>,
    /// The sparse first layer.
    pub transformer: Transformer,
    /// The copies of the layers, and which of them a position uses.
    pub buckets: Buckets,
    /// The layers of a stack, in an order in which they can be computed.
    pub layers: Vec<Layer>,
    /// The conversion of the layers' outputs to the engine's units.
    pub output: Output,
    /// The tensors of a net file, each once, in the order of the file.
    pub tensors: Vec<Tensor>,
    /// The places of the tensors in a net file, and the other contents of the file.
    pub file: File,
}

/// The copies of the layers: stacks. A position uses one of them.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Buckets {
    /// How many stacks there are.
    pub count: usize,
    /// The stack of a position with 0, 1, ... 32 pieces; `null` where the engine chooses it.
    pub by_pieces: Option<Vec<u8>>,
}

/// A vector of values that the network computes on the way from features to its evaluation.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Values {
    /// How many values there are.
    pub len: usize,
    /// The type of the values: `i8`, `u8`, `i16`, `u16`, `i32`, `i64` or `f32`.
    pub element: String,
    /// The integers that stand for 1.0: a single number for all values, or a number for each value.
    pub ones: Vec<u32>,
    /// The smallest and the largest value that can occur if all biases are 0; `null` for `f32`.
    pub range: Option<[i64; 2]>,
}

impl Values {
    fn of(tensor: &network::Tensor) -> Values {
        Values {
            len: tensor.len,
            element: tensor.element.to_string(),
            ones: match &tensor.one {
                network::One::Tensor(one) => vec![*one],
                network::One::Channels(ones) => ones.clone(),
            },
            range: (!tensor.element.is_float()).then_some([tensor.range.0, tensor.range.1]),
        }
    }
}

impl Description {
    /// Describes a network.
    pub fn of(network: &Network) -> Description {
        let stacks = &network.stacks;
        Description {
            schema: SCHEMA,
            name: network.name.clone(),
            features: features::describe(&network.features),
            transformer: Transformer::of(network),
            buckets: Buckets {
                count: stacks.count,
                by_pieces: stacks.by_pieces.map(Vec::from),
            },
            layers: network
                .layers
                .iter()
                .map(|layer| Layer::of(network, layer))
                .collect(),
            output: Output::of(network),
            tensors: file::tensors(network),
            file: File::of(network),
        }
    }
}
