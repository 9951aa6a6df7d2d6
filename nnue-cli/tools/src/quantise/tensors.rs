//! The rounding errors of each tensor.

use nnue_compiler::format::{Overflow, Quantise, Rounding};
use nnue_compiler::network::Network;
use nnue_compiler::network::file::{Role, Tensor};
use nnue_interpreter::{Net, NumberPlace, UnroundedWeights};
use serde::Serialize;

use super::channels;
use crate::nets::tensors::places;

/// The rounding errors of a tensor, over all stacks, as numbers in which 1.0 is 1. Virtual rows are
/// counted in the rows to which they were added.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TensorReport {
    /// The name of the tensor.
    pub name: String,
    /// How many numbers the tensor has, without padding.
    pub values: usize,
    /// The integer for 1.0; the smallest of them if each output has its own.
    pub one: f64,
    /// How many numbers were beyond the limits of the type, and became the nearest limit.
    pub clipped: usize,
    /// The largest error.
    pub largest_error: f64,
    /// The mean of the errors' magnitudes.
    pub mean_error: f64,
}

/// The reports of all tensors that the file of integers has as integers, in the order of the file
/// of floating point.
pub(super) fn report(
    (source, unrounded): (&Network, &UnroundedWeights),
    integers: &Net,
) -> Vec<TensorReport> {
    let tensors = source.file.tensors();
    let tensors = tensors.filter(|tensor| !source.is_summand(tensor.role));
    let reports = tensors.filter_map(|tensor| {
        // Integers that the network divides into floating point are compared as integers.
        let divided = divided(integers.network(), tensor.role);
        let units = divided.map_or(1.0, |quantise| quantise.factor);
        let quantise = tensor.stored.quantise.or(divided)?;
        let ones = ones(source, tensor, quantise);
        let numbers = places(source, tensor).filter_map(|place| {
            let exact = unrounded.number(source, place)?;
            let found = integers.weights().number(source, place)?;
            Some(([units * exact, units * found], ones.at(place)))
        });
        Some(TensorReport::of(&tensor.name, quantise, &ones, numbers))
    });
    reports.collect()
}

/// The integer for 1.0 in a tensor: shared by all outputs, or a number for each output.
pub(super) enum Ones {
    Shared(f64),
    Channels(Vec<f64>),
}

impl Ones {
    pub(super) fn at(&self, place: NumberPlace) -> f64 {
        match self {
            Ones::Shared(one) => *one,
            Ones::Channels(ones) => ones[channels::output(place.role, place.row, place.column)],
        }
    }

    fn smallest(&self) -> f64 {
        match self {
            Ones::Shared(one) => *one,
            Ones::Channels(ones) => ones.iter().copied().fold(f64::INFINITY, f64::min),
        }
    }
}

/// The integer for 1.0 in a tensor whose numbers become integers by `quantise`.
pub(super) fn ones(source: &Network, tensor: &Tensor, quantise: Quantise) -> Ones {
    match channels::ones(source, tensor.role) {
        // The file of such a tensor is in the units of the integers, unless it has another factor.
        Some(ones) if quantise.factor == 1.0 => Ones::Channels(ones),
        _ => Ones::Shared(quantise.factor),
    }
}

/// The conversion from numbers to a file's integers, for a tensor that the network divides when it
/// loads.
fn divided(network: &Network, role: Role) -> Option<Quantise> {
    let tensor = network.file.tensors().find(|tensor| tensor.role == role)?;
    Some(Quantise {
        factor: tensor.stored.divisor?,
        rounding: Rounding::Nearest,
        overflow: Overflow::Clamp,
        element: tensor.stored.element,
    })
}

/// The tensors whose sums become integers after all summands are added, each with its conversion.
pub(super) fn quantised(source: &Network) -> Vec<(&Tensor, Quantise)> {
    let tensors = source.file.tensors();
    let tensors = tensors.filter(|tensor| !source.is_summand(tensor.role));
    tensors
        .filter_map(|tensor| Some((tensor, tensor.stored.quantise?)))
        .collect()
}

impl TensorReport {
    /// The report of numbers: each before and after rounding, in the units of the integers, and
    /// with the integer for 1.0.
    fn of(
        name: &str,
        quantise: Quantise,
        ones: &Ones,
        numbers: impl Iterator<Item = ([f64; 2], f64)>,
    ) -> TensorReport {
        let mut report = TensorReport {
            name: name.to_string(),
            values: 0,
            one: ones.smallest(),
            clipped: 0,
            largest_error: 0.0,
            mean_error: 0.0,
        };
        for ([exact, integer], one) in numbers {
            let error = (integer - exact).abs() / one;
            report.values += 1;
            report.clipped += usize::from(is_clipped(quantise, exact));
            report.largest_error = report.largest_error.max(error);
            report.mean_error += error;
        }
        report.mean_error /= report.values.max(1) as f64;
        report
    }
}

/// Whether the type is too small for the integer of a number, which is given in the units of the
/// integers.
pub(super) fn is_clipped(quantise: Quantise, exact: f64) -> bool {
    rounded(quantise, exact) != clamped(quantise, exact)
}

/// The integer for a number in its units, or the nearest limit of the type.
pub(super) fn clamped(quantise: Quantise, exact: f64) -> f64 {
    let integer = rounded(quantise, exact);
    match quantise.element.limits() {
        Some((low, high)) => integer.clamp(low.into(), high.into()),
        None => integer,
    }
}

/// The integer for a number in its units, without the limits of the type.
fn rounded(quantise: Quantise, exact: f64) -> f64 {
    let in_units = Quantise {
        factor: 1.0,
        ..quantise
    };
    in_units.apply(exact)
}

#[cfg(test)]
mod tests {
    use nnue_compiler::format::Element;

    use super::*;

    #[test]
    fn errors_are_those_of_rounding_and_of_clipping() {
        let quantise = Quantise {
            factor: 64.0,
            rounding: Rounding::Nearest,
            overflow: Overflow::Clamp,
            element: Element::I8,
        };
        // The numbers are 0.5, 0, 1/256, and 2.5, which becomes 127 / 64.
        let exact = [32.0, 0.0, 0.25, 160.0];
        let numbers = exact.map(|exact| ([exact, clamped(quantise, exact)], 64.0));
        let ones = Ones::Shared(64.0);
        let report = TensorReport::of("w", quantise, &ones, numbers.into_iter());
        assert_eq!((report.values, report.clipped), (4, 1));
        assert_eq!(report.largest_error, 2.5 - 127.0 / 64.0);
        assert_eq!(report.mean_error, (1.0 / 256.0 + 2.5 - 127.0 / 64.0) / 4.0);
    }
}
