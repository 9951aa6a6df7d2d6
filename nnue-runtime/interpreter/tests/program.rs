//! The program `interpret` prints what the library says.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_interpreter::Net;
use nnue_runtime::{Board, Position};

const FENS: [&str; 2] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k1n1/5pb1/n1p3pr/3B2P1/P3Np1p/3PP2P/P1P2K2/7Q b - - 1 41",
];

/// What it prints for the positions.
fn interpret(arguments: &[&Path]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_interpret"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let fens = FENS.join("\n");
    stdin.write_all(fens.as_bytes()).expect("it is read");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn nets_are_evaluated_without_a_compile() {
    let nets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/nets");
    let [primer, spec, stockfish] =
        ["primer.nnue", "primer.toml", "nn-37f18f62d772.nnue"].map(|name| nets.join(name));
    let text = fs::read_to_string(&spec).expect("the spec is there");
    let network = analyse(&SourceFile::new("spec", &text)).expect("a spec without errors");
    let by_pieces = network.stacks.by_pieces.expect("pieces choose the stack");
    let net = Net::from_bytes(&network, &fs::read(&primer).expect("the net is there"));
    let net = net.expect("the net fits its spec");
    let lines = FENS.map(|fen| {
        let board = Board::from_fen(fen).expect("a FEN");
        let stack = usize::from(by_pieces[board.occupied().len()]);
        format!("{}\n", net.evaluate(&board, stack).outputs()[0].value)
    });
    assert_eq!(interpret(&[&primer]), lines.concat());
    assert_eq!(interpret(&[&primer, &spec]), lines.concat());
    assert!(interpret(&[&stockfish]).starts_with("251\n"));
}
