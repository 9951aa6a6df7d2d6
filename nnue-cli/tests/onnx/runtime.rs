//! The same in onnxruntime, with positions of a search.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nnue_interpreter::Net;
use nnue_runtime::Position;
use nnue_test_support::random_weights::Style;

use super::{Cases, SMALL, exported};
use crate::networks::network_in;
use crate::program::{output, scratch_path, text};

const POSITIONS: usize = 10_000;

/// Runs a program that must succeed.
fn succeed(command: &mut Command, purpose: &str) {
    let done = command.output();
    let done = done.unwrap_or_else(|error| panic!("{purpose}: {command:?}: {error}"));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{purpose}: {command:?}: {said}");
}

/// Python with onnxruntime and numpy, in an environment of its own.
fn python() -> PathBuf {
    let environment = Path::new(env!("CARGO_TARGET_TMPDIR")).join("onnxruntime");
    let python = environment.join("bin/python");
    let mut import = Command::new(&python);
    let import = import.args(["-c", "import onnxruntime, numpy"]).output();
    if !import.is_ok_and(|done| done.status.success()) {
        let mut make = Command::new("python3");
        make.args(["-m", "venv"]).arg(&environment);
        succeed(&mut make, "the test needs Python with `venv`");
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet", "onnxruntime", "numpy"]);
        succeed(
            &mut install,
            "the test needs onnxruntime, which pip installs",
        );
    }
    python
}

/// Boards of the search, evenly spread.
fn check(python: &Path, spec: &str) {
    let (net, model) = exported(spec, Style::Small).unwrap_or_else(|error| panic!("{error}"));
    check_model(python, spec, &net, &model);
    fs::remove_file(model).expect("the model was written");
}

fn check_model(python: &Path, spec: &str, net: &Net, model: &str) {
    let trace = nnue_trace::Trace::bundled().expect("the trace is there");
    let every = trace.evaluations() / POSITIONS;
    let boards = trace.evaluated().step_by(every).take(POSITIONS);
    let cases = Cases::of(
        net,
        boards.map(|board| {
            let bucket = net.bucket(board.occupied().len()).unwrap_or(0);
            (net.active_rows(board), board.side_to_move(), bucket)
        }),
    );
    assert_eq!(
        cases.stack.len(),
        POSITIONS,
        "the trace has too few positions"
    );
    let folder = scratch_path("onnx_runtime");
    fs::create_dir_all(&folder).expect("temporary files can be written");
    for (name, numbers) in [("rows", &cases.rows), ("stack", &cases.stack)] {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        fs::write(folder.join(format!("{name}.bin")), bytes).expect("it can be written");
    }
    let mut run = Command::new(python);
    run.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/onnx/run.py"));
    run.arg(model).arg(&folder);
    run.args([POSITIONS.to_string(), cases.perspectives.to_string()]);
    succeed(&mut run, spec);
    for (name, expected) in &cases.expected {
        let bytes = fs::read(folder.join(format!("{name}.bin"))).expect("the output is there");
        let numbers = bytes.chunks_exact(4);
        let found =
            numbers.map(|number| i32::from_le_bytes([number[0], number[1], number[2], number[3]]));
        let found: Vec<i64> = found.map(i64::from).collect();
        assert!(found == *expected, "{spec}: `{name}` differs");
        let mut distinct = found;
        distinct.sort_unstable();
        distinct.dedup();
        assert!(
            distinct.len() > 100,
            "{spec}: {} values of `{name}`",
            distinct.len()
        );
        println!(
            "{spec}: `{name}` is the same {POSITIONS} times, {} values",
            distinct.len()
        );
    }
}

#[test]
#[ignore = "installs onnxruntime with pip, and takes minutes"]
fn onnx_runtime() {
    let python = python();
    let small = SMALL;
    let model = text(&scratch_path("runtime_small128.onnx"));
    output(&["onnx", small[0], "--net", small[1], "--out", &model]);
    let net = Net::open(&network_in(small[0]), small[1]).expect("the net is there");
    check_model(&python, small[0], &net, &model);
    for spec in ["sfnnv5", "sfnnv9", "sfnnv10", "bullet/output_buckets"] {
        check(&python, &format!("../specs/{spec}.toml"));
    }
}
