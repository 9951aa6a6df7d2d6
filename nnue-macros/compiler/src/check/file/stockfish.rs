//! Lists the sections of Stockfish's net files in the order of the file, and computes the hashes in
//! them.

use nnue_format::{Element, Encoding, Format, Section, Tail, stockfish};

use super::kept;
use super::tensors::{KnownTensor, Parts};
use crate::check::value::value_or;
use crate::diagnostics::{Diagnostics, Spanned};
use crate::feature_set::FeatureSet;
use crate::network::Transformer;
use crate::network::file::{File, Role};
use crate::spec::{self, PsqtPlace};

/// Affine rows are padded in the file to a multiple of this many inputs.
const ROW_UNIT: usize = 32;

/// The numbers in the file's header and before its parts, which every net file must have.
pub(super) struct ExpectedWords {
    version: u32,
    transformer_hash: u32,
    stack_hash: u32,
}

/// Checks the version and the hashes. Hashes that the spec does not give follow from the layers, if
/// those are right.
pub(super) fn check(
    file: &spec::Stockfish,
    parts: Parts<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<ExpectedWords> {
    let width = parts.transformer.map(|transformer| transformer.width);
    let version = word("version", &file.version, diagnostics);
    let transformer_hash = match &file.transformer_hash {
        Some(hash) => word("transformer_hash", hash, diagnostics),
        None => match parts.features.zip(parts.transformer) {
            Some((features, transformer)) => {
                known_transformer_hash(file, features, transformer, diagnostics)
            }
            None => None,
        },
    };
    let stack_hash = match &file.stack_hash {
        Some(hash) => word("stack_hash", hash, diagnostics),
        None => width.zip(parts.layers).map(|(width, layers)| {
            let affine = layers.iter().filter(|layer| layer.affine().is_some());
            let outputs = affine.map(|layer| layer.output.len as u32);
            stockfish::stack_hash(width as u32, outputs)
        }),
    };
    Some(ExpectedWords {
        version: version?,
        transformer_hash: transformer_hash?,
        stack_hash: stack_hash?,
    })
}

/// Whether the file has separate tensors for each feature set.
pub(super) fn has_sets_apart(file: &spec::Stockfish) -> bool {
    value_or(&file.psqt, PsqtPlace::AfterWeights) == PsqtPlace::AfterEachSet
}

/// The file with its sections. In the transformer and in each layer, biases come first.
pub(super) fn file(
    file: &spec::Stockfish,
    words: ExpectedWords,
    tensors: &[KnownTensor],
    diagnostics: &mut Diagnostics,
) -> Option<File> {
    let encoding = value_or(&file.encoding, Encoding::Raw);
    let sets_apart = has_sets_apart(file);
    let hash = |name, expected| Section::Hash { name, expected };
    let mut sections = vec![hash("transformer hash", words.transformer_hash)];
    let mut stack_sections = vec![hash("hash", words.stack_hash)];
    let mut ordered: Vec<&KnownTensor> = tensors.iter().collect();
    ordered.sort_by_key(|known| match known.role {
        Role::Biases(_) => (None, 0, 0),
        // The weights of a set and its PSQT values begin at the same row.
        Role::Weights(row) | Role::Psqt(row) if sets_apart => (None, 1, row),
        Role::Weights(_) => (None, 1, 0),
        Role::Psqt(_) => (None, 2, 0),
        Role::LayerBiases(layer) => (Some(layer), 0, 0),
        Role::LayerWeights(layer) => (Some(layer), 1, 0),
        Role::LayerFactors(layer) => (Some(layer), 2, 0),
        Role::SharedBiases(layer) => (Some(layer), 3, 0),
        Role::SharedWeights(layer) => (Some(layer), 4, 0),
    });
    for known in ordered {
        let own = known.of_a_stack();
        let of_file = own.as_ref().unwrap_or(known);
        let unit = known.role.matrix().map_or(1, |_| ROW_UNIT);
        let mut tensor = of_file.tensor(known.element(), &of_file.whole_axes(), unit);
        // LEB128 would only make bytes longer.
        if known.role.layer().is_none() && known.element() != Element::I8 {
            tensor.stored.encoding = encoding;
        }
        let sections = match own {
            Some(_) => &mut stack_sections,
            None => &mut sections,
        };
        sections.push(Section::Tensor(tensor));
    }
    if let Some(entries) = &file.before_stacks {
        sections.extend(kept::before_stacks(&entries.value, tensors, diagnostics)?);
    }
    Some(File {
        format: Format::Stockfish {
            version: words.version,
            hash: words.transformer_hash ^ words.stack_hash,
        },
        sections,
        stack_groups: vec![stack_sections],
        tail: Tail::NONE,
    })
}

fn word(key: &str, value: &Spanned<i64>, diagnostics: &mut Diagnostics) -> Option<u32> {
    let word = u32::try_from(value.value).ok();
    if word.is_none() {
        let found = match value.value {
            negative @ ..0 => negative.to_string(),
            large => format!("{large:#X}"),
        };
        let message = format!("`{key}` is {found}, allowed are 0 to {:#X}", u32::MAX);
        diagnostics.error(value.span, message);
    }
    word
}

/// The transformer's hash, if Stockfish could have such a transformer. For all others, the spec
/// must say which hash their files have.
fn known_transformer_hash(
    file: &spec::Stockfish,
    features: &[FeatureSet],
    transformer: &Transformer,
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    let unknown = features.iter().find(|set| set.hash.is_none());
    let perspectives = transformer.perspectives;
    let unlike = match unknown {
        Some(set) => Some((
            format!("`{}` as it is here", set.name),
            "known for `HalfKP`, `HalfKAv2`, `HalfKAv2_hm`, `Threats` and `PawnPairs` as in Stockfish",
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
        let message = format!("the transformer's hash is not known for {what}");
        diagnostics
            .error(file.span, message)
            .label(known)
            .help("say which word the file has: `transformer_hash = 0x...` under `[file]`");
        return None;
    }
    let hashes = features.iter().filter_map(|set| set.hash);
    Some(stockfish::transformer_hash(
        hashes,
        transformer.width as u32,
    ))
}
