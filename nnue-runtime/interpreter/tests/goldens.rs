//! The interpreter gives the values of the original engines.

use std::fs;
use std::path::Path;

use fastrand::Rng;
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_compiler::network::file::Role;
use nnue_interpreter::{Evaluation, Net};
use nnue_runtime::{Board, Color, Output, Piece, Position};
use nnue_test_support::goldens::{GoldenPosition, golden_positions};
use nnue_test_support::net_file::net_file_of;
use nnue_test_support::synthetic::synthetic_net;

/// A file of the project.
fn path(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn network(spec: &str) -> Network {
    let text = fs::read_to_string(path(spec)).unwrap();
    let network = analyse(&SourceFile::new(spec, text));
    network.unwrap_or_else(|errors| panic!("{errors}"))
}

fn check_goldens(spec: &str, file: &[u8], goldens: &str) {
    let spec = format!("specs/{spec}.toml");
    let network = network(&spec);
    let net = Net::from_bytes(&network, file).unwrap_or_else(|error| panic!("{spec}: {error}"));
    let goldens = golden_positions(goldens).unwrap_or_else(|error| panic!("{error}"));
    assert!(!goldens.is_empty());
    for golden in &goldens {
        check_golden(&net, golden);
    }
}

fn check_golden(net: &Net, golden: &GoldenPosition) {
    let (name, fen) = (&net.network().name, &golden.fen);
    let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert_eq!(
        net.bucket(board.occupied().len()),
        Some(golden.bucket),
        "{name}: {fen}"
    );
    let accumulators = net.accumulate(&net.active_rows(&board));
    for (bucket, (psqt, positional)) in golden.psqt.iter().zip(&golden.positional).enumerate() {
        let trace = net.trace(&accumulators, board.side_to_move(), bucket);
        let Evaluation::Value(output) = trace.evaluation else {
            panic!("{name} has three outputs");
        };
        let expected = Output {
            psqt: *psqt,
            positional: *positional,
            // The engine evaluates with one bucket.
            value: if bucket == golden.bucket {
                golden.engine
            } else {
                output.value
            },
        };
        assert_eq!(output, expected, "{name}, bucket {bucket} of {fen}");
    }
}

#[test]
fn a_released_net_is_what_its_engine_computes() {
    let file = fs::read(path("examples/nets/nn-37f18f62d772.nnue")).unwrap();
    check_goldens("small128", &file, "real/nn-37f18f62d772");
}

/// One of each kind: rows of HalfKP without PSQT, raw files with a skip, LEB128.
#[test]
fn synthetic_nets_are_what_their_engines_compute() {
    for (spec, generation) in [
        ("sfnnv1", "v1"),
        ("sfnnv2", "v2"),
        ("sfnnv4", "v4"),
        ("sfnnv5", "v5"),
        ("small128", "small128"),
    ] {
        let goldens = format!("synthetic/{generation}");
        check_goldens(spec, &synthetic_net(generation), &goldens);
    }
}

/// A net of Berserk, evaluated as the engine does. There is no golden of the engine, so its
/// arithmetic is written out here, without the spec.
struct Berserk {
    /// `[feature][neuron]`, 12288 of 1024.
    rows: Vec<i32>,
    neuron_biases: Vec<i32>,
    /// `[output][input]` and biases: 16 of 2048, 32 of 16, and 1 of 32.
    layers: [(Vec<i32>, Vec<i32>); 3],
}

impl Berserk {
    const NEURONS: usize = 1024;

    /// The king's buckets on files e to h, from the eighth rank of its own side to the first.
    const BUCKETS: [[usize; 4]; 8] = [
        [14, 14, 15, 15],
        [14, 14, 15, 15],
        [12, 12, 13, 13],
        [12, 12, 13, 13],
        [8, 9, 10, 11],
        [8, 9, 10, 11],
        [4, 5, 6, 7],
        [0, 1, 2, 3],
    ];

    fn of_file(file: &[u8]) -> Berserk {
        let mut rest = file;
        let mut values = |count: usize, size: usize| -> Vec<i32> {
            let (bytes, behind) = rest.split_at(count * size);
            rest = behind;
            let value = |bytes: &[u8]| match *bytes {
                [a] => i32::from(a as i8),
                [a, b] => i32::from(i16::from_le_bytes([a, b])),
                [a, b, c, d] => i32::from_le_bytes([a, b, c, d]),
                _ => unreachable!("no numbers have so many bytes"),
            };
            bytes.chunks(size).map(value).collect()
        };
        let berserk = Berserk {
            rows: values(12288 * Berserk::NEURONS, 2),
            neuron_biases: values(Berserk::NEURONS, 2),
            layers: [(16 * 2048, 16, 1), (32 * 16, 32, 2), (32, 1, 2)]
                .map(|(weights, biases, size)| (values(weights, size), values(biases, 4))),
        };
        assert_eq!(rest.len(), 0);
        berserk
    }

    /// The number of a feature. Squares are counted from a8; black sees them upside down, and both
    /// see their king on files e to h.
    fn feature(view: Color, board: &Board, piece: Piece, square: usize) -> usize {
        let turned = if view == Color::White { 56 } else { 0 };
        let king = board.king(view).index() ^ turned;
        let mirrored = if king % 8 < 4 { 7 } else { 0 };
        let king = king ^ mirrored;
        let bucket = Berserk::BUCKETS[king / 8][king % 8 - 4];
        let plane = if piece.color == view { 0 } else { 6 } + piece.role.index();
        (12 * bucket + plane) * 64 + (square ^ turned ^ mirrored)
    }

    fn evaluate(&self, board: &Board) -> i32 {
        let half = |view: Color| {
            let mut sums = self.neuron_biases.clone();
            for piece in Piece::ALL {
                for square in board.pieces(piece) {
                    let feature = Berserk::feature(view, board, piece, square.index());
                    let row = &self.rows[feature * Berserk::NEURONS..];
                    for (sum, weight) in sums.iter_mut().zip(row) {
                        *sum += weight;
                    }
                }
            }
            sums.into_iter().map(|sum| (sum >> 5).clamp(0, 127))
        };
        let own = half(board.side_to_move());
        let inputs: Vec<i32> = own.chain(half(!board.side_to_move())).collect();
        let affine = |layer: usize, inputs: &[i32]| -> Vec<i32> {
            let (weights, biases) = &self.layers[layer];
            let rows = weights.chunks(inputs.len()).zip(biases);
            let sum = |(row, bias): (&[i32], &i32)| {
                bias + row.iter().zip(inputs).map(|(w, x)| w * x).sum::<i32>()
            };
            rows.map(sum).collect()
        };
        let clipped = |sums: Vec<i32>, shift: i32| -> Vec<i32> {
            let values = sums.into_iter().map(|x| (x >> shift).clamp(0, 32767));
            values.collect()
        };
        let first = clipped(affine(0, &inputs), 5);
        let second = clipped(affine(1, &first), 5);
        affine(2, &second)[0] >> 12
    }
}

#[test]
fn berserks_spec_is_what_the_engine_computes() {
    let network = network("specs/engines/berserk.toml");
    let mut random = Rng::with_seed(13);
    // Values on both sides of every clipping.
    let file = net_file_of(&network, "", |weight| {
        let most: i32 = match (weight.role, weight.tensor) {
            (Role::Weights(_), _) => 300,
            (Role::Biases(_), _) => 4000,
            (Role::LayerWeights(_), "l2.weights") => 4,
            (Role::LayerWeights(_), _) => 127,
            _ => 10_000,
        };
        f64::from(random.usize(..2 * most as usize + 1) as i32 - most)
    });
    let berserk = Berserk::of_file(&file);
    let net = Net::from_bytes(&network, &file).unwrap_or_else(|error| panic!("{error}"));
    let goldens = golden_positions("synthetic/v5").unwrap_or_else(|error| panic!("{error}"));
    let mut values = Vec::new();
    for golden in goldens.iter().step_by(20) {
        let board = Board::from_fen(&golden.fen).unwrap_or_else(|error| panic!("{error}"));
        let expected = berserk.evaluate(&board);
        let found = net.evaluate(&board, 0).outputs();
        assert_eq!([found[0].value], [expected], "{}", golden.fen);
        values.push(expected);
    }
    values.sort_unstable();
    values.dedup();
    assert!(values.len() > 10, "{values:?}");
}
