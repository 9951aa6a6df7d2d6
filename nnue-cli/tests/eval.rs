//! `nnue eval` as its users meet it: what it prints, where, and with which exit code.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use nnue_compiler::network::Network;
use nnue_interpreter::Net;
use nnue_runtime::{Board, HeadValue};
use nnue_test_support::random_weights::{RandomWeights, Style};
use nnue_test_support::{generations, goldens, nets, synthetic};
use serde_json::{Value, json};

use crate::networks::network_in;
use crate::program::{self, assert_refused, nnue, printed, scratch, stderr, stdout, text};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const SMALL128: &str = "../examples/nets/nn-37f18f62d772.nnue";
const SMALL128_GOLDENS: &str = "real/nn-37f18f62d772";

fn evaluate(arguments: &[&str]) -> Command {
    nnue(&[&["eval"], arguments].concat())
}

fn run(arguments: &[&str]) -> Output {
    evaluate(arguments).output().expect("the program starts")
}

fn start(arguments: &[&str]) -> Child {
    let mut command = evaluate(arguments);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// Runs with a text on standard input.
fn run_with_input(arguments: &[&str], input: &str) -> Output {
    let mut child = start(arguments);
    let mut stdin = child.stdin.take().expect("is piped");
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()).expect("all is read"));
        child.wait_with_output().expect("the program ends")
    })
}

/// The FENs of a table of goldens, one per line, and the columns of it that `--raw` prints.
fn goldens(table: &str) -> (String, String) {
    let (mut fens, mut raw) = (String::new(), String::new());
    for line in golden_table(&format!("{table}.tsv")).lines() {
        let (fen, _) = line.split_once('\t').expect("several columns");
        let (columns, _engine_adj) = line.rsplit_once('\t').expect("several columns");
        fens += &format!("{fen}\n");
        raw += &format!("{columns}\n");
    }
    if table == "real/nn-1c0000000000" {
        raw = unwrapped(&raw, table);
    }
    (fens, raw)
}

fn golden_table(name: &str) -> String {
    goldens::table(name).expect("is a golden")
}

/// The table, with exact values in the places where the engine's 32 bits wrapped around.
fn unwrapped(raw: &str, table: &str) -> String {
    const LAYERS: usize = 3 + 8;
    let mut rows: Vec<Vec<String>> = raw
        .lines()
        .map(|line| line.split('\t').map(String::from).collect())
        .collect();
    for wrapped in goldens::wrapped_values(table).expect("is a golden") {
        let row = rows.iter_mut().find(|row| row[0] == wrapped.fen);
        let row = row.expect("a golden for each");
        let column = LAYERS + wrapped.bucket;
        assert_eq!(row[column], wrapped.positional.to_string());
        row[column] = wrapped.exact.to_string();
        if row[2] == wrapped.bucket.to_string() {
            let psqt: i32 = row[3 + wrapped.bucket].parse().expect("a number");
            let engine = row.last_mut().expect("columns");
            *engine = (psqt / 16 + wrapped.exact / 16).to_string();
        }
    }
    rows.iter().map(|row| row.join("\t") + "\n").collect()
}

/// Compares `--raw` with a table of goldens.
fn assert_golden(arguments: &[&str], table: &str) {
    let (fens, expected) = goldens(table);
    assert!(expected.lines().count() > 100);
    let output = run_with_input(&[arguments, &["--raw", "--fens", "-"]].concat(), &fens);
    let differing = (printed(&output).lines().zip(expected.lines())).find(|(a, b)| a != b);
    assert_eq!(differing, None, "{table}");
    assert_eq!(stdout(&output), expected, "{table}");
    let positions = expected.lines().count() - 1;
    println!("{table}: {positions} positions equal");
}

#[test]
fn raw_output_of_small128_is_the_engines() {
    assert_golden(&["--net", SMALL128], SMALL128_GOLDENS);
}

/// Compares what `nnue eval --raw` prints with the goldens, for nets whose spec the program finds
/// out, for all positions.
macro_rules! raw_output_of_nets {
    ($($(#[$ignored:meta])? $name:ident: $generation:literal $(, $released:literal)?;)*) => { $(
        mod $name {
            use super::*;

            #[test]
            $(#[$ignored])?
            fn synthetic() {
                let net = synthetic::synthetic_net($generation);
                let net = scratch(concat!("raw-output-", $generation, ".nnue"), &net);
                let options = ["--net", &net];
                assert_golden(&options, concat!("synthetic/", $generation));
                fs::remove_file(net).expect("the folder for tests is writable");
            }

            $(#[test]
            #[ignore = "needs the released nets: cargo run -p nnue-further-tests --bin fetch-nets"]
            fn released() {
                let net = nets::cached($released).expect("fetch-nets has been run");
                let net = text(&net);
                assert_golden(&["--net", &net], concat!("real/", $released));
            })?
        }
    )* };
}

raw_output_of_nets! {
    sfnnv1: "v1", "nn-82215d0fd0df";
    #[ignore = "large; run with --ignored"]
    sfnnv2: "v2", "nn-26abeed38351";
    #[ignore = "large; run with --ignored"]
    sfnnv3: "v3", "nn-13406b1dcbe0";
    #[ignore = "large; run with --ignored"]
    sfnnv4: "v4", "nn-6877cd24400e";
    sfnnv5: "v5", "nn-ad9b42354671";
    #[ignore = "large; run with --ignored"]
    sfnnv6: "v6", "nn-5af11540bbfe";
    #[ignore = "large; run with --ignored"]
    sfnnv7: "v7";
    #[ignore = "large; run with --ignored"]
    sfnnv8: "v8";
    #[ignore = "large; run with --ignored"]
    sfnnv9: "v9", "nn-1c0000000000";
    #[ignore = "large; run with --ignored"]
    sfnnv10: "v10", "nn-c288c895ea92";
    #[ignore = "large; run with --ignored"]
    sfnnv11: "v11";
    #[ignore = "large; run with --ignored"]
    sfnnv12: "v12";
    #[ignore = "large; run with --ignored"]
    sfnnv13: "v13";
    #[ignore = "large; run with --ignored"]
    sfnnv14: "v14";
    #[ignore = "large; run with --ignored"]
    sfnnv14b: "v14b";
    #[ignore = "large; run with --ignored"]
    sfnnv15: "v15";
    #[ignore = "large; run with --ignored"]
    sfnnv16: "v16", "nn-1a298aa575a0";
    #[ignore = "large; run with --ignored"]
    sfnnv17: "v17";
    small128: "small128", "nn-37f18f62d772";
}

#[test]
fn the_start_of_a_game_is_shown_without_colour_where_nobody_sees_it() {
    let expected = include_str!("start.txt").replace("LEVEL", "interpreted");
    assert_eq!(printed(&run(&[])), expected);
    assert_eq!(printed(&run(&["startpos"])), expected);
    assert_eq!(printed(&run(&[START])), expected);
    let twice = run(&["startpos", "startpos", "--raw"]);
    let fens = run(&[START, START, "--raw"]);
    assert_eq!(printed(&twice), printed(&fens));
    assert_eq!(printed(&twice).lines().count(), 3);
    let list = run_with_input(&["--fens", "-", "--raw"], "startpos\n");
    assert_eq!(printed(&list), printed(&run(&[START, "--raw"])));
}

#[test]
fn a_file_that_is_no_position_gets_advice() {
    let words = ["it is a file", "`--net FILE`", "`--fens FILE`"];
    assert_refused(&run(&[SMALL128]), 1, &words);
}

#[test]
fn colours_change_nothing_else() {
    let output = evaluate(&[]).env("CLICOLOR_FORCE", "1").output();
    let output = output.expect("the program starts");
    let mut parts = printed(&output).split('\x1B');
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts
        .map(|part| part.split_once('m').expect("the end of a style").1)
        .collect();
    assert!(rest.len() > 100);
    assert_eq!(format!("{first}{}", rest.concat()), printed(&run(&[])));
    assert!(printed(&output).contains("\x1B[32m+58\x1B[0m"));
}

#[test]
fn a_fen_needs_no_quotes() {
    let fen = "r3k1n1/5pb1/n1p3pr/3B2P1/P3Np1p/3PP2P/P1P2K2/7Q b - - 1 41";
    let words: Vec<&str> = fen.split(' ').collect();
    let output = run(&words);
    assert_eq!(printed(&output), printed(&run(&[fen])));
    assert!(
        stdout(&output).ends_with("evaluation +172 for black, who is to move; -172 for white\n")
    );
}

#[test]
fn the_spec_is_found_by_the_file() {
    let shown = run(&["--net", SMALL128]);
    let expected = run(&["--net", SMALL128, "--spec", "small128"]);
    assert_eq!(printed(&shown), printed(&expected));
}

#[test]
fn the_spec_is_found_by_the_weights_where_headers_are_the_same() {
    for (generation, spec, other) in [("v4", "SFNNv4", "sfnnv5"), ("v5", "SFNNv5", "sfnnv4")] {
        let net = synthetic::synthetic_net(generation);
        let net = scratch(&format!("by-weights-{generation}.nnue"), &net);
        let shown = run(&["--net", &net]);
        assert!(printed(&shown).starts_with(spec), "{}", stdout(&shown));
        assert!(!stdout(&shown).contains("warning"));
        // The user can name another spec, but is warned.
        let shown = run(&["--net", &net, "--spec", other]);
        let warning = format!("\nwarning: this is a net of {spec}, by its weights");
        assert!(printed(&shown).contains(&warning), "{}", stdout(&shown));
    }
}

#[test]
fn a_net_of_another_size_is_interpreted() {
    let net = synthetic::net_of(&generations::HM256);
    let net = scratch("relative.nnue", &net);
    let output = run(&["--net", &net]);
    let head = "unnamed · relative.nnue · interpreted\n";
    assert!(printed(&output).starts_with(head), "{}", stdout(&output));
    // As with the spec that `nnue spec` writes.
    let spec = program::output(&["spec", &net, "--name", "Mine"]);
    let spec = scratch("relative.toml", spec.as_bytes());
    let told = run(&["--net", &net, "--spec", &spec]);
    assert_eq!(
        printed(&told).strip_prefix("Mine"),
        stdout(&output).strip_prefix("unnamed")
    );
    let output = run(&["--net", &net, "--spec", "small128"]);
    assert_refused(
        &output,
        1,
        &["width is 256 in the file and 128 in the spec"],
    );
}

/// The engine wrote two words for SFNNv13's transformer. The spec has the first.
#[test]
#[ignore = "large; run with --ignored"]
fn a_synthetic_net_with_another_hash_needs_no_spec() {
    let named = |name| generations::Generation::named(name).expect("is a generation");
    let net = synthetic::net_of(&generations::Generation {
        feature_hash: named("v14").feature_hash,
        ..named("v13").clone()
    });
    let net = scratch("late-v13.nnue", &net);
    let output = run(&["--net", &net]);
    let head = "unnamed · late-v13.nnue · interpreted\n";
    assert!(printed(&output).starts_with(head), "{}", stdout(&output));
    let output = run(&["--net", &net, "--spec", "sfnnv13"]);
    let difference = "`transformer_hash` is 0x6165DDC9 in the file and 0x8F2344B8 in the spec";
    assert_refused(&output, 1, &[difference]);
    fs::remove_file(net).expect("the folder for tests is writable");
}

#[test]
fn raw_output_of_a_net_of_another_spec_is_not_silent() {
    let net = synthetic::synthetic_net("v4");
    let net = scratch("raw-of-v4.nnue", &net);
    let output = run(&["--raw", "--net", &net, "--spec", "sfnnv5"]);
    assert_eq!(output.status.code(), Some(0));
    let warning = "warning: this is a net of SFNNv4, by its weights";
    assert!(stderr(&output).starts_with(warning), "{}", stderr(&output));
}

#[test]
fn a_file_of_no_spec_is_refused() {
    let word = u32::to_le_bytes;
    let later = [word(0x6A44_8AFA), word(0x1234_5678)].concat();
    let cut = [word(0x7AF3_2F20), word(0x1C10_2EF2)].concat();
    for (name, content, words) in [
        (
            "cut-header.nnue",
            &cut[..],
            &["the file ends in `description length`"][..],
        ),
        (
            "later.nnue",
            &later,
            &["later than SFNNv17", "`--spec SPEC`"],
        ),
        (
            "nothing-known.nnue",
            b"nothing known\0",
            &["of an unknown kind", "nnue check SPEC --net FILE"],
        ),
    ] {
        let path = scratch(name, content);
        let words = [words, &[name]].concat();
        assert_refused(&run(&["--net", &path]), 1, &words);
    }
    assert_refused(&run(&["--net", "no/such.nnue"]), 1, &["no/such.nnue"]);
}

#[test]
fn a_file_of_another_spec_is_refused() {
    let output = run(&["--net", SMALL128, "--spec", "sfnnv5"]);
    assert_refused(&output, 1, &[SMALL128, "SFNNv5", "a net of small128"]);
    let cut = fs::read(SMALL128).expect("is committed");
    let cut = scratch("cut.nnue", &cut[..1000]);
    assert_refused(&run(&["--net", &cut]), 1, &["cut.nnue", "the file ends in"]);
    // Enough of a file for the words that SFNNv10, SFNNv11 and SFNNv12 share, and for its biases.
    let word = u32::to_le_bytes;
    let words = [0x7AF3_2F20, 0xEC10_2EF2, 0, 0x8F23_44B8]
        .map(word)
        .concat();
    let biases = [b"COMPRESSED_LEB128", &word(1024)[..], &[0; 1024]].concat();
    let shared = [&words[..], &biases, &[0; 5000]].concat();
    let shared = scratch("shared.nnue", &shared);
    let expected = "expected 81772544 for SFNNv10: \
                    the file begins like a net of SFNNv10, SFNNv11 or SFNNv12";
    assert_refused(&run(&["--net", &shared]), 1, &[expected]);
}

#[test]
fn wrong_options_are_usage_errors() {
    let cases: [(&[&str], &[&str]); 3] = [
        (
            &["--spec", "sfnv5"],
            &["`sfnv5`", "`small128`", "did you mean `sfnnv5`?"],
        ),
        (&["--spec", "sfnnv5"], &["`--net FILE`"]),
        (&["--fens", "-", START], &["--fens <FILE>", "[FEN]"]),
    ];
    for (arguments, words) in cases {
        assert_refused(&run(arguments), 2, &[words, &["--help"]].concat());
    }
    let unknown = run(&["--spec", "entirely-different"]);
    assert!(!stderr(&unknown).contains("did you mean"));
}

#[test]
fn a_bad_fen_is_refused() {
    let output = run(&["8/8/8/8/8/8/8/8", "w"]);
    assert_refused(&output, 1, &["`8/8/8/8/8/8/8/8 w`", "found 0 white kings"]);
}

#[test]
fn bad_lines_are_reported_and_the_others_evaluated() {
    let (_, expected) = goldens(SMALL128_GOLDENS);
    let expected: Vec<&str> = expected.lines().take(3).collect();
    let fen = |line: usize| expected[line].split('\t').next().expect("the first column");
    let lines = format!(
        "# a comment\r\n\n{}\n  \n9/8 w\n\u{e9}\n  {}\r\n#\n8/8 w",
        fen(1),
        fen(2)
    );
    let file = scratch("bad-lines.fens", lines.as_bytes());
    for (output, source) in [
        (
            run(&["--net", SMALL128, "--raw", "--fens", &file]),
            format!("`{file}`"),
        ),
        (
            run_with_input(&["--net", SMALL128, "--raw", "--fens=-"], &lines),
            "standard input".into(),
        ),
    ] {
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(stdout(&output).lines().collect::<Vec<_>>(), expected);
        let messages: Vec<&str> = stderr(&output).lines().collect();
        assert_eq!(messages.len(), 3);
        for (message, number) in messages.iter().zip([5, 6, 9]) {
            let start = format!("error: line {number} of {source}: found ");
            assert!(message.starts_with(&start), "{message}");
        }
    }
    assert_refused(
        &run(&["--raw", "--fens", "no/such.fens"]),
        1,
        &["no/such.fens"],
    );
}

#[test]
fn every_position_of_a_list_is_shown() {
    let other = "4k3/8/8/8/8/8/8/4K2R b K - 0 1";
    let output = run_with_input(&["--fens", "-"], &format!("{START}\n{other}\n"));
    let (head, tail) = printed(&output).split_once(other).expect("the second FEN");
    assert_eq!(head.trim_end(), printed(&run(&[START])).trim_end());
    assert_eq!(
        tail,
        printed(&run(&[other]))
            .split_once(other)
            .expect("the FEN")
            .1
    );
}

#[test]
fn tabs_in_a_fen_do_not_add_columns() {
    let output = run(&["--raw", "4k3/8/8/8/8/8/8/4K2R\tb\t-"]);
    let mut lines = printed(&output).lines();
    let [titles, row] = [lines.next(), lines.next()].map(|line| line.expect("two lines"));
    assert_eq!(row.split('\t').next(), Some("4k3/8/8/8/8/8/8/4K2R b -"));
    assert_eq!(row.split('\t').count(), titles.split('\t').count());
}

#[test]
fn answers_come_while_input_is_open() {
    let mut child = start(&["--raw", "--fens", "-"]);
    let mut stdin = child.stdin.take().expect("is piped");
    let mut lines = BufReader::new(child.stdout.take().expect("is piped")).lines();
    assert!(
        lines
            .next()
            .expect("titles")
            .expect("text")
            .starts_with("#fen\t")
    );
    for fen in [START, "4k3/8/8/8/8/8/8/4K2R b K - 0 1"] {
        writeln!(stdin, "{fen}").expect("is read");
        let answer = lines.next().expect("an answer").expect("text");
        assert!(answer.starts_with(fen), "{answer}");
    }
    drop(stdin);
    assert!(lines.next().is_none());
    assert!(child.wait().expect("the program ends").success());
}

/// The objects that a run prints, one a line.
fn objects(output: &Output) -> Vec<Value> {
    let lines = printed(output).lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn json_has_the_numbers_of_the_engine() {
    let (fens, expected) = goldens(SMALL128_GOLDENS);
    let output = run_with_input(&["--net", SMALL128, "--json", "--fens", "-"], &fens);
    let mut rows = expected.lines();
    rows.next().expect("the titles");
    let objects = objects(&output);
    assert!(objects.len() > 100);
    for (object, row) in objects.iter().zip(rows.by_ref()) {
        let cells: Vec<&str> = row.split('\t').collect();
        let number = |column: usize| -> i32 { cells[column].parse().expect("a number") };
        let (bucket, psqt, layers) = (number(2), 3, 3 + 8);
        assert_eq!(object["fen"], cells[0]);
        let side = if cells[1] == "w" { "white" } else { "black" };
        assert_eq!(object["side_to_move"], side);
        assert_eq!(object["bucket"], bucket);
        let outputs = object["outputs"].as_array().expect("a list");
        assert_eq!(outputs.len(), 8);
        for (bucket, output) in outputs.iter().enumerate() {
            assert_eq!(output["psqt"], number(psqt + bucket));
            assert_eq!(output["positional"], number(layers + bucket));
        }
        assert_eq!(object["value"], number(3 + 16));
        assert_eq!(outputs[bucket as usize]["value"], object["value"]);
    }
    assert_eq!(rows.next(), None);
}

#[test]
fn the_file_of_a_known_spec_is_as_good_as_its_name() {
    let by_file = run(&["--net", SMALL128, "--spec", "../specs/small128.toml"]);
    assert_eq!(printed(&by_file), printed(&run(&["--net", SMALL128])));
    let built_in = run(&["--spec", "../examples/nets/primer.toml"]);
    assert_eq!(printed(&built_in), printed(&run(&[])));
    let other = run(&["--net", SMALL128, "--spec", "../specs/sfnnv5.toml"]);
    assert_refused(&other, 1, &["SFNNv5", "a net of small128"]);
}

#[test]
fn a_spec_of_ones_own_is_interpreted() {
    let spec = scratch("own.toml", b"like = \"small128\"\nname = \"my own\"\n");
    let own = ["--net", SMALL128, "--spec", &spec];
    let shown = run(&own);
    let (head, rest) = printed(&shown).split_once('\n').expect("lines");
    assert_eq!(head, "my own · nn-37f18f62d772.nnue · interpreted");
    let known = run(&["--net", SMALL128]);
    assert_eq!(
        Some(rest),
        printed(&known).split_once('\n').map(|(_, rest)| rest)
    );

    let (fens, expected) = goldens(SMALL128_GOLDENS);
    let output = run_with_input(&[&own[..], &["--raw", "--fens", "-"]].concat(), &fens);
    assert_eq!(printed(&output), expected);
    let of_another = scratch("other.toml", b"like = \"sfnnv5\"\nname = \"my own\"\n");
    let output = run(&["--net", SMALL128, "--spec", &of_another]);
    assert_refused(&output, 1, &[SMALL128, "my own", "a net of small128"]);
}

/// A spec of the tests, and a net file of it with random weights.
fn random_net(name: &str) -> (String, Network, Vec<u8>) {
    let path = format!("../tests/specs/layers/{name}.toml");
    let network = network_in(&path);
    let file = RandomWeights::draw(&network, Style::Small, 5).net_file();
    (path, network, file)
}

#[test]
fn all_that_a_network_says_is_shown() {
    let (spec, network, file) = random_net("further_heads_of_three");
    let path = scratch("three.nnue", &file);
    let net = Net::from_bytes(&network, &file).expect("our own file");
    let fen = "4k3/8/8/8/8/8/8/4K2R b K - 0 1";
    let options = ["--net", &path, "--spec", &spec, fen];
    let board = Board::from_fen(fen).expect("a position");
    let sums = net.accumulate(&net.active_rows(&board));
    let trace = net.trace(&sums, nnue_runtime::Color::Black, 0);
    let outputs = trace.evaluation.outputs();
    let [win, draw, loss] = outputs[..] else {
        panic!("{outputs:?}");
    };
    let HeadValue::Float(moves_left) = trace.heads[0] else {
        panic!("{:?}", trace.heads);
    };

    let printed_objects = objects(&run(&[&options[..], &["--json"]].concat()));
    let object = &printed_objects[0];
    let expected = json!({ "win": win.value, "draw": draw.value, "loss": loss.value });
    assert_eq!(object["value"], expected);
    let output = &object["outputs"][0];
    assert_eq!(output["draw"]["positional"], draw.positional);
    assert_eq!(
        output["heads"]["moves_left"]
            .as_f64()
            .map(|value| value as f32),
        Some(moves_left)
    );

    let shown = run(&options);
    let last = printed(&shown).lines().last().expect("a line");
    let number = |value: i32| {
        if value == 0 {
            "0".into()
        } else {
            format!("{value:+}")
        }
    };
    assert_eq!(
        last,
        format!(
            "evaluation win {}, draw {}, loss {} for black, who is to move",
            number(win.value),
            number(draw.value),
            number(loss.value)
        )
    );
    assert!(
        stdout(&shown).contains("│ moves_left │"),
        "{}",
        stdout(&shown)
    );
    let raw = run(&[&options[..], &["--raw"]].concat());
    assert_refused(&raw, 1, &["`--raw`", "Further head of three", "`--json`"]);
}

#[test]
fn where_the_engine_chooses_the_bucket_all_are_shown() {
    let (spec, network, file) = random_net("average");
    let path = scratch("average.nnue", &file);
    let net = Net::from_bytes(&network, &file).expect("our own file");
    let options = ["--net", &path, "--spec", &spec];
    let objects = objects(&run(&[&options[..], &["--json"]].concat()));
    assert_eq!(
        (&objects[0]["bucket"], &objects[0]["value"]),
        (&Value::Null, &Value::Null)
    );
    let outputs = objects[0]["outputs"].as_array().expect("a list");
    assert_eq!(outputs.len(), 3);
    for (bucket, output) in outputs.iter().enumerate() {
        let expected = net.evaluate(&Board::start(), bucket).outputs();
        assert_eq!(output["value"], expected[0].value);
    }
    let shown = run(&options);
    assert!(printed(&shown).contains("\nevaluation: one of the totals, "));
    assert_refused(
        &run(&[&options[..], &["--raw"]].concat()),
        1,
        &["`--raw`", "the bucket"],
    );
}

#[test]
fn networks_of_all_layers_are_shown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/specs/layers");
    let mut shown = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let (spec, network, file) = random_net(name.expect("a name"));
        let net = scratch("of-any-layers.nnue", &file);
        let output = run(&["--net", &net, "--spec", &spec]);
        if network.features.iter().any(|set| set.is_supplied()) {
            assert_refused(&output, 1, &["the engine tells"]);
            continue;
        }
        let name = &network.name;
        let head = format!("{name} · of-any-layers.nnue · interpreted\n");
        assert!(printed(&output).starts_with(&head), "{}", stdout(&output));
        // A title, a rule and a row for each bucket.
        let table = stdout(&output)
            .split_once("│ bucket │")
            .expect("the table")
            .1;
        let rows = table.lines().take_while(|line| !line.contains('└'));
        assert_eq!(rows.count(), 2 + network.stacks.count, "{name}");
        shown += 1;
    }
    assert!(shown > 20, "{shown}");
}

#[test]
fn what_cannot_be_interpreted_is_refused() {
    let ataxx = "../specs/games/ataxx.toml";
    let net = nnue_test_support::net_file::random_net_file(&network_in(ataxx), 1);
    let net = scratch("eval-ataxx.net", &net);
    let output = run(&["--net", &net, "--spec", ataxx]);
    assert_refused(&output, 1, &["the engine tells", "`Ataxx squares`"]);
    let output = run(&["--net", SMALL128, "--spec", ataxx]);
    assert_refused(&output, 1, &["is not a net file for Ataxx: "]);
    let missing = run(&["--net", SMALL128, "--spec", "no/such.toml"]);
    assert_refused(&missing, 1, &["cannot read `no/such.toml`"]);
    let (spec, _, _) = random_net("further_heads_of_three");
    assert_refused(
        &run(&["--spec", &spec]),
        2,
        &["needs `--net FILE`", "--help"],
    );
    let missing = run(&["--net", "no/such.nnue", "--spec", &spec]);
    assert_refused(&missing, 1, &["no/such.nnue"]);
    let wrong = scratch("eval-wrong.toml", b"like = \"small128\"\nnane = \"x\"\n");
    let output = run(&["--net", SMALL128, "--spec", &wrong]);
    assert_refused(&output, 1, &["nane", "eval-wrong.toml:2"]);
}

/// Lists as they are archived.
#[test]
fn a_list_may_be_compressed() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, b"startpos\n").expect("memory");
    let list = scratch("eval-list.epd.gz", &packed.finish().expect("memory"));
    let found = run(&["--raw", "--fens", &list]);
    assert_eq!(printed(&found), printed(&run(&["--raw", "startpos"])));
    let list = scratch("eval-list.epd.xz", b"\xFD7zXZ\0\0\x04");
    assert_refused(
        &run(&["--fens", &list]),
        1,
        &["compressed with xz, which is not read"],
    );
}

#[test]
fn several_positions_may_be_arguments() {
    let other = "4k3/8/8/8/8/8/8/4K2R b K - 0 1";
    let both = run(&["--raw", START, other]);
    let list = run_with_input(&["--raw", "--fens=-"], &format!("{START}\n{other}\n"));
    assert_eq!(printed(&both), printed(&list));
    assert_eq!(stdout(&both).lines().count(), 3);
    // A wrong one is told before anything is printed.
    let wrong = run(&["--raw", START, "8/8 w"]);
    assert_refused(&wrong, 1, &["FEN `8/8 w`"]);
}
