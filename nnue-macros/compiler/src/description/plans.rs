//! Plans as data for other programs: what `nnue plan --json` prints. They are their own fields, but
//! for what stands in the network or in the table of instruction sets.

use nnue_format::levels::Isa;
use serde::{Serialize, Serializer};

use crate::plan::{Kernel, PlannedLayer, Products};

/// The name of an instruction set, and what the plan for it follows from.
pub(crate) fn isa<S: Serializer>(isa: &Isa, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Level {
        /// The name of the instruction set.
        level: &'static str,
        /// The number of bytes of a vector.
        vector_bytes: usize,
        /// The target features that the level needs.
        target_features: &'static [&'static str],
    }
    let level = Level {
        level: isa.name,
        vector_bytes: isa.vector_bytes,
        target_features: isa.features,
    };
    level.serialize(serializer)
}

/// The name of an instruction set; `null` if there is none.
pub(crate) fn name<S: Serializer>(
    isa: &Option<&'static Isa>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    isa.map(|isa| isa.name).serialize(serializer)
}

/// Whether the fast products need a proof from the weights.
pub(crate) fn needs_proof<S: Serializer>(
    products: &Products,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*products == Products::FastIfProved)
}

impl Serialize for PlannedLayer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Layer<'l> {
            Affine {
                name: &'l str,
                /// The number of sums.
                outputs: usize,
                /// The number of inputs, padding included.
                inputs: usize,
                #[serde(flatten)]
                kernel: &'l Kernel,
            },
            Elementwise {
                name: &'l str,
                kernel: &'static str,
                /// The number of values.
                values: usize,
            },
        }
        let layer = match self {
            PlannedLayer::Affine(affine, kernel) => Layer::Affine {
                name: &affine.layer.name,
                outputs: affine.outputs,
                inputs: affine.slots,
                kernel,
            },
            PlannedLayer::Elementwise(elementwise) => Layer::Elementwise {
                name: &elementwise.layer.name,
                kernel: "elementwise",
                values: elementwise.layer.output.len,
            },
        };
        layer.serialize(serializer)
    }
}
