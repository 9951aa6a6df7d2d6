//! Stockfish's net files: the hashes in them, and the sections in their order.

pub mod verify;

use crate::diagnostics::{Diagnostics, Spanned};
use crate::feature_set::FeatureSet;
use crate::network::{Layer, Network};
use crate::spec::{self, Encoding};

/// The words that a net file must carry and how its tensors are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The first word.
    pub version: u32,
    /// The word before the transformer.
    pub transformer_hash: u32,
    /// The word before each stack.
    pub stack_hash: u32,
    /// How the transformer's tensors are stored. The stacks' are always raw.
    pub encoding: Encoding,
}

/// A part of a net file, in the order of the file. Integers are little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Section {
    /// A word that must have this value.
    Hash {
        /// Of what.
        name: &'static str,
        /// Its value.
        value: u32,
    },
    /// A tensor.
    Tensor {
        /// `transformer.biases`, `fc_0.weights`, ...
        name: String,
        /// The type of a value: `i8`, `i16` or `i32`.
        element: &'static str,
        /// Bytes of a value when raw.
        bytes: usize,
        /// The axes, outermost first.
        shape: Vec<usize>,
        /// How it is stored.
        encoding: Encoding,
    },
}

impl Section {
    /// Bytes in the file; `None` when LEB128 makes that depend on the values.
    pub fn file_len(&self) -> Option<usize> {
        match self {
            Section::Hash { .. } => Some(4),
            Section::Tensor {
                encoding: Encoding::Leb128,
                ..
            } => None,
            Section::Tensor { shape, bytes, .. } => Some(shape.iter().product::<usize>() * bytes),
        }
    }
}

/// Affine rows are padded in the file to this many inputs.
const FILE_ROW_UNIT: usize = 32;

/// Inputs of an affine layer's rows in the file.
pub fn padded_inputs(inputs: usize) -> usize {
    inputs.next_multiple_of(FILE_ROW_UNIT)
}

impl File {
    /// Checks the `[file]` table; hashes that it does not give follow from the layers, if those are right.
    pub(crate) fn check(
        file: &spec::File,
        features: Option<&[FeatureSet]>,
        width: Option<usize>,
        layers: Option<&[Layer]>,
        diagnostics: &mut Diagnostics,
    ) -> Option<File> {
        let version = word("version", &file.version, diagnostics);
        let transformer_hash = match &file.transformer_hash {
            Some(hash) => word("transformer_hash", hash, diagnostics),
            None => match features.zip(width) {
                Some((features, width)) => {
                    known_transformer_hash(file, features, width, diagnostics)
                }
                None => None,
            },
        };
        let stack_hash = match &file.stack_hash {
            Some(hash) => word("stack_hash", hash, diagnostics),
            None => width
                .zip(layers)
                .map(|(width, layers)| stack_hash(width, layers)),
        };
        Some(File {
            version: version?,
            transformer_hash: transformer_hash?,
            stack_hash: stack_hash?,
            encoding: file
                .encoding
                .as_ref()
                .map_or(Encoding::Raw, |encoding| encoding.value),
        })
    }

    /// The second word of the file.
    pub fn hash(&self) -> u32 {
        self.transformer_hash ^ self.stack_hash
    }
}

fn word(key: &str, value: &Spanned<i64>, diagnostics: &mut Diagnostics) -> Option<u32> {
    let word = u32::try_from(value.value).ok();
    if word.is_none() {
        let found = match value.value {
            negative @ ..0 => negative.to_string(),
            large => format!("{large:#X}"),
        };
        diagnostics.error(
            value.span,
            format!("`{key}` is {found}, allowed are 0 to {:#X}", u32::MAX),
        );
    }
    word
}

/// The transformer's hash if all sets are Stockfish's; of others it does not know what the file's word is.
fn known_transformer_hash(
    file: &spec::File,
    features: &[FeatureSet],
    width: usize,
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    let mut combined = 0u32;
    for set in features {
        let Some(hash) = set.hash else {
            diagnostics
                .error(
                    file.format.span,
                    format!(
                        "files of this format have a hash that is not known for `{}`",
                        set.name
                    ),
                )
                .help("say what the file has: `transformer_hash = 0x...` under `[file]`");
            return None;
        };
        combined = combined.rotate_left(1) ^ hash;
    }
    Some(combined ^ (2 * width) as u32)
}

/// The hash of a stack covers the widths of its affine layers and nothing else: activations, shifts and the
/// squared half of a layer's outputs leave no trace in it.
fn stack_hash(width: usize, layers: &[Layer]) -> u32 {
    const SLICE: u32 = 0xEC42_E90D;
    const AFFINE: u32 = 0xCC03_DAE4;
    const RELU: u32 = 0x538D_24C7;
    let outputs = layers
        .iter()
        .filter(|layer| layer.affine().is_some())
        .map(|layer| layer.output.len as u32);
    let mut hash = SLICE ^ (2 * width) as u32;
    for (index, outputs) in outputs.enumerate() {
        if index > 0 {
            hash = hash.wrapping_add(RELU);
        }
        hash = AFFINE.wrapping_add(outputs) ^ (hash >> 1) ^ (hash << 31);
    }
    hash
}

/// The sections of the transformer.
pub fn transformer_sections(network: &Network) -> Vec<Section> {
    let encoding = network.file.encoding;
    let (width, features) = (network.transformer.width, network.feature_count());
    let tensor = |name: &str, element, bytes, shape| Section::Tensor {
        name: name.to_string(),
        element,
        bytes,
        shape,
        encoding,
    };
    let mut sections = vec![
        Section::Hash {
            name: "transformer",
            value: network.file.transformer_hash,
        },
        tensor("transformer.biases", "i16", 2, vec![width]),
        tensor("transformer.weights", "i16", 2, vec![features, width]),
    ];
    if network.transformer.psqt > 0 {
        sections.push(tensor(
            "transformer.psqt",
            "i32",
            4,
            vec![features, network.transformer.psqt],
        ));
    }
    sections
}

/// The sections of one stack; the file has as many copies as there are stacks.
pub fn stack_sections(network: &Network) -> Vec<Section> {
    let mut sections = vec![Section::Hash {
        name: "stack",
        value: network.file.stack_hash,
    }];
    for layer in network
        .layers
        .iter()
        .filter(|layer| layer.affine().is_some())
    {
        let raw = |suffix: &str, element, bytes, shape| Section::Tensor {
            name: format!("{}.{suffix}", layer.name),
            element,
            bytes,
            shape,
            encoding: Encoding::Raw,
        };
        let (outputs, inputs) = (layer.output.len, padded_inputs(layer.input_len()));
        sections.push(raw("biases", "i32", 4, vec![outputs]));
        sections.push(raw("weights", "i8", 1, vec![outputs, inputs]));
    }
    sections
}
