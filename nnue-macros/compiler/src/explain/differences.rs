//! The numbers in which a file's network differs from that of a layout.
//!
//! An error that names two hashes helps nobody; an error that says "width is 128 in the file and
//! 192 in the spec" tells the user what to correct.

use std::fmt::{self, Display};

use nnue_format::{Element, FileLayout, Format, Role, Section, Tensor, Text, ThreatTargets};

use super::family::{Family, Features};

/// Something that a file and a spec say differently, as in
/// `width is 128 in the file and 192 in the spec`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The quantity that differs, as in `width`.
    pub what: &'static str,
    /// The value of the quantity in the file.
    pub file: Text,
    /// The value of the quantity in the spec.
    pub spec: Text,
}

impl Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { what, file, spec } = self;
        write!(f, "{what} is {file} in the file and {spec} in the spec")
    }
}

const OUTPUTS: [&str; 3] = [
    "number of outputs of the first layer",
    "number of outputs of the second layer",
    "number of outputs of the third layer",
];
const INPUTS: [&str; 3] = [
    "number of inputs of the first layer",
    "number of inputs of the second layer",
    "number of inputs of the third layer",
];

/// The differences between a file of this family and a layout of Stockfish's format; none for other
/// formats. A difference that follows from another difference is left out. So is a difference that
/// no header shows, unless the `whole` file was recognised.
pub(super) fn differences(family: &Family, layout: &FileLayout, whole: bool) -> Vec<Difference> {
    if !matches!(layout.format, Format::Stockfish { .. }) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut compare = |what, file: u64, spec: usize| {
        if file != spec as u64 {
            found.push(Difference {
                what,
                file: format!("{file}").into(),
                spec: format!("{spec}").into(),
            });
        }
        file == spec as u64
    };
    let transformer = tensors(&layout.sections);
    // Biases come first, then rows of weights.
    if let Some(biases) = transformer.first() {
        compare("width", family.width.into(), biases.shape[2]);
    }
    let stack = layout.stacks.sections().filter_map(Section::as_tensor);
    let weights = stack.filter(|tensor| tensor.stored.element == Element::I8);
    let weights: Vec<[usize; 3]> = weights.map(|tensor| tensor.shape).collect();
    if compare("number of affine layers", 3, weights.len()) {
        let outputs = [family.outputs[0], family.outputs[1], 1];
        let layers = weights.iter().zip(outputs).zip(OUTPUTS);
        let mut same = true;
        for (([_, rows, _], outputs), what) in layers {
            same &= compare(what, outputs.into(), *rows);
        }
        // The inputs of the first layer follow from the width, and the inputs of every other layer
        // follow from the outputs of the layers before it.
        let layers = weights.iter().zip(family.inputs()).zip(INPUTS).skip(1);
        for (([_, _, columns], inputs), what) in layers.filter(|_| same) {
            compare(what, inputs.into(), *columns);
        }
    }
    if whole {
        let stacks = layout.stacks.count;
        if compare("number of stacks", family.features.buckets(), stacks) {
            let is_psqt = |tensor: &&&Tensor| matches!(tensor.role, Role::Psqt(_));
            let psqt = transformer.iter().find(is_psqt);
            let psqt = psqt.map_or(0, |tensor| tensor.shape[2]);
            compare("number of PSQT values", family.psqt_buckets(), psqt);
        }
        found.extend(encoding(family, &transformer));
    }
    found.extend(sets(family, layout, &transformer));
    found.extend(hash(family, &layout.sections));
    found
}

/// The difference in the encoding of the transformer, rows of bytes left aside.
fn encoding(family: &Family, transformer: &[&Tensor]) -> Option<Difference> {
    let biases = transformer.first()?;
    let spec = biases.stored.encoding;
    (spec != family.encoding).then(|| Difference {
        what: "`encoding`",
        file: format!("\"{}\"", family.encoding).into(),
        spec: format!("\"{spec}\"").into(),
    })
}

/// The feature sets that differ: piece-square sets, and threats with their pawn pairs, which are
/// rows of bytes in every net of a family. A spec may have other sets with such rows.
fn sets(family: &Family, layout: &FileLayout, transformer: &[&Tensor]) -> Vec<Difference> {
    let mut found = Vec::new();
    // Biases come first.
    let rows = |element| {
        let weights = transformer.iter().skip(1);
        weights
            .filter(move |tensor| tensor.stored.element == element && !layout.is_summand(tensor))
            .map(|tensor| tensor.shape[1])
    };
    let byte_rows = |family: &Family| family.byte_rows().iter().sum::<u32>() as usize;
    let spec_rows = rows(Element::I8).sum();
    if byte_rows(family) != spec_rows {
        let mut known = ThreatTargets::ALL.into_iter();
        let known = known.find(|targets| {
            let threats = Some(*targets);
            byte_rows(&Family { threats, ..*family }) == spec_rows
        });
        let in_words = |rows: usize, targets: Option<ThreatTargets>| match targets {
            Some(targets) => format!("{rows} ({})", targets.name()).into(),
            None => format!("{rows}").into(),
        };
        found.push(Difference {
            what: "number of `i8` rows",
            file: in_words(byte_rows(family), family.threats),
            spec: in_words(spec_rows, known),
        });
    }
    let spec_rows = rows(Element::I16).next().unwrap_or(0);
    if family.features.count() as usize != spec_rows {
        let mut known = Features::ALL.into_iter();
        let known = known.find(|features| features.count() as usize == spec_rows);
        found.push(Difference {
            what: "feature set",
            file: family.features.name().into(),
            spec: match known {
                Some(features) => features.name().into(),
                None if spec_rows == 0 => "none".into(),
                None => format!("another, of {spec_rows} rows,").into(),
            },
        });
    }
    found
}

/// The difference in the transformer's hash, if the file's hash is of the same network but counts
/// other sets, or the same sets in another order.
fn hash(family: &Family, transformer: &[Section]) -> Option<Difference> {
    let found = family.transformer_hash();
    let other = Family {
        hash_counts_threats_only: !family.hash_counts_threats_only,
        ..*family
    };
    let expected = transformer.iter().find_map(|section| match section {
        Section::Hash { expected, .. } => Some(*expected),
        _ => None,
    })?;
    if expected == other.transformer_hash() {
        return Some(Difference {
            what: "`transformer_hash`",
            file: format!("{found:#010X}").into(),
            spec: format!("{expected:#010X}").into(),
        });
    }
    let is_another_order = expected != found && {
        let mut hashes = family.hashes_in_any_order();
        hashes.any(|hash| hash == expected)
    };
    is_another_order.then(|| Difference {
        what: "order of `[[features]]`",
        file: family.set_names().join(", ").into(),
        spec: "another".into(),
    })
}

fn tensors(sections: &[Section]) -> Vec<&Tensor> {
    sections.iter().filter_map(Section::as_tensor).collect()
}
