//! From the floating point of a trainer to the integers of a network.

use nnue_compiler::file_layout;
use nnue_compiler::format::{
    self, Element, Encoding, FileLayout, Form, Format, Numbers, Overflow, Quantise, Rounding,
    Section, Stored, Tail, Tensor,
};
use nnue_compiler::network::Network;
use serde::Serialize;

use crate::Failure;
use crate::conversion::{beside, check_memory, check_same, store};
use crate::description::Description;
use crate::tensors::as_stored;

/// A file of integers, and what became of the numbers.
pub(crate) struct Quantised {
    /// The file.
    pub(crate) bytes: Vec<u8>,
    /// The tensors that were floating point and became integers, in the order of the file.
    pub(crate) tensors: Vec<TensorReport>,
}

/// What became of the numbers of a tensor, over all stacks. Errors are those of the numbers, in
/// which 1.0 is 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TensorReport {
    /// The name of the tensor.
    pub(crate) name: String,
    /// How many numbers there are, without padding.
    pub(crate) values: usize,
    /// The integer that stands for 1.0.
    pub(crate) one: f64,
    /// How many were beyond the type and became the nearest that it holds.
    pub(crate) clipped: usize,
    /// The largest error.
    pub(crate) largest_error: f64,
    /// The mean error, without signs.
    pub(crate) mean_error: f64,
    /// Another one, times or divided by a power of two, that makes the mean of the squared errors
    /// smaller by more than half; `null` where there is none. Ones of a network depend on one
    /// another, so a spec may be unable to have it.
    pub(crate) better_one: Option<f64>,
}

/// The powers of two by which ones are changed in search of better ones. Of those with equal errors
/// the first is taken.
const OTHER_ONES: [f64; 8] = [16.0, 8.0, 4.0, 2.0, 0.5, 0.25, 0.125, 0.0625];

/// Makes integers of a file of floating point: one of the spec's own form if that is quantised,
/// which `to` then says how to write; otherwise one that has the tensors of the spec's file as
/// `f32`, in their order and with their padding, and nothing else.
///
/// # Errors
///
/// The file is another one, a number is infinite or none, or the specs do not allow it.
pub(crate) fn quantise(
    network: &Network,
    to: Option<&Network>,
    file: &[u8],
) -> Result<Quantised, Failure> {
    let own = file_layout(network);
    if !own.coalesced.is_empty() || network.layers.iter().any(|layer| layer.factorised) {
        return Err(Failure::Work(
            "the spec is factorised, expected the network without virtual rows and shared summands"
                .to_string(),
        ));
    }
    let is_quantised = own
        .tensors()
        .any(|(_, tensor)| tensor.stored.quantise.is_some());
    let source = match is_quantised {
        true => map(&own, &mut |tensor| Ok(clamping(tensor)))?,
        false => floats(network, &own)?,
    };
    let target = match to {
        Some(to) => {
            check_same(network, to)?;
            file_layout(to)
        }
        None if is_quantised => {
            return Err(Failure::Work(
                "the spec's file has floating point: give the spec of the file of integers with `--to`"
                    .to_string(),
            ));
        }
        None => own,
    };
    check_memory(&source, &target)?;
    let file = format::unpack(&source, file).map_err(Failure::work)?;
    let parts = format::split(&source, &file).map_err(Failure::work)?;
    let tensors = report(&parts.numbers().map_err(Failure::work)?);
    let mut weights = vec![0; source.memory_len()];
    let loaded = parts.load(&[0], &mut weights).map_err(Failure::work)?;
    let bytes = store(&target, &weights, &beside(&source, &target, loaded));
    Ok(Quantised { bytes, tensors })
}

/// A layout with other tensors.
fn map(
    layout: &FileLayout,
    change: &mut dyn FnMut(&Tensor) -> Result<Tensor, Failure>,
) -> Result<FileLayout, Failure> {
    let mut sections = |sections: &[Section]| -> Result<Vec<Section>, Failure> {
        let sections = sections.iter().map(|section| match section {
            Section::Tensor(tensor) => Ok(Section::Tensor(change(tensor)?)),
            other => Ok(other.clone()),
        });
        sections.collect()
    };
    let mut changed = layout.clone();
    changed.sections = sections(&layout.sections)?.into();
    let groups = layout.stacks.groups.iter();
    let groups = groups.map(|group| Ok(sections(group)?.into()));
    changed.stacks.groups = groups.collect::<Result<Vec<_>, Failure>>()?.into();
    Ok(changed)
}

/// A tensor of which all finite numbers become integers.
fn clamping(tensor: &Tensor) -> Tensor {
    let mut tensor = tensor.clone();
    if let Some(quantise) = &mut tensor.stored.quantise {
        quantise.overflow = Overflow::Clamp;
    }
    tensor
}

/// The layout of a file that has the tensors of another one as floating point, and nothing else.
fn floats(network: &Network, layout: &FileLayout) -> Result<FileLayout, Failure> {
    let described = Description::of(network).tensors;
    let mut source = map(layout, &mut |tensor| {
        let known = described.iter().find(|own| *own.name == *tensor.name);
        let one = known.and_then(|own| own.one);
        let quantise = match (tensor.stored.element, tensor.placed.form, one) {
            // Of some weights only the sign counts, and memory may have floating point.
            (Element::F32, _, _) | (_, Form::Bits, _) => None,
            _ if tensor.placed.element == Element::F32 => None,
            (element, _, Some([numerator, denominator])) => Some(Quantise {
                factor: numerator as f64 / denominator as f64,
                rounding: Rounding::Nearest,
                overflow: Overflow::Clamp,
                element,
            }),
            (_, _, None) => {
                return Err(Failure::Work(format!(
                    "no number stands for 1.0 in `{}`, so that floating point cannot become its integers",
                    tensor.name
                )));
            }
        };
        Ok(Tensor {
            stored: Stored {
                element: Element::F32,
                encoding: Encoding::Raw,
                quantise,
                divisor: 1.0,
                ..tensor.stored
            },
            ..tensor.clone()
        })
    })?;
    let tensors = |sections: &[Section]| {
        let tensors = sections
            .iter()
            .filter(|section| section.as_tensor().is_some());
        tensors.cloned().collect::<Vec<_>>()
    };
    source.format = Format::Sequence;
    source.tail = Tail::NONE;
    source.extents = Vec::new().into();
    source.sections = tensors(&source.sections).into();
    let groups = source.stacks.groups.iter();
    let groups: Vec<_> = groups.map(|group| tensors(group).into()).collect();
    source.stacks.groups = groups.into();
    Ok(source)
}

/// What becomes of the tensors that are quantised.
fn report(all: &[Numbers<'_>]) -> Vec<TensorReport> {
    let mut tensors: Vec<(String, Quantise, Vec<f64>)> = Vec::new();
    for numbers in all {
        let Some(quantise) = numbers.tensor.stored.quantise else {
            continue;
        };
        let known = tensors.iter().position(|own| own.0 == *numbers.tensor.name);
        let index = known.unwrap_or_else(|| {
            tensors.push((numbers.tensor.name.to_string(), quantise, Vec::new()));
            tensors.len() - 1
        });
        tensors[index].2.extend(as_stored(numbers));
    }
    let reports = tensors.into_iter();
    reports
        .map(|(name, quantise, numbers)| TensorReport::of(name, quantise, &numbers))
        .collect()
}

impl TensorReport {
    fn of(name: String, quantise: Quantise, numbers: &[f64]) -> TensorReport {
        let count = numbers.len() as f64;
        let errors = || numbers.iter().map(|number| error(quantise, *number).abs());
        let is_clipped = |number: &&f64| clamped(quantise, **number) != quantise.apply(**number);
        TensorReport {
            name,
            values: numbers.len(),
            one: quantise.factor,
            clipped: numbers.iter().filter(is_clipped).count(),
            largest_error: errors().fold(0.0, f64::max),
            mean_error: errors().sum::<f64>() / count,
            better_one: better_one(quantise, numbers),
        }
    }
}

/// The integer for a number, or the nearest that the type holds.
fn clamped(quantise: Quantise, number: f64) -> f64 {
    let integer = quantise.apply(number);
    match quantise.element.limits() {
        Some((low, high)) => integer.clamp(low.into(), high.into()),
        None => integer,
    }
}

/// How far a number is from the one that its integer stands for.
fn error(quantise: Quantise, number: f64) -> f64 {
    clamped(quantise, number) / quantise.factor - number
}

/// The one with the smallest squared errors, if they are less than half of those of the spec's.
fn better_one(quantise: Quantise, numbers: &[f64]) -> Option<f64> {
    let squares = |factor: f64| {
        let other = Quantise { factor, ..quantise };
        let squares = numbers.iter().map(|number| error(other, *number).powi(2));
        squares.sum::<f64>()
    };
    let others = OTHER_ONES.map(|times| quantise.factor * times);
    let others = others.map(|factor| (factor, squares(factor)));
    let best = others
        .into_iter()
        .min_by(|(_, one), (_, other)| one.total_cmp(other));
    let own = squares(quantise.factor);
    best.filter(|(_, best)| *best < 0.5 * own)
        .map(|(factor, _)| factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_i8(factor: f64) -> Quantise {
        Quantise {
            factor,
            rounding: Rounding::Nearest,
            overflow: Overflow::Clamp,
            element: Element::I8,
        }
    }

    #[test]
    fn errors_are_those_of_rounding_and_of_clipping() {
        let report = TensorReport::of("w".to_string(), to_i8(64.0), &[0.5, 0.0, 1.0 / 256.0, 2.5]);
        assert_eq!((report.values, report.clipped), (4, 1));
        // 2.5 becomes 127 / 64.
        assert_eq!(report.largest_error, 2.5 - 127.0 / 64.0);
        let mean = (1.0 / 256.0 + 2.5 - 127.0 / 64.0) / 4.0;
        assert!((report.mean_error - mean).abs() < 1e-12, "{report:?}");
        // With 32, the largest number is 80, and nothing is clipped.
        assert_eq!(report.better_one, Some(32.0));
    }

    #[test]
    fn small_numbers_deserve_a_larger_one() {
        let numbers: Vec<f64> = (1..100).map(|number| f64::from(number) / 900.0).collect();
        // The largest is 0.11, which 1024 takes to 113 and 2048 beyond the type.
        let report = TensorReport::of("w".to_string(), to_i8(64.0), &numbers);
        assert_eq!(report.better_one, Some(1024.0));
        let report = TensorReport::of("w".to_string(), to_i8(1024.0), &numbers);
        assert_eq!((report.better_one, report.clipped), (None, 0));
    }
}
