//! Stockfish's net files: the hashes in them, and the sections in their order.

pub mod verify;

use crate::diagnostics::{Diagnostics, Spanned};
use crate::feature_set::FeatureSet;
use crate::network::{Layer, Network, Transformer};
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
        transformer: Option<&Transformer>,
        layers: Option<&[Layer]>,
        diagnostics: &mut Diagnostics,
    ) -> Option<File> {
        let width = transformer.map(|transformer| transformer.width);
        let version = word("version", &file.version, diagnostics);
        let transformer_hash = match &file.transformer_hash {
            Some(hash) => word("transformer_hash", hash, diagnostics),
            None => match features.zip(transformer) {
                Some((features, transformer)) => {
                    known_transformer_hash(file, features, transformer, diagnostics)
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

/// The transformer's hash if all of it is like Stockfish's; of others it does not know what the file's word is.
fn known_transformer_hash(
    file: &spec::File,
    features: &[FeatureSet],
    transformer: &Transformer,
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    let unknown = features.iter().find(|set| set.hash.is_none());
    let perspectives = transformer.perspectives;
    let unlike = match unknown {
        Some(set) => Some((
            format!("`{}` as it is here", set.name),
            "known for `HalfKP`, `HalfKAv2` and `HalfKAv2_hm` without other keys",
        )),
        None if perspectives.count == 1 => Some((
            "one perspective".to_string(),
            "known for two that share their weights",
        )),
        None if perspectives.separate => Some((
            "separate weights".to_string(),
            "known for two perspectives that share their weights",
        )),
        None => None,
    };
    if let Some((what, known)) = unlike {
        diagnostics
            .error(
                file.format.span,
                format!("the transformer's hash is not known for {what}"),
            )
            .label(known)
            .help("say which word the file has: `transformer_hash = 0x...` under `[file]`");
        return None;
    }
    let combined = features
        .iter()
        .filter_map(|set| set.hash)
        .fold(0u32, |combined, hash| combined.rotate_left(1) ^ hash);
    Some(combined ^ (2 * transformer.width) as u32)
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

/// A tensor of the transformer, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransformerTensor {
    /// `transformer.weights`, or `transformer.white.weights` where black has others.
    pub name: String,
    /// What it is.
    pub content: TransformerContent,
    /// The first of its rows in memory; of biases, which perspective's they are.
    pub first: usize,
    /// How many rows it has.
    pub rows: usize,
}

/// What a tensor of the transformer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransformerContent {
    /// One row: an `i16` per neuron.
    Biases,
    /// Per feature an `i16` for each neuron.
    Weights,
    /// Per feature an `i32` for each PSQT bucket.
    Psqt,
}

/// The tensors of the transformer.
pub fn transformer_tensors(network: &Network) -> Vec<TransformerTensor> {
    use TransformerContent::{Biases, Psqt, Weights};
    let features = network.feature_count();
    let owners: &[&str] = match network.transformer.perspectives.separate {
        false => &[""],
        true => &["white.", "black."],
    };
    let contents = [(Biases, "biases"), (Weights, "weights"), (Psqt, "psqt")];
    let tensors = contents.into_iter().flat_map(|(content, what)| {
        let owners = owners.iter().enumerate();
        owners.map(move |(copy, owner)| {
            let rows = if content == Biases { 1 } else { features };
            TransformerTensor {
                name: format!("transformer.{owner}{what}"),
                content,
                first: copy * rows,
                rows,
            }
        })
    });
    let has_psqt = network.transformer.psqt > 0;
    tensors
        .filter(|tensor| has_psqt || tensor.content != Psqt)
        .collect()
}

/// The sections of the transformer.
pub fn transformer_sections(network: &Network) -> Vec<Section> {
    let (width, psqt) = (network.transformer.width, network.transformer.psqt);
    let hash = Section::Hash {
        name: "transformer",
        value: network.file.transformer_hash,
    };
    let tensors = transformer_tensors(network).into_iter().map(|tensor| {
        let (element, bytes, shape) = match tensor.content {
            TransformerContent::Biases => ("i16", 2, vec![width]),
            TransformerContent::Weights => ("i16", 2, vec![tensor.rows, width]),
            TransformerContent::Psqt => ("i32", 4, vec![tensor.rows, psqt]),
        };
        Section::Tensor {
            name: tensor.name,
            element,
            bytes,
            shape,
            encoding: network.file.encoding,
        }
    });
    std::iter::once(hash).chain(tensors).collect()
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
