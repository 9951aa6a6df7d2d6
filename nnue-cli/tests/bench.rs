//! `nnue bench`, as a person meets it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use nnue_runtime::Level;
use nnue_tools::files::Lock;
use serde_json::Value;

use crate::program::{assert_refused, nnue, output, refusal, scratch, scratch_path, text};

const SMALL128: &str = "../specs/small128.toml";
const SIMPLE: &str = "../specs/bullet/simple.toml";
const NET: &str = "../examples/nets/nn-37f18f62d772.nnue";

/// Compiles three programs with the optimiser, which takes a minute. CI runs it.
#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn networks_are_measured_beside_each_other() {
    let cache = scratch_path("bench-cache");
    let broken = scratch("bench-broken.toml", b"name = 1");
    let arguments = ["bench", SMALL128, SIMPLE, &broken, "small128", "--net", NET];
    let options = ["--rounds=1", "--json", "--density=0.25", "--cache"];
    let mut command = nnue(&[&arguments[..], &options[..], &[&text(&cache)]].concat());
    let found = command.output().expect("the program starts");
    // One of them is wrong, and the others have their rows.
    let errors = String::from_utf8_lossy(&found.stderr);
    assert_eq!(found.status.code(), Some(1), "{errors}");
    let report: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let rows = report["rows"].as_array().expect("rows");
    let names: Vec<&str> = rows
        .iter()
        .map(|row| row["network"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["small128", "bullet simple", "small128"]);
    assert_eq!(report["errors"][0]["spec"], broken.as_str());
    let [real, simple, dummy] = &rows[..] else {
        panic!("three rows");
    };
    assert_eq!(real["net"], NET);
    assert!(dummy["net"].is_null() && simple["net"].is_null());
    for row in rows {
        for time in ["incremental", "in_engine", "refresh", "forward"] {
            assert!(row[time].as_f64().expect("a time") > 0.0, "{row}");
        }
    }
    // What does not depend on the weights.
    for fact in ["rows", "all_blocks", "weights", "accumulator"] {
        assert_eq!(real[fact], dummy[fact]);
    }
    assert_eq!(dummy["all_blocks"], 32);
    let blocks = dummy["blocks"].as_f64().expect("a number");
    assert!((6.0..=10.0).contains(&blocks), "{blocks}");
    // The second time nothing is compiled, and a table is printed.
    let table = output(&["bench", SIMPLE, "--rounds=1", "--cache", &text(&cache)]);
    assert!(table.starts_with("nanoseconds"), "{table}");
    assert!(
        table
            .lines()
            .nth(1)
            .expect("a row")
            .starts_with("bullet simple *"),
        "{table}"
    );
    std::fs::remove_dir_all(cache).expect("the folder can be removed");
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

/// Puts a text into a file: whoever reads it in between finds the old one or the new one.
fn replace(path: &str, text: &str) {
    let part = format!("{path}.part");
    let written = fs::write(&part, text).and_then(|()| fs::rename(&part, path));
    written.expect("the folder for tests is writable");
}

/// Compiles a program with the optimiser, twice. CI runs it.
#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn an_edited_network_is_measured_again() {
    let cache = scratch_path("bench-edited-cache");
    let simple = fs::read_to_string(SIMPLE).expect("the spec is there");
    let spec = scratch("bench-edited.toml", simple.as_bytes());
    let arguments = ["--rounds=1", "--cache", &text(&cache), &spec];
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
    drop(watching);
    fs::remove_dir_all(cache).expect("the folder can be removed");
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
    for (arguments, word) in [
        (["--level", "avx3"], "avx512icl"),
        (["--rounds", "0"], "1..=1000"),
        (["--density", "1.5"], "from 0 to 1"),
    ] {
        let message = refusal(2, &[&["bench", SMALL128][..], &arguments].concat());
        assert!(message.contains(word), "{message}");
    }
}
