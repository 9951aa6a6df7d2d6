//! The numbers in which a file's network differs from that of a layout.
//!
//! An error that names two hashes helps nobody; one that says "width 128 in the file, 192 in the
//! spec" tells the user what to correct.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use core::fmt::{self, Display};

use crate::family::Family;
use crate::{Element, Features, FileLayout, Format, Section, Tensor, Text};

/// Something that a file and a spec say differently, as in
/// `width 128 in the file, 192 in the spec`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The quantity that differs, as in `width`.
    pub what: &'static str,
    /// Its value in the file.
    pub file: Text,
    /// Its value in the spec.
    pub spec: Text,
}

impl Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { what, file, spec } = self;
        write!(f, "{what} {file} in the file, {spec} in the spec")
    }
}

const OUTPUTS: [&str; 3] = [
    "outputs of the first layer",
    "outputs of the second layer",
    "outputs of the third layer",
];
const INPUTS: [&str; 3] = [
    "inputs of the first layer",
    "inputs of the second layer",
    "inputs of the third layer",
];

/// What of a file of this family differs from a layout of Stockfish's format; nothing for other
/// formats. What follows from another difference is left out.
pub(crate) fn differences(family: &Family, layout: &FileLayout) -> Vec<Difference> {
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
    let stack = tensors(&layout.stacks.sections);
    let weights = stack
        .iter()
        .filter(|tensor| tensor.stored.element == Element::I8);
    let weights: Vec<[usize; 3]> = weights.map(|tensor| tensor.shape).collect();
    if compare("affine layers", 3, weights.len()) {
        let outputs = [family.outputs[0], family.outputs[1], 1];
        let layers = weights.iter().zip(outputs).zip(OUTPUTS);
        let mut same = true;
        for (([_, rows, _], outputs), what) in layers {
            same &= compare(what, outputs.into(), *rows);
        }
        // The first layer's inputs follow from the width, and the others' from the outputs before
        // them.
        let layers = weights.iter().zip(family.inputs()).zip(INPUTS).skip(1);
        for (([_, _, columns], inputs), what) in layers.filter(|_| same) {
            compare(what, inputs.into(), *columns);
        }
    }
    compare("stacks", family.features.buckets(), layout.stacks.count);
    if let Some(weights) = transformer.get(1)
        && weights.shape[1] as u64 != u64::from(family.features.count())
    {
        let rows = weights.shape[1];
        let known = Features::ALL.into_iter();
        let known = { known }.find(|features| features.count() as usize == rows);
        found.push(Difference {
            what: "feature set",
            file: Cow::Owned(format!("{}", family.features)),
            spec: match known {
                Some(features) => format!("{features}").into(),
                None => format!("of {rows} rows").into(),
            },
        });
    }
    found
}

fn tensors(sections: &[Section]) -> Vec<&Tensor> {
    sections.iter().filter_map(Section::as_tensor).collect()
}
