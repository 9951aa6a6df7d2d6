//! Networks of which a position alone does not tell the values: `nnue eval` and `nnue verify` read
//! what the engine supplies.

use std::fs;

use fastrand::Rng;
use nnue_compiler::network::Network;
use nnue_interpreter::Net;
use nnue_runtime::{Board, Color, Position};
use nnue_test_support::specs::specs_in;
use serde_json::Value;

use crate::networks::{network, random_net, spec_text};
use crate::program::{assert_refused, output, run, scratch, scratch_path, text};

const FENS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k1n1/5pb1/n1p3pr/3B2P1/P3Np1p/3PP2P/P1P2K2/7Q b - - 1 41",
    "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1",
];

/// A network with random weights, in files that the program reads.
struct Subject {
    net: Net,
    spec: String,
    file: String,
}

impl Subject {
    fn of(text: &str) -> Subject {
        let network = network(text);
        let name = |end: &str| format!("given-{}.{end}", network.name.replace(' ', "-"));
        let spec = scratch(&name("toml"), text.as_bytes());
        let file = nnue_test_support::net_file::random_net_file(&network, 7);
        let net = Net::from_bytes(&network, &file).expect("our own file");
        let file = scratch(&name("bin"), &file);
        Subject { net, spec, file }
    }

    fn options(&self) -> [&str; 4] {
        ["--net", &self.file, "--spec", &self.spec]
    }

    fn eval(&self, arguments: &[&str]) -> String {
        output(&[&["eval"], &self.options()[..], arguments].concat())
    }

    fn verify(&self, arguments: &[&str]) -> String {
        output(&[&["verify"], &self.options()[..], arguments].concat())
    }
}

/// A position of a network, whose features are random.
struct Told {
    line: String,
    side: Color,
    board: Option<Board>,
    features: [Vec<u32>; 2],
    views: [u32; 2],
    stack: usize,
}

impl Told {
    fn draw(network: &Network, fen: Option<&str>, random: &mut Rng) -> Told {
        let board = fen.map(|fen| Board::from_fen(fen).expect("a FEN"));
        let side = match &board {
            Some(board) => board.side_to_move(),
            None => [Color::White, Color::Black][random.usize(..2)],
        };
        let custom = || network.features.iter().filter(|set| set.is_supplied());
        let count = custom().map(|set| set.views()).max().unwrap_or(1);
        let views = [0; 2].map(|_: u32| random.u32(..count as u32));
        let features = [0; 2].map(|_: u32| {
            let mut first = 0;
            let mut features = Vec::new();
            for set in custom() {
                let end = first + (set.rows / set.views()) as u32;
                features.extend((0..set.max_active.min(50)).map(|_| random.u32(first..end)));
                first = end;
            }
            features
        });
        let by_pieces = network.stacks.by_pieces.zip(board.as_ref());
        let stack = match by_pieces {
            Some((stacks, board)) => usize::from(stacks[board.occupied().len()]),
            None => random.usize(..network.stacks.count),
        };
        let mut line = fen.map_or_else(
            || String::from(if side == Color::White { "w" } else { "b" }),
            String::from,
        );
        let words = |numbers: &[u32]| {
            let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
            words.join(" ")
        };
        if custom().next().is_some() {
            let [white, black] = features.each_ref().map(|features| words(features));
            line += &format!(" ; white: {white} ; black: {black}");
        }
        if count > 1 {
            line += &format!(" ; views: {}", words(&views));
        }
        if by_pieces.is_none() && network.stacks.count > 1 {
            line += &format!(" ; stack: {stack}");
        }
        Told {
            line,
            side,
            board,
            features,
            views,
            stack,
        }
    }

    /// The line of `nnue eval --raw`, from the interpreter's values.
    fn raw(&self, net: &Net) -> String {
        let [white, black] = self.features.each_ref().map(Vec::as_slice);
        let rows = net.custom_rows_in_views(self.views, [white, black]);
        let mut rows = rows.expect("features of the spec");
        if let Some(board) = &self.board {
            for (rows, of_board) in rows.iter_mut().zip(net.active_rows(board)) {
                rows.extend(of_board);
            }
        }
        let sums = net.accumulate(&rows);
        let buckets = 0..net.network().stacks.count;
        let outputs = buckets.map(|bucket| {
            let evaluation = net.trace(&sums, self.side, bucket).evaluation;
            evaluation.outputs()[0]
        });
        let outputs: Vec<_> = outputs.collect();
        let side = if self.side == Color::White { "w" } else { "b" };
        let parts = outputs.iter().map(|output| output.psqt);
        let parts = parts.chain(outputs.iter().map(|output| output.positional));
        let numbers = parts.chain([outputs[self.stack].value]);
        let numbers: String = numbers.map(|number| format!("\t{number}")).collect();
        format!("{}\t{side}\t{}{numbers}", self.line, self.stack)
    }
}

/// Compares all that the program says of random features with the interpreter.
fn check(spec: &str, fens: &[Option<&str>]) {
    let subject = Subject::of(spec);
    let network = subject.net.network();
    let mut random = Rng::with_seed(46);
    let told = fens
        .iter()
        .map(|fen| Told::draw(network, *fen, &mut random));
    let told: Vec<Told> = told.collect();
    let lines = told.iter().map(|told| format!("{}\n", told.line));
    let list = scratch("given.list", lines.collect::<String>().as_bytes());

    let raw = subject.eval(&["--raw", "--fens", &list]);
    let found: Vec<&str> = raw.lines().skip(1).collect();
    let expected: Vec<String> = told.iter().map(|told| told.raw(&subject.net)).collect();
    assert_eq!(found, expected, "{}", network.name);
    assert!(
        expected.iter().any(|line| *line != expected[0]),
        "{}: features change nothing",
        network.name
    );

    let value = |line: &str| line.rsplit('\t').next().map(String::from);
    let json = subject.eval(&["--json", &told[0].line]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["fen"], told[0].line);
    assert_eq!(Some(json["value"].to_string()), value(&expected[0]));
    let shown = subject.eval(&[&told[0].line]);
    assert!(shown.contains(&told[0].line[..9]), "{shown}");
    assert!(shown.contains("evaluation "), "{shown}");

    let golden = text(&scratch_path("given.txt"));
    subject.verify(&["--write", &golden, "--fens", &list]);
    let written = fs::read_to_string(&golden).expect("it was written");
    for ((line, told), expected) in written.lines().zip(&told).zip(&expected) {
        let start = format!("{} | {} | ", told.line, value(expected).expect("columns"));
        assert!(line.starts_with(&start), "{line}");
    }
    let report = subject.verify(&["--golden", &golden]);
    let count = told.len();
    assert!(
        report.contains(&format!("interpreted         {count}      {count}")),
        "{report}"
    );
}

#[test]
fn custom_sets_stand_beside_a_position() {
    check(
        &spec_text("tests/specs/features/mixed.toml"),
        &FENS.map(Some),
    );
}

#[test]
fn the_engine_tells_the_stack_of_a_position() {
    check(
        &spec_text("tests/specs/layers/average.toml"),
        &FENS.map(Some),
    );
}

#[test]
fn custom_sets_alone_need_no_position() {
    for spec in ["features/views", "features/shogi"] {
        check(&spec_text(&format!("tests/specs/{spec}.toml")), &[None; 4]);
    }
}

/// With few neurons where there are many rows.
#[test]
fn other_games_are_evaluated() {
    let paths = specs_in("specs/games");
    assert!(paths.len() >= 8, "{paths:?}");
    for path in paths {
        let spec = fs::read_to_string(&path).expect("the spec is there");
        let width = ["512", "1024", "1536"].map(|width| format!("\nwidth = {width}\n"));
        let small = width
            .iter()
            .fold(spec, |spec, width| spec.replace(width, "\nwidth = 64\n"));
        check(&small, &[None; 3]);
    }
    // A board of chess tells the number of pieces.
    let crazyhouse = spec_text("specs/games/crazyhouse.toml");
    let small = crazyhouse.replace("\nwidth = 512\n", "\nwidth = 64\n");
    check(&small, &FENS.map(Some));
}

#[test]
fn what_a_network_needs_is_told_by_name() {
    let mixed = Subject::of(&spec_text("tests/specs/features/mixed.toml"));
    let views = Subject::of(&spec_text("tests/specs/features/views.toml"));
    let average = Subject::of(&spec_text("tests/specs/layers/average.toml"));
    let one = Subject::of(&spec_text("tests/specs/perspectives/one.toml"));
    let start = FENS[0];
    let seventeen = "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0";
    for (subject, behind, words) in [
        (&mixed, "", "found no features of white, expected `white:`"),
        (&mixed, "; white: 1", "found no features of black"),
        (
            &mixed,
            "; white: 49; black:",
            "`white:`: there is no feature 49, allowed are 0 to 48",
        ),
        (
            &mixed,
            "; white: ; black: 1,2",
            "found `1,2` in `black:`, expected whole numbers",
        ),
        (&mixed, "; white: -1; black:", "found `-1` in `white:`"),
        (&mixed, "; white: 1; white: 2", "found `white:` twice"),
        (
            &mixed,
            "; own: 1; opponent: 2",
            "found `own:`, allowed are `white:`, `black:`",
        ),
        (
            &mixed,
            "; white: 20 21; black:",
            "found 2 features of `Pieces` in `white:`, expected at most 1",
        ),
        (
            &mixed,
            &format!("; white:; black: {seventeen}"),
            "found 17 features of `Files`",
        ),
        (
            &mixed,
            "; white:; black:; views: 0 0",
            "found `views:`, but in `Mixed` no set has views",
        ),
        (
            &mixed,
            "; white:; black:; stack: 0",
            "found `stack:`, but in `Mixed` the number of pieces chooses",
        ),
        (
            &views,
            "; white:; black:",
            "found 0 views, expected `views:` and two numbers",
        ),
        (&views, "; white:; black:; views: 3", "found 1 views"),
        (
            &views,
            "; white:; black:; views: 3 90",
            "found 90 in `views:`, allowed are 0 to 89",
        ),
        (
            &average,
            "; white: 1",
            "found `white:`, but in `Average` all features follow",
        ),
        (
            &average,
            "; stack: 3",
            "found 3 in `stack:`, allowed are 0 to 2",
        ),
        (
            &average,
            "; stack: 1 2",
            "found no stack, expected `stack:` and a number from 0 to 2",
        ),
        (
            &average,
            "",
            "found no stack, expected `stack:` and a number from 0 to 2: `Average` leaves",
        ),
        (&one, "; stack: 0", "the number of pieces chooses the stack"),
    ] {
        let line = format!("{start} {behind}");
        let options = subject.options();
        let found = run(&[&["eval", "--raw"], &options[..], &[&line]].concat());
        assert_refused(&found, 1, &[words]);
        // The same in a list, with its line.
        let list = scratch("wrong.list", format!("# one\n{line}\n").as_bytes());
        let written = ["--write", "no/such.txt", "--fens", &list];
        let found = run(&[&["verify"], &options[..], &written].concat());
        assert_refused(&found, 1, &[&format!("line 2 of `{list}`: "), words]);
    }
    let found = run(&[&["eval"], &views.options()[..], &["black"]].concat());
    assert_refused(
        &found,
        1,
        &["found `black`, expected who is to move, `w` or `b`, or a FEN"],
    );
    let found = run(&[&["eval"], &mixed.options()[..], &["w ; white: 1"]].concat());
    assert_refused(&found, 1, &["found 1 field, expected 2 to 6"]);
}

/// The lines of EPD have no colon, and remain what they are.
#[test]
fn operations_are_left_out_and_features_kept() {
    let mixed = Subject::of(&spec_text("tests/specs/features/mixed.toml"));
    let plain = format!("{} ; white: 3 ; black:", FENS[2]);
    let with_operations =
        "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1 bm Kd7; id \"a; b\" ; white:  3;black: ;";
    let found = mixed.eval(&["--raw", &plain, with_operations]);
    let mut rows = found.lines().skip(1);
    assert_eq!(rows.next(), rows.next());
    assert!(found.contains(&format!("\n{plain}\tb\t")), "{found}");
    // The board is shown, without what pieces are worth: features might depend on them.
    let shown = mixed.eval(&[&plain]);
    assert!(
        shown.contains("│   k   │") && !shown.contains("Under each piece"),
        "{shown}"
    );
}

/// Compiled code follows boards of chess.
#[test]
fn compiled_code_is_compared_where_the_position_tells_all() {
    let spec = "../specs/games/ataxx.toml";
    let net = scratch("ataxx.bin", &random_net(spec, 5));
    let golden = scratch("ataxx.txt", b"w ; white: 1 ; black: 2 | 0\n");
    let arguments = [
        "verify",
        &net,
        "--spec",
        spec,
        "--golden",
        &golden,
        "--compile",
    ];
    assert_refused(
        &run(&arguments),
        1,
        &["the custom feature set `Ataxx squares`"],
    );
}
