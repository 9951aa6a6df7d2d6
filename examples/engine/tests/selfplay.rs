//! Games for data.

use std::fs;
use std::path::Path;
use std::process::Command;

use cozy_chess::Board;

/// The positions of eight games by a seed.
fn positions(seed: &str, threads: &str) -> String {
    let name = format!("selfplay-{seed}-{threads}.txt");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut program = Command::new(env!("CARGO_BIN_EXE_nnue-selfplay"));
    program.args(["--games", "8", "--nodes", "100", "--seed", seed]);
    program.args(["--threads", threads, "--out"]).arg(&out);
    assert!(program.status().expect("the program starts").success());
    fs::read_to_string(&out).expect("the file that was named")
}

#[test]
fn games_follow_from_the_seed_alone() {
    let expected = positions("1", "1");
    assert_eq!(positions("1", "3"), expected);
    assert_ne!(positions("2", "1"), expected);
    assert!(expected.lines().count() > 50);
    for line in expected.lines() {
        let [fen, score, result] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("expected three fields: {line}");
        };
        let board: Board = fen
            .parse()
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(board.checkers().is_empty(), "{line}");
        assert!(score.parse::<i32>().is_ok_and(|score| score.abs() <= 3_000));
        assert!(["0.0", "0.5", "1.0"].contains(&result), "{line}");
    }
}
