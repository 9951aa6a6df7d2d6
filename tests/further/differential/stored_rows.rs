//! Rows that files store differently from memory: as bytes, or as rows that are added when a file
//! is loaded.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network;
use nnue_further_tests::features::{factorised, float_each, float_sum, float_truncated};
use nnue_runtime::{
    Accumulator, Architecture, Board, Color, LoadError, Network, Piece, Position, Role, Square,
};
use nnue_test_support::goldens::golden_positions;
use nnue_test_support::net_file::{Weight, net_file_of};

const WIDTH: usize = 64;

pub(crate) fn spec(name: &str, text: &str) -> network::Network {
    analyse(&SourceFile::new(name, text)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// A value for each place of each tensor.
fn value(tensor: &str, row: usize, column: usize, largest: i32) -> i32 {
    let name = tensor.bytes().fold(7u64, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(byte.into())
    });
    let mixed = (name ^ (row * 8191 + column) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    mixed as i32 % (2 * largest + 1) - largest
}

/// A square as a perspective sees it; for black it is exclusive-ored with `turned`.
fn seen(perspective: Color, square: Square, turned: usize) -> usize {
    square.index()
        ^ if perspective == Color::White {
            0
        } else {
            turned
        }
}

/// Own pawn, opponent's pawn, own knight, ... opponent's king.
fn plane(perspective: Color, piece: Piece) -> usize {
    2 * piece.role.index() + usize::from(piece.color != perspective)
}

/// The rows of `factorised.toml` that a piece switches on: real ones and virtual ones.
fn factorised_rows(
    perspective: Color,
    king: Square,
    piece: Piece,
    square: Square,
) -> (Vec<usize>, Vec<usize>) {
    let (mut real, mut virtual_rows) = (Vec::new(), Vec::new());
    let plane = plane(perspective, piece);
    let mirror = if king.file() < 4 { 7 } else { 0 };
    let own_king = seen(perspective, king, 56) ^ mirror;
    let bucket = 4 * (7 - own_king / 8) + 7 - own_king % 8;
    let at = seen(perspective, square, 56) ^ mirror;
    real.push(704 * bucket + 64 * plane.min(10) + at);
    // A: kings have a plane each.
    virtual_rows.push(64 * plane + at);
    if piece.role != Role::King {
        let (own_king, at) = (seen(perspective, king, 63), seen(perspective, square, 63));
        real.push(22528 + 641 * own_king + 1 + 64 * plane + at);
        let (k, p) = (768, 768 + 64);
        let relative = p + 640;
        let file = at % 8 + 7 - own_king % 8;
        let rank = at / 8 + 7 - own_king / 8;
        virtual_rows.extend([
            k + own_king,
            p + 64 * plane + at,
            relative + 225 * plane + 15 * file + rank,
        ]);
    }
    (real, virtual_rows)
}

fn factorised_value(weight: Weight<'_>) -> f64 {
    let largest = match weight.tensor.rsplit_once('.') {
        Some((_, "psqt" | "virtual_psqt")) => 20_000,
        Some(("transformer.white" | "transformer.black", _)) => 100,
        _ => 120,
    };
    value(weight.tensor, weight.row, weight.column, largest).into()
}

#[test]
fn virtual_rows_are_part_of_the_real_ones() {
    let network = spec(
        "factorised",
        include_str!("../../specs/features/factorised.toml"),
    );
    let file = net_file_of(&network, "", factorised_value);
    let net = factorised::Network::from_bytes(&file).unwrap();
    assert!(net.to_bytes() == file, "written as it was read");
    for golden in golden_positions("synthetic/v5").unwrap() {
        let board = Board::from_fen(&golden.fen).unwrap();
        let accumulator = Accumulator::new(&net, &board);
        let mut psqt = [0, 0];
        for (perspective, owner) in [(Color::White, "white"), (Color::Black, "black")] {
            let name = |what: &str| format!("transformer.{owner}.{what}");
            let [biases, weights, virtual_weights, psqts, virtual_psqt] = [
                "biases",
                "weights",
                "virtual_weights",
                "psqt",
                "virtual_psqt",
            ]
            .map(name);
            let mut sums: Vec<i32> = (0..WIDTH)
                .map(|neuron| value(&biases, 0, neuron, 100))
                .collect();
            for piece in Piece::ALL {
                for square in board.pieces(piece) {
                    let king = board.king(perspective);
                    let (real, virtual_rows) = factorised_rows(perspective, king, piece, square);
                    let own = real.iter().map(|row| (&weights, &psqts, *row));
                    let others = virtual_rows
                        .iter()
                        .map(|row| (&virtual_weights, &virtual_psqt, *row));
                    for (weights, psqts, row) in own.chain(others) {
                        for (neuron, sum) in sums.iter_mut().enumerate() {
                            *sum += value(weights, row, neuron, 100);
                        }
                        psqt[perspective.index()] += value(psqts, row, 0, 20_000);
                    }
                }
            }
            let sums: Vec<i16> = sums.into_iter().map(|sum| sum as i16).collect();
            assert_eq!(
                accumulator.values(perspective),
                sums,
                "{owner} in {}",
                golden.fen
            );
        }
        let own = board.side_to_move().index();
        let expected = (psqt[own] - psqt[1 - own]) / 2;
        assert_eq!(net.evaluate(&accumulator, &board).psqt, expected);
    }
}

#[test]
fn a_sum_that_does_not_fit_is_refused_with_its_place() {
    let network = spec(
        "factorised",
        include_str!("../../specs/features/factorised.toml"),
    );
    // HalfKP's king a1, own pawn on a1: row 1, whose virtual ones are K 0, P 0 and, from file and
    // rank 7 on, relative 112.
    let load = |own: i32, virtual_value: i32| {
        let file = net_file_of(&network, "", |weight| {
            let value = match (weight.tensor, weight.row, weight.column) {
                ("transformer.black.weights", 22529, 5) => own,
                ("transformer.black.virtual_weights", 768 | 832 | 1584, 5) => virtual_value,
                _ => 0,
            };
            value.into()
        });
        factorised::Network::from_bytes(&file)
    };
    assert!(load(32767 - 30, 10).is_ok());
    // The sum fits, although adding the virtual rows one after the other would overflow on the way.
    assert!(load(-32768, 15_000).is_ok());
    let error = load(32767 - 29, 10).unwrap_err();
    assert!(
        matches!(
            error,
            LoadError::Coalesced {
                row: 22529,
                column: 5,
                own: 32738.0,
                virtual_sum: 30.0,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "row 22529 of `transformer.black.weights` has 32738 in column 5, to which the file adds 30: the sum is 32768, \
         allowed are -32768 to 32767"
    );
    let lower = load(-32768, -1).unwrap_err().to_string();
    assert!(lower.contains("the sum is -32771"), "{lower}");
}

/// The rows of the spec's buckets: the own king on files a to d, in corner, centre or another rank.
fn bucket_rows(
    perspective: Color,
    king: Square,
    piece: Piece,
    square: Square,
) -> (usize, [usize; 2]) {
    let mirror = if king.file() > 3 { 7 } else { 0 };
    let own_king = seen(perspective, king, 56) ^ mirror;
    let bucket = match (own_king / 8, own_king % 8) {
        (0, 0 | 1) => 0,
        (0, _) => 1,
        _ => 2,
    };
    let at = seen(perspective, square, 56) ^ mirror;
    let (own, role) = (usize::from(piece.color != perspective), piece.role.index());
    let real_plane = if piece.role == Role::King {
        5
    } else {
        6 * own + role
    };
    (
        704 * bucket + 64 * real_plane + at,
        [64 * (6 * own + role) + at, 768 + bucket],
    )
}

/// Weights in floating point, in thirds of an integer: rounding matters, and there are no halves.
fn thirds(tensor: &str, row: usize, neuron: usize) -> i32 {
    value(tensor, row, neuron, 30)
}

fn check_floats<A: Architecture<Line = nnue_runtime::line::FromPosition>>(
    text: &str,
    rounded: impl Fn(i32, [i32; 2]) -> i32,
) {
    let network = spec(A::NAME, text);
    let [own_tensor, virtual_tensor] = ["transformer.weights", "transformer.virtual_weights"];
    let file = net_file_of(&network, "", |weight| match weight.tensor {
        "transformer.weights" | "transformer.virtual_weights" => {
            f64::from(thirds(weight.tensor, weight.row, weight.column)) / 3.0
        }
        _ => 0.0,
    });
    let net = Network::<A>::from_bytes(&file).unwrap();
    let mut seen_kings = 0;
    for golden in golden_positions("synthetic/v5").unwrap() {
        let board = Board::from_fen(&golden.fen).unwrap();
        let accumulator = Accumulator::new(&net, &board);
        for perspective in Color::ALL {
            let king = board.king(perspective);
            // In a bucket of several squares, the opponent's king can stand on a square where the
            // own king might be. Both then have the same row.
            let opponents = seen(perspective, board.king(!perspective), 56);
            let own = seen(perspective, king, 56);
            if (opponents / 8 == 0) == (own / 8 == 0) {
                continue;
            }
            seen_kings += 1;
            let mut sums = vec![0; A::WIDTH];
            for piece in Piece::ALL {
                for square in board.pieces(piece) {
                    let (row, virtual_rows) = bucket_rows(perspective, king, piece, square);
                    for (neuron, sum) in sums.iter_mut().enumerate() {
                        let others = virtual_rows.map(|row| thirds(virtual_tensor, row, neuron));
                        *sum += rounded(thirds(own_tensor, row, neuron), others);
                    }
                }
            }
            let found: Vec<i32> = accumulator
                .values(perspective)
                .iter()
                .map(|sum| i32::from(*sum))
                .collect();
            assert_eq!(found, sums, "{perspective} in {}", golden.fen);
        }
    }
    assert!(seen_kings > 100, "{seen_kings}");
    // The written file must load as the same network.
    let again = Network::<A>::from_bytes(&net.to_bytes()).unwrap();
    let board = Board::start();
    assert!(Accumulator::new(&again, &board) == Accumulator::new(&net, &board));
}

/// To the nearest integer.
fn nearest(thirds: i32) -> i32 {
    (thirds + thirds.signum()) / 3
}

#[test]
fn sums_of_floating_point_are_rounded_once() {
    check_floats::<float_sum::Net>(
        include_str!("../../specs/features/float_sum.toml"),
        |own, [a, b]| nearest(own + a + b),
    );
}

/// The sums are computed in `f32`, with the numbers of the file, in which 127 of memory are 1.0.
/// The sum of three thirds may be less than one.
#[test]
fn sums_of_floating_point_are_truncated_once() {
    check_floats::<float_truncated::Net>(
        include_str!("../../specs/features/float_truncated.toml"),
        |own, [a, b]| {
            let stored = |thirds: i32| (f64::from(thirds) / 3.0 / 127.0) as f32;
            let sum = stored(own) + stored(a) + stored(b);
            (f64::from(sum) * 127.0) as i32
        },
    );
}

#[test]
fn or_each_summand_is_rounded() {
    check_floats::<float_each::Net>(
        include_str!("../../specs/features/float_each.toml"),
        |own, [a, b]| nearest(own) + nearest(a) + nearest(b),
    );
}
