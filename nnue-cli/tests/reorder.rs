//! `nnue reorder` as its users meet it: what it finds, what it writes, what it refuses, and with which
//! exit code.

use std::fs;
use std::iter;
use std::process::Output;
use std::sync::LazyLock;

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_compiler::reorder as reorder_network;
use nnue_interpreter::Net;
use nnue_interpreter::dummy::trained::trained;
use nnue_runtime::Board;
use nnue_test_support::synthetic;
use nnue_tools::measure::reorder::compare;
use nnue_tools::nets::conversion::reorder_outputs;
use nnue_tools::nets::net_file::NetFile;
use nnue_trace::Trace;
use serde_json::{Value, json};

use crate::networks::{network, random_net};
use crate::program::{assert_refused, nnue, printed, scratch, scratch_path, stdout, text};

const SMALL128: &str = "../examples/nets/nn-37f18f62d772.nnue";

const TRACE: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1; = e2e4 d7d5 = e4d5 = d8d5 - = 0 = ~ - - -
r3k2r/6Pp/8/8/8/8/8/R3K2R w KQkq - 0 1; = e1g1 e8c8 = f1f7 = d8d1 a1d1 - - - - = - g7g8q e8e7 = - -
";

fn run(arguments: &[&str]) -> Output {
    let mut command = nnue(&[&["reorder"], arguments].concat());
    command.output().expect("the program starts")
}

/// A network like SFNNv5 with half of its neurons, about as few as make skipping worth it.
const NARROW: &str = "name = 'narrow'\nlike = 'sfnnv5'\ntransformer.width = 512\n";

/// How many neurons it has.
const NEURONS: usize = 512;

/// The network, its net, and the options that name the net and the spec.
struct Narrow {
    network: Network,
    content: Vec<u8>,
    options: [String; 4],
}

static NET: LazyLock<Narrow> = LazyLock::new(|| {
    let network = network(NARROW);
    let trace = Trace::bundled().expect("the trace is there");
    let positions: Vec<Board> = trace.evaluated().step_by(1000).cloned().collect();
    let content = trained(&network, 0.5, &positions);
    let net = scratch("reorder-narrow.nnue", &content);
    let spec = scratch("reorder-narrow.toml", NARROW.as_bytes());
    Narrow {
        network,
        content,
        options: ["--net".into(), net, "--spec".into(), spec],
    }
});

/// A run with this net.
fn run_narrow(arguments: &[&str]) -> Output {
    let options = NET.options.iter().map(String::as_str);
    let options: Vec<&str> = options.chain(arguments.iter().copied()).collect();
    run(&options)
}

/// The numbers of a row of the table: the total, and how many are not zero before and after.
fn row(output: &Output, label: &str) -> [f64; 3] {
    let row = printed(output)
        .lines()
        .find_map(|line| line.strip_prefix(label));
    let words = row.expect(label).split_whitespace();
    let mut numbers = words.map(|word| word.replace(',', "").parse().expect("a number"));
    [(); 3].map(|()| numbers.next().expect("three numbers"))
}

#[test]
fn standard_output_has_the_net_and_nothing_else() {
    let trace = scratch("reorder-standard.txt", TRACE.as_bytes());
    let out = text(&scratch_path("reordered-standard.nnue"));
    printed(&run_narrow(&["--out", &out, &trace]));
    let stream = run_narrow(&["--out", "-", &trace]);
    assert!(stream.status.success());
    assert!(stream.stdout == fs::read(&out).expect("it was written"));
}

#[test]
fn a_net_comes_back_with_fewer_blocks_and_the_same_values() {
    let trace = scratch("reorder.txt", TRACE.as_bytes());
    let net = scratch("reorder-v5.nnue", &synthetic::synthetic_net("v5"));
    let out = text(&scratch_path("reordered-v5.nnue"));
    let arguments = ["--net", &net, "--out", &out, &trace];
    let first = run(&arguments);
    assert!(printed(&first).starts_with("SFNNv5 · reorder-v5.nnue · 10 positions\n"));
    assert!(stdout(&first).ends_with(&format!("Written to `{}`.\n", out)));
    let (outputs, blocks) = (row(&first, "outputs"), row(&first, "blocks of four"));
    assert_eq!((outputs[0], blocks[0]), (1024.0, 256.0));
    assert_eq!(outputs[1], outputs[2]);
    assert!(blocks[2] < blocks[1], "{}", stdout(&first));

    let written = fs::read(&out).expect("it was written");
    assert_eq!(run(&arguments).stdout, first.stdout);
    assert!(
        fs::read(&out).expect("again") == written,
        "not the same twice"
    );
    let json = run(&["--net", &net, "--json", &trace]);
    let gain: Value = serde_json::from_str(printed(&json)).expect("JSON");
    assert_eq!(gain["network"], "SFNNv5");
    assert_eq!(
        (&gain["evaluations"], &gain["written"]),
        (&json!(10), &Value::Null)
    );
    for (key, [of, before, after]) in [("outputs", outputs), ("blocks", blocks)] {
        let number = |figure: &str| gain[key][figure].as_f64().expect("a number");
        assert_eq!(number("of"), of);
        assert!((number("before") - before).abs() < 0.051, "{gain}");
        assert!((number("after") - after).abs() < 0.051, "{gain}");
    }
    let second = run(&["--net", &out, "--spec", "SFNNv5", &trace]);
    assert_eq!(row(&second, "blocks of four")[1], blocks[2]);
    assert!(stdout(&second).ends_with("Nothing is written: `--out FILE` does that.\n"));
}

/// The order for the spec is that in which the net is written.
#[test]
fn an_order_is_written_for_the_spec() {
    let trace = scratch("reorder-order.txt", TRACE.as_bytes());
    let [out, order] = ["reordered-order-v5.nnue", "reordered-v5.order.toml"]
        .map(|name| text(&scratch_path(name)));
    let both = run_narrow(&["--out", &out, "--order", &order, &trace]);
    let said = format!("The order is written to `{order}`.\nWritten to `{out}`.\n");
    assert!(printed(&both).ends_with(&said), "{}", stdout(&both));
    let written = fs::read_to_string(&order).expect("it was written");

    let mut network = NET.network.clone();
    reorder_network(&mut network, &SourceFile::new("order", written.clone())).expect("an order");
    let numbers = &network.transformer.neuron_order;
    assert_eq!(numbers.len(), NEURONS / 2);
    let file = NetFile::of("narrow".as_ref(), NET.network.clone(), &NET.content).expect("a net");
    let reordered = reorder_outputs(&file, numbers).expect("an order");
    assert!(reordered == fs::read(&out).expect("it was written"));

    let alone = run_narrow(&["--order", &order, &trace]);
    let said = format!("The order is written to `{order}`.\n");
    assert!(printed(&alone).ends_with(&said), "{}", stdout(&alone));
    let json = run_narrow(&["--order", &order, "--json", &trace]);
    let gain: Value = serde_json::from_str(printed(&json)).expect("JSON");
    assert_eq!(
        [&gain["order"], &gain["written"]],
        [&json!(order), &Value::Null]
    );
    let stream = run_narrow(&["--order", "-", &trace]);
    assert!(stream.status.success());
    assert_eq!(String::from_utf8_lossy(&stream.stdout), written);
    let over = run_narrow(&["--order", &NET.options[1], &trace]);
    assert_refused(&over, 2, &["which is read"]);
    let same = run_narrow(&["--out", &out, "--order", &out, &trace]);
    assert_refused(&same, 2, &[&out]);
}

#[test]
fn what_was_not_moved_along_is_found() {
    /// The bytes of a row.
    const ROW: usize = 2 * NEURONS;

    let original = &NET.content;
    let trace = Trace::read(TRACE.as_bytes()).expect("a trace");
    let file = NetFile::of("narrow".as_ref(), NET.network.clone(), original).expect("a net");
    let net = file.net().expect("the same");
    let order: Vec<usize> = (0..NEURONS / 2).map(|place| place ^ 5).collect();
    let reordered = reorder_outputs(&file, &order).expect("an order");
    let check = |bytes: &[u8]| {
        let found = Net::from_bytes(&file.network, bytes).expect("the same spec");
        compare(&net, &found, &trace)
    };
    assert_eq!(check(&reordered), Ok(()));

    // Raw tensors behind the header: biases, rows, PSQT values; then per stack a hash, biases and
    // weights.
    let description = u32::from_le_bytes(original.as_chunks().0[2]) as usize;
    let biases = 12 + description + 4;
    let rows = biases + 2 * NEURONS;
    let stacks = rows + 22528 * (2 * NEURONS + 4 * 8);
    let stack = (original.len() - stacks) / 8;
    let weights = |stack_index: usize| stacks + stack_index * stack + 4 + 4 * 16;
    type Ranges = Vec<std::ops::Range<usize>>;
    let planted: [(&str, Ranges); 7] = [
        ("biases", iter::once(biases..rows).collect()),
        (
            "rows",
            (0..22528)
                .map(|row| rows + row * ROW..rows + (row + 1) * ROW)
                .collect(),
        ),
        (
            "first of pairs",
            (0..22529)
                .map(|row| biases + row * ROW..biases + row * ROW + NEURONS)
                .collect(),
        ),
        (
            "second of pairs",
            (0..22529)
                .map(|row| biases + row * ROW + NEURONS..biases + (row + 1) * ROW)
                .collect(),
        ),
        (
            "layer",
            (0..8)
                .map(|stack| weights(stack)..weights(stack) + 16 * NEURONS)
                .collect(),
        ),
        (
            "one perspective of the layer",
            (0..8 * 16)
                .map(|row| {
                    let first = weights(row / 16) + row % 16 * NEURONS + NEURONS / 2;
                    first..first + NEURONS / 2
                })
                .collect(),
        ),
        (
            "layer of one stack",
            vec![
                weights(7)..weights(7) + 16 * NEURONS,
                weights(0)..weights(0) + 16 * NEURONS,
            ],
        ),
    ];
    for (left_out, ranges) in planted {
        let mut file = reordered.clone();
        for range in ranges {
            file[range.clone()].copy_from_slice(&original[range]);
        }
        assert!(
            file != reordered && file != *original,
            "{left_out}: nothing planted"
        );
        let difference = check(&file).expect_err(left_out);
        assert_ne!(difference.found, difference.expected, "{left_out}");
    }
}

#[test]
fn networks_that_it_makes_no_difference_to_are_refused() {
    let out = scratch_path("refused.nnue");
    for (net, name) in [(&[][..], "`primer`"), (&["--net", SMALL128], "`small128`")] {
        let words = [
            name,
            "makes no difference",
            "none of its layers is wide enough to skip zeros",
        ];
        assert_refused(&run(&[net, &["--out", &text(&out)]].concat()), 1, &words);
    }
    assert!(!out.exists());
}

/// In a spec's own order the net lies in memory already, and the file's order changes with it.
#[test]
fn an_order_of_the_spec_is_where_the_search_begins() {
    let trace = scratch("reorder-own.txt", TRACE.as_bytes());
    let order = text(&scratch_path("own.order.toml"));
    let first = run_narrow(&["--order", &order, &trace]);
    assert!(
        printed(&first).starts_with("narrow · "),
        "{}",
        stdout(&first)
    );
    let written = fs::read_to_string(&order).expect("it was written");
    let spec = format!("{NARROW}transformer.{written}");
    let spec = scratch("reorder-ordered.toml", spec.as_bytes());
    let out = text(&scratch_path("reordered-own.nnue"));
    let net = &NET.options[1];
    let second = run(&["--net", net, "--spec", &spec, "--out", &out, &trace]);
    let blocks = [&first, &second].map(|output| row(output, "blocks of four"));
    assert!(blocks[0][2] < blocks[0][1], "{}", stdout(&first));
    assert_eq!(blocks[1][1], blocks[0][2], "{}", stdout(&second));
    let third = run(&["--net", &out, "--spec", &spec, &trace]);
    assert_eq!(row(&third, "blocks of four")[1], blocks[1][2]);
}

#[test]
fn features_that_only_an_engine_knows_are_refused() {
    let spec = "../specs/games/ataxx.toml";
    let net = scratch("reorder-ataxx.net", &random_net(spec, 1));
    let words = ["the custom feature set `Ataxx squares`"];
    assert_refused(&run(&["--net", &net, "--spec", spec]), 1, &words);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let trace = scratch("reorder-ok.txt", TRACE.as_bytes());
    let idle = scratch("reorder-idle.txt", TRACE.replace('=', "").as_bytes());
    assert_refused(&run(&[&idle]), 1, &["found no evaluation"]);
    assert_refused(&run(&["no/such.txt"]), 1, &["cannot read `no/such.txt`"]);
    assert_refused(&run(&["--net", "no/such.nnue"]), 1, &["no/such.nnue"]);
    let other = run(&["--net", SMALL128, "--spec", "sfnnv5"]);
    assert_refused(&other, 1, &["SFNNv5", "a net of small128"]);
    assert_refused(
        &run_narrow(&["--out", "no/such/folder.nnue", &trace]),
        1,
        &["cannot write `no/such/folder.nnue`"],
    );
}

#[test]
fn wrong_options_are_usage_errors() {
    let cases: [(&[&str], &[&str]); 6] = [
        (&["--spec", "sfnv5"], &["did you mean `sfnnv5`?"]),
        (&["--spec", "sfnnv5"], &["`--net FILE`"]),
        (&["--out"], &["--out"]),
        (&["one.txt", "two.txt"], &["two.txt"]),
        (&["--level", "scalar"], &["--level"]),
        (&["-x"], &["-x"]),
    ];
    for (arguments, words) in cases {
        assert_refused(&run(arguments), 2, &[words, &["--help"]].concat());
    }
}
