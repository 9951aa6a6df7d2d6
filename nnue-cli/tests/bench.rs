//! `nnue bench`, as a person meets it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use nnue_runtime::Level;
use nnue_tools::files::Lock;
use serde_json::Value;

use crate::program::{
    self, assert_refused, nnue, refusal, run, scratch, scratch_path, stderr, stdout, text,
};

const SMALL128: &str = "../specs/small128.toml";
const SIMPLE: &str = "../specs/bullet/simple.toml";
const NET: &str = "../examples/nets/nn-37f18f62d772.nnue";

/// Two searches: a capture, a promotion, castling, a null move; eleven moves and ten evaluations.
const TRACE: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1; = e2e4 d7d5 = e4d5 = d8d5 - = 0 = ~ - - -
r3k2r/6Pp/8/8/8/8/8/R3K2R w KQkq - 0 1; = e1g1 e8c8 = f1f7 = d8d1 a1d1 - - - - = - g7g8q e8e7 = - -
";

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(text.as_bytes())
        .expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

/// Compiles two programs with the optimiser, which takes a minute, for all that is measured. CI runs
/// it.
#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn networks_are_measured() {
    let (_turn, cache) = program::cache();
    let cached = |arguments: &[&str]| {
        let options = ["--rounds=1", "--cache", &cache];
        let mut command = nnue(&[&["bench"], arguments, &options].concat());
        command.output().expect("the program starts")
    };
    networks_are_measured_beside_each_other(&cached);
    a_table_says_what_was_measured(&cached);
    every_level_computes_the_same(&cached);
    a_search_of_ones_own_is_followed(&cached);
    #[cfg(target_os = "linux")]
    processes_share_their_weights_and_compute_the_same(&cached);
}

/// A run of `nnue bench` with these arguments.
type Run<'r> = &'r dyn Fn(&[&str]) -> Output;

/// The JSON of a run that must succeed, and print nothing else.
fn json(run: Run<'_>, arguments: &[&str]) -> Value {
    let found = run(&[arguments, &["--json"]].concat());
    serde_json::from_str(measured(&found)).expect("JSON")
}

/// Standard output of a run that has measured, and has said so where nobody sees a bar.
fn measured(found: &Output) -> &str {
    let said = stderr(found);
    let lines: Vec<&str> = said.lines().collect();
    let [compiling, measuring] = lines[..] else {
        panic!("{said}");
    };
    let is_said = compiling.starts_with("compiling, ") && measuring.starts_with("measuring in ");
    assert!(is_said && found.status.success(), "{said}");
    stdout(found)
}

fn rows(report: &Value) -> &[Value] {
    report["rows"].as_array().expect("rows")
}

fn networks_are_measured_beside_each_other(run: Run<'_>) {
    let broken = scratch("bench-broken.toml", b"name = 1");
    let arguments = [SMALL128, SIMPLE, &broken, "small128", "--net", NET];
    let found = run(&[&arguments[..], &["--json", "--density=0.25"]].concat());
    // One of them is wrong, and the others have their rows.
    let errors = String::from_utf8_lossy(&found.stderr);
    assert_eq!(found.status.code(), Some(1), "{errors}");
    let report: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let names: Vec<&str> = rows(&report)
        .iter()
        .map(|row| row["network"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["small128", "bullet simple", "small128"]);
    assert_eq!(report["errors"][0]["spec"], broken.as_str());
    let [real, simple, dummy] = rows(&report) else {
        panic!("three rows");
    };
    assert_eq!(real["net"], NET);
    assert!(dummy["net"].is_null() && simple["net"].is_null());
    for row in rows(&report) {
        for time in ["incremental", "in_engine", "refresh", "forward"] {
            let number = row[time].as_f64().expect("a time");
            // The engine's is a difference of longer times, and there is one round.
            assert!(number > 0.0 || time == "in_engine", "{row}");
            for parts in ["quartiles", "halves"] {
                let parts = row[format!("{time}_{parts}")].as_array().expect("a list");
                assert!(parts.len() == 2 && parts.iter().all(|part| part.as_f64() == Some(number)));
            }
        }
        for alone in ["reading", "engine_alone", "per_second"] {
            assert!(row[alone].as_f64().expect("a number") > 0.0, "{row}");
        }
    }
    // What does not depend on the weights.
    for fact in [
        "rows",
        "updated_rows",
        "updates",
        "refreshes",
        "cache_hits",
        "all_blocks",
        "weights",
        "accumulator",
    ] {
        assert_eq!(real[fact], dummy[fact], "{fact}");
    }
    assert_eq!(real["checksum"], "ce87e0e4");
    assert_ne!(dummy["checksum"], "ce87e0e4");
    assert_eq!(dummy["all_blocks"], 32);
    let blocks = dummy["blocks"].as_f64().expect("a number");
    assert!((6.0..=10.0).contains(&blocks), "{blocks}");
    // The bounds hold for every evaluator that is lazy and keeps a refresh cache (see
    // `nnue-cli/trace`).
    let number = |key: &str| real[key].as_f64().expect("a number");
    let evaluations = report["evaluations"].as_f64().expect("a number");
    assert_eq!(evaluations, 97_226.0);
    for (count, range) in [
        (number("rows"), 6.0..8.5),
        (number("updates") / evaluations, 1.4..2.4),
        (number("refreshes") / evaluations, 0.3..0.46),
        (number("cache_misses"), 2.0..200.0),
    ] {
        assert!(range.contains(&count), "{count} in {range:?}");
    }
    let rows = number("updated_rows") + number("refreshed_rows");
    assert!((rows / evaluations - number("rows")).abs() < 1e-9);
    let refreshes = number("cache_hits") + number("cache_misses");
    assert_eq!(refreshes, number("refreshes"));
}

fn a_table_says_what_was_measured(run: Run<'_>) {
    let found = run(&[SIMPLE]);
    let table = measured(&found);
    assert!(table.starts_with("nanoseconds"), "{table}");
    let row = table.lines().nth(1).expect("a row");
    assert!(row.starts_with("bullet simple *"), "{table}");
    for absent in ["checksum", "...", "NaN"] {
        assert!(!table.contains(absent), "{table}");
    }
    let found = run(&["--net", NET, "--details", "--engine=1M"]);
    let details = measured(&found);
    let words = [
        "\nquartiles ",
        "\nper evaluation ",
        "reading alone",
        "cache hits",
        "  ce87e0e4\n",
        "474,174 moves, 97,226 evaluations, 46 roots, 1 round, an engine with a hash table of 1 MB\n",
        "built for any processor\n",
        "\nAll 97,226 values of a network are equal by ",
    ];
    for word in words {
        assert!(details.contains(word), "no `{word}` in {details}");
    }
}

fn every_level_computes_the_same(run: Run<'_>) {
    let report = json(run, &["--net", NET, "--level", "all"]);
    let found = rows(&report).iter().map(|row| {
        assert_eq!(row["checksum"], "ce87e0e4");
        assert_eq!(row["spec"], "small128");
        row["level"].as_str().expect("a name")
    });
    let found: Vec<&str> = found.collect();
    let levels: Vec<&str> = Level::available().map(Level::name).collect();
    assert_eq!(found, levels);
    // Each is there once, in the order of the options, which come before the environment.
    let (first, last) = (levels[0], levels[levels.len() - 1]);
    let mut both = vec![last, first];
    both.dedup();
    let named = format!("{},{last}", both.join(","));
    let report = json(run, &["--net", NET, "--level", &named]);
    let found = rows(&report).iter().map(|row| row["level"].as_str());
    assert!(found.eq(both.into_iter().map(Some)));
}

fn a_search_of_ones_own_is_followed(run: Run<'_>) {
    let checksum = |name: &str, content: &[u8]| {
        let trace = scratch(name, content);
        let report = json(run, &["small128", "--net", NET, "--trace", &trace]);
        let [moves, evaluations, roots] =
            ["moves", "evaluations", "roots"].map(|key| report[key].as_u64());
        assert_eq!((moves, evaluations, roots), (Some(11), Some(10), Some(2)));
        rows(&report)[0]["checksum"].to_string()
    };
    let plain = checksum("plain.txt", TRACE.as_bytes());
    assert_eq!(checksum("packed.txt.gz", &gzip(TRACE)), plain);
    let swapped: Vec<&str> = TRACE.lines().rev().collect();
    assert_ne!(
        checksum("swapped.txt", swapped.join("\n").as_bytes()),
        plain
    );
}

#[cfg(target_os = "linux")]
fn processes_share_their_weights_and_compute_the_same(run: Run<'_>) {
    let trace = scratch("processes.txt", TRACE.as_bytes());
    let common = ["--net", NET, "--trace", &trace];
    let alone = json(run, &common);
    let together = [&common[..], &["--processes=3", "--engine=64K"]].concat();
    let together = json(run, &together);
    let row = &rows(&together)[0];
    assert_eq!(row["processes"], 3);
    assert_eq!(row["checksum"], rows(&alone)[0]["checksum"]);
    for kind in ["private", "shared"] {
        let rates = row[kind]["evaluations_per_second"].as_array();
        let rates = rates.expect("a list").iter().map(|rate| rate.as_f64());
        let rates: Vec<f64> = rates.collect::<Option<_>>().expect("numbers");
        assert!(rates.len() == 1 && rates[0] > 0.0, "{rates:?}");
        assert_eq!(row[kind]["not_shared"], Value::Null);
    }
    let memory = |kind: &str| row[kind]["memory"].as_u64().expect("Linux tells it");
    // Three copies of 6.5 MB, and one. Half of what is saved is asked for, because the pages of the
    // program count too.
    let (private, shared) = (memory("private"), memory("shared"));
    assert!(private > shared + 6_500_000, "{private} and {shared}");
    let table = run(&[&common[..], &["--processes=1"]].concat());
    let table = measured(&table);
    assert!(table.starts_with("small128 · "), "{table}");
    let heads = "\n1 processes                  private weights  shared weights\n";
    assert!(table.contains(heads), "{table}");
}

/// A run of `nnue bench --watch`, which ends only here.
struct Watching<T> {
    child: Child,
    printed: Receiver<T>,
}

impl<T: Send + 'static> Watching<T> {
    /// Starts it; `parts` makes of its output what the test waits for.
    fn start<P: Iterator<Item = T>>(
        arguments: &[&str],
        parts: impl FnOnce(BufReader<Box<dyn Read + Send>>) -> P + Send + 'static,
    ) -> Watching<T> {
        let mut command = nnue(&[&["bench", "--watch"], arguments].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let (sender, printed) = channel();
        let out: Box<dyn Read + Send> = Box::new(child.stdout.take().expect("is piped"));
        thread::spawn(move || {
            // The test may have ended.
            for part in parts(BufReader::new(out)) {
                let _ = sender.send(part);
            }
        });
        Watching { child, printed }
    }

    /// The next part, for which the machine may take its time.
    fn next(&self) -> T {
        let limit = Duration::from_secs(10 * 60);
        self.printed
            .recv_timeout(limit)
            .expect("something is printed")
    }
}

impl<T> Drop for Watching<T> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Specs that are wrong are compiled by nothing, and watched like others.
#[test]
fn a_file_that_changes_is_read_again() {
    let cache = text(&scratch_path("bench-watched-cache"));
    let path = scratch_path("bench-watched.toml");
    let spec = text(&path);
    let arguments = ["--json", "--cache", &cache, &spec];
    let watching = Watching::start(&arguments, |out| {
        let reports = serde_json::Deserializer::from_reader(out).into_iter::<Value>();
        reports.map(|report| report.expect("JSON"))
    });
    let expect = |words: &str| {
        let report = watching.next();
        assert!(report["rows"].as_array().is_some_and(Vec::is_empty));
        let error = report["errors"][0]["error"].as_str().expect("a message");
        assert!(error.contains(words), "{error}");
    };
    expect("cannot read `");
    replace(&spec, "name = 1\n");
    expect("`name` is an integer");
    replace(&spec, "name = true\n");
    expect("`name` is a boolean");
    fs::remove_file(&path).expect("it is there");
    expect("cannot read `");
}

/// Puts a text into a file: a reader always finds the whole old text or the whole new text.
fn replace(path: &str, text: &str) {
    let part = format!("{path}.part");
    let written = fs::write(&part, text).and_then(|()| fs::rename(&part, path));
    written.expect("the folder for tests is writable");
}

/// Compiles a program with the optimiser, twice. CI runs it.
#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn an_edited_network_is_measured_again() {
    let (_turn, cache) = program::cache();
    let simple = fs::read_to_string(SIMPLE).expect("the spec is there");
    let spec = scratch("bench-edited.toml", simple.as_bytes());
    let arguments = ["--rounds=1", "--cache", &cache, &spec];
    let watching = Watching::start(&arguments, |out| {
        out.lines().map(|line| line.expect("text"))
    });
    let row = || {
        while !watching.next().starts_with("nanoseconds ") {}
        watching.next()
    };
    let first = row();
    assert!(first.starts_with("bullet simple * "), "{first}");
    let edited = simple.replacen("bullet simple", "edited", 1);
    assert_ne!(edited, simple);
    replace(&spec, &edited);
    let second = row();
    assert!(second.starts_with("edited * "), "{second}");
}

/// Two runs in one cache would write each other's workspace.
#[test]
fn runs_in_one_cache_take_turns() {
    let cache = scratch_path("bench-turns");
    let folder = cache.join("bench");
    fs::create_dir_all(&folder).expect("folders can be made");
    let other = Lock::folder(&folder).expect("nobody else has it");
    let mut bench = nnue(&["bench", "--cache", &text(&cache), "no/such.toml"]);
    bench.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut bench = bench.spawn().expect("the program starts");
    let mut errors = BufReader::new(bench.stderr.take().expect("is piped"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("text");
    assert!(line.contains("waiting for another `nnue`"), "{line}");
    // It does not end while the other one is at work.
    assert!(bench.try_wait().expect("it is ours").is_none());
    drop(other);
    let mut rest = String::new();
    errors.read_to_string(&mut rest).expect("text");
    assert!(rest.contains("cannot read `no/such.toml`"), "{rest}");
    assert_eq!(bench.wait().expect("it is ours").code(), Some(1));
    fs::remove_dir_all(cache).expect("the folder can be removed");
}

#[test]
fn levels_that_are_unknown_are_refused() {
    let cache = text(&scratch_path("bench-level"));
    let arguments = ["bench", "--cache", &cache, "no/such.toml"];
    let unknown = nnue(&arguments).env("NNUE_LEVEL", "avx3").output();
    let unknown = unknown.expect("the program starts");
    assert_refused(&unknown, 1, &["`NNUE_LEVEL`", "`avx3`", "avx512icl"]);
    // The option is asked first, and then the environment does not matter.
    let both = [&arguments[..], &["--level", Level::BASELINE.name()]].concat();
    let told = nnue(&both).env("NNUE_LEVEL", "avx3").output();
    let told = told.expect("the program starts");
    assert_refused(&told, 1, &["cannot read `no/such.toml`"]);
    let known = nnue(&arguments)
        .env("NNUE_LEVEL", Level::BASELINE.name())
        .output();
    let known = known.expect("the program starts");
    assert_refused(&known, 1, &["cannot read `no/such.toml`"]);
    let option = [&arguments[..], &["--level", "scalar,avx3"]].concat();
    assert_refused(
        &nnue(&option).output().expect("the program starts"),
        2,
        &["'avx3'"],
    );
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let cache = text(&scratch_path("bench-refused"));
    let bench =
        |arguments: &[&str]| refusal(1, &[&["bench", "--cache", &cache][..], arguments].concat());
    assert!(bench(&["no/such.toml"]).contains("cannot read `no/such.toml`"));
    let json = nnue(&["bench", "--json", "--cache", &cache, "no/such.toml"]).output();
    let report = json.expect("the program starts").stdout;
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let error = report["errors"][0]["error"].as_str().expect("a message");
    assert!(error.starts_with("cannot read `no/such.toml`: "), "{error}");
    let custom = bench(&["../specs/games/ataxx.toml"]);
    assert!(custom.contains("custom feature sets"), "{custom}");
    let runtime = bench(&[SMALL128, "--runtime", "tests"]);
    assert!(
        runtime.contains("`tests` has no `nnue-runtime`"),
        "{runtime}"
    );
    let net = bench(&["sfnnv1", "--net", NET]);
    assert!(
        net.contains("a net file of none of the specs: `sfnnv1`: "),
        "{net}"
    );
    let net = bench(&["../specs/sfnnv1.toml", "--net", NET]);
    assert!(
        net.contains("a net file of none of the specs: `../specs/sfnnv1.toml`: "),
        "{net}"
    );
    let other = bench(&["--net", "no/such.nnue"]);
    assert!(other.contains("no/such.nnue"), "{other}");
}

#[test]
fn traces_that_cannot_be_used_are_refused() {
    let first = TRACE.lines().next().expect("a line");
    let refused = |path: &str| run(&["bench", SMALL128, "--trace", path]);
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
        assert_refused(&refused(&trace), 1, &[words, &[name]].concat());
    }
    assert_refused(&refused("no/such.txt"), 1, &["cannot read `no/such.txt`"]);
}

#[test]
fn wrong_options_are_usage_errors() {
    let cases: [(&[&str], &[&str]); 14] = [
        (&[], &["<SPEC>"]),
        (&["sfnv5"], &["did you mean `sfnnv5`?"]),
        (
            &[SMALL128, "--level", "avx3"],
            &["'avx3'", "avx512icl", "all"],
        ),
        (&[SMALL128, "--level", "scalar,"], &["--level <NAMES>"]),
        (
            &[SMALL128, "--rounds", "0"],
            &["'0' for '--rounds <N>'", "1..=1000"],
        ),
        (&[SMALL128, "--density", "1.5"], &["from 0 to 1"]),
        (
            &[SMALL128, "--engine=256k"],
            &["'256k' for '--engine[=<SIZE>]'", "256M"],
        ),
        (&[SMALL128, "--engine=0"], &["'0' for", "from 1K to 64G"]),
        (
            &[SMALL128, "--engine=65G"],
            &["'65G' for", "from 1K to 64G"],
        ),
        (&[SMALL128, "--processes=0"], &["1..=256"]),
        (&[SMALL128, "--processes=2", "--watch"], &["--watch"]),
        (
            &[SMALL128, "--processes=2", "--level=all"],
            &["several levels"],
        ),
        (&[SMALL128, "--trace", "-"], &["standard input"]),
        (&["--net", "-"], &["standard input"]),
    ];
    for (arguments, words) in cases {
        let refused = run(&[&["bench"], arguments].concat());
        assert_refused(&refused, 2, &[words, &["--help"]].concat());
    }
}
