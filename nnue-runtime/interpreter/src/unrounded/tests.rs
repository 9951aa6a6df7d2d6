//! Step by step, the values that are computed without rounding are close to the values that the
//! network computes from the same inputs.

use std::fs;

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::file::Role;
use nnue_compiler::network::{Element, Layer, Op, Pooling};
use nnue_compiler::operation::{Activation, Elementwise, test_operation};
use nnue_runtime::Board;
use nnue_test_support::net_file::random_net_file;
use nnue_test_support::specs::specs_in;

use super::*;
use crate::weights::TransformerWeights;
use crate::{Accumulators, LayerWeights, Net, Trace, Values, Weights};

const FENS: [&str; 2] = [
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

/// All specs of the repository whose features follow from the position.
fn networks() -> Vec<Network> {
    let mut networks = Vec::new();
    for path in ["specs", "tests/specs", "tests/zoo/specs"]
        .map(specs_in)
        .concat()
    {
        let text = fs::read_to_string(&path).expect("it is text");
        let spec = SourceFile::new(path.display().to_string(), text);
        let network = nnue_compiler::analyse(&spec);
        let network = network.unwrap_or_else(|errors| panic!("{errors}"));
        // Large networks would take long and test nothing new.
        let numbers = network.feature_count() * network.transformer.width;
        let is_supplied = network.features.iter().any(|set| set.is_supplied());
        // Bytes have no room for random PSQT values.
        let has_bytes = network.file.tensors().any(|tensor| {
            matches!(tensor.role, Role::Psqt(_)) && tensor.stored.element == Element::I8
        });
        if !is_supplied && !has_bytes && numbers < 1_000_000 {
            networks.push(network);
        }
    }
    networks
}

fn numbers(values: &Values) -> Vec<f64> {
    match values {
        Values::Integers(values) => values.iter().map(|value| *value as f64).collect(),
        Values::Floats(values) => values.iter().copied().map(f64::from).collect(),
    }
}

/// The weights of a network as they are.
fn of_integers(weights: &Weights) -> UnroundedWeights {
    let tables = weights.transformer.iter();
    let tables = tables.map(|table| TransformerWeights {
        biases: table.biases.iter().copied().map(f64::from).collect(),
        rows: table.rows.iter().copied().map(f32::from).collect(),
        psqt: table.psqt.iter().copied().map(f64::from).collect(),
    });
    let layer = |layer: &LayerWeights| UnroundedLayer {
        biases: numbers(&layer.biases),
        weights: numbers(&layer.weights),
        factors: numbers(&layer.factors),
    };
    let stacks = weights.stacks.iter();
    let stacks = stacks.map(|stack| stack.iter().map(|own| own.as_ref().map(layer)).collect());
    UnroundedWeights {
        transformer: tables.collect(),
        stacks: stacks.collect(),
    }
}

/// Asserts that numbers are as close as rounding allows: they differ by less than 1, or by less
/// than 2 where up to three summands are rounded separately.
fn assert_near<'a>(
    name: &str,
    exact: impl IntoIterator<Item = &'a f64>,
    found: impl IntoIterator<Item = &'a f64>,
) {
    for (exact, found) in exact.into_iter().zip(found) {
        // Random files have numbers three times as large where numbers are clamped.
        let is_clamped = (exact / 3.0 - found).abs() < 1.0;
        assert!(
            (exact - found).abs() < 2.0 || is_clamped,
            "{name}: {exact} {found}"
        );
    }
}

#[test]
fn numbers_are_those_of_the_network_before_they_are_rounded() {
    let (mut fractions, mut refused) = (0, 0);
    for (seed, network) in networks().iter().enumerate() {
        let file = random_net_file(network, seed as u64);
        // Random weights reach more outputs than some networks allow.
        let Ok(net) = Net::from_bytes(network, &file) else {
            refused += 1;
            continue;
        };
        let found = of_integers(net.weights());
        let exact = UnroundedNet::from_bytes(network, &file).expect("it is a net file");
        for (exact, found) in exact.weights.transformer.iter().zip(&found.transformer) {
            let rows = |table: &TransformerWeights<f64, f32, f64>| {
                table
                    .rows
                    .iter()
                    .copied()
                    .map(f64::from)
                    .collect::<Vec<f64>>()
            };
            let (exact_rows, found_rows) = (rows(exact), rows(found));
            assert_near(&network.name, &exact_rows, &found_rows);
            assert_near(&network.name, &exact.biases, &found.biases);
            assert_near(&network.name, &exact.psqt, &found.psqt);
            fractions += exact_rows
                .iter()
                .filter(|number| number.fract() != 0.0)
                .count();
        }
        let layers = |weights: &UnroundedWeights| -> Vec<UnroundedLayer> {
            weights.stacks.iter().flatten().flatten().cloned().collect()
        };
        let (exact, found) = (layers(&exact.weights), layers(&found));
        assert_eq!(exact.len(), found.len());
        for (exact, found) in exact.iter().zip(&found) {
            assert_near(&network.name, &exact.biases, &found.biases);
            assert_near(&network.name, &exact.weights, &found.weights);
            assert_near(&network.name, &exact.factors, &found.factors);
        }
    }
    assert!(refused < 5, "{refused}");
    // Some networks have files of floating point.
    assert!(fractions > 1000, "{fractions}");
}

/// The largest difference between a layer's outputs and the outputs that it would have for the same
/// inputs without rounding; `None` where integers wrap around or a rounded factor is large.
fn tolerance(layer: &Layer, factors: &[f64], found: f64, exact: f64) -> Option<f64> {
    let divides = layer.affine().is_some_and(|affine| affine.divide.is_some());
    let (low, high) = match layer.output.element {
        Element::F32 => {
            // A quotient that was rounded is multiplied.
            let factor = factors
                .iter()
                .fold(1.0, |most: f64, factor| most.max(factor.abs()));
            let of_quotient = if divides { factor } else { 0.0 };
            return Some(of_quotient + 1e-4 * (1.0 + exact.abs().max(found.abs())));
        }
        Element::I64 => (i64::MIN as f64, i64::MAX as f64),
        _ => (i32::MIN.into(), i32::MAX.into()),
    };
    let is_beyond = !(low..=high).contains(&exact);
    match &layer.op {
        // The mean magnitude of the inputs is a factor of large sums.
        Op::Affine(affine) if affine.scales.is_some_and(|scales| scales.inputs) => None,
        _ if is_beyond => None,
        Op::Elementwise(Elementwise::Activations(functions)) => {
            let wraps = |function: &&Activation| matches!(function, Activation::SqrCreluI32(_));
            // Quantmoid4 rounds twice.
            functions.iter().find(wraps).is_none().then_some(2.0)
        }
        Op::Elementwise(Elementwise::Sum(sum)) => Some(sum.aligns.len() as f64),
        _ => Some(1.0),
    }
}

/// Whether the outputs do not show whether the sums of products wrapped around.
fn hides_sums(layer: &Layer) -> bool {
    layer
        .affine()
        .is_some_and(|affine| !affine.starts_at_biases())
}

/// How many values were compared, and why others were not.
#[derive(Default)]
struct Counts {
    compared: usize,
    /// Values of layers that may have wrapped around.
    left_out: usize,
    /// Positions whose accumulators have wrapped around.
    wrapping: usize,
    outputs: usize,
    large_outputs: usize,
}

#[test]
fn every_step_is_as_the_network_computes_it_but_for_rounding() {
    let networks = networks();
    assert!(networks.len() > 50, "{}", networks.len());
    let (mut counts, mut refused) = (Counts::default(), 0);
    for (seed, network) in networks.iter().enumerate() {
        let file = random_net_file(network, seed as u64);
        // Random weights reach more outputs than some networks allow.
        let Ok(net) = Net::from_bytes(network, &file) else {
            refused += 1;
            continue;
        };
        let unrounded = UnroundedNet {
            network: network.clone(),
            weights: of_integers(net.weights()),
        };
        for fen in FENS {
            let board = Board::from_fen(fen).expect("it is a position");
            let accumulators = net.accumulate(&net.active_rows(&board));
            let stack = seed % network.stacks.count;
            let trace = net.trace(&accumulators, board.side_to_move(), stack);
            let read = unrounded.trace(&board, stack);
            if wraps(&unrounded, &board, &accumulators) {
                counts.wrapping += 1;
            } else {
                compare_pooled(network, &trace, &read);
            }
            assert_within(network, 0.5, &numbers(&trace.psqt), &read.psqt);
            let tensors = compare_layers(&unrounded, stack, &trace, &mut counts);
            compare_outputs(network, &trace, &tensors, &mut counts);
        }
    }
    let Counts {
        compared, left_out, ..
    } = counts;
    assert!(refused < 5, "{refused}");
    assert!(left_out * 10 < compared, "{left_out} of {compared}");
    assert!(counts.wrapping * 10 < networks.len(), "{}", counts.wrapping);
    assert!(counts.large_outputs * 5 < counts.outputs);
}

/// Confirms that the sums are those of the accumulators, and returns whether these wrapped around.
fn wraps(unrounded: &UnroundedNet, board: &Board, accumulators: &Accumulators) -> bool {
    let network = &unrounded.network;
    let tables = &unrounded.weights().transformer;
    let sums = transformer::accumulate(network, tables, &active_rows(network, board));
    let mut wraps = false;
    for (exact, found) in sums.iter().zip(accumulators) {
        for (exact, found) in exact.values.iter().zip(&found.values) {
            assert_eq!(*exact as i64 as i16, *found, "{}", network.name);
            wraps |= *exact != f64::from(*found);
        }
    }
    wraps
}

/// Confirms that what layers read of the transformer is as close as rounding allows.
fn compare_pooled(network: &Network, trace: &Trace, exact: &UnroundedTrace) {
    // The factors of a product may have been rounded too.
    let tolerance = match network.transformer.pooling {
        Pooling::Product { shift, .. } => {
            let largest = network.transformer.activated.range.1 as f64;
            1.0 + (2.0 * largest + 1.0) / f64::from(shift).exp2()
        }
        _ => 2.0,
    };
    assert_within(
        network,
        tolerance,
        &numbers(&trace.transformer),
        &exact.transformer,
    );
    assert_eq!(numbers(&trace.unpooled), exact.unpooled);
}

fn assert_within(network: &Network, tolerance: f64, found: &[f64], exact: &[f64]) {
    for (found, exact) in found.iter().zip(exact) {
        assert!(
            (found - exact).abs() <= tolerance,
            "{}: {found} {exact}",
            network.name
        );
    }
}

/// Compares the outputs of each layer with those for the same inputs without rounding, and returns
/// all outputs.
fn compare_layers(
    unrounded: &UnroundedNet,
    stack: usize,
    trace: &Trace,
    counts: &mut Counts,
) -> layers::Tensors {
    let network = &unrounded.network;
    let mut tensors = layers::Tensors {
        transformer: numbers(&trace.transformer),
        unpooled: numbers(&trace.unpooled),
        psqt: numbers(&trace.psqt),
        layers: Vec::new(),
    };
    let weights = &unrounded.weights().stacks[stack];
    for (index, layer) in network.layers.iter().enumerate() {
        let exact = layers::compute(layer, weights[index].as_ref(), &tensors);
        let found = numbers(&trace.layers[index]);
        let factors = weights[index].as_ref().map_or(&[][..], |own| &own.factors);
        assert_eq!(found.len(), exact.len());
        for (found, exact) in found.iter().zip(&exact) {
            let Some(tolerance) = tolerance(layer, factors, *found, *exact) else {
                counts.left_out += 1;
                continue;
            };
            counts.compared += 1;
            // Sums wrap around before they are divided.
            if hides_sums(layer) && (found - exact).abs() > tolerance {
                counts.left_out += 1;
                continue;
            }
            assert!(
                (found - exact).abs() <= tolerance || (found.is_nan() && exact.is_nan()),
                "{} {}: {found} {exact}",
                network.name,
                layer.name
            );
        }
        tensors.layers.push(found);
    }
    tensors
}

fn compare_outputs(
    network: &Network,
    trace: &Trace,
    tensors: &layers::Tensors,
    counts: &mut Counts,
) {
    let outputs = trace.evaluation.outputs();
    let psqt = f64::from(outputs[0].psqt);
    let exact = output::values(network, &tensors.layers, psqt);
    assert_eq!(exact.len(), outputs.len());
    for (found, exact) in outputs.iter().zip(&exact) {
        // Other values saturate or wrap around.
        if exact.abs() > i32::MAX.into() {
            counts.large_outputs += 1;
            continue;
        }
        // The terms, their sum and the value are rounded.
        let tolerance = 4.0 + 1e-6 * exact.abs();
        assert_within(network, tolerance, &[f64::from(found.value)], &[*exact]);
        counts.outputs += 1;
    }
}

#[test]
fn an_operation_that_is_not_known_is_refused_by_name() {
    let (_, network) = test_operation::network();
    let file = random_net_file(&network, 1);
    let error = UnroundedNet::from_bytes(&network, &file).expect_err("nobody described it here");
    assert_eq!(
        error.to_string(),
        "`ac_0` has the operation `test_operation`, which is not known without rounding"
    );
}
