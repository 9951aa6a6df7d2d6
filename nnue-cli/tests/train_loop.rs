//! `nnue loop`, from a spec to a report. Its stages and its run file have tests of their own, beside
//! them.

use std::fs;
use std::path::Path;

use crate::program::{assert_refused, nnue, run, scratch_path, stderr, stdout, text};

/// A run that takes seconds. Its net cannot play.
const RUN: &str = "\
spec = \"768x64.toml\"
positions = 20_000
reports = 2
golden = 100

[data]
batch_size = 256
hold_out = \"1/5\"

[selfplay]
games = 200
nodes = 100

[match]
games = 4
nodes = 50
";

/// Writes a run file and its spec into a folder of that name, and returns the run file's path.
fn run_file(folder: &Path, content: &str) -> String {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).expect("temporary folders can be made");
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/loops/768x64.toml");
    fs::copy(spec, folder.join("768x64.toml")).expect("the spec is in the repository");
    let path = folder.join("run.toml");
    fs::write(&path, content).expect("temporary files can be written");
    text(&path)
}

/// The lines of the stages that were not done before, without their times.
fn done_now(printed: &str) -> Vec<&str> {
    let stages = printed.lines().filter(|line| line.ends_with(" s"));
    stages.map(|line| line[..28].trim_end()).collect()
}

#[test]
#[ignore = "needs nnue-train with torch, and builds the example engine"]
fn a_whole_loop_trains_a_net() {
    let folder = scratch_path("train-loop");
    let path = run_file(&folder, RUN);
    let out = text(&folder.join("out"));
    let again = || {
        let output = run(&["loop", &path, "--out", &out]);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output).to_owned()
    };

    let printed = again();
    let stages = [
        "engine",
        "games",
        "training",
        "verification",
        "match with material",
    ];
    assert_eq!(done_now(&printed), stages);
    assert!(
        printed.contains("the new net against material: "),
        "{printed}"
    );
    let report = fs::read_to_string(Path::new(&out).join("report.html")).expect("a report");
    for part in [
        "id=\"matches\"",
        "rounding cost",
        "id=\"stages\"",
        "nnue-selfplay --games",
        "<svg",
    ] {
        assert!(report.contains(part), "no `{part}` in the report");
    }

    assert_eq!(done_now(&again()), [""; 0], "all is done");

    run_file_again(&folder, &RUN.replace("nodes = 50", "nodes = 60"));
    assert_eq!(done_now(&again()), ["match with material"]);

    run_file_again(
        &folder,
        &RUN.replace("positions = 20_000", "positions = 25_000"),
    );
    let behind_games = ["training", "verification", "match with material"];
    assert_eq!(done_now(&again()), behind_games, "the net is another one");
}

fn run_file_again(folder: &Path, content: &str) {
    fs::write(folder.join("run.toml"), content).expect("temporary files can be written");
}

#[test]
fn a_trainer_that_is_not_there_is_missed_before_anything_is_done() {
    let folder = scratch_path("train-loop-without");
    let content = format!("{RUN}\n[trainer]\ncommand = [\"no-such-trainer\"]\n");
    let path = run_file(&folder, &content);
    let out = folder.join("out");
    let output = nnue(&["loop", &path, "--out", &text(&out)]).output();
    let words = ["cannot run `no-such-trainer`", "pip install ./trainer"];
    assert_refused(&output.expect("the program starts"), 1, &words);
    assert!(!out.exists());
}

#[test]
fn mistakes_in_the_spec_are_shown_first() {
    let folder = scratch_path("train-loop-mistake");
    let path = run_file(&folder, RUN);
    fs::write(folder.join("768x64.toml"), "name = \"x\"\nwidth = 64\n").expect("it can be written");
    let output = run(&["loop", &path, "--out", &text(&folder.join("out"))]);
    assert_refused(&output, 1, &["the spec needs `features`"]);
}
