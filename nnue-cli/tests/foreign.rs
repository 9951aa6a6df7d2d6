//! Text of files, engines and networks that a terminal would obey or not show, and more of it than
//! anyone reads: no message and no file has it.

use std::fs;
use std::process::Output;

use crate::networks::NET;
use crate::program::{run, scratch, scratch_path, stderr, stdout, text};

/// Turns text red, rings, goes back to the start of the line, and turns and hides what follows.
const OBEYED: &str = "\x1b[31m\x07\r\u{9b}2J\u{202e}\u{200b}";

const KINGS: &str = "4k3/8/8/8/8/8/8/4K3";

/// What is obeyed, and what is too long, as parts of a line.
fn texts() -> [String; 2] {
    [OBEYED.into(), "x".repeat(300_000)]
}

#[track_caller]
fn assert_plain(text: &str) {
    let is_hidden = |letter: char| {
        letter != '\n' && letter.is_control() || matches!(letter, '\u{202e}' | '\u{200b}')
    };
    if let Some(line) = text.lines().find(|line| line.contains(is_hidden)) {
        panic!("{line:?}");
    }
    if let Some(line) = text.lines().find(|line| line.len() > 1500) {
        panic!("{} bytes: {}...", line.len(), &line[..500]);
    }
}

/// Asserts that a run failed, and said why in few words.
#[track_caller]
fn assert_refused(output: &Output) {
    assert_eq!(output.status.code(), Some(1), "{}", stderr(output));
    let message = stderr(output);
    assert!(message.starts_with("error: "), "{message:?}");
    assert!(message.len() < 800, "{} bytes", message.len());
    assert_plain(message);
}

/// The file of small128 with another description.
fn described(name: &str, description: &[u8]) -> String {
    let net = fs::read(NET).expect("it comes with the project");
    let length = u32::from_le_bytes([net[8], net[9], net[10], net[11]]) as usize;
    let new_length = (description.len() as u32).to_le_bytes();
    let parts = [&net[..8], &new_length, description, &net[12 + length..]];
    scratch(name, &parts.concat())
}

#[test]
fn lists_of_positions() {
    for evil in texts() {
        for line in [
            evil.clone(),
            format!("{KINGS} {evil}"),
            format!("{KINGS} w - {evil}"),
        ] {
            let list = scratch("foreign.epd", format!("{line}\n").as_bytes());
            assert_refused(&run(&["eval", "--fens", &list]));
        }
        let golden = format!("{KINGS} w - - 0 1 | {evil}\n");
        let golden = scratch("foreign.golden", golden.as_bytes());
        assert_refused(&run(&["verify", NET, "--golden", &golden]));
    }
}

#[test]
fn positions_that_are_accepted() {
    // Digits are accepted however many they are, and fields are apart by any white space.
    let fen = format!("{KINGS} w - - 0\r{}", "9".repeat(100_000));
    let list = scratch("foreign-accepted.epd", format!("{fen}\n").as_bytes());
    assert_plain(stdout(&run(&["eval", "--fens", &list])));
    let raw = run(&["eval", "--raw", "--fens", &list]);
    assert!(!stdout(&raw).contains('\r'));
}

#[test]
fn training_data() {
    for evil in texts() {
        for (name, content) in [
            ("foreign.pgn", format!("1. e4 {evil}x\n")),
            ("foreign-tag.pgn", format!("[FEN \"{evil}\"]\n\n1. e4\n")),
            ("foreign.txt", format!("{KINGS} w - - 0 1 | {evil} | 1.0\n")),
            (
                "foreign-result.txt",
                format!("{KINGS} w - - 0 1 | 1 | {evil}\n"),
            ),
        ] {
            let data = scratch(name, content.as_bytes());
            assert_refused(&run(&["data", "info", &data]));
            let skipped = run(&["data", "info", "--skip-bad", &data]);
            assert_plain(stderr(&skipped));
        }
    }
}

#[test]
fn descriptions_of_nets() {
    let long = vec![b'x'; 60_000];
    for description in [OBEYED.as_bytes(), &long] {
        let net = described("foreign.nnue", description);
        for arguments in [
            &["info", &net][..],
            &["eval", "--net", &net],
            &["diff", &net, NET],
        ] {
            let output = run(arguments);
            assert!(!stdout(&output).is_empty(), "{}", stderr(&output));
            assert_plain(stdout(&output));
        }
        let json = run(&["info", &net, "--json"]);
        let facts: serde_json::Value = serde_json::from_str(stdout(&json)).expect("JSON");
        // All of it, for programs, in lines that a terminal may show.
        let told = facts["network"]["header"]["description"].as_str();
        assert_eq!(told.map(str::as_bytes), Some(description));
        let is_odd = |letter: char| letter != '\n' && letter.is_control() || letter == '\u{202e}';
        assert!(!stdout(&json).contains(is_odd));
        let page = text(&scratch_path("foreign.html"));
        let report = run(&["report", &net, "--out", &page]);
        assert_eq!(report.status.code(), Some(0), "{}", stderr(&report));
        let page = fs::read_to_string(&page).expect("a page");
        let start = page.find("description").expect("it is a fact of the file");
        assert_plain(&page[start..][..1000].replace('\n', " "));
    }
}

#[test]
fn names_of_files() {
    let evil = format!("foreign-{OBEYED}");
    let net = described(&format!("{evil}.nnue"), b"");
    for arguments in [
        &["info", &net][..],
        &["eval", "--net", &net],
        &["diff", &net, NET],
    ] {
        assert_plain(stdout(&run(arguments)));
    }
    let too_many = run(&["info", NET, &evil]);
    assert_eq!(too_many.status.code(), Some(2));
    assert!(stderr(&too_many).contains("unexpected argument"));
    assert_plain(stderr(&too_many));
    for arguments in [
        &["info", &evil][..],
        &["eval", "--net", &evil],
        &["eval", "--fens", &evil],
        &["data", "info", &evil],
        &["verify", NET, "--golden", &evil],
        &["match", &evil, &evil, "--nodes=1", "--games=2"],
    ] {
        assert_refused(&run(arguments));
    }
}

#[test]
fn traces() {
    for evil in texts() {
        for line in [
            evil.clone(),
            format!("{evil};="),
            format!("{KINGS} w - - 0 1;={evil}"),
        ] {
            let trace = scratch("foreign.trace", format!("{line}\n").as_bytes());
            assert_refused(&run(&["reorder", &trace]));
        }
    }
}

#[test]
fn run_files_of_loops() {
    for evil in texts() {
        for content in [
            format!("spec = \"{}\"", evil.escape_default()),
            format!("{evil} = 1"),
            format!("spec = {}", evil.replace(char::is_control, "!")),
        ] {
            let run_file = scratch("foreign-run.toml", content.as_bytes());
            let folder = text(&scratch_path("foreign-loop"));
            assert_refused(&run(&["loop", &run_file, "--out", &folder]));
        }
    }
}
