//! `nnue adopt`: what is said of a file without a header, and what is written for it.

use std::fs;
use std::path::Path;

use nnue_compiler::format::attached::attach;
use nnue_compiler::network::file::Role;
use nnue_compiler::schema::with_schema;
use nnue_runtime::Level;
use nnue_test_support::net_file::{net_file_of, random_net_file};
use serde_json::{Value, json};

use crate::networks::network;
use crate::program::{
    self, nnue, output, refusal, run, scratch, scratch_path, stderr, stdout, text,
};

const SMALL128: &str = "../examples/nets/nn-37f18f62d772.nnue";

/// A file of bullet's simple example with few neurons: each counts material, with a little of the
/// square, and rows of pawns that cannot be are zero.
fn simple(name: &str) -> String {
    let spec = fs::read_to_string("../specs/bullet/simple.toml").expect("the spec is there");
    let spec = spec.replace("width = 128", "width = 16");
    let network = network(&spec);
    let file = net_file_of(&network, "", |weight| {
        let sign = if weight.column % 2 == 0 { 1.0 } else { -1.0 };
        match weight.role {
            Role::Weights(_) => {
                let (piece, square) = (weight.row / 64, weight.row % 64);
                let value = [1.0, 3.0, 3.0, 5.0, 9.0, 0.0][piece % 6];
                let side = if piece < 6 { 1.0 } else { -1.0 };
                let bend = ((square % 8 + weight.column * (piece + 1)) as f64 / 3.0).sin();
                (sign * side * value * 2.0 + 3.0 * bend).round()
            }
            Role::Biases(_) => 110.0,
            // The opponent's neurons count the other way.
            Role::LayerWeights(_) => sign * if weight.column < 16 { 20.0 } else { -20.0 },
            _ => 0.0,
        }
    });
    scratch(name, &file)
}

#[test]
fn a_file_without_a_header_gets_its_spec_and_a_module() {
    let net = simple("adopt-simple.bin");
    let folder = text(&scratch_path("adopt-out"));
    let said = output(&["adopt", &net, "--name", "Mine", "--out", &folder]);
    for words in [
        "bullet, one layer",
        "Ask the net's author for:\n",
        "* the scale of the evaluation, `scale`: ",
        "positions a second",
        "net.toml`",
    ] {
        assert!(said.contains(words), "no {words} in\n{said}");
    }
    let path = format!("{folder}/net.toml");
    let spec = fs::read_to_string(&path).expect("was written");
    assert!(
        spec.contains("# guess: the scale of the evaluation, SCALE\noutput.scale = 400\n"),
        "{spec}"
    );
    let checked = output(&["check", &path, "--net", &net]);
    assert!(checked.contains("is a net file for Mine"), "{checked}");
    let module = fs::read_to_string(format!("{folder}/net.rs")).expect("was written");
    assert!(
        module.contains("nnue_runtime::nnue_net!(\"net.toml\");"),
        "{module}"
    );
    assert!(
        module.contains("Network::open(\"adopt-simple.bin\")"),
        "{module}"
    );
}

#[test]
fn json_has_the_evidence_and_the_questions() {
    let net = simple("adopt-json.bin");
    let found: Value = serde_json::from_str(&output(&["adopt", &net, "--json"])).expect("JSON");
    let first = &found["guesses"][0];
    assert_eq!(first["family"], "bullet, one layer, as Patricia");
    assert!(
        first["evidence"]["material"].as_f64() > Some(0.9),
        "{first}"
    );
    assert!(
        first["spec"]
            .as_str()
            .is_some_and(|spec| spec.contains("width = 16"))
    );
    let questions = found["questions"].as_array().expect("a list");
    assert!(questions.iter().any(|question| question["key"] == "scale"));
    assert_eq!(found["recognised"], Value::Null);
}

#[test]
fn guesses_have_the_name_that_is_asked_for() {
    let net = simple("adopt-named.bin");
    // Rust's own way to quote has escapes that TOML lacks.
    let name = "e\u{301} \"b'\\";
    let found = output(&["adopt", &net, "--json", "--name", name]);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let guesses = found["guesses"].as_array().expect("a list");
    assert!(!guesses.is_empty());
    for guess in guesses {
        let spec = guess["spec"].as_str().expect("a text");
        let network = network(spec);
        assert_eq!(network.name, name, "{spec}");
    }
}

#[test]
fn names_that_no_network_can_have_are_refused() {
    let net = simple("adopt-name.bin");
    for (name, words) in [
        ("", "`name` is empty, expected what the network is called"),
        (" ", "`name` is empty, expected what the network is called"),
        (
            &*"n".repeat(65),
            "`name` has 65 characters, allowed are at most 64",
        ),
        ("a\u{200b}", "`name` has the hidden character U+200B"),
    ] {
        let said = refusal(2, &["adopt", &net, "--name", name]);
        assert!(said.contains(words), "{name:?}: {said}");
    }
}

#[test]
fn nothing_is_guessed_where_a_header_tells_the_network() {
    let said = output(&["adopt", SMALL128]);
    assert!(said.contains("is a net of a known network: "), "{said}");
    assert!(said.contains("nothing has to be guessed"), "{said}");
}

/// The spec and the module of a file that is recognised, and what is said of it.
fn written(net: &str, folder: &str) -> (String, String, String) {
    let said = output(&["adopt", net, "--out", folder, "--name", "Mine"]);
    let [spec, code] = ["net.toml", "net.rs"].map(|name| {
        let path = Path::new(folder).join(name);
        fs::read_to_string(path).expect("was written")
    });
    (said, spec, code)
}

#[test]
fn files_of_known_networks_get_their_spec_and_a_module() {
    let folder = text(&scratch_path("adopt-known"));
    let (said, spec, code) = written(SMALL128, &folder);
    for name in ["net.toml", "net.rs"] {
        let line = format!("Written: `{folder}/{name}`\n");
        assert!(said.contains(&line), "{said}");
    }
    let known = fs::read_to_string("../specs/small128.toml").expect("the spec is there");
    assert_eq!(spec, with_schema(&known));
    let value = output(&["eval", "startpos", "--raw", "--net", SMALL128]);
    let value = value.split_whitespace().last().expect("a number");
    let value = format!("value, {value},\n");
    assert!(code.contains(&value), "no {value} in {code}");

    let json = output(&["adopt", SMALL128, "--out", &folder, "--json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["recognised"], "small128");
    // Both are there already.
    assert_eq!(json["written"], json!([]));
}

#[test]
fn files_that_are_built_like_known_ones_get_a_spec_with_the_name() {
    let spec = fs::read_to_string("../specs/small128.toml").expect("the spec is there");
    let spec = spec.replace("width = 128", "width = 64");
    let network = network(&spec);
    let net = scratch("adopt-smaller.nnue", &random_net_file(&network, 1));
    let folder = text(&scratch_path("adopt-shape"));
    let (said, spec, code) = written(&net, &folder);
    assert!(
        said.contains("says how its network is built: Mine; its spec marks what is guessed\n"),
        "{said}"
    );
    assert!(spec.contains("name = \"Mine\"\n"), "{spec}");
    assert!(code.contains("nnue_net!(\"net.toml\")"), "{code}");
}

#[test]
fn a_spec_that_is_beside_the_net_stays_as_it_is() {
    let folder = scratch_path("adopt-beside");
    fs::create_dir_all(&folder).expect("temporary files can be written");
    let (net, out) = (folder.join("net.bin"), text(&folder));
    fs::copy(simple("adopt-beside.bin"), &net).expect("the same");
    let (said, spec, _) = written(&text(&net), &out);
    assert!(said.contains("The first"), "{said}");
    fs::remove_file(folder.join("net.rs")).expect("was written");

    let spec = spec.replace("scale = 400", "scale = 300");
    fs::write(folder.join("net.toml"), &spec).expect("the folder is writable");
    let (said, after, code) = written(&text(&net), &out);
    assert_eq!(after, spec);
    for words in [
        format!("is beside it, in `{out}/net.toml`: Mine; nothing has to be guessed\n"),
        format!("Written: `{out}/net.rs`\n"),
        format!("`{out}/net.toml` has this spec already\n"),
    ] {
        assert!(said.contains(&words), "no {words} in {said}");
    }
    assert!(code.contains("Network::open(\"net.bin\")"), "{code}");
}

#[test]
fn a_spec_behind_the_net_is_written_without_a_module_that_has_no_test() {
    let spec = fs::read_to_string("../specs/engines/velvet.toml").expect("the spec is there");
    let network = network(&spec);
    let file = attach(&random_net_file(&network, 1), &spec).expect("it is short");
    let net = scratch("adopt-behind.bin", &file);
    let folder = text(&scratch_path("adopt-behind"));
    let said = output(&["adopt", &net, "--out", &folder]);
    for words in [
        "is behind it: Velvet; nothing has to be guessed\n".into(),
        format!("Written: `{folder}/net.toml`\n"),
        format!("`{folder}/net.rs` is not written: its test needs "),
    ] {
        assert!(said.contains(&words), "no {words} in {said}");
    }
    let written = fs::read_to_string(format!("{folder}/net.toml")).expect("was written");
    assert_eq!(written, spec);
    assert!(!Path::new(&folder).join("net.rs").exists());
}

/// A spec that the file fits in size, with these words for the set, as a file.
fn spec_of_simple(name: &str, set: &str) -> String {
    let spec = fs::read_to_string("../specs/bullet/simple.toml").expect("the spec is there");
    let spec = spec.replace("width = 128", "width = 16");
    scratch(name, spec.replace("set = \"A\"", set).as_bytes())
}

#[test]
fn what_the_weights_speak_against_is_said_by_all_commands() {
    let net = simple("doubt.bin");
    let right = spec_of_simple("doubt-right.toml", "set = \"A\" #");
    let order = "set = \"A\"\npiece_order = \"interleaved\" #";
    let wrong = spec_of_simple("doubt-wrong.toml", order);
    let report = text(&scratch_path("doubt.html"));
    const WORDS: &str = "its weights speak against `piece_order` (interleaved, ";
    for (spec, is_wrong) in [(&right, false), (&wrong, true)] {
        for command in [
            &["check", spec, "--net", &net][..],
            &["info", &net, "--spec", spec],
            &["eval", "startpos", "--net", &net, "--spec", spec],
        ] {
            let said = run(command);
            assert!(said.status.success(), "{}", stderr(&said));
            let said = format!("{}{}", stdout(&said), stderr(&said));
            assert_eq!(said.contains(WORDS), is_wrong, "{said}");
        }
        output(&["report", &net, "--spec", spec, "--out", &report]);
        let page = fs::read_to_string(&report).expect("was written");
        assert_eq!(page.contains("its weights speak against"), is_wrong);
    }
    let said = output(&["info", &net, "--spec", &right]);
    let opening = "is a net file of bullet simple, whose spec was given\n";
    assert!(
        said.lines()
            .next()
            .is_some_and(|line| line.ends_with(opening.trim())),
        "{said}"
    );
}

/// Bytes of the length of bullet's simple example without padding, as nobody has trained them.
fn random(name: &str) -> String {
    let mut random = fastrand::Rng::with_seed(43);
    let bytes: Vec<u8> = (0..197_378).map(|_| random.u8(..)).collect();
    scratch(name, &bytes)
}

#[test]
fn nothing_is_written_where_no_guess_is_likely() {
    let net = random("adopt-random.bin");
    let folder = text(&scratch_path("adopt-random-out"));
    let said = run(&["adopt", &net, "--out", &folder]);
    assert_eq!(said.status.code(), Some(1));
    assert!(
        stdout(&said).contains("None is likely"),
        "{}",
        stdout(&said)
    );
    assert!(!Path::new(&folder).exists());
    let anyway = output(&["adopt", &net, "--out", &folder, "--anyway"]);
    assert!(anyway.contains("None is likely"), "{anyway}");
    assert!(Path::new(&folder).join("net.toml").exists());

    let zeros = scratch("adopt-zeros.bin", &[0; 197_440]);
    let said = run(&["adopt", &zeros]);
    assert_eq!(said.status.code(), Some(1), "{}", stdout(&said));
}

#[test]
fn padding_that_is_none_is_what_does_not_fit() {
    let mut bytes = fs::read(random("adopt-unpadded.bin")).expect("was written");
    bytes.resize(197_440, 7);
    let net = scratch("adopt-padding.bin", &bytes);
    let said = run(&["adopt", &net]);
    assert_eq!(said.status.code(), Some(1));
    let said = stdout(&said);
    assert!(
        said.contains("have files of 197378 bytes, but the 62 behind"),
        "{said}"
    );
}

#[test]
fn files_that_were_edited_are_kept() {
    let net = simple("adopt-edited.bin");
    let folder = text(&scratch_path("adopt-edited-out"));
    output(&["adopt", &net, "--out", &folder]);
    let path = format!("{folder}/net.rs");
    fs::write(&path, "// mine").expect("was written");
    let said = refusal(1, &["adopt", &net, "--out", &folder]);
    assert!(said.contains("is there and has other content"), "{said}");
    assert_eq!(fs::read_to_string(&path).expect("is there"), "// mine");
}

#[test]
fn modules_have_the_paths_of_the_package_around() {
    let package = scratch_path("adopt-package");
    fs::create_dir_all(package.join("src")).expect("the folder is writable");
    fs::write(package.join("Cargo.toml"), "[package]\nname = \"engine\"\n").expect("the same");
    let net = package.join("nets.bin");
    fs::copy(simple("adopt-package.bin"), &net).expect("the same");
    for (folder, spec, line) in [
        ("src", "src/net.toml", "`mod net;`"),
        (
            "src/eval",
            "src/eval/net.toml",
            "`#[path = \"eval/net.rs\"] mod net;`",
        ),
        (
            "nets",
            "nets/net.toml",
            "`#[path = \"../nets/net.rs\"] mod net;`",
        ),
    ] {
        let out = text(&package.join(folder));
        let said = output(&["adopt", &text(&net), "--out", &out]);
        assert!(said.contains(line), "{said}");
        let code = fs::read_to_string(format!("{out}/net.rs")).expect("was written");
        assert!(code.contains(&format!("nnue_net!(\"{spec}\")")), "{code}");
        assert!(code.contains("Network::open(\"nets.bin\")"), "{code}");
    }
}

#[test]
fn files_that_no_network_has_are_said_to_be_so() {
    let other = scratch("adopt-other.bin", &[7; 1001]);
    let said = run(&["adopt", &other]);
    assert_eq!(said.status.code(), Some(1));
    assert!(stdout(&said).contains("no network of the field has files of 1001 bytes"));
    refusal(1, &["adopt", "no/such.bin"]);
}

/// Compiles a program with the optimiser, and measures it at every instruction set, twice. CI runs it.
#[test]
#[ignore = "compiles with the optimiser, and measures: minutes"]
fn the_compiled_network_is_measured_at_every_instruction_set() {
    let net = simple("adopt-speed.bin");
    let (_turn, cache) = program::cache();
    let arguments = ["adopt", &net, "--speed", "--cache", &cache];
    let levels: Vec<&str> = Level::available().map(Level::name).collect();
    let found = run(&arguments);
    assert!(found.status.success(), "{}", stderr(&found));
    assert!(
        stderr(&found).starts_with("compiling, "),
        "{}",
        stderr(&found)
    );
    let said = stdout(&found);
    let mut lines = said
        .lines()
        .skip_while(|line| !line.starts_with("nanoseconds "));
    let head = lines.next().expect("there is a table");
    assert!(head.contains("along search"), "{said}");
    let rows = lines.map(|line| line.split_whitespace().collect::<Vec<&str>>());
    let rows: Vec<Vec<&str>> = rows.collect();
    let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(names, levels, "{said}");
    for row in &rows {
        assert!(row[1].parse().is_ok_and(|time: f64| time > 0.0), "{said}");
    }
    // The second time nothing is compiled.
    let found = nnue(&[&arguments[..], &["--json"]].concat()).output();
    let found: Value = serde_json::from_slice(&found.expect("it starts").stdout).expect("JSON");
    let compiled = found["compiled"].as_array().expect("a list");
    let names: Vec<&Value> = compiled.iter().map(|row| &row["level"]).collect();
    assert_eq!(names, levels);
}

#[test]
fn how_to_measure_is_said_where_nobody_asked_for_the_speed() {
    for net in [SMALL128, &simple("adopt-unmeasured.bin")] {
        let said = output(&["adopt", net]);
        assert!(said.contains("`--speed` compiles the network"), "{said}");
    }
}

/// What was found is said first.
#[test]
fn networks_that_cannot_be_compiled_are_said_to_be_so() {
    let net = simple("adopt-no-cargo.bin");
    let cache = text(&scratch_path("adopt-no-cargo-cache"));
    let arguments = ["adopt", &net, "--speed", "--cache", &cache];
    let mut without_cargo = nnue(&arguments);
    let without_cargo = without_cargo.env("CARGO", "no/such/cargo").output();
    let without_cargo = without_cargo.expect("the program starts");
    assert_eq!(without_cargo.status.code(), Some(1));
    assert!(stdout(&without_cargo).contains("Ask the net's author for:"));
    let error = stderr(&without_cargo);
    assert!(error.contains("\nerror: cannot run cargo, "), "{error}");

    let json = nnue(&[&arguments[..], &["--json"]].concat())
        .env("CARGO", "no/such/cargo")
        .output();
    let json = json.expect("it starts");
    assert_eq!((json.status.code(), stdout(&json)), (Some(1), ""));
    assert!(stderr(&json).contains("cannot run cargo"), "{json:?}");

    let other = scratch("adopt-speed-other.bin", &[7; 1001]);
    let said = run(&["adopt", &other, "--speed"]);
    assert_eq!((said.status.code(), stderr(&said)), (Some(1), ""));
    assert!(stdout(&said).contains("there is no network to compile for `--speed`"));

    let message = refusal(2, &["adopt", "-", "--speed"]);
    assert!(
        message.contains("found `--speed` with standard input"),
        "{message}"
    );
}

#[test]
fn networks_whose_features_the_engine_tells_are_not_measured() {
    let spec = fs::read_to_string("../specs/engines/velvet.toml").expect("the spec is there");
    let network = network(&spec);
    let file = attach(&random_net_file(&network, 1), &spec).expect("it is short");
    let net = scratch("adopt-told.bin", &file);
    let cache = text(&scratch_path("adopt-told-cache"));
    let said = run(&["adopt", &net, "--speed", "--cache", &cache]);
    assert_eq!(said.status.code(), Some(1));
    assert!(stdout(&said).contains("is behind it: Velvet"));
    let error = stderr(&said);
    assert!(
        error.contains("cannot measure the compiled network: it has custom feature sets"),
        "{error}"
    );
}
