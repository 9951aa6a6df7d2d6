//! The programs run, and print what the networks say.

use std::path::Path;
use std::process::Command;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_interpreter::Net;
use nnue_runtime::Color;
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

/// White's evaluation of a position in hundredths of a pawn, as `evaluate` prints it.
fn evaluation(arguments: &[&str]) -> i32 {
    let printed = run(env!("CARGO_BIN_EXE_evaluate"), arguments);
    let line = printed
        .lines()
        .find_map(|line| line.strip_prefix("evaluation"));
    let number = line.expect("a line for it").split_whitespace().next();
    let number = number.expect("a number").replace('.', "");
    number.parse().expect("two decimals")
}

#[test]
fn a_position_is_evaluated() {
    assert_eq!(evaluation(&[]), 251);
    let fen = "r3k1n1/5pb1/n1p3pr/3B2P1/P3Np1p/3PP2P/P1P2K2/7Q b - - 1 41";
    assert_eq!(evaluation(&[fen]), -449);
}

#[test]
fn moves_come_back_to_the_start() {
    let printed = run(env!("CARGO_BIN_EXE_moves"), &["e2e4", "e7e5", "g1f3"]);
    let values = values(&printed);
    assert_eq!((values.len(), values[0], values[4]), (5, 251, 251));
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
    assert_eq!(evaluation(&[fen]), -values[3], "{printed}");
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
