//! Builds for one machine: `-C target-cpu=native` leaves the levels that the machine is beyond out of the program.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use nnue_runtime::Level;
use nnue_tests::fixtures::{Fixtures, run};
use nnue_tests::golden::golden_positions;

#[test]
fn native_builds_evaluate_alike_without_lower_levels() {
    let fixtures = Fixtures::new(env!("CARGO_TARGET_TMPDIR"));
    let assembly = fixtures.scratch("static-build.s");
    run(fixtures
        .cargo("rustc")
        .env("RUSTFLAGS", "-Ctarget-cpu=native")
        .args(["--package=static-build", "--bin=static-build", "--"])
        .arg("-Csymbol-mangling-version=v0")
        .arg(format!("--emit=link,asm={}", assembly.display())));

    let goldens = golden_positions("real/nn-37f18f62d772").unwrap();
    let goldens = &goldens[..50];
    let fens: String = goldens
        .iter()
        .map(|golden| golden.fen.clone() + "\n")
        .collect();
    let output = pipe(&mut Command::new(fixtures.built("static-build")), &fens);
    let (levels, values) = output.split_once('\n').unwrap();
    let expected: String = goldens
        .iter()
        .map(|golden| format!("{}\n", golden.engine))
        .collect();
    assert_eq!(values, expected);

    // This test's own build is portable: it has every level that the machine has. The native one has the best of them,
    // from the level on that the machine's features add up to.
    let all: Vec<_> = Level::available().map(Level::name).collect();
    let native: Vec<_> = levels.split(' ').collect();
    assert!(all.ends_with(&native), "{native:?} of {all:?}");
    if Level::BASELINE.name() == "scalar" && all.contains(&"avx2") {
        assert!(native.len() < all.len(), "{native:?} of {all:?}");
    }
    // Which level is used is known while compiling where it is the highest: of the others nothing is left.
    if native == ["avx512icl"] {
        let assembly = fs::read_to_string(assembly).unwrap();
        assert!(assembly.contains("vpdpbusd"));
        assert!(!assembly.contains("vpmaddubsw"), "code of lower levels");
    }
}

/// Runs a command with that input, and gives its output.
fn pipe(command: &mut Command, input: &str) -> String {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Input and output are short enough to wait in the pipes.
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}
