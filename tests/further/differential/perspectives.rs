//! How perspectives are put together: evaluations against plain loops over the net file's values,
//! in the order that the language's documentation gives.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_further_tests::perspectives::{
    interleaved, interleaved_parts, one, one_separate, white_first, white_only,
};
use nnue_runtime::line::FromPosition;
use nnue_runtime::{
    Accumulator, Board, Color, Level, Network, Output, Piece, Position, SelectedByPieces, Square,
};
use nnue_test_support::goldens::golden_positions;
use nnue_test_support::net_file::net_file_of;
use nnue_tests::features::separate;

/// The values of a tensor of the net file.
#[derive(Clone, Copy)]
struct Values {
    /// A hash of the tensor's name, so that tensors differ.
    hash: u64,
    /// How many different values there are, around 0.
    spread: i32,
}

impl Values {
    fn of(tensor: &str) -> Values {
        let hash = tensor.bytes().fold(7u64, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(byte.into())
        });
        let spread = match tensor.rsplit_once('.') {
            Some((_, "psqt")) => 10_001,
            Some(("fc_0" | "fc_1", "biases")) => 5_001,
            _ => 101,
        };
        Values { hash, spread }
    }

    fn at(self, index: usize) -> i32 {
        let mixed = (self.hash ^ index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        mixed as i32 % self.spread - self.spread / 2
    }
}

/// A row of HalfKAv2_hm.
fn row(perspective: Color, king: Square, piece: Piece, square: Square) -> usize {
    let flip = if perspective == Color::White { 0 } else { 56 };
    let mirror = if king.file() < 4 { 7 } else { 0 };
    let seen = |square: Square| square.index() ^ flip ^ mirror;
    let bucket = 4 * (7 - seen(king) / 8) + 7 - seen(king) % 8;
    let plane = 2 * piece.role.index() + usize::from(piece.color != perspective);
    704 * bucket + 64 * plane.min(10) + seen(square)
}

/// The sums of one perspective: clipped neurons, and PSQT. `owner` is `white.` or `black.` where
/// these have tensors of their own.
fn half(board: &Board, perspective: Color, owner: &str, width: usize) -> (Vec<i32>, i32) {
    let [biases, weights, psqts] =
        ["biases", "weights", "psqt"].map(|what| Values::of(&format!("transformer.{owner}{what}")));
    let mut sums: Vec<i32> = (0..width).map(|neuron| biases.at(neuron)).collect();
    let mut psqt = 0;
    for piece in Piece::ALL {
        for square in board.pieces(piece) {
            let row = row(perspective, board.king(perspective), piece, square);
            for (neuron, sum) in sums.iter_mut().enumerate() {
                *sum += weights.at(row * width + neuron);
            }
            psqt += psqts.at(row);
        }
    }
    (
        sums.into_iter().map(|sum| sum.clamp(0, 127)).collect(),
        psqt,
    )
}

/// The value of the layers, where `fc_0` reads `input`, and `fc_1` reads `besides` after `ac_0`.
fn layers(input: &[i32], besides: &[i32]) -> i32 {
    let affine = |name: &str, outputs: usize, input: &[i32]| -> Vec<i32> {
        let row = input.len().next_multiple_of(32);
        let [biases, weights] =
            ["biases", "weights"].map(|what| Values::of(&format!("{name}.{what}")));
        let output = |output: usize| {
            let weight = |index: usize| weights.at(output * row + index);
            let products = input.iter().enumerate().map(|(index, x)| weight(index) * x);
            biases.at(output) + products.sum::<i32>()
        };
        (0..outputs).map(output).collect()
    };
    let hidden = affine("fc_0", 16, input);
    let hidden = hidden.iter().map(|sum| (sum >> 6).clamp(0, 127));
    let hidden: Vec<i32> = hidden.chain(besides.iter().copied()).collect();
    affine("fc_1", 1, &hidden)[0]
}

/// Compares a network with `expected` on golden positions, on every level.
fn check<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
    spec: &str,
    expected: impl Fn(&Board, usize) -> (i32, i32),
) {
    let network = analyse(&SourceFile::new(A::NAME, spec)).expect("a spec without errors");
    let mut values = (String::new(), Values::of(""));
    let file = net_file_of(&network, "", |weight| {
        if values.0 != weight.tensor {
            values = (weight.tensor.to_string(), Values::of(weight.tensor));
        }
        values.1.at(weight.index).into()
    });
    let mut net = Network::<A>::from_bytes(&file).expect("our own file");
    assert!(net.to_bytes() == file, "written as it was read");
    for level in Level::available() {
        net = net.with_level(level);
        for golden in golden_positions("synthetic/v5")
            .expect("the goldens")
            .iter()
            .take(200)
        {
            let board = Board::from_fen(&golden.fen).expect("a position");
            let found = net.evaluate(&Accumulator::new(&net, &board), &board);
            let (psqt, positional) = expected(&board, A::WIDTH);
            let value = psqt + positional;
            let expected = Output {
                psqt,
                positional,
                value,
            };
            assert_eq!(found, expected, "{level}: {}", golden.fen);
        }
    }
}

macro_rules! spec {
    ($name:literal) => {
        include_str!(concat!("../../specs/perspectives/", $name, ".toml"))
    };
}

#[test]
fn white_first_is_white_first_whoever_is_to_move() {
    check::<white_first::Net>(spec!("white_first"), |board, width| {
        let (white, whites_psqt) = half(board, Color::White, "", width);
        let (black, blacks_psqt) = half(board, Color::Black, "", width);
        let psqt = (whites_psqt - blacks_psqt) / 2;
        (psqt, layers(&[white, black].concat(), &[]))
    });
}

/// Both halves in turn, and the PSQT.
fn in_turn(board: &Board, width: usize) -> (Vec<i32>, i32) {
    let (own, own_psqt) = half(board, board.side_to_move(), "", width);
    let (opponents, opponents_psqt) = half(board, !board.side_to_move(), "", width);
    let pairs = own.into_iter().zip(opponents);
    let values = pairs.flat_map(|(own, opponents)| [own, opponents]);
    (values.collect(), (own_psqt - opponents_psqt) / 2)
}

#[test]
fn interleaved_values_come_in_turn() {
    check::<interleaved::Net>(spec!("interleaved"), |board, width| {
        let (values, psqt) = in_turn(board, width);
        (psqt, layers(&values, &[]))
    });
}

#[test]
fn parts_of_interleaved_values_are_parts_of_both_halves() {
    check::<interleaved_parts::Net>(spec!("interleaved_parts"), |board, width| {
        let (values, psqt) = in_turn(board, width);
        let besides = [&values[101..], &values[..1]].concat();
        (psqt, layers(&values[3..90], &besides))
    });
}

fn name(color: Color) -> &'static str {
    match color {
        Color::White => "white.",
        Color::Black => "black.",
    }
}

#[test]
fn separate_weights_belong_to_white_and_black() {
    check::<separate::Net>(spec!("separate"), |board, width| {
        let stm = board.side_to_move();
        let (own, own_psqt) = half(board, stm, name(stm), width);
        let (opponents, opponents_psqt) = half(board, !stm, name(!stm), width);
        let psqt = (own_psqt - opponents_psqt) / 2;
        (psqt, layers(&[own, opponents].concat(), &[]))
    });
}

#[test]
fn one_perspective_is_the_side_to_moves() {
    check::<one::Net>(spec!("one"), |board, width| {
        let (own, psqt) = half(board, board.side_to_move(), "", width);
        (psqt, layers(&own, &[]))
    });
    check::<one_separate::Net>(spec!("one_separate"), |board, width| {
        let stm = board.side_to_move();
        let (own, psqt) = half(board, stm, name(stm), width);
        (psqt, layers(&own, &[]))
    });
}

#[test]
fn one_perspective_is_whites_where_white_comes_first() {
    check::<white_only::Net>(spec!("white_only"), |board, width| {
        let (white, psqt) = half(board, Color::White, "", width);
        (psqt, layers(&white, &[]))
    });
}
