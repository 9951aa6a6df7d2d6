//! What the original engines computed.

use std::fs;
use std::path::Path;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_interpreter::{Evaluation, Net};
use nnue_runtime::{Board, Output, Position};
use nnue_test_support::goldens::{GoldenPosition, golden_positions};
use nnue_test_support::synthetic::synthetic_net;

/// A file of the project.
fn path(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn check_goldens(spec: &str, file: &[u8], goldens: &str) {
    let spec = format!("specs/{spec}.toml");
    let text = fs::read_to_string(path(&spec)).unwrap();
    let network = analyse(&SourceFile::new(spec.as_str(), text));
    let network = network.unwrap_or_else(|errors| panic!("{errors}"));
    let net = Net::from_bytes(&network, file).unwrap_or_else(|error| panic!("{spec}: {error}"));
    let goldens = golden_positions(goldens).unwrap_or_else(|error| panic!("{error}"));
    assert!(!goldens.is_empty());
    for golden in &goldens {
        check_golden(&net, golden);
    }
}

fn check_golden(net: &Net, golden: &GoldenPosition) {
    let (name, fen) = (&net.network().name, &golden.fen);
    let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert_eq!(
        net.bucket(board.occupied().len()),
        Some(golden.bucket),
        "{name}: {fen}"
    );
    let accumulators = net.accumulate(&net.active_rows(&board));
    for (bucket, (psqt, positional)) in golden.psqt.iter().zip(&golden.positional).enumerate() {
        let trace = net.trace(&accumulators, board.side_to_move(), bucket);
        let Evaluation::Value(output) = trace.evaluation else {
            panic!("{name} has three outputs");
        };
        let expected = Output {
            psqt: *psqt,
            positional: *positional,
            // The engine evaluates with one bucket.
            value: if bucket == golden.bucket {
                golden.engine
            } else {
                output.value
            },
        };
        assert_eq!(output, expected, "{name}, bucket {bucket} of {fen}");
    }
}

#[test]
fn a_released_net_is_what_its_engine_computes() {
    let file = fs::read(path("examples/nets/nn-37f18f62d772.nnue")).unwrap();
    check_goldens("small128", &file, "real/nn-37f18f62d772");
}

/// One of each kind: rows of HalfKP without PSQT, raw files with a skip, LEB128.
#[test]
fn synthetic_nets_are_what_their_engines_compute() {
    for (spec, generation) in [
        ("sfnnv1", "v1"),
        ("sfnnv2", "v2"),
        ("sfnnv4", "v4"),
        ("sfnnv5", "v5"),
        ("small128", "small128"),
    ] {
        let goldens = format!("synthetic/{generation}");
        check_goldens(spec, &synthetic_net(generation), &goldens);
    }
}
