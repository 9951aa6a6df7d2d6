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

#[test]
fn openings_that_end_the_game_are_refused() {
    for plies in ["1000-1000", "100-101", "8-7", "-1", "x"] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_nnue-selfplay"));
        program.args(["--games", "1", "--out", "unwritten.txt"]);
        program.arg(format!("--random-plies={plies}"));
        let output = program.output().expect("the program starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            message.contains("expected two numbers from 0 to 100, as in 7-10"),
            "{plies}: {message}"
        );
    }
}

#[test]
fn games_are_not_written_over_the_net_that_plays_them() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let [net, link] = ["selfplay.nnue", "selfplay-link.nnue"].map(|name| folder.join(name));
    fs::write(&net, "the only copy").expect("the folder for tests is writable");
    let _ = fs::remove_file(&link);
    fs::hard_link(&net, &link).expect("links can be made");
    for out in [&net, &link] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_nnue-selfplay"));
        program.args(["--games", "1", "--eval-file"]).arg(&net);
        let output = program.arg("--out").arg(out).output();
        let message = output.expect("the program starts").stderr;
        let message = String::from_utf8_lossy(&message);
        assert!(message.contains("which is read"), "{message}");
        assert_eq!(fs::read(&net).expect("it is there"), b"the only copy");
    }
}

#[test]
fn an_old_file_stays_until_there_is_a_whole_new_one() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("selfplay-kept");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("folders can be made");
    let out = folder.join("games.txt");
    fs::write(&out, "old").expect("the folder for tests is writable");
    let mut program = Command::new(env!("CARGO_BIN_EXE_nnue-selfplay"));
    program.args(["--games", "1", "--eval-file", "missing.nnue", "--out"]);
    let output = program.arg(&out).output().expect("the program starts");
    assert!(!output.status.success());
    assert_eq!(fs::read(&out).expect("it is there"), b"old");
    let files = fs::read_dir(&folder).expect("the folder is there");
    assert_eq!(files.count(), 1);
}
