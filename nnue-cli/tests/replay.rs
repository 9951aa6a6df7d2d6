//! `nnue replay` as its users meet it: what it measures, what it prints, and with which exit code.

use std::io::Write;
use std::process::{Command, Output};

use flate2::Compression;
use flate2::write::GzEncoder;
use nnue_runtime::Level;
use nnue_test_support::synthetic;
use serde_json::{Value, json};

use crate::program::{assert_refused, nnue, printed, scratch, stdout};

const SMALL128: &str = "../examples/nets/nn-37f18f62d772.nnue";

/// Two searches: a capture, a promotion, castling, a null move; eleven moves and ten evaluations.
const TRACE: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1; = e2e4 d7d5 = e4d5 = d8d5 - = 0 = ~ - - -
r3k2r/6Pp/8/8/8/8/8/R3K2R w KQkq - 0 1; = e1g1 e8c8 = f1f7 = d8d1 a1d1 - - - - = - g7g8q e8e7 = - -
";

fn replay(arguments: &[&str]) -> Command {
    nnue(&[&["replay"], arguments].concat())
}

fn run(arguments: &[&str]) -> Output {
    replay(arguments).output().expect("the program starts")
}

/// The cells of a row of the table, one word per level.
fn row<'o>(output: &'o Output, label: &str) -> Vec<&'o str> {
    let lines = printed(output).lines().map(str::trim_start);
    let mut rows = lines.filter_map(|line| line.strip_prefix(label));
    let row = rows.next().unwrap_or_else(|| panic!("no `{label}`"));
    row.split_whitespace().collect()
}

fn numbers(output: &Output, label: &str) -> Vec<f64> {
    let number = |word: &str| word.replace(',', "").parse().expect("a number");
    row(output, label).into_iter().map(number).collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(text.as_bytes())
        .expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

#[test]
fn the_built_in_search_is_replayed() {
    let output = run(&["--rounds=1", "--level", Level::detect().name()]);
    let head = printed(&output).lines().next().expect("a line");
    assert_eq!(
        head,
        "small128 · nn-37f18f62d772.nnue, built in · 474,174 moves, 97,226 evaluations, 46 roots, 1 round"
    );
    assert_eq!(row(&output, "checksum"), ["ce87e0e4"]);
    // The bounds hold for every evaluator that is lazy and keeps a refresh cache (see
    // `nnue-cli/trace`).
    let number = |label| numbers(&output, label)[0];
    for (label, range) in [
        ("rows per evaluation", 6.0..8.5),
        ("updates per evaluation", 1.4..2.4),
        ("refreshes per evaluation", 0.3..0.46),
        ("cache misses", 2.0..200.0),
    ] {
        assert!(range.contains(&number(label)), "{label}: {}", number(label));
    }
    let rows = number("in updates") + number("in refreshes");
    assert!((rows - number("rows per evaluation")).abs() < 0.02);
    let refreshes = (number("cache hits") + number("cache misses")) / 97_226.0;
    assert!((refreshes - number("refreshes per evaluation")).abs() < 0.006);
}

#[test]
fn every_level_has_a_column() {
    let trace = scratch("levels.txt", TRACE.as_bytes());
    let output = run(&[&trace, "--rounds", "3"]);
    let levels: Vec<&str> = Level::available().map(Level::name).collect();
    assert_eq!(row(&output, "ns per evaluation"), levels);
    let checksums = row(&output, "checksum");
    assert!(checksums.len() == levels.len() && checksums.iter().all(|sum| *sum == checksums[0]));
    for pass in ["incremental updates", "full refresh", "forward pass alone"] {
        let medians = numbers(&output, &format!("{pass}, median"));
        assert_eq!(medians.len(), levels.len());
    }
    for (least, most) in numbers(&output, "min").iter().zip(numbers(&output, "max")) {
        assert!(*least <= most);
    }
    let medians = numbers(&output, "incremental updates, median");
    for (speed, time) in numbers(&output, "evaluations per second")
        .iter()
        .zip(medians)
    {
        // The time is rounded to a tenth.
        let expected = 1e9 / time;
        assert!((speed - expected).abs() <= expected * 0.06 / time + 1.0);
    }
    assert!(stdout(&output).contains("Reading the trace alone takes "));
    assert!(stdout(&output).ends_with("forward pass alone, on all levels.\n"));
}

#[test]
fn levels_are_chosen_by_option_or_environment() {
    let trace = scratch("chosen.txt", TRACE.as_bytes());
    let levels: Vec<&str> = Level::available().map(Level::name).collect();
    let (first, last) = (levels[0], levels[levels.len() - 1]);
    let chosen = |arguments: &[&str]| {
        let mut command = replay(arguments);
        command
            .arg(&trace)
            .arg("--rounds=1")
            .env("NNUE_LEVEL", first);
        let output = command.output().expect("the program starts");
        let names = row(&output, "ns per evaluation");
        names.into_iter().map(String::from).collect::<Vec<_>>()
    };
    let mut both = vec![last, first];
    both.dedup();
    assert_eq!(chosen(&[]), [first]);
    assert_eq!(chosen(&["--level", last]), [last]);
    assert_eq!(chosen(&["--level", last, "--level", first]), both);
    assert_eq!(chosen(&["--level", &both.join(","), "--level", last]), both);
}

#[test]
fn traces_may_be_compressed_and_order_counts() {
    let level = ["--rounds=1", "--level", Level::detect().name()];
    let checksum = |name: &str, content: &[u8]| {
        let trace = scratch(name, content);
        let output = run(&[&level[..], &[&trace]].concat());
        assert!(printed(&output).contains(" · 11 moves, 10 evaluations, 2 roots, 1 round\n"));
        row(&output, "checksum")[0].to_owned()
    };
    let plain = checksum("plain.txt", TRACE.as_bytes());
    assert_eq!(checksum("packed.txt.gz", &gzip(TRACE)), plain);
    let swapped: Vec<&str> = TRACE.lines().rev().collect();
    assert_ne!(
        checksum("swapped.txt", swapped.join("\n").as_bytes()),
        plain
    );
}

#[test]
fn other_nets_are_measured_by_the_spec_of_their_file() {
    let trace = scratch("nets.txt", TRACE.as_bytes());
    let checksum = |arguments: &[&str], name: &str| {
        let level = ["--rounds=1", "--level", Level::detect().name(), &trace];
        let output = run(&[&level[..], arguments].concat());
        assert!(printed(&output).starts_with(name), "{}", stdout(&output));
        row(&output, "checksum")[0].to_owned()
    };
    let built_in = checksum(&[], "small128 · nn-37f18f62d772.nnue, built in · ");
    let file = ["--net", SMALL128];
    assert_eq!(
        checksum(&file, "small128 · nn-37f18f62d772.nnue · "),
        built_in
    );
    let net = scratch("replay-v5.nnue", &synthetic::synthetic_net("v5"));
    let file = ["--net", &net];
    let told = ["--net", &net, "--spec", "sfnnv5"];
    let sum = checksum(&file, "SFNNv5 · replay-v5.nnue · ");
    assert_eq!(checksum(&told, "SFNNv5 · "), sum);
    assert_ne!(sum, built_in);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let first = TRACE.lines().next().expect("a line");
    for (name, content, words) in [
        (
            "illegal.txt",
            format!("{first}\n{first}\n\n4k3/8/8/8/8/8/8/4K3 w - - 0 1; e1e2 = e2e4\n")
                .into_bytes(),
            &["line 4: token 3: found `e2e4`, expected a legal move"][..],
        ),
        (
            "rootless.txt",
            b"e2e4 =\n".to_vec(),
            &["line 1: found no `;`", "expected the FEN"],
        ),
        (
            "cut.txt.gz",
            gzip(TRACE)[..60].to_vec(),
            &["cannot decompress"],
        ),
        (
            "idle.txt",
            first.replace('=', "").into_bytes(),
            &["found no evaluation, expected `=`"],
        ),
        ("empty.txt", Vec::new(), &["found no evaluation"]),
    ] {
        let trace = scratch(name, &content);
        assert_refused(&run(&[&trace]), 1, &[words, &[name]].concat());
    }
    assert_refused(&run(&["no/such.txt"]), 1, &["cannot read `no/such.txt`"]);
    assert_refused(&run(&["--net", "no/such.nnue"]), 1, &["no/such.nnue"]);
    let other = run(&["--net", SMALL128, "--spec", "sfnnv5"]);
    assert_refused(&other, 1, &["SFNNv5", "a net of small128"]);
}

#[test]
fn wrong_options_are_usage_errors() {
    let cases: [(&[&str], &[&str]); 14] = [
        (&["--spec", "sfnv5"], &["did you mean `sfnnv5`?"]),
        (&["--spec", "sfnnv5"], &["`--net FILE`"]),
        (&["--level", "avx3"], &["'avx3'", "avx512icl"]),
        (&["--level", "scalar,"], &["--level <NAMES>", "scalar"]),
        (&["--rounds", "0"], &["'0' for '--rounds <N>'", "1..=1000"]),
        (&["--rounds", "many"], &["'many' for '--rounds <N>'"]),
        (
            &["--engine=256k"],
            &["'256k' for '--engine[=<SIZE>]'", "256M"],
        ),
        (&["--engine=0"], &["'0' for", "from 1K to 64G"]),
        (&["--engine=65G"], &["'65G' for", "from 1K to 64G"]),
        (&["--threads", "0"], &["'0' for '--threads <N>'", "1..=256"]),
        (&["--threads", "2"], &["--beside"]),
        (&["one.txt", "two.txt"], &["two.txt"]),
        (&["--fens", "x"], &["--fens"]),
        (&["-x"], &["-x"]),
    ];
    for (arguments, words) in cases {
        assert_refused(&run(arguments), 2, &[words, &["--help"]].concat());
    }
    let output = replay(&[]).env("NNUE_LEVEL", "avx3").output();
    assert_refused(
        &output.expect("the program starts"),
        1,
        &["`NNUE_LEVEL`", "`avx3`"],
    );
}

#[test]
#[cfg(not(feature = "beside"))]
fn a_build_without_nnue_rs_says_how_to_get_one_with_it() {
    assert_refused(&run(&["--beside"]), 2, &["`--features nnue-cli/beside`"]);
}

#[test]
fn the_same_is_measured_in_an_engine() {
    let trace = scratch("engine.txt", TRACE.as_bytes());
    let (plain, engine) = (
        run(&["--rounds=3", &trace]),
        run(&["--rounds=3", "--engine=1M", &trace]),
    );
    assert_eq!(row(&plain, "checksum"), row(&engine, "checksum"));
    let levels = Level::available().count();
    let label = "the same in the engine, median";
    assert_eq!(numbers(&engine, label).len(), levels);
    let ratios = row(&engine, "ratio of medians");
    assert_eq!(ratios.iter().filter(|word| **word == "x").count(), levels);
    let (head, end) = (
        ", an engine with a hash table of 1 MB\n",
        "The engine alone takes ",
    );
    assert!(printed(&engine).contains(head) && printed(&engine).contains(end));
    for words in [label, "engine"] {
        assert!(!printed(&plain).contains(words), "{words}");
    }
    // Without a size it has one, and what follows is still the trace.
    let usual = run(&["--rounds=1", "--engine", &trace]);
    assert!(printed(&usual).contains(" · 11 moves, 10 evaluations, "));
    assert!(printed(&usual).contains(", an engine with a hash table of 16 MB\n"));
}

#[test]
fn json_has_what_the_table_has() {
    let trace = scratch("json.txt", TRACE.as_bytes());
    let table = run(&[&trace, "--rounds=1"]);
    let output = run(&[&trace, "--rounds=1", "--engine=64K", "--json"]);
    let value: Value = serde_json::from_str(printed(&output)).expect("JSON");
    for (key, expected) in [
        ("network", json!("small128")),
        ("file", json!("nn-37f18f62d772.nnue, built in")),
        ("moves", json!(11)),
        ("evaluations", json!(10)),
        ("roots", json!(2)),
        ("rounds", json!(1)),
        ("engine_table", json!(65536)),
    ] {
        assert_eq!(value[key], expected, "{key}");
    }
    let levels = value["levels"].as_array().expect("a list");
    assert_eq!(levels.len(), Level::available().count());
    let number = |label: &str, index: usize| numbers(&table, label)[index];
    for (index, (level, available)) in levels.iter().zip(Level::available()).enumerate() {
        assert_eq!(level["level"], available.name());
        assert_eq!(level["checksum"], row(&table, "checksum")[index]);
        for (key, label) in [
            ("cache_hits", "cache hits"),
            ("cache_misses", "cache misses"),
        ] {
            assert_eq!(level[key].as_f64(), Some(number(label, index)), "{key}");
        }
        for (key, label) in [
            ("updated_rows", "in updates"),
            ("refreshed_rows", "in refreshes"),
            ("updates", "updates per evaluation"),
            ("refreshes", "refreshes per evaluation"),
        ] {
            let count = level[key].as_f64().expect("a number");
            assert!((count / 10.0 - number(label, index)).abs() < 0.006, "{key}");
        }
        for pass in ["incremental", "in_engine", "refresh", "forward"] {
            let [min, median, max] = ["min", "median", "max"]
                .map(|figure| level[pass][figure].as_f64().expect("a number"));
            assert!(min <= median && median <= max, "{level}");
        }
    }
    for whole in [
        &value["reading"],
        &value["engine_alone"],
        &levels[0]["refresh"],
    ] {
        assert!(whole["median"].as_f64().expect("a number") > 0.0);
    }
    let without = run(&[&trace, "--rounds=1", "--json"]);
    let without: Value = serde_json::from_str(printed(&without)).expect("JSON");
    for none in [
        &without["engine_table"],
        &without["engine_alone"],
        &without["levels"][0]["in_engine"],
    ] {
        assert_eq!(*none, Value::Null);
    }
}

/// The numbers of JSON's list at a place.
fn list(value: &Value, pointer: &str) -> Vec<f64> {
    let list = value.pointer(pointer).and_then(Value::as_array);
    let list = list.unwrap_or_else(|| panic!("no {pointer}"));
    list.iter().filter_map(Value::as_f64).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn processes_share_their_weights_and_compute_the_same() {
    let trace = scratch("processes.txt", TRACE.as_bytes());
    let level = Level::detect().name();
    let alone = run(&[&trace, "--rounds=1", "--json", "--level", level]);
    let alone: Value = serde_json::from_str(printed(&alone)).expect("JSON");
    let together = run(&[
        &trace,
        "--processes=3",
        "--rounds=2",
        "--json",
        "--engine=64K",
    ]);
    let together: Value = serde_json::from_str(printed(&together)).expect("JSON");
    assert_eq!(together["processes"], json!(3));
    assert_eq!(
        together["checksum"]
            .as_u64()
            .map(|sum| format!("{sum:08x}")),
        alone["levels"][0]["checksum"].as_str().map(str::to_owned)
    );
    for kind in ["private", "shared"] {
        let rates = list(&together, &format!("/{kind}/evaluations_per_second"));
        assert!(
            rates.len() == 2 && rates.iter().all(|rate| *rate > 0.0),
            "{rates:?}"
        );
        assert_eq!(together[kind]["not_shared"], Value::Null);
    }
    let memory = |kind: &str| together[kind]["memory"].as_u64().expect("Linux tells it");
    // Three copies of 6.5 MB, and one. Half of what is saved is asked for, because the pages of the
    // program count too, and their part changes whenever a test beside this one starts or ends it.
    let (private, shared) = (memory("private"), memory("shared"));
    assert!(private > shared + 6_500_000, "{private} and {shared}");

    let table = run(&[&trace, "--processes=1", "--rounds=1"]);
    let heads = row(&table, "1 processes");
    assert_eq!(heads, ["private", "weights", "shared", "weights"]);
}

#[test]
fn processes_need_what_all_of_them_can_read() {
    for (arguments, words) in [
        (&["--processes=0"][..], "1..=256"),
        (
            &["--processes=2", "--level=scalar,scalar"],
            "several levels",
        ),
        (&["--processes=2", "-"], "standard input"),
        (&["--processes=2", "--beside"], "--beside"),
    ] {
        // What a process says if it is refused is what all of them say.
        assert_refused(&run(arguments), 2, &[words]);
    }
}
