//! `nnue verify`, as a person meets it.

use std::fs;

use serde_json::Value;

use crate::networks;
use crate::program::{
    self, assert_refused, output, refusal, run, scratch, scratch_path, stderr, stdout, text,
};

const SMALL128: &str = "../examples/nets/nn-37f18f62d772.nnue";

/// Moves of all kinds, with jumps to other games in between.
const GAMES: [&str; 14] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
    "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -",
    "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR b KQkq -",
    // A null move, and the same position once more.
    "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR w KQkq -",
    "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR w KQkq -",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
    "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3",
    "8/2p5/3p4/KP5r/1R5k/4p3/6P1/8 w - -",
    "r3k2r/8/8/8/8/8/P7/R3K2R w KQkq -",
    "r3k2r/8/8/8/8/8/P7/R4RK1 b kq -",
    "2kr3r/8/8/8/8/8/P7/R4RK1 w - -",
    "8/P6k/8/8/8/8/8/K7 w - -",
    "Q7/7k/8/8/8/8/8/K7 b - -",
];

/// How many of them one move leads to.
const ALONG: usize = 10;

/// What `nnue eval --raw` says of them: another program's way to the same integers.
fn raw_values(fens: &str, net: &[&str]) -> Vec<i32> {
    let raw = output(&[&["eval", "--raw", "--fens", fens], net].concat());
    let rows = raw.lines().skip(1);
    let values = rows.map(|row| row.rsplit('\t').next().expect("a column"));
    values
        .map(|value| value.parse().expect("an integer"))
        .collect()
}

/// A net file of a spec in `specs` or `tests/specs`, with random weights.
fn random_net(spec: &str) -> String {
    let name = format!("verify-{}.bin", spec.replace(['/', '.'], "_"));
    scratch(&name, &networks::random_net(spec, 5))
}

fn verify<'a>(net: &'a str, spec: &'a str, golden: &'a str) -> Vec<&'a str> {
    vec!["verify", net, "--spec", spec, "--golden", golden]
}

#[test]
fn what_is_written_has_the_integers_of_eval_and_is_verified() {
    let fens = scratch("verify-games.epd", GAMES.join("\n").as_bytes());
    for (spec, name) in [
        ("../specs/bullet/multi_layer.toml", "multi"),
        ("../specs/seed/halfkav2_psqt.toml", "psqt"),
    ] {
        let net = random_net(spec);
        let golden = text(&scratch_path(&format!("verify-{name}.txt")));
        let written = [
            "verify", &net, "--spec", spec, "--write", &golden, "--fens", &fens,
        ];
        assert_eq!(output(&written), "");
        let lines = fs::read_to_string(&golden).expect("it was written");
        let values = raw_values(&fens, &["--net", &net, "--spec", spec]);
        assert_eq!((lines.lines().count(), values.len()), (14, 14));
        for ((line, fen), value) in lines.lines().zip(GAMES).zip(values) {
            assert!(line.starts_with(&format!("{fen} | {value} | ")), "{line}");
        }
        let report = output(&verify(&net, spec, &golden));
        let mut words = report.split_whitespace().rev();
        assert_eq!(words.next(), Some("14"), "{report}");
        assert_eq!(
            (words.next(), words.next()),
            (Some("14"), Some("interpreted"))
        );
        // As another system writes it, and without the parts.
        let values = lines.lines().map(|line| {
            let fields: Vec<&str> = line.split(" | ").collect();
            format!("{} | {}\r\n", fields[0], fields[1])
        });
        let values = format!("# values\r\n\r\n{}", values.collect::<String>());
        let golden = scratch(&format!("verify-{name}-crlf.txt"), values.as_bytes());
        assert!(output(&verify(&net, spec, &golden)).contains("14"));
    }
}

#[test]
fn differences_are_told_and_are_the_exit_code() {
    let spec = "../specs/bullet/simple.toml";
    let net = random_net(spec);
    let fens = scratch("verify-different.epd", GAMES.join("\n").as_bytes());
    let values = raw_values(&fens, &["--net", &net, "--spec", spec]);
    // Of the last twelve, each is one too many.
    let lines = GAMES
        .iter()
        .zip(&values)
        .enumerate()
        .map(|(index, (fen, value))| {
            let wrong = value + i32::from(index >= 2);
            format!("{fen} | {wrong}\n")
        });
    let golden = scratch("verify-different.txt", lines.collect::<String>().as_bytes());
    let arguments = verify(&net, spec, &golden);
    let found = run(&arguments);
    assert_eq!((found.status.code(), stderr(&found)), (Some(1), ""));
    let report = stdout(&found);
    assert!(report.contains("\n12 differences"), "{report}");
    let told = report.lines().filter(|line| line.contains("  interpreted"));
    assert_eq!(told.count(), 10, "{report}");

    let found = run(&[&arguments[..], &["--json"]].concat());
    assert_eq!(found.status.code(), Some(1));
    let report: Value = serde_json::from_str(stdout(&found)).expect("JSON");
    assert_eq!(report["positions"], 14);
    assert_eq!(report["ways"].as_array().expect("ways").len(), 1);
    assert_eq!(report["ways"][0]["compared"], 14);
    assert_eq!(report["ways"][0]["equal"], 2);
    let differences = report["differences"].as_array().expect("differences");
    assert_eq!(differences.len(), 10);
    for (difference, (fen, value)) in differences.iter().zip(GAMES.iter().zip(&values).skip(2)) {
        assert_eq!(difference["fen"], *fen);
        assert_eq!(difference["expected"], (value + 1).to_string());
        assert_eq!(difference["found"], value.to_string());
        assert_eq!(difference["computed_by"], "interpreted");
    }
}

#[test]
fn what_the_engine_supplies_must_be_given() {
    let golden = scratch("verify-refused.txt", b"8/8/8/8/8/8/8/K1k5 w - - | 1\n");
    let fens = scratch("verify-refused.epd", b"8/8/8/8/8/8/8/K1k5 w - -\n");
    let buckets = fs::read_to_string("../specs/bullet/output_buckets.toml").expect("the spec");
    let caller = buckets + "stacks.select = { by = \"caller\" }\n";
    let caller = scratch("verify-caller.toml", caller.as_bytes());
    for (spec, words) in [
        ("../specs/games/ataxx.toml", "found no features of white"),
        (&caller, "found no stack, expected `stack:`"),
    ] {
        let net = random_net(spec);
        for (option, list) in [("--golden", &golden), ("--fens", &fens)] {
            let mut arguments = vec!["verify", &net, "--spec", spec, option, list];
            if option == "--fens" {
                arguments.extend(["--write", "no/such.txt"]);
            }
            assert_refused(&run(&arguments), 1, &[words]);
        }
    }
}

#[test]
fn a_win_a_draw_and_a_loss_are_compared() {
    let spec = "../tests/specs/layers/heads.toml";
    let net = random_net(spec);
    let fens = scratch("verify-heads.epd", GAMES.join("\n").as_bytes());
    let golden = text(&scratch_path("verify-heads.txt"));
    output(&[
        "verify", &net, "--spec", spec, "--write", &golden, "--fens", &fens,
    ]);
    let lines = fs::read_to_string(&golden).expect("it was written");
    assert!(output(&verify(&net, spec, &golden)).contains("interpreted        14     14"));
    // The loss of the first position is another one.
    let (first, others) = lines.split_once('\n').expect("several lines");
    let (kept, loss) = first.rsplit_once(" | ").expect("fields");
    let wrong = loss.parse::<i32>().expect("an integer") + 1;
    fs::write(&golden, format!("{kept} | {wrong}\n{others}")).expect("it can be written");
    let found = run(&verify(&net, spec, &golden));
    assert_eq!(found.status.code(), Some(1));
    assert!(
        stdout(&found).contains("1 differences"),
        "{}",
        stdout(&found)
    );
}

/// Integers and floating point, of which a line may have some, all or none.
#[test]
fn further_heads_are_compared_where_they_are_expected() {
    let spec = "../tests/specs/layers/further_heads.toml";
    let net = random_net(spec);
    let fens = scratch("verify-further.epd", GAMES.join("\n").as_bytes());
    let golden = text(&scratch_path("verify-further.txt"));
    output(&[
        "verify", &net, "--spec", spec, "--write", &golden, "--fens", &fens,
    ]);
    let written = fs::read_to_string(&golden).expect("it was written");
    let equal = |lines: &str| {
        fs::write(&golden, lines).expect("it can be written");
        let report = run(&[&verify(&net, spec, &golden)[..], &["--json"]].concat());
        let report: Value = serde_json::from_str(stdout(&report)).expect("JSON");
        report["ways"][0]["equal"].clone()
    };
    assert_eq!(equal(&written), 14);
    let without: Vec<&str> = written
        .lines()
        .map(|line| line.split_once(" | uncertainty").expect("a head").0)
        .collect();
    assert_eq!(equal(&without.join("\n")), 14);
    for (head, place) in [("uncertainty", 4), ("mobility", 5)] {
        let changed = written.lines().map(|line| {
            let mut fields: Vec<String> = line.split(" | ").map(String::from).collect();
            assert!(fields[place].starts_with(head), "{line}");
            fields[place] = format!("{head} = 77777");
            fields.join(" | ")
        });
        assert_eq!(equal(&changed.collect::<Vec<_>>().join("\n")), 0, "{head}");
    }
    fs::write(&golden, written).expect("it can be written");
}

#[test]
fn a_net_that_tells_its_network_needs_no_spec() {
    let fens = scratch("verify-known.epd", GAMES.join("\n").as_bytes());
    let golden = text(&scratch_path("verify-known.txt"));
    output(&["verify", SMALL128, "--write", &golden, "--fens", &fens]);
    let report = output(&["verify", SMALL128, "--golden", &golden]);
    assert!(report.contains("interpreted        14     14"), "{report}");
}

#[test]
fn lines_that_are_wrong_are_named() {
    let spec = "../specs/bullet/simple.toml";
    let net = random_net(spec);
    let lines = "# two lines\r\n8/8/8/8/8/8/8/K1k5 w - - | 1\r\n8/8/8/8/8/8/8/K1k5 w - - | x\r\n";
    let golden = scratch("verify-wrong.txt", lines.as_bytes());
    let message = refusal(1, &verify(&net, spec, &golden));
    let expected = format!("line 3 of `{golden}`: found `x`, expected an integer");
    assert!(message.contains(&expected), "{message}");
    assert_refused(&run(&["verify", &net]), 2, &["--golden FILE", "--help"]);
    let compile = ["verify", &net, "--golden", &golden, "--compile"];
    assert_refused(&run(&compile), 2, &["--spec"]);
}

/// Compiles a program with the optimiser. CI runs it.
#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn every_level_is_compared_by_refresh_and_along_the_list() {
    // After the games, one move forwards and backwards for longer than a search is deep.
    let back_and_forth = GAMES[..2].iter().cycle().take(300);
    let list: Vec<&str> = GAMES.iter().chain(back_and_forth).copied().collect();
    let along = ALONG + 297;
    let fens = scratch("verify-levels.epd", list.join("\n").as_bytes());
    let golden = text(&scratch_path("verify-levels.txt"));
    output(&["verify", SMALL128, "--write", &golden, "--fens", &fens]);
    let (_turn, cache) = program::cache();
    let mut arguments = verify(SMALL128, "small128", &golden);
    arguments.extend(["--compile", "--json", "--cache", &cache]);
    let report: Value = serde_json::from_str(&output(&arguments)).expect("JSON");
    let ways = report["ways"].as_array().expect("ways");
    let mut expected = vec![("interpreted".to_string(), list.len())];
    for level in nnue_runtime::Level::available() {
        expected.push((format!("{level}, refresh"), list.len()));
        expected.push((format!("{level}, incremental"), along));
    }
    let found = ways.iter().map(|way| {
        assert_eq!(way["equal"], way["compared"], "{way}");
        let computed_by = way["computed_by"].as_str().expect("words");
        let compared = way["compared"].as_u64().expect("a number");
        (computed_by.to_string(), compared as usize)
    });
    assert_eq!(found.collect::<Vec<_>>(), expected);

    // The positional part of the last line is another one in every way.
    let lines = fs::read_to_string(&golden).expect("it was written");
    let wrong = format!("{}0", lines.trim_end());
    fs::write(&golden, wrong).expect("it can be written");
    let found = run(&arguments);
    assert_eq!(found.status.code(), Some(1), "{}", stderr(&found));
    let report: Value = serde_json::from_str(stdout(&found)).expect("JSON");
    for way in report["ways"].as_array().expect("ways") {
        let counts = ["equal", "compared"].map(|key| way[key].as_u64().expect("a number"));
        assert_eq!(counts[0] + 1, counts[1], "{way}");
    }
}

/// Compiles a program with the optimiser. CI runs it.
#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn compiled_code_shows_where_its_weights_are() {
    let (_turn, cache) = program::cache();
    let spec = "../specs/bullet/simple.toml";
    let arguments = ["verify", "--wiring", spec, "--cache", &cache];
    let table = output(&arguments);
    assert!(table.contains("98689"), "{table}");
    assert!(table.contains("not proved"), "{table}");
    let json = output(&[&arguments[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&json).expect("JSON");
    let network = &report[0];
    assert_eq!(network["weights"], 768 * 128 + 128 + 256 + 1, "{network}");
    assert_eq!(network["mismatch"], Value::Null, "{network}");
    let levels = network["levels"].as_array().expect("a list").len();
    assert_eq!(levels, nnue_runtime::Level::available().count());
}

#[test]
fn wiring_is_of_specs_and_not_of_nets() {
    assert_refused(
        &run(&["verify", "net.bin", "--wiring", "small128"]),
        2,
        &["--wiring"],
    );
    assert_refused(&run(&["verify", "--wiring"]), 2, &["--wiring"]);
    assert_refused(&run(&["verify", "net.bin", "--json"]), 2, &["--golden"]);
}
