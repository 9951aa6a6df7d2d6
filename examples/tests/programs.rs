//! The programs run, and print what the networks say.

use std::path::Path;
use std::process::Command;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_interpreter::Net;
use nnue_runtime::{Board, Color, Level, Position, Role, Square};
use nnue_test_support::net_file::random_net_file;

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// The numbers with which lines begin.
fn values(printed: &str) -> Vec<i32> {
    let words = printed.lines().map(|line| line.split_whitespace().next());
    words
        .map(|word| word.expect("a word").parse().expect("a number"))
        .collect()
}

/// What the interpreter says of a position with the project's net, for the side to move.
fn interpreted(board: &Board) -> i32 {
    let spec = include_str!("../nets/primer.toml");
    evaluation(spec, include_bytes!("../nets/primer.nnue"), board)
}

/// The same with any net whose stacks the pieces select.
fn evaluation(spec: &str, bytes: &[u8], board: &Board) -> i32 {
    let network = analyse(&SourceFile::new("spec", spec)).expect("a spec without errors");
    let net = Net::from_bytes(&network, bytes);
    let by_pieces = network
        .stacks
        .by_pieces
        .expect("buckets follow from the pieces");
    let bucket = usize::from(by_pieces[board.occupied().len()]);
    let evaluation = net.expect("the net fits its spec").evaluate(board, bucket);
    evaluation.outputs()[0].value
}

/// Numbers with two decimals, as `evaluate` prints hundredths of a pawn.
fn hundredths(text: &str) -> Vec<i32> {
    let words = text.split_whitespace().filter(|word| word.contains('.'));
    let numbers = words.filter_map(|word| word.replace('.', "").parse().ok());
    numbers.collect()
}

/// The board says what each piece is worth, rank by rank from the eighth, and the line below it the
/// evaluation, both for white.
#[test]
fn a_position_is_evaluated_and_each_of_its_pieces() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let other = "r3k1n1/5pb1/n1p3pr/3B2P1/P3Np1p/3PP2P/P1P2K2/7Q b - - 1 41";
    for (arguments, fen) in [(&[][..], start), (&[other][..], other)] {
        let printed = run(env!("CARGO_BIN_EXE_evaluate"), arguments);
        let (board_shown, below) = printed.split_once("under each piece").expect("a caption");
        let board = Board::from_fen(fen).expect("a FEN");
        let of_white = |value: i32| match board.side_to_move() {
            Color::White => value,
            Color::Black => -value,
        };
        let value = interpreted(&board);
        let ranks = (0..8).rev().flat_map(|rank| &Square::ALL[8 * rank..][..8]);
        let pieces = ranks.filter(|square| {
            let piece = board.piece_at(**square);
            piece.is_some_and(|piece| piece.role != Role::King)
        });
        let worth = pieces.map(|square| of_white(value - interpreted(&board.without(*square))));
        assert_eq!(
            hundredths(board_shown),
            worth.collect::<Vec<i32>>(),
            "{printed}"
        );
        assert_eq!(hundredths(below), [of_white(value)], "{printed}");
        let time = below.lines().find_map(|line| line.strip_prefix("time"));
        let time = time.expect("a time").split_whitespace().next();
        assert!(
            time.and_then(|time| time.parse::<u32>().ok())
                .is_some_and(|time| time > 0)
        );
        assert!(
            Level::names().any(|level| below.contains(&format!(" {level}\n"))),
            "{printed}"
        );
    }
}

#[test]
fn moves_come_back_to_the_start() {
    let printed = run(env!("CARGO_BIN_EXE_moves"), &["e2e4", "e7e5", "g1f3"]);
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ];
    let expected = fens.map(|fen| interpreted(&Board::from_fen(fen).expect("a FEN")));
    assert_eq!(values(&printed), expected);
}

#[test]
fn a_net_of_bullets_is_evaluated_as_by_the_interpreter() {
    let printed = run(env!("CARGO_BIN_EXE_bullet"), &[]);
    let boards = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    ];
    let [start, after] = boards.map(|fen| {
        let board = Board::from_fen(fen).expect("a FEN");
        let net = include_bytes!("../nets/bullet.bin");
        evaluation(include_str!("../nets/bullet.toml"), net, &board)
    });
    assert_eq!(values(&printed), [start, after, start]);
}

#[test]
fn ataxx_is_evaluated_as_by_the_interpreter() {
    let spec = include_str!("../../specs/games/ataxx.toml");
    let network = analyse(&SourceFile::new("ataxx", spec)).expect("a spec without errors");
    let file = random_net_file(&network, 3);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ataxx.nnue");
    std::fs::write(&path, &file).expect("the folder for tests is writable");
    let printed = run(
        env!("CARGO_BIN_EXE_ataxx"),
        &[path.to_str().expect("the project's path is text")],
    );

    let net = Net::from_bytes(&network, &file).expect("our own file");
    let value = |white: &[u32], black: &[u32], side_to_move| {
        let stones = |own: &[u32], other: &[u32]| -> Vec<u32> {
            let empty = (0..49).filter(|square| !own.contains(square) && !other.contains(square));
            let other = other.iter().map(|square| 49 + square);
            let features = own.iter().copied().chain(other);
            features.chain(empty.map(|square| 98 + square)).collect()
        };
        let rows = net.custom_rows([&stones(white, black), &stones(black, white)]);
        let accumulators = net.accumulate(&rows.expect("features of the spec"));
        let trace = net.trace(&accumulators, side_to_move, 0);
        trace.evaluation.outputs()[0].value
    };
    let start = value(&[6, 42], &[0, 48], Color::White);
    let after = value(&[5, 6, 42], &[0, 48], Color::Black);
    assert_ne!(start, after);
    assert_eq!(values(&printed), [start, after]);
}
