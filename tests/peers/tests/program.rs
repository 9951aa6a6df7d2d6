//! `nnue-peers` as its users meet it.

#[path = "../../../examples/tests/program/mod.rs"]
mod program;

use std::process::{Command, Output};

use nnue_runtime::Level;
use nnue_test_support::synthetic::synthetic_net;

use crate::program::{assert_refused, printed, scratch, stderr, stdout, text};

const SMALL128: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/nets/nn-37f18f62d772.nnue"
);
const TRACE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1; = e2e4 e8d7 = - 0 = ~ - e1d1 =\n";

fn run(arguments: &[&str]) -> Output {
    // No net but the one that the project carries.
    let mut command = Command::new(env!("CARGO_BIN_EXE_nnue-peers"));
    command.args(arguments).env("NNUE_NETS", "no/such/folder");
    command.env_remove("NNUE_LEVEL");
    command.output().expect("the program starts")
}

#[test]
fn a_table_has_all_that_is_there_and_names_what_is_not() {
    let trace = scratch("table.txt", TRACE.as_bytes());
    let output = run(&["--rounds=2", text(&trace)]);
    let lines: Vec<&str> = printed(&output).lines().collect();
    assert!(lines[0].starts_with("4 evaluations, 2 rounds, built for "));
    assert!(lines[2].contains(Level::detect().name()));
    assert_eq!(lines[4], "small128 · nn-37f18f62d772.nnue");
    for (pair, way) in lines[5..13].chunks(2).zip([
        "along the search, each move",
        "along the search, lazily",
        "full refresh",
        "forward pass alone",
    ]) {
        assert!(
            pair[0].starts_with(&format!("{way}, median ")),
            "{}",
            pair[0]
        );
        assert!(pair[1].starts_with("  the fastest round "), "{}", pair[1]);
        assert!(pair.iter().all(|line| line.ends_with(" x")));
    }
    assert!(lines[13].starts_with("along the search without reading the trace, "));
    assert_eq!(lines[14], "all 4 values are equal");
    let missing = "not on this machine: nn-82215d0fd0df, nn-26abeed38351, nn-5af11540bbfe, nn-1c0000000000; \
                   `cargo run -p nnue-tests --bin fetch-nets` fetches them";
    assert_eq!(lines[16..], [missing]);
}

#[test]
fn nets_and_levels_can_be_chosen() {
    let trace = scratch("chosen.txt", TRACE.as_bytes());
    let net = scratch("peers-v1.nnue", &synthetic_net("v1"));
    let nets = ["--net", text(&net), "--net", SMALL128];
    let output = run(&[&nets[..], &["--rounds=1", "--level=scalar", text(&trace)]].concat());
    let table = printed(&output);
    assert!(!table.contains("not on this machine"));
    assert!(table.contains("\nSFNNv1 · peers-v1.nnue\n"), "{table}");
    let head = table.lines().nth(2).expect("a head");
    let words: Vec<&str> = head.split_whitespace().collect();
    assert_eq!(
        words,
        ["ns", "per", "evaluation", "nnue-rs", "scalar", "ratio"]
    );
    let last = table
        .lines()
        .find(|line| line.starts_with("forward pass alone"));
    let words: Vec<&str> = last.expect("a row").split_whitespace().collect();
    let number = |word: &str| -> f64 { word.parse().expect("a number") };
    let [.., theirs, ours, ratio, "x"] = words[..] else {
        panic!("{words:?}");
    };
    assert!((number(theirs) / number(ours) - number(ratio)).abs() < 0.06);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let trace = scratch("refused.txt", TRACE.as_bytes());
    let net = scratch("peers-v5.nnue", &synthetic_net("v5"));
    for (net, words) in [
        (text(&net), ["peers-v5.nnue`: nnue-rs: ", "LEB128"]),
        ("no/such.nnue", ["error: cannot read `no/such.nnue`", ""]),
    ] {
        let output = run(&["--net", net, text(&trace)]);
        assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
        for word in words {
            assert!(stderr(&output).contains(word), "{}", stderr(&output));
        }
    }
    assert_refused(&run(&["no/such.txt"]), 1, &["no/such.txt"]);
    for (arguments, word) in [
        (["--level", "avx3"], "`avx3`"),
        (["--rounds", "0"], "1 to 1000"),
        (["--spec", "sfnnv1"], "--spec"),
    ] {
        assert_refused(&run(&arguments), 2, &[word, "nnue-peers --help"]);
    }
    assert!(printed(&run(&["--help"])).contains("--rounds"));
}
