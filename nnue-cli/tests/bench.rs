//! `nnue bench`, as a person meets it.

mod program;

use serde_json::Value;

use crate::program::{nnue, output, refusal, scratch, scratch_path, text};

const SMALL128: &str = "../specs/small128.toml";
const SIMPLE: &str = "../specs/bullet/simple.toml";
const NET: &str = "../examples/nets/nn-37f18f62d772.nnue";

/// Compiles three programs with the optimiser, which takes a minute. CI runs it.
#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn networks_are_measured_beside_each_other() {
    let cache = scratch_path("bench-cache");
    let broken = scratch("bench-broken.toml", b"name = 1");
    let arguments = ["bench", SMALL128, SIMPLE, &broken, SMALL128, "--net", NET];
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
        for time in ["incremental", "refresh", "forward"] {
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
