//! What reports prove from a network's weights, and what they say where nothing can be proved.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_runtime::{
    Accumulator, AccumulatorBound, Architecture, Board, Color, Level, Network, Storage, Warning,
};
use nnue_test_support::goldens::golden_positions;
use nnue_test_support::net_file::net_file;
use nnue_test_support::nets;
use nnue_test_support::synthetic::synthetic_net;
use nnue_tests::features::{materials, queens, threatened};
use nnue_tests::{features::separate, sfnnv5, small128};

/// A network that is small enough to compute by hand.
mod tiny {
    nnue_runtime::nnue_net!("specs/report.toml");
}

/// Every value of every golden position's accumulator is within the bounds, and 16 bits hold them.
fn check_bounds<A: Architecture<Line = nnue_runtime::line::FromPosition>>(
    file: &[u8],
    goldens: &str,
) {
    let net = Network::<A>::from_bytes(file).unwrap();
    let report = net.report();
    assert_eq!(report.warnings, [], "{}", A::NAME);
    assert!(report.accumulator.margin() >= 0);
    let bound = report.accumulator;
    let (mut least, mut most) = (i32::MAX, i32::MIN);
    for golden in golden_positions(goldens).unwrap() {
        let board = Board::from_fen(&golden.fen).unwrap();
        let accumulator = Accumulator::new(&net, &board);
        for value in Color::ALL
            .iter()
            .flat_map(|color| accumulator.values(*color))
        {
            least = least.min(i32::from(*value));
            most = most.max(i32::from(*value));
        }
    }
    assert!(
        bound.lowest <= least && most <= bound.highest,
        "{}: {least} to {most} found, {bound:?}",
        A::NAME
    );
}

#[test]
fn bounds_hold_on_all_goldens() {
    check_bounds::<sfnnv5::Net>(&synthetic_net("v5"), "synthetic/v5");
    check_bounds::<small128::Net>(&synthetic_net("small128"), "synthetic/small128");
    let released = nets::load("nn-37f18f62d772").unwrap();
    check_bounds::<small128::Net>(&released, "real/nn-37f18f62d772");
}

/// The tiny network with these biases and weights; `weights` gets the numbers of row and neuron.
fn tiny(biases: impl Fn(usize) -> i32, weights: impl Fn(usize, usize) -> i32) -> tiny::Network {
    tiny_of(|tensor, index| match tensor {
        "transformer.biases" => biases(index),
        "transformer.weights" => weights(index / tiny::WIDTH, index % tiny::WIDTH),
        _ => 0,
    })
}

/// The tiny network with the values that `value` gives for a tensor and an index.
fn tiny_of(value: impl Fn(&str, usize) -> i32) -> tiny::Network {
    let spec = SourceFile::new("report.toml", include_str!("../specs/report.toml"));
    let network = analyse(&spec).unwrap();
    tiny::Network::from_bytes(&net_file(&network, "", value)).unwrap()
}

/// A piece of each kind on each square has a row for each place of the own king: 64 after 64.
const KING: usize = 11 * 64;

#[test]
fn the_margin_is_what_one_reckons_by_hand() {
    // For one king, own pawns count 1000 on each square and the opponent's 900, except on one
    // square, where they count
    // 1100. On each square only the larger one counts, and of the squares the best 32.
    let pawns = |row: usize, neuron: usize| match (row / KING, row % KING / 64, neuron) {
        (3, 0, 5) => 1000,
        (3, 1, 5) => 900 + 200 * i32::from(row % 64 == 17),
        // Another square of the king, whose rows are never active together with those of the first.
        (4, 0, 5) => 500,
        (3, 2, 6) => -7,
        _ => 0,
    };
    let report = tiny(|neuron| 10 * neuron as i32, pawns).report();
    let bound = report.accumulator;
    assert_eq!(bound.features, 32);
    assert_eq!(bound.highest, 31 * 1000 + 1100 + 50);
    assert_eq!(bound.lowest, 60 - 32 * 7);
    assert_eq!(bound.margin(), 32767 - 32150);
    assert_eq!(report.warnings, []);

    // The largest bias without a warning, and the smallest one with a warning.
    let with_bias = |bias: i32| tiny(|neuron| bias * i32::from(neuron == 5), pawns).report();
    let (full, over) = (with_bias(32767 - 32100), with_bias(32767 - 32100 + 1));
    assert_eq!((full.accumulator.margin(), full.warnings.len()), (0, 0));
    assert_eq!(over.accumulator.margin(), -1);
    assert_eq!(
        over.warnings,
        [Warning::AccumulatorMayOverflow(over.accumulator)]
    );
    assert_eq!(
        over.warnings[0].to_string(),
        "accumulator values are not proved to fit in 16 bits, -32768 to 32767: \
         the bound is -224 to 32768, by the largest weights of 32 features, \
         which games need not have together"
    );
}

/// The network of a spec with these weights, by the numbers of row and neuron, and no biases.
fn bound_of<A: Architecture>(
    spec: &str,
    weights: impl Fn(usize, usize) -> i32,
) -> AccumulatorBound {
    let network = analyse(&SourceFile::new(A::NAME, spec)).unwrap();
    let file = net_file(&network, "", |tensor, index| match tensor {
        "transformer.weights" => weights(index / A::WIDTH, index % A::WIDTH),
        _ => 0,
    });
    Network::<A>::from_bytes(&file)
        .unwrap()
        .report()
        .accumulator
}

/// Each of 32 pieces also has a row if it is threatened.
#[test]
fn threatened_pieces_have_two_rows() {
    let spec = include_str!("../specs/features/threatened.toml");
    // The second set: own knights have the third plane, threatened own pieces the thirteenth.
    let first = 8 * 14 * 64 + 3;
    let bound = bound_of::<threatened::Net>(spec, |row, neuron| {
        match (row.checked_sub(first).map(|row| row / 64), neuron) {
            (Some(2), 7) => 100,
            (Some(12), 7) => 30,
            (Some(13), 7) => 20,
            (Some(3), 9) => -50,
            (Some(13), 9) => -1,
            _ => 0,
        }
    });
    assert_eq!((bound.lowest, bound.highest), (-32 * 51, 32 * 130));
}

/// Rows of different buckets are never active together, whichever piece chooses the bucket.
#[test]
fn buckets_by_pieces_are_not_added() {
    let spec = include_str!("../specs/features/queens.toml");
    let bound = bound_of::<queens::Net>(spec, |row, neuron| match (row / 768, neuron) {
        (3, 7) => 100,
        (5, 7) => 101,
        (2, 8) => -9,
        _ => 0,
    });
    assert_eq!((bound.lowest, bound.highest), (-32 * 9, 32 * 101));
    // The first bucket, the last, and another of the first set.
    let spec = include_str!("../specs/features/materials.toml");
    let bound = bound_of::<materials::Net>(spec, |row, neuron| match (row / 771, neuron) {
        (0, 7) => 5,
        (23, 7) => 7,
        (13, 8) => -3,
        _ => 0,
    });
    assert_eq!((bound.lowest, bound.highest), (-32 * 3, 32 * 7));
}

#[test]
fn sums_that_may_leave_32_bits_are_warned_of() {
    // One weight of 1, for inputs up to 127.
    let with_bias = |bias: i32| {
        let net = tiny_of(|tensor, index| match (tensor, index) {
            ("out.biases", _) => bias,
            ("out.weights", 3) => 1,
            _ => 0,
        });
        net.report()
    };
    assert_eq!(with_bias(i32::MAX - 127).warnings, []);
    let over = with_bias(i32::MAX - 126);
    assert_eq!(over.warnings, [Warning::SumsMayOverflow("out")]);
    assert_eq!(over.memory.storage, Storage::Heap);
    let memory = over.memory;
    assert_eq!(
        over.to_string(),
        format!(
            "accumulator within 0 to 0 for 32 features: margin 32767\n\
             sums of `out` within 0 to 2147483648: margin -1\n\
             weights: {memory}\n\
             warning: sums of `out` are not known to fit in 32 bits"
        )
    );
}

/// Where white and black have weights of their own, the larger ones count.
#[test]
fn separate_weights_are_bounded_each() {
    let spec = include_str!("../specs/perspectives/separate.toml");
    let network = analyse(&SourceFile::new("separate.toml", spec)).unwrap();
    let bound = |large: &str| {
        let file = net_file(&network, "", |tensor, index| match (tensor, index) {
            ("transformer.black.biases", 3) => -20,
            (tensor, 5) if tensor == large => 1000,
            _ => 0,
        });
        let net = separate::Network::from_bytes(&file).unwrap();
        net.report().accumulator
    };
    for large in ["transformer.white.weights", "transformer.black.weights"] {
        let bound = bound(large);
        assert_eq!((bound.lowest, bound.highest), (-20, 1000), "{large}");
    }
}

#[test]
fn a_net_that_may_overflow_loads_warns_and_wraps_around_on_every_level() {
    let mut file = synthetic_net("v5");
    let released_bound = {
        let net = sfnnv5::Network::from_bytes(&file).unwrap();
        net.report().accumulator
    };
    // The white king on e1 and white pawns on a2 and b2, as white sees them: one neuron's weights
    // sum up to 65534.
    let weights = 12 + u32::from_le_bytes(file[8..12].try_into().unwrap()) as usize + 4 + 2 * 1024;
    for square in [8, 9] {
        let row = 31 * KING + square;
        let offset = weights + 2 * (1024 * row + 700);
        file[offset..offset + 2].copy_from_slice(&i16::MAX.to_le_bytes());
    }
    let mut net = sfnnv5::Network::from_bytes(&file).unwrap();
    let report = net.report();
    assert!(report.accumulator.highest > released_bound.highest.max(65534 - 5000));
    assert_eq!(
        report.warnings,
        [Warning::AccumulatorMayOverflow(report.accumulator)]
    );
    assert!(
        report
            .to_string()
            .contains("\nwarning: accumulator values are not proved to fit ")
    );

    let board = Board::start();
    let mut outputs = Vec::new();
    for level in Level::available() {
        net = net.with_level(level);
        let accumulator = sfnnv5::Accumulator::new(&net, &board);
        // 65534 is -2 in 16 bits.
        assert!(accumulator.values(Color::White)[700].abs() < 5000);
        outputs.push(net.evaluate(&accumulator, &board));
    }
    outputs.dedup();
    assert_eq!(outputs.len(), 1, "{outputs:?}");
}

#[test]
fn bytes_that_no_evaluation_reads_are_told_of() {
    let mut file = nets::load("nn-37f18f62d772").unwrap();
    // The padding of the last row but one of the last stack's second layer: two of 32 inputs.
    let end = file.len();
    let row = end - 32 - 4 - 2 * 32;
    file[row + 30..row + 32].copy_from_slice(&[1, 2]);
    let report = small128::Network::from_bytes(&file).unwrap().report();
    assert_eq!(report.ignored_bytes, 2);
    assert_eq!(report.warnings, [Warning::IgnoredBytes(2)]);
}
