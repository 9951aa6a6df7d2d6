//! The module as pages have it, which node runs: it is small, needs nothing of its host, and answers
//! as this program does.

use std::fs;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use nnue_playground::{Gallery, Playground};
use serde::Serialize;
use serde_json::{Value, json};

use crate::NET;

const TOLD: &str = "../../nets/primer.nnue";
const UNTOLD: &str = "../../nets/bullet.bin";

const FENS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "no position",
];

/// The most bytes of the module as servers send it. The page's script comes to it.
const MOST: usize = 2_500_000;

/// A function, and the text or the file that it gets.
type Call = (&'static str, Option<String>, Option<&'static str>);

fn calls() -> Vec<Call> {
    let specs = Gallery::all().specs;
    let text = |name: &str| {
        specs
            .iter()
            .find(|spec| spec.name == name)
            .map(|spec| spec.text.clone())
    };
    let mut calls: Vec<Call> = vec![
        ("plan", Some("avx2".into()), None),
        ("check", text("sfnnv16"), None),
        ("gallery", None, None),
        ("tensors", None, None),
        ("whole", None, None),
        ("plan", Some("avx512icl".into()), None),
        ("code", Some("neon".into()), None),
        ("code", Some("avx3".into()), None),
        (
            "check",
            Some("# é 𝄞\nname = 3\nlike = \"sfnv5\"".into()),
            None,
        ),
        ("check", text("small128"), None),
        ("drop", None, Some(NET)),
        ("adopt", None, None),
    ];
    calls.extend(FENS.map(|fen| ("evaluate", Some(fen.into()), None)));
    for spec in &specs {
        calls.push(("check", Some(spec.text.clone()), None));
        calls.push(("plan", Some("simd128".into()), None));
        calls.push(("fits", None, None));
    }
    calls.extend([("drop", None, Some(TOLD)), ("adopt", None, None)]);
    calls.extend([("drop", None, Some(UNTOLD)), ("adopt", None, None)]);
    calls
}

fn answered(answer: Result<impl Serialize, String>) -> Value {
    match answer {
        Ok(found) => json!({ "ok": found }),
        Err(error) => json!({ "error": error }),
    }
}

/// An answer with all numbers as JavaScript has them, which writes 1.0 as 1.
fn in_javascript(answer: Value) -> Value {
    match answer {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(values) => values.into_iter().map(in_javascript).collect(),
        Value::Object(members) => {
            let members = members.into_iter();
            members
                .map(|(key, value)| (key, in_javascript(value)))
                .collect()
        }
        other => other,
    }
}

fn native(page: &mut Playground, (name, text, file): &Call) -> Value {
    let bytes = match file {
        Some(file) => fs::read(file).expect("a file"),
        None => text.clone().unwrap_or_default().into_bytes(),
    };
    match *name {
        "gallery" => answered(Ok(Gallery::all())),
        "check" => answered(page.check(bytes)),
        "tensors" => answered(page.tensors()),
        "whole" => answered(page.whole()),
        "plan" => answered(page.plan(&bytes)),
        "code" => answered(page.code(&bytes)),
        "drop" => answered(page.drop(bytes)),
        "fits" => answered(page.fits()),
        "adopt" => answered(page.adopt()),
        "evaluate" => answered(page.evaluate(&bytes)),
        name => panic!("no function {name}"),
    }
}

#[test]
#[ignore = "needs node and the target wasm32-unknown-unknown; builds the module, which takes minutes"]
fn the_module_is_small_and_answers_as_native_code_does() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../wasm");
    let built = Command::new(env!("CARGO"))
        .args([
            "build",
            "--profile",
            "page",
            "-p",
            "nnue-playground",
            "--lib",
        ])
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(&target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status();
    assert!(built.expect("cargo").success(), "the module was not built");
    let module = target.join("wasm32-unknown-unknown/page/nnue_playground.wasm");
    let bytes = fs::read(&module).expect("the module");
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    std::io::copy(&mut &bytes[..], &mut packed).expect("memory");
    let packed = packed.finish().expect("memory").len();
    println!("{} bytes, {packed} compressed", bytes.len());
    assert!(packed < MOST, "the module has {packed} bytes, compressed");

    let calls = calls();
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("calls.json");
    fs::write(&list, json!(calls).to_string()).expect("a folder");
    let node = Command::new("node")
        .arg("tests/module.mjs")
        .args([&module, &list])
        .output();
    let node = node.expect("node");
    assert!(
        node.status.success(),
        "{}",
        String::from_utf8_lossy(&node.stderr)
    );
    let answers: Vec<Value> = serde_json::from_slice(&node.stdout).expect("JSON");
    let (times, answers) = answers.split_last().expect("the times come last");
    println!("SFNNv16 is checked and drawn in {times} ms: first, median");
    assert_eq!(answers.len(), calls.len());
    let mut page = Playground::default();
    // The module checks before it is asked for a plan.
    let checked = native(&mut page, &calls[1]);
    assert!(checked["ok"]["network"].is_object(), "{checked}");
    for (call, found) in calls.iter().zip(answers) {
        let expected = in_javascript(native(&mut page, call));
        let (name, text, file) = call;
        assert!(
            in_javascript(found.clone()) == expected,
            "{name} {text:?} {file:?}: {found:#} instead of {expected:#}"
        );
    }
}
