//! `nnue data`: positions to train on.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::program::{
    assert_refused, nnue, output, refusal, run, scratch, scratch_path, stderr, text,
};

const SPEC: &str = "../specs/bullet/simple.toml";

/// Positions of two games.
const POSITIONS: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 20 | 1.0
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 | -15 | 1.0
rnbqkbnr/ppp1pppp/8/1B1p4/4P3/8/PPPP1PPP/RNBQK1NR b KQkq - 1 2 | -3100 | 1.0
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 18 | 0.0
4k3/8/8/8/8/8/4p3/4K3 w - - 0 60 | - | 0.0
";

/// A run whose output is binary.
fn bytes(arguments: &[&str]) -> Vec<u8> {
    let output = run(arguments);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    output.stdout
}

/// The numbers of a stream's header, and of its first batch how many positions it has.
fn header(stream: &[u8]) -> Vec<u32> {
    assert_eq!(&stream[..8], b"nnuerows");
    let numbers = stream[8..].as_chunks::<4>().0;
    numbers
        .iter()
        .take(6)
        .map(|bytes| u32::from_le_bytes(*bytes))
        .collect()
}

#[test]
fn batches_begin_with_their_network() {
    let file = scratch("data-batches.txt", POSITIONS.as_bytes());
    let stream = bytes(&["data", "batches", SPEC, &file, "--batch-size=4"]);
    // Version, largest batch, sets, rows, perspectives; positions.
    assert_eq!(header(&stream), [1, 4, 1, 768, 2, 4]);
    assert_eq!(stream[stream.len() - 4..], [0; 4]);
    for seed in ["--seed=0", "--threads=5"] {
        assert!(bytes(&["data", "batches", SPEC, &file, "--batch-size=4", seed]) == stream);
    }
    let one = bytes(&["data", "batches", SPEC, &file, "--max-score=16", "--scored"]);
    assert_eq!(header(&one)[5], 1);
}

#[test]
fn positions_come_in_the_order_of_the_stream() {
    let file = scratch("data-order.txt", POSITIONS.as_bytes());
    let positions = text(&scratch_path("data-order-positions.txt"));
    let fens = |options: &[&str]| {
        let fixed = ["data", "batches", SPEC, &file, "--positions", &positions];
        let stream = bytes(&[&fixed[..], options].concat());
        let fens = fs::read_to_string(&positions).expect("was written");
        // The same positions give the same rows, whatever order led to them.
        let again = scratch("data-order-again.txt", fens.as_bytes());
        let same = bytes(&["data", "batches", SPEC, &again, "--in-order"]);
        let rows = |stream: &[u8]| stream[..stream.len() - 4 - 8 * fens.lines().count()].to_vec();
        assert!(rows(&stream) == rows(&same));
        fens
    };
    let in_order: String = POSITIONS
        .lines()
        .map(|line| format!("{}\n", line.split(" |").next().expect("a FEN")))
        .collect();
    assert_eq!(fens(&["--in-order"]), in_order);
    let sorted = |fens: &str| {
        let mut fens: Vec<_> = fens.lines().map(String::from).collect();
        fens.sort();
        fens
    };
    let shuffled = ["--seed=1", "--seed=2", "--seed=3"].map(|seed| fens(&[seed]));
    assert!(
        shuffled
            .iter()
            .all(|fens| sorted(fens) == sorted(&in_order))
    );
    assert!(shuffled.iter().any(|fens| *fens != in_order));
}

/// A trainer stops an endless stream by closing it.
#[test]
fn an_endless_stream_ends_when_nobody_reads() {
    let file = scratch("data-endless.txt", POSITIONS.as_bytes());
    let mut child = nnue(&[
        "data",
        "batches",
        SPEC,
        &file,
        "--endless",
        "--batch-size=512",
    ])
    .stdout(Stdio::piped())
    .spawn()
    .expect("the program starts");
    let mut start = [0; 100_000];
    let mut stream = child.stdout.take().expect("a pipe");
    std::io::Read::read_exact(&mut stream, &mut start).expect("a long stream");
    assert_eq!(header(&start), [1, 512, 1, 768, 2, 512]);
    drop(stream);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn standard_input_is_a_file() {
    let mut child = nnue(&["data", "batches", SPEC, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(POSITIONS.as_bytes()).expect("it reads");
    drop(stdin);
    let stream = child.wait_with_output().expect("it ends").stdout;
    assert_eq!(header(&stream)[5], 5);
    assert_refused(
        &run(&["data", "batches", SPEC, "-", "--endless"]),
        2,
        &["can be read only once"],
    );
}

#[test]
fn info_counts() {
    let file = scratch("data-info.txt", POSITIONS.as_bytes());
    let json = output(&["data", "info", &file, "--json", "--max-score", "3000"]);
    let value: Value = serde_json::from_str(&json).expect("JSON");
    for (key, expected) in [
        ("read", 5),
        ("positions", 4),
        ("white_to_move", 3),
        ("games", 2),
        ("checks", 0),
    ] {
        assert_eq!(value[key], expected, "{key}");
    }
    assert_eq!(value["left_out"][0]["records"], 1);
    assert_eq!(value["results"], serde_json::json!([2, 0, 2, 0]));
    assert_eq!(value["scores"]["count"], 3);
    assert_eq!(value["scores"]["lowest"], -15.0);
    assert_eq!(value["pieces"][32], 3);
    let json = output(&["data", "info", &file, "--json", "--white-scores"]);
    let value: Value = serde_json::from_str(&json).expect("JSON");
    // Those of positions with black to move are turned.
    assert_eq!(value["scores"]["lowest"], 15.0);
    assert_eq!(value["scores"]["highest"], 3100.0);
    let shown = output(&["data", "info", &file, "--max-score", "3000"]);
    for words in [
        "with a score beyond the limit",
        "scores -15 to 20 centipawns",
        "2 games",
    ] {
        assert!(shown.contains(words), "{shown}");
    }
}

#[test]
fn formats_are_converted_and_back() {
    let file = scratch("data-convert.txt", POSITIONS.as_bytes());
    let [bullet, back] =
        ["data-convert.bullet", "data-convert-back.txt"].map(|name| text(&scratch_path(name)));
    let missing = refusal(
        1,
        &[
            "data",
            "convert",
            &file,
            "--out",
            &bullet,
            "--to=bulletformat",
        ],
    );
    assert!(
        missing.contains("found no score, which bulletformat needs"),
        "{missing}"
    );
    output(&[
        "data",
        "convert",
        &file,
        "--scored",
        "--out",
        &bullet,
        "--to=bulletformat",
    ]);
    assert_eq!(fs::metadata(&bullet).expect("was written").len(), 4 * 32);
    let said = output(&["data", "convert", &bullet, "--out", &back]);
    assert!(said.ends_with("4 records were read\n"), "{said}");
    // Boards on which black was to move are turned.
    assert_eq!(
        fs::read_to_string(&back).expect("was written"),
        "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - | 20 | 1.0
rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w - - | -15 | 0.0
rnbqk1nr/pppp1ppp/8/4p3/1b1P4/8/PPP1PPPP/RNBQKBNR w - - | -3100 | 0.0
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - | 18 | 0.0
"
    );
    let text_again = text(&scratch_path("data-convert-text.txt"));
    output(&["data", "convert", &file, "--out", &text_again]);
    assert_eq!(
        fs::read_to_string(text_again).expect("was written"),
        POSITIONS
    );
}

/// Positions are left out at random, by the seed.
#[test]
fn the_seed_decides_which_positions_are_left_out() {
    let line = |ply: u32| {
        let side = if ply.is_multiple_of(2) { 'w' } else { 'b' };
        let number = ply / 2 + 1;
        format!("4k3/8/8/8/8/8/4P3/4K3 {side} - - 0 {number} | {ply} | 0.5\n")
    };
    let lines: String = (0..600).map(line).collect();
    let file = scratch("data-sampled.txt", lines.as_bytes());
    let out = scratch_path("data-sampled-out.txt");
    let used = |arguments: &[&str]| {
        let out = text(&out);
        let all = [&["data", "convert", &file, "--out", &out][..], arguments].concat();
        let said = output(&all);
        (said, fs::read_to_string(&out).expect("was written"))
    };
    let (said, first) = used(&["--soft-ply=400", "--agreeing=100"]);
    for words in [
        "with an unlikely result, at random",
        "of an early ply, at random",
    ] {
        assert!(said.contains(words), "{said}");
    }
    assert!(first != used(&["--soft-ply=400", "--agreeing=100", "--seed=1"]).1);
    let (_, none) = used(&["--piece-weights=3:1", "--soft-ply=0"]);
    assert!(none == lines);
}

/// Shards have all positions, each once, in another order. Which one the seed says, nnue-tools tests.
#[test]
fn shards_are_shuffled() {
    let line = |number: u32| format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number} | {number} | 0.5\n");
    let all: String = (100..700).map(line).collect();
    let file = scratch("data-shards.txt", all.as_bytes());
    let folder = scratch_path("data-shards");
    let out = text(&folder);
    output(&["data", "convert", &file, "--out", &out, "--shards=3"]);
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 3);
    let shards = ["0001.txt", "0002.txt", "0003.txt"].map(|name| {
        let shard = fs::read_to_string(folder.join(name)).expect("was written");
        let lines: Vec<String> = shard.lines().map(|line| format!("{line}\n")).collect();
        assert!((150..250).contains(&lines.len()) && !lines.is_sorted());
        lines
    });
    let mut lines = shards.concat();
    lines.sort();
    assert!(lines.concat() == all);
}

/// Arguments that are wrong write nothing.
#[test]
fn what_is_refused_writes_nothing() {
    let file = scratch("data-kept.txt", POSITIONS.as_bytes());
    let out = scratch("data-kept-out.txt", b"old");
    let convert = ["data", "convert", &file, "--out", &out];
    let batches = ["data", "batches", SPEC, &file, "--positions", &out];
    for arguments in [&convert[..], &batches] {
        let message = refusal(1, &[arguments, &["--no-captures"]].concat());
        assert!(message.contains("captures cannot be left out"), "{message}");
    }
    assert_eq!(fs::read_to_string(out).expect("it is there"), "old");
}

#[test]
fn bad_records_are_skipped_aloud() {
    let file = scratch(
        "data-bad.txt",
        format!("{POSITIONS}8/8 w | 0 | 0\n").as_bytes(),
    );
    for command in [&["data", "info"][..], &["data", "batches", SPEC]] {
        let arguments = [command, &[&file]].concat();
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            stderr(&output).starts_with("error: line 6 of `"),
            "{}",
            stderr(&output)
        );
        let output = run(&[&arguments[..], &["--skip-bad"]].concat());
        assert_eq!(output.status.code(), Some(0));
        let said = stderr(&output);
        assert!(
            said.starts_with("warning: 1 of 6 records are bad and were skipped"),
            "{said}"
        );
        assert!(said.contains("line 6 of `"), "{said}");
    }
}

#[test]
fn what_cannot_be_used_is_said() {
    let binpack = scratch("data-test.binpack", b"BINP");
    let bullet = scratch("data-test.bullet", &[0; 32]);
    let file = scratch("data-refused.txt", POSITIONS.as_bytes());
    for (arguments, words) in [
        (&["info", &binpack][..], "chunk 1 of `"),
        (
            &["info", &bullet, "--soft-ply=8"],
            "bulletformat does not say how many moves were made",
        ),
        (
            &["info", &file, "--no-captures"],
            "text does not say which move was played",
        ),
        (
            &["info", &file, "--format=pgn"],
            "expected a legal move in `",
        ),
        (
            &["info", &file, "--min-pieces=33"],
            "no positions are left: 5 records were read, 5 with",
        ),
        (
            &["info", &file, "--held-out=1/20"],
            "no positions are left: 5 records were read, 5 in the other part of a split: whole games are held out, in \
             blocks of 1000 positions or more, 1 of every 20 blocks of a file; use more positions, ",
        ),
        (
            &["batches", "../specs/games/shogi_kp.toml", &file],
            "the engine tells which features of `",
        ),
    ] {
        let message = refusal(1, &[&["data"], arguments].concat());
        assert!(message.contains(words), "{message}");
    }
    for share in ["20", "0/5", "5/5", "1/x"] {
        let share = format!("--hold-out={share}");
        assert_refused(&run(&["data", "info", &file, &share]), 2, &["such as 1/20"]);
    }
    assert_refused(
        &run(&["data", "info", &file, "--piece-weights=32:1,2:1"]),
        2,
        &["expected numbers of pieces from 2 to 32 in rising order"],
    );
    assert_refused(
        &run(&["data", "info", &file, "--hold-out=1/5", "--held-out=1/5"]),
        2,
        &[],
    );
}

/// What is read of a pipe to see what it is cannot be read again.
#[cfg(unix)]
#[test]
fn pipes_lose_nothing() {
    let pipe = scratch_path("data-pipe");
    let lines = 30_000;
    for command in ["info", "convert"] {
        let _ = fs::remove_file(&pipe);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("there is `mkfifo`").success());
        let writer = {
            let pipe = pipe.clone();
            std::thread::spawn(move || {
                let line = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 85 | 1.0\n";
                fs::write(pipe, line.repeat(lines)).expect("it is read to the end");
            })
        };
        let (pipe, out) = (text(&pipe), text(&scratch_path("data-pipe.txt")));
        let mut arguments = vec!["data", command, &pipe];
        match command {
            "convert" => arguments.extend(["--out", &out]),
            _ => arguments.push("--json"),
        }
        let printed = output(&arguments);
        writer.join().expect("it is read to the end");
        match command {
            "convert" => {
                let written = fs::read_to_string(&out).expect("it was written");
                assert_eq!(written.lines().count(), lines);
            }
            _ => {
                let found: Value = serde_json::from_str(&printed).expect("it is JSON");
                assert_eq!(found["positions"], lines, "{printed}");
            }
        }
    }
}

/// The name of the output chooses the format, as names of inputs do.
#[test]
fn outputs_have_the_format_of_their_names() {
    let file = scratch(
        "data-named.txt",
        POSITIONS.replace("| - |", "| 7 |").as_bytes(),
    );
    let out = |name: &str| text(&scratch_path(name));
    let binpack = out("data-named.binpack");
    output(&["data", "convert", &file, "--out", &binpack]);
    assert!(
        fs::read(&binpack)
            .expect("was written")
            .starts_with(b"BINP")
    );
    let info = output(&["data", "info", &binpack, "--json"]);
    let value: Value = serde_json::from_str(&info).expect("JSON");
    assert_eq!(value["positions"], 5);
    let name = out("data-no.pgn");
    let message = refusal(2, &["data", "convert", &file, "--to=text", "--out", &name]);
    assert!(
        message.contains("says pgn, which is not written"),
        "{message}"
    );
    assert!(!scratch_path("data-no.pgn").exists());
}

/// Half moves for which binpack has no room.
#[test]
fn counters_that_became_smaller_are_counted() {
    let file = scratch(
        "data-clocks.txt",
        b"4k3/8/8/8/8/8/8/4K3 w - - 254 300 | 1 | 0.5\n4k3/8/8/8/8/8/8/4K3 w - - 300 300 | 1 | 0.5\n",
    );
    let [binpack, back] = ["data-clocks.binpack", "data-clocks-back.txt"].map(scratch_path);
    let run = run(&["data", "convert", &file, "--out", &text(&binpack)]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let said = stderr(&run);
    assert!(
        said.contains("1 records have more half moves than binpack has room for"),
        "{said}"
    );
    output(&["data", "convert", &text(&binpack), "--out", &text(&back)]);
    let back = fs::read_to_string(back).expect("was written");
    assert!(
        back.lines().last().expect("lines").contains(" 255 300 "),
        "{back}"
    );
}

/// Nobody said what the numbers count.
#[test]
fn the_unit_of_evaluations_is_said() {
    let file = scratch(
        "data-units.pgn",
        b"1. d4 {[%eval 25,18]} d5 {[%eval 30,20]} 2. c4 *\n",
    );
    let warned = run(&["data", "info", &file]);
    assert_eq!(warned.status.code(), Some(0));
    let said = stderr(&warned);
    assert!(
        said.contains("are taken for hundredths of a pawn"),
        "{said}"
    );
    for (unit, highest) in [("centipawns", 30.0), ("pawns", 3000.0)] {
        let told = run(&["data", "info", &file, "--json", "--eval-unit", unit]);
        assert_eq!(stderr(&told), "");
        let value: Value = serde_json::from_slice(&told.stdout).expect("JSON");
        assert_eq!(value["scores"]["highest"], highest);
    }
}
