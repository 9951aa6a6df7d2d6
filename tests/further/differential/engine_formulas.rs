//! The layers of engines whose last layers have 32 bits, against the engines' formulas, written
//! here as plain loops over the net's weights: whether a spec says what its engine computes.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_interpreter::{Evaluation, LayerWeights, Values};
use nnue_runtime::{Board, Position};
use nnue_test_support::goldens::golden_positions;
use nnue_test_support::random_weights::{RandomWeights, Style};

/// Sums of products of each output, wrapping in 32 bits, without biases.
fn sums(layer: &LayerWeights, inputs: &[i32]) -> Vec<i32> {
    let rows = layer.weights.integers().chunks_exact(inputs.len());
    let sum = |row: &[i64]| {
        let products = row
            .iter()
            .zip(inputs)
            .map(|(weight, x)| x.wrapping_mul(*weight as i32));
        products.fold(0, i32::wrapping_add)
    };
    rows.map(sum).collect()
}

/// What `finish` makes of each sum and its bias.
fn affine(layer: &LayerWeights, inputs: &[i32], finish: impl Fn(i32, i32) -> i32) -> Vec<i32> {
    let outputs = sums(layer, inputs).into_iter().zip(layer.biases.integers());
    outputs
        .map(|(sum, bias)| finish(sum, *bias as i32))
        .collect()
}

/// First one function of all values, then another of all.
fn both(x: &[i32], first: impl Fn(i32) -> i32, second: impl Fn(i32) -> i32) -> Vec<i32> {
    let first = x.iter().map(|x| first(*x));
    first.chain(x.iter().map(|x| second(*x))).collect()
}

fn clamped(values: Vec<i32>, most: i32) -> Vec<i32> {
    values.into_iter().map(|x| x.clamp(0, most)).collect()
}

/// `min(x^2, most)`, where the square is exact.
fn square(x: i32, most: i64) -> i32 {
    (i64::from(x) * i64::from(x)).min(most) as i32
}

fn hobbes([l1, l2, l3]: [&LayerWeights; 3], transformer: &[i32]) -> i64 {
    let x = affine(l1, transformer, |sum, bias| (sum >> 8).wrapping_add(bias));
    let inputs = both(&x, |x| x.clamp(0, 64) << 6, |x| square(x, 4096));
    let x = affine(l2, &inputs, i32::wrapping_add);
    let x = affine(l3, &clamped(x, 1 << 18), i32::wrapping_add);
    i64::from(x[0]) * 400 / (1 << 24)
}

fn stormphrax([l1, l2, l3]: [&LayerWeights; 3], transformer: &[i32]) -> i64 {
    let x = affine(l1, transformer, |sum, bias| (sum >> 2).wrapping_add(bias));
    let linear = |x: i32| x.clamp(0, 4096) << 6;
    let square = |x: i32| x.wrapping_mul(x).min(1 << 24) >> 6;
    let skip = both(&x, linear, square);
    let inputs: Vec<i32> = skip.iter().map(|x| x >> 6).collect();
    let x = affine(l2, &inputs, i32::wrapping_add);
    let x = clamped(x, 1 << 18).into_iter().zip(skip);
    let x: Vec<i32> = x.map(|(x, skip)| x + skip).collect();
    let x = affine(l3, &x, i32::wrapping_add);
    i64::from(x[0]) * 400 / (1 << 24)
}

fn pawnocchio([l1, l2, l3]: [&LayerWeights; 3], transformer: &[i32]) -> i64 {
    let x = affine(l1, transformer, i32::wrapping_add);
    let linear = |x: i32| x.clamp(0, 1 << 14) << 5;
    let square = |x: i32| {
        let x = x.clamp(-(1 << 14), 1 << 14);
        (x * x) >> 9
    };
    let inputs = both(&x, linear, square);
    let x = affine(l2, &inputs, |sum, bias| (sum >> 7).wrapping_add(bias));
    let x = affine(l3, &clamped(x, 1 << 18), i32::wrapping_add);
    i64::from(x[0]) * 400 / (1 << 24)
}

fn arasan([l1, l2, l3]: [&LayerWeights; 3], transformer: &[i32]) -> i64 {
    let x = clamped(affine(l1, transformer, i32::wrapping_add), 8128);
    let x = clamped(affine(l2, &x, i32::wrapping_add), 520_192);
    let products = x
        .iter()
        .zip(l3.weights.integers())
        .map(|(x, weight)| i64::from(*x) * weight);
    let sum = products
        .fold(0, i64::wrapping_add)
        .wrapping_add(l3.biases.integers()[0]);
    sum.wrapping_mul(400) / (8128 * 64 * 64)
}

/// Compares the evaluations of a spec with a formula, for positions and weights of all styles.
#[track_caller]
fn assert_computes(spec: &str, formula: fn([&LayerWeights; 3], &[i32]) -> i64) {
    let network = analyse(&SourceFile::new("tail.toml", spec)).expect("the spec is right");
    let positions = golden_positions("synthetic/v1").expect("goldens can be read");
    let mut seen = Vec::new();
    for (seed, style) in (1..).zip(Style::ALL) {
        let weights = RandomWeights::draw(&network, style, seed);
        let file = weights.net_file();
        let net = weights.into_net(&file);
        for (index, position) in positions.iter().enumerate().step_by(13) {
            let board = Board::from_fen(&position.fen).expect("a position");
            let bucket = index % network.stacks.count;
            let accumulators = net.accumulate(&net.active_rows(&board));
            let trace = net.trace(&accumulators, board.side_to_move(), bucket);
            let Values::Integers(transformer) = &trace.transformer else {
                panic!("the transformer's output is integers");
            };
            let transformer: Vec<i32> = transformer.iter().map(|x| *x as i32).collect();
            let mut layers = net.weights().stacks[bucket].iter().flatten();
            let layers = [(); 3].map(|()| layers.next().expect("there are three layers"));
            let expected = formula(layers, &transformer) as i32;
            let Evaluation::Value(found) = trace.evaluation else {
                panic!("there is one value");
            };
            assert_eq!(found.value, expected, "{style:?} weights, bucket {bucket}");
            seen.push(expected);
        }
    }
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() > 50, "only {} different values", seen.len());
}

#[test]
fn hobbes_is_what_its_spec_says() {
    assert_computes(include_str!("../../specs/tails/hobbes.toml"), hobbes);
}

#[test]
fn stormphrax_is_what_its_spec_says() {
    assert_computes(
        include_str!("../../specs/tails/stormphrax.toml"),
        stormphrax,
    );
}

#[test]
fn pawnocchio_is_what_its_spec_says() {
    assert_computes(
        include_str!("../../specs/tails/pawnocchio.toml"),
        pawnocchio,
    );
}

#[test]
fn arasan_is_what_its_spec_says() {
    assert_computes(include_str!("../../specs/tails/arasan.toml"), arasan);
}
