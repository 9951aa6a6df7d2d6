//! What OpenBench asks of an engine: docs/openbench.md.

mod session;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cozy_chess::Board;
use nnue_runtime::Level;
use session::Session;

const PROGRAM: &str = env!("CARGO_BIN_EXE_nnue-engine");

/// What a program prints before it ends well.
fn output(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// The number of nodes in the last line that `bench` prints.
fn nodes(printed: &str) -> u64 {
    let line = printed.lines().last().expect("a line");
    let words: Vec<&str> = line.split(' ').collect();
    let [nodes, "nodes", speed, "nps"] = words[..] else {
        panic!("expected `N nodes M nps`: {line}");
    };
    assert!(speed.parse::<u64>().is_ok_and(|speed| speed > 0), "{line}");
    nodes.parse().expect("a number of nodes")
}

#[test]
fn bench_is_the_same_each_time_and_on_every_level() {
    let bench = |level: &str| {
        let mut command = Command::new(PROGRAM);
        nodes(&output(command.arg("bench 8").env("NNUE_LEVEL", level)))
    };
    let best = Level::available().last().expect("a level").name();
    let expected = bench(best);
    assert!(expected > 10_000);
    for level in Level::available() {
        assert_eq!(bench(level.name()), expected, "{}", level.name());
    }
    assert_eq!([bench(best), bench(best)], [expected; 2]);
}

/// The positions that `genfens` prints.
fn genfens(arguments: &str) -> Vec<Board> {
    let printed = output(Command::new(PROGRAM).args([arguments, "quit"]));
    let fen = |line: &str| {
        let fen = line
            .strip_prefix("info string genfens ")
            .expect("a position");
        fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
    };
    printed.lines().map(fen).collect()
}

#[test]
fn genfens_prints_openings_by_a_seed() {
    let openings = genfens("genfens 12 seed 42 book None");
    assert_eq!(openings.len(), 12);
    assert_eq!(openings, genfens("genfens 12 seed 42 book None"));
    assert_ne!(openings, genfens("genfens 12 seed 43 book None"));
    for board in openings {
        assert!(board.generate_moves(|_| true), "{board}");
    }
}

#[test]
fn genfens_goes_on_from_a_book() {
    let book = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book.epd");
    // As EPD and as a FEN: kings and pawns, with few legal moves.
    let lines = "4k3/4p3/8/8/8/8/4P3/4K3 w - - bm e4;\n4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1\n";
    fs::write(&book, lines).expect("the folder for tests is writable");
    let openings = genfens(&format!("genfens 5 seed 1 book {}", book.display()));
    assert_eq!(openings.len(), 5);
    for board in openings {
        assert!(board.occupied().len() <= 6, "{board}");
    }
}

#[test]
fn genfens_refuses_a_book_that_no_game_can_reach() {
    let book = Path::new(env!("CARGO_TARGET_TMPDIR")).join("side-by-side.epd");
    for line in ["8/8/8/3k4/3K4/8/P7/8 w - -", "4k3/8/8/8/8/8/8/K3R3 w - -"] {
        fs::write(&book, line).expect("the folder for tests is writable");
        let order = format!("genfens 5 seed 1 book {}", book.display());
        let printed = output(Command::new(PROGRAM).args([&order, "quit"]));
        let refused = format!("info string error: `{line} 0 1`: ");
        assert!(printed.starts_with(&refused), "{printed}");
    }
}

/// OpenBench gives engines their share of a machine by these options.
#[test]
fn it_has_the_options_hash_and_threads() {
    let mut session = Session::engine();
    session.say("uci");
    let lines = session.until("uciok").join("\n");
    assert!(lines.contains("option name Hash type spin "), "{lines}");
    assert!(lines.contains("option name Threads type spin "), "{lines}");
}

/// What clients keep beside the score of a move.
#[test]
fn a_move_comes_with_a_comment() {
    let mut session = Session::engine();
    session.say("position startpos");
    session.say("go nodes 100");
    let lines = session.until("bestmove").join("\n");
    assert!(lines.contains("info string pgncomment static "), "{lines}");
}

/// The repository as OpenBench's clients have it: they unpack an archive with Python's `zipfile`,
/// which leaves out git's own folder and writes the target of a symbolic link into a file.
fn unpacked_archive() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let archive = Path::new(env!("CARGO_TARGET_TMPDIR")).join("archive");
    if archive.exists() {
        fs::remove_dir_all(&archive).expect("what an earlier run made can be removed");
    }
    let mut list = Command::new("git");
    for path in output(list.current_dir(&root).args(["ls-files", "-z"])).split_terminator('\0') {
        let (from, to) = (root.join(path), archive.join(path));
        let folder = to.parent().expect("files lie in folders");
        fs::create_dir_all(folder).expect("folders can be made");
        match fs::read_link(&from) {
            Ok(target) => {
                fs::write(to, target.display().to_string()).expect("files can be written")
            }
            // A file that is removed is still in git's list.
            Err(_) if !from.exists() => {}
            Err(_) => {
                fs::copy(from, to).expect("files can be copied");
            }
        }
    }
    archive
}

#[test]
#[ignore = "builds the engine again"]
fn make_leaves_an_engine_that_benches() {
    let folder = unpacked_archive().join("examples/engine");
    let name = "openbench-test-engine";
    let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let net = "EVALFILE=../nets/nn-37f18f62d772.nnue";
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("make");
    output(
        Command::new("make")
            .current_dir(&folder)
            .args([&format!("EXE={name}"), net])
            .env("CARGO_TARGET_DIR", target)
            .env_remove("CARGO_MAKEFLAGS"),
    );
    assert!(program.is_file(), "make leaves no `{}`", program.display());
    let bench = || nodes(&output(Command::new(&program).arg("bench")));
    let benches = [bench(), bench(), bench()];
    // The build for this machine and this one search the same.
    let here = nodes(&output(Command::new(PROGRAM).arg("bench")));
    assert_eq!(benches, [here; 3]);
}
