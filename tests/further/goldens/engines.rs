//! Networks of other engines against values that were computed independently, for nets that a test
//! makes itself: by the interpreter, and by compiled code on every level.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_interpreter::{Evaluation, Net};
use nnue_runtime::line::FromPosition;
use nnue_runtime::{Accumulator, Board, Evaluated, Level, Network, Position, SelectedByPieces};
use nnue_test_support::engine_nets::engine_net;
use nnue_test_support::goldens::golden_values;

macro_rules! engines {
    ($($engine:ident: $path:literal;)*) => { $(
        mod $engine {
            nnue_runtime::nnue_net!($path);
        }

        #[test]
        fn $engine() {
            let spec = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path));
            check::<$engine::Net>(stringify!($engine), spec);
        }
    )* };
}

engines! {
    devre: "../../specs/engines/devre.toml";
    pzchessbot: "../../specs/engines/pzchessbot.toml";
}

fn check<A>(engine: &str, spec: &str)
where
    A: SelectedByPieces<Line = FromPosition, Output: Evaluated<Evaluation: Into<Evaluation>>>,
{
    let file = engine_net(engine);
    let network =
        analyse(&SourceFile::new("spec", spec)).unwrap_or_else(|errors| panic!("{errors}"));
    let reference = Net::from_bytes(&network, &file).unwrap_or_else(|error| panic!("{error}"));
    let mut net = Network::<A>::from_bytes(&file).unwrap_or_else(|error| panic!("{error}"));
    let values = golden_values(engine).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(values.len(), 500);
    let mut boards = Vec::new();
    for (fen, value) in &values {
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let bucket = Network::<A>::bucket(board.occupied().len());
        let found = value_of(reference.evaluate(&board, bucket));
        assert_eq!(found, *value, "{engine}, interpreted: {fen}");
        boards.push((board, fen, *value));
    }
    for level in Level::available() {
        net = net.with_level(level);
        for (board, fen, value) in &boards {
            let output = net.evaluate(&Accumulator::new(&net, board), board);
            let found = value_of(output.evaluation().into());
            assert_eq!(found, *value, "{engine} at {level}: {fen}");
        }
        println!("{engine} at {level}: equal");
    }
}

fn value_of(evaluation: Evaluation) -> i32 {
    match evaluation {
        Evaluation::Value(output) => output.value,
        _ => panic!("there is one value"),
    }
}

/// Hobbes has no values: its file is that of the spec.
#[test]
fn hobbes() {
    let spec = include_str!("../../../specs/engines/hobbes.toml");
    let network =
        analyse(&SourceFile::new("spec", spec)).unwrap_or_else(|errors| panic!("{errors}"));
    let net = Net::from_bytes(&network, &engine_net("hobbes"));
    net.unwrap_or_else(|error| panic!("{error}"));
}
