//! The example `examples/c/lines.cpp` follows a recorded search, and evaluates as Rust does.

use std::fmt::Write;
use std::process::Command;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_runtime::line::FromPosition;
use nnue_runtime::{
    Accumulator, Board, Delta, Evaluated, Evaluator, Network, Output, SelectedByPieces, Wdl,
};
use nnue_test_support::net_file::random_net_file;
use nnue_test_support::synthetic::synthetic_net;
use nnue_tests::{features, sfnnv5, simple, small128};
use nnue_trace::{Follow, Move, Search, Trace};

use super::compiler::compilers;
use super::{answer, build, project, scratch};

/// A network that predicts how the game ends.
mod heads {
    nnue_runtime::nnue_net!("../../tests/specs/layers/heads.toml");
}

/// The lines that are followed, as the example reads them.
fn lines() -> String {
    recorded() + &deep()
}

/// A line of knights' moves there and back, which is deeper than what evaluators have room for at
/// first: some positions are evaluated on the way down, and all of them on the way back.
fn deep() -> String {
    let mut line = format!("{START};");
    for number in 0..DEEP {
        let mv = ["g1f3", "g8f6", "f3g1", "f6g8"][number % 4];
        let evaluation = if number % 7 == 0 { " =" } else { "" };
        write!(line, " {mv}{evaluation}").expect("it is memory");
    }
    line + &" = -".repeat(DEEP) + "\n"
}

/// Where the deep line starts.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// How many moves the deep line has.
const DEEP: usize = 700;

/// The recorded search.
fn recorded() -> String {
    let trace = std::fs::read(project().join("nnue-cli/trace/search-trace.txt.gz"));
    let trace = trace.expect("the trace is there");
    let mut text = String::new();
    let mut unpacked = flate2::read::GzDecoder::new(&trace[..]);
    std::io::Read::read_to_string(&mut unpacked, &mut text).expect("it is text");
    text
}

/// The numbers that the example prints of an evaluation.
trait Printed {
    fn print(&self) -> String;
}

impl Printed for Output {
    fn print(&self) -> String {
        format!("{} {} {}", self.psqt, self.positional, self.value)
    }
}

impl Printed for Wdl {
    fn print(&self) -> String {
        [self.win, self.draw, self.loss]
            .map(|output| output.print())
            .join(" ")
    }
}

/// A network that follows the search in Rust.
struct Along<'n, A: SelectedByPieces<Line = FromPosition>>(Evaluator<A, &'n Network<A>>);

impl<A: SelectedByPieces<Line = FromPosition>> Follow for Along<'_, A> {
    type Value = Option<A::Output>;

    fn reset(&mut self, search: &Search) {
        self.0.reset(&search.root);
    }

    fn make(&mut self, _: Move, delta: &Delta) {
        self.0.push(delta);
    }

    fn make_null(&mut self) {
        self.0.push_null();
    }

    fn unmake(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self) -> Option<A::Output> {
        Some(self.0.evaluate())
    }
}

/// What Rust says of the search: a line for each evaluation.
fn expected<A: SelectedByPieces<Line = FromPosition>>(file: &[u8], lines: &str) -> String
where
    <A::Output as Evaluated>::Evaluation: Printed,
{
    let net = Network::<A>::from_bytes(file).expect("a file of the network");
    let trace = Trace::read(lines.as_bytes()).expect("the lines are sound");
    let mut values = vec![None; trace.evaluations()];
    trace.replay(
        &mut Along(Evaluator::new(&net, &Board::start())),
        &mut values,
    );
    let mut text = String::new();
    for (number, (value, board)) in values.iter().zip(trace.evaluated()).enumerate() {
        let value = value.expect("all are evaluated");
        if number % 1000 == 0 {
            let alone = net.evaluate(&Accumulator::new(&net, board), board);
            assert_eq!(value, alone, "{board}");
        }
        writeln!(text, "{}", value.evaluation().print()).expect("it is memory");
    }
    text
}

/// Builds the library, compiles the example with every compiler, and compares what it prints.
#[track_caller]
fn compare<A: SelectedByPieces<Line = FromPosition>>(spec: &str, file: Option<Vec<u8>>)
where
    <A::Output as Evaluated>::Evaluation: Printed,
{
    let text = std::fs::read_to_string(project().join(spec)).expect("the spec is there");
    let network = analyse(&SourceFile::new(spec, text)).expect("it has no errors");
    let file = file.unwrap_or_else(|| random_net_file(&network, 7));
    let folder = scratch(&spec.replace(['/', '.'], "_"));
    build(spec, "net", None, &folder);
    let net = folder.join("net.nnue");
    std::fs::write(&net, &file).expect("the folder is writable");
    let lines = lines();
    let expected = expected::<A>(&file, &lines);
    assert_eq!(expected.lines().count(), 97_226 + DEEP / 7 + DEEP);
    for compiler in compilers() {
        let source = project().join("examples/c/lines.cpp");
        let program = compiler.compile(&source, &folder, &["net"]);
        let printed = answer(Command::new(program).arg(&net).arg("4"), &lines, &folder);
        let differ = || {
            let mut pairs = printed.lines().zip(expected.lines()).enumerate();
            pairs.find(|(_, (found, expected))| found != expected)
        };
        assert!(printed == expected, "{spec}, {compiler:?}: {:?}", differ());
    }
}

#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn small128_evaluates_in_c_as_in_rust() {
    let file = include_bytes!("../../../../examples/nets/nn-37f18f62d772.nnue");
    compare::<small128::Net>("specs/small128.toml", Some(file.to_vec()));
}

#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn sfnnv5_evaluates_in_c_as_in_rust() {
    compare::<sfnnv5::Net>("specs/sfnnv5.toml", Some(synthetic_net("v5").to_vec()));
}

#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn one_layer_evaluates_in_c_as_in_rust() {
    compare::<simple::Net>("specs/bullet/simple.toml", None);
}

#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn king_buckets_evaluate_in_c_as_in_rust() {
    compare::<features::king_buckets::Net>("tests/specs/features/king_buckets.toml", None);
}

#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn threats_evaluate_in_c_as_in_rust() {
    compare::<features::threats::Net>("tests/specs/features/threats.toml", None);
}

#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn win_draw_and_loss_are_in_c_as_in_rust() {
    compare::<heads::Net>("tests/specs/layers/heads.toml", None);
}
