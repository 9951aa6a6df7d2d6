//! The values of a network before and after rounding, compared over positions.

use nnue_compiler::network::{Network, One, Source, Tensor, Units};
use nnue_interpreter::{Net, Trace, UnroundedNet, UnroundedTrace, Values};
use nnue_runtime::{Board, HeadValue, Position};
use serde::Serialize;

use super::divergence::{Bins, divergence};
use crate::nets::evaluation::told_features;

/// The differences between the network before and after rounding. If the engine chooses the stack
/// of layers, the positions use all stacks in turn.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// How many positions there are.
    pub positions: usize,
    /// The tensors that are computed before the outputs, in the order of computation.
    pub activations: Vec<ActivationReport>,
    /// The outputs of the network, further heads last.
    pub outputs: Vec<OutputReport>,
}

/// The distributions of the values of a tensor before and after rounding, over all its neurons and
/// all positions. Values are numbers in which 1.0 is 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActivationReport {
    /// The name of the tensor: `transformer`, or that of a layer.
    pub name: String,
    /// How many neurons the tensor has.
    pub neurons: usize,
    /// The smallest value, before or after rounding.
    pub lowest: f64,
    /// The largest value, before or after rounding.
    pub highest: f64,
    /// How many bins the histograms have.
    pub bins: usize,
    /// The width of a bin.
    pub bin_width: f64,
    /// The Kullback-Leibler divergence of the histogram after rounding from the histogram before
    /// it, in nats.
    pub divergence: f64,
}

/// The differences of an output of the network, in the units of the network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutputReport {
    /// The name of the output: `value`, or `win`, `draw` and `loss`, or that of a further head.
    pub name: String,
    /// The number for 1.0 in these units.
    pub one: f64,
    /// The mean difference between the outputs before and after rounding, without signs.
    pub mean_difference: f64,
    /// The largest difference between the outputs before and after rounding.
    pub largest_difference: f64,
}

impl OutputReport {
    /// A difference of the output, divided by its number for 1.0.
    pub fn relative(&self, difference: f64) -> f64 {
        difference / self.one
    }
}

/// A tensor whose values are compared.
pub(super) struct Activation<'n> {
    pub(super) name: &'n str,
    pub(super) tensor: &'n Tensor,
    pub(super) source: Source,
}

/// Compares the network before and after rounding over positions. There must be at least one
/// position.
///
/// # Errors
///
/// The reason for which positions alone do not decide what the networks compute.
pub(super) fn compare(
    unrounded: &UnroundedNet,
    integers: &Net,
    positions: &[Board],
) -> Result<Comparison, String> {
    let network = integers.network();
    if let Some(set) = told_features(network) {
        return Err(format!(
            "the engine tells which features of `{set}` are active: a position alone does not"
        ));
    }
    let traces = |index: usize, board: &Board| {
        let pieces = board.occupied().len();
        let bucket = integers.bucket(pieces);
        let bucket = bucket.unwrap_or(index % network.stacks.count);
        let accumulators = integers.accumulate(&integers.active_rows(board));
        let found = integers.trace(&accumulators, board.side_to_move(), bucket);
        (unrounded.trace(board, bucket), found)
    };
    let activations = activations(network);
    // Histograms need the range of all values, so everything is computed twice: the values of many
    // positions might not fit in memory.
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); activations.len()];
    let mut outputs = outputs(network);
    for (index, board) in positions.iter().enumerate() {
        let (exact, found) = traces(index, board);
        for (activation, range) in activations.iter().zip(&mut ranges) {
            let (exact, found) = (activation.exact(&exact), activation.found(&found));
            for value in exact.chain(found) {
                *range = (range.0.min(value), range.1.max(value));
            }
        }
        let differences = differences(&exact, &found);
        for (output, difference) in outputs.iter_mut().zip(differences) {
            output.largest_difference = output.largest_difference.max(difference);
            output.mean_difference += difference / positions.len() as f64;
        }
    }
    let bins = activations.iter().zip(&ranges);
    let bins = bins.map(|(activation, range)| {
        let are_whole = !activation.tensor.element.is_float();
        Bins::of(*range, are_whole, positions.len() * activation.tensor.len)
    });
    let bins: Vec<Bins> = bins.collect();
    let mut counts: Vec<[Vec<u64>; 2]> = bins
        .iter()
        .map(|bins| [0, 1].map(|_| vec![0; bins.count]))
        .collect();
    for (index, board) in positions.iter().enumerate() {
        let (exact, found) = traces(index, board);
        let activations = activations.iter().zip(&bins).zip(&mut counts);
        for ((activation, bins), [of_exact, of_found]) in activations {
            activation
                .exact(&exact)
                .for_each(|value| of_exact[bins.bin(value)] += 1);
            activation
                .found(&found)
                .for_each(|value| of_found[bins.bin(value)] += 1);
        }
    }
    let reports = activations.iter().zip(&ranges).zip(&bins).zip(&counts);
    let reports = reports.map(|(((activation, range), bins), [of_exact, of_found])| {
        let step = f64::from(activation.smallest_one());
        ActivationReport {
            name: activation.name.to_string(),
            neurons: activation.tensor.len,
            lowest: range.0 / step,
            highest: range.1 / step,
            bins: bins.count,
            bin_width: bins.width / step,
            divergence: divergence(of_exact, of_found),
        }
    });
    Ok(Comparison {
        positions: positions.len(),
        activations: reports.collect(),
        outputs,
    })
}

pub(super) fn activations(network: &Network) -> Vec<Activation<'_>> {
    let transformer = &network.transformer;
    let activation = |name, tensor, source| Activation {
        name,
        tensor,
        source,
    };
    let mut activations = vec![activation(
        nnue_compiler::network::TRANSFORMER,
        &transformer.output,
        Source::Transformer,
    )];
    let beside = [
        (
            nnue_compiler::network::UNPOOLED,
            &transformer.unpooled,
            Source::Unpooled,
        ),
        (
            nnue_compiler::network::PSQT,
            &transformer.psqt_sums,
            Source::Psqt,
        ),
    ];
    for (name, tensor, source) in beside {
        activations.extend(
            tensor
                .as_ref()
                .map(|tensor| activation(name, tensor, source)),
        );
    }
    let layers = network.layers.iter().enumerate();
    activations.extend(
        layers.map(|(index, layer)| activation(&layer.name, &layer.output, Source::Layer(index))),
    );
    activations
}

/// Values are counted in the units of their integers, so that each bin has whole integers. If the
/// neurons of a tensor have different values of `one`, all are converted to the smallest of them.
impl Activation<'_> {
    pub(super) fn exact(&self, trace: &UnroundedTrace) -> impl Iterator<Item = f64> {
        let others = [&trace.transformer, &trace.unpooled, &trace.psqt];
        self.in_units(self.part(others, &trace.layers).iter().copied())
    }

    fn found(&self, trace: &Trace) -> impl Iterator<Item = f64> {
        let others = [&trace.transformer, &trace.unpooled, &trace.psqt];
        let (integers, floats) = match self.part(others, &trace.layers) {
            Values::Integers(values) => (values.as_slice(), &[][..]),
            Values::Floats(values) => (&[][..], values.as_slice()),
        };
        let integers = integers.iter().map(|value| *value as f64);
        self.in_units(integers.chain(floats.iter().copied().map(f64::from)))
    }

    /// The values of this tensor in a trace, whose tensors the caller gives.
    fn part<'t, T>(&self, [transformer, unpooled, psqt]: [&'t T; 3], layers: &'t [T]) -> &'t T {
        match self.source {
            Source::Transformer => transformer,
            Source::Unpooled => unpooled,
            Source::Psqt => psqt,
            Source::Layer(index) => &layers[index],
        }
    }

    fn in_units(&self, values: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
        let smallest = self.smallest_one();
        values
            .enumerate()
            .map(move |(index, value)| match &self.tensor.one {
                One::Tensor(_) => value,
                one => value * f64::from(smallest) / f64::from(one.at(index)),
            })
    }

    pub(super) fn smallest_one(&self) -> u32 {
        match &self.tensor.one {
            One::Tensor(one) => *one,
            One::Channels(ones) => ones.iter().copied().min().unwrap_or(1),
        }
    }
}

/// The reports for the outputs of a network, before any difference is counted.
fn outputs(network: &Network) -> Vec<OutputReport> {
    let one = |one: u32, units: Units| match units {
        Units::Integer(ratio) | Units::Wide(ratio) => {
            f64::from(one) * ratio.numerator as f64 / ratio.denominator as f64
        }
        Units::Float { factor } => factor.into(),
    };
    let report = |name: &str, one: f64| OutputReport {
        name: name.to_string(),
        one,
        mean_difference: 0.0,
        largest_difference: 0.0,
    };
    let output = &network.output;
    let of_output = one(output.one, output.units);
    let names: &[&str] = match output.heads.len() {
        3 => &["win", "draw", "loss"],
        _ => &["value"],
    };
    let values = names.iter().map(|name| report(name, of_output));
    let heads = output.further.iter();
    let heads = heads.map(|head| report(&head.name, one(head.one, head.units)));
    values.chain(heads).collect()
}

/// The differences between all outputs of two traces, without signs.
fn differences(exact: &UnroundedTrace, found: &Trace) -> impl Iterator<Item = f64> {
    let values = found.evaluation.outputs().into_iter();
    let values = values.map(|output| f64::from(output.value));
    let heads = found.heads.iter().map(|head| match *head {
        HeadValue::Integer(value) => f64::from(value),
        HeadValue::Float(value) => f64::from(value),
    });
    let exact = exact.values.iter().chain(&exact.heads).copied();
    let pairs: Vec<(f64, f64)> = exact.zip(values.chain(heads)).collect();
    pairs
        .into_iter()
        .map(|(exact, found)| (found - exact).abs())
}
