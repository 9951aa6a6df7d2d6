//! `nnue check`, `plan`, `expand` and `completions`, as a person meets them.

mod program;

use std::collections::BTreeSet;

use nnue_compiler::diagnostics::SourceFile;
use nnue_test_support::net_file::random_net_file;
use serde_json::{Value, json};

use crate::program::{output, refusal, run, scratch};

const SPEC: &str = "../specs/small128.toml";

fn level_names() -> Vec<&'static str> {
    nnue_levels::ISAS.iter().map(|isa| isa.name).collect()
}

#[test]
fn check_shows_the_network() {
    let text = output(&["check", SPEC]);
    for expected in [
        "small128",
        "HalfKAv2_hm",
        "fc_0",
        "file: version 0x7af32f20",
        "memory: weights ",
    ] {
        assert!(text.contains(expected), "no `{expected}` in\n{text}");
    }
}

#[test]
fn known_specs_have_names() {
    for (name, file) in [("small128", SPEC), ("SFNNv9", "../specs/sfnnv9.toml")] {
        for command in ["check", "describe", "plan"] {
            assert_eq!(output(&[command, name]), output(&[command, file]));
        }
    }
}

/// The tensors of a stack are together, or those of a layer in all stacks.
#[test]
fn check_shows_the_order_of_the_file_stack_by_stack() {
    let file = |spec: &str| {
        let text = output(&["check", &format!("../tests/specs/formats/{spec}.toml")]);
        let line = text.lines().find(|line| line.starts_with("file: "));
        line.expect("the file is shown").to_string()
    };
    assert_eq!(
        file("stacks"),
        "file: transformer.weights i16 (feature, neuron), transformer.biases i16; \
         then for each of 2 stacks fc_0.weights i8 (input / 2, output, input % 2), \
         fc_0.biases i32, fc_1.weights i16 (output, input), fc_1.biases i32, \
         fc_2.weights f32 (output, input), fc_2.biases f32, fc_3.weights f32, fc_3.biases f32"
    );
    assert_eq!(
        file("grouped_stacks"),
        "file: transformer.weights i16 (feature, neuron), transformer.biases i16; \
         then for each of 2 stacks fc_0.weights i8 (input, output), fc_0.biases i32; \
         then for each of 2 stacks fc_2.biases f32, fc_1.weights i16 (output, input), \
         fc_1.biases i32; then for each of 2 stacks fc_2.weights f32 (output, input), \
         fc_3.weights f32, fc_3.biases f32"
    );
}

#[test]
fn plan_shows_every_level_or_the_one_asked_for() {
    let all = output(&["plan", SPEC]);
    for level in level_names() {
        let one = output(&["plan", SPEC, "--level", level]);
        let (prefetch, one) = one.split_once("\n\n").expect("the level's plan follows");
        assert!(
            all.starts_with(prefetch),
            "{prefetch}\ndoes not begin\n{all}"
        );
        assert!(one.starts_with(&format!("{level}: ")), "{one}");
        assert!(all.contains(one), "{one}\nis no part of\n{all}");
        assert_eq!(one.matches("accumulate").count(), 1);
    }
    assert_eq!(all.matches("accumulate").count(), level_names().len());
    assert_eq!(output(&["plan", "--unroll", "auto", SPEC]), all);
    assert_ne!(output(&["plan", "--unroll", "full", SPEC]), all);
}

#[test]
fn expand_prints_formatted_rust() {
    let text = output(&["expand", SPEC, "--level", "avx2"]);
    let file = syn::parse_file(&text).expect("it is Rust");
    assert_eq!(prettyplease::unparse(&file), text);
    let modules = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) => Some(module.ident.to_string()),
        _ => None,
    });
    assert_eq!(modules.collect::<Vec<_>>(), ["avx2"]);
}

#[test]
fn help_names_the_levels() {
    let help = output(&["plan", "-h"]);
    for level in level_names() {
        assert!(help.contains(level), "no {level} in\n{help}");
    }
}

/// A plan as `--json` prints it.
fn plans(arguments: &[&str]) -> Value {
    let text = output(&[&["plan", "--json"], arguments].concat());
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn plans_as_json_are_those_of_the_text() {
    let all = plans(&["../specs/sfnnv5.toml"]);
    assert_eq!(all["network"], "SFNNv5");
    let prefetch = json!({ "weights": [2], "psqt": 1, "ahead": null });
    assert_eq!(all["prefetch"], prefetch);
    let levels = all["levels"].as_array().expect("a list");
    let names: Vec<&Value> = levels.iter().map(|plan| &plan["level"]).collect();
    assert_eq!(names, level_names());
    let one = plans(&["../specs/sfnnv5.toml", "--level", "avx2"]);
    let [avx2] = &one["levels"].as_array().expect("a list")[..] else {
        panic!("{one}");
    };
    assert!(levels.contains(avx2));
    assert_eq!(avx2["vector_bytes"], 32);
    assert_eq!(avx2["accumulate"]["code_of"], Value::Null);
    assert_eq!(
        avx2["accumulate"]["updates"],
        json!([[1, 1], [1, 2], [2, 2]])
    );
    assert_eq!(
        avx2["layers"],
        json!([
            { "name": "fc_0", "kernel": "sparse", "blocks": 256, "vectors": 2, "side_by_side": 1, "needs_proof": false },
            { "name": "ac_sqr_0", "kernel": "elementwise", "values": 15 },
            { "name": "ac_0", "kernel": "elementwise", "values": 15 },
            { "name": "fc_1", "kernel": "dense", "blocks": 8, "vectors": 4, "side_by_side": 1, "needs_proof": false, "steps": "straight_line" },
            { "name": "ac_1", "kernel": "elementwise", "values": 32 },
            { "name": "fc_2", "kernel": "rows", "outputs": 1, "inputs": 32, "needs_proof": false },
        ])
    );
    // The same numbers as in the text, of each level.
    let text = output(&["plan", "../specs/sfnnv5.toml"]);
    for (plan, shown) in levels.iter().zip(text.split("\n\n").skip(1)) {
        let line = |name: &str| {
            let mut lines = shown.lines().map(str::trim_start);
            lines.find(|line| line.starts_with(name)).expect("a line")
        };
        let number = |value: &Value| value.as_u64().expect("a number");
        let head = format!(
            "{}: vectors of {} bytes",
            plan["level"].as_str().expect("a name"),
            number(&plan["vector_bytes"])
        );
        assert!(shown.trim_start().starts_with(&head), "{shown}");
        let accumulate = &plan["accumulate"];
        let expected = match accumulate["code_of"].as_str() {
            Some(level) => format!(" as {level}"),
            None => format!(
                " {} tile(s) of {} registers of {} x i16",
                number(&accumulate["tiles"]),
                number(&accumulate["registers"]),
                number(&accumulate["lanes"])
            ),
        };
        assert!(line("accumulate").contains(&expected), "{shown}");
        let transform = &plan["transform"];
        assert_eq!(transform["outputs"], "bytes");
        let expected = format!(
            " {} packed vector(s) of each perspective in groups of {}",
            number(&transform["vectors"]),
            number(&transform["group"])
        );
        assert!(line("transform").contains(&expected), "{shown}");
        for layer in plan["layers"].as_array().expect("a list") {
            let name = layer["name"].as_str().expect("a name");
            let kernel = layer["kernel"].as_str().expect("a name");
            let words = match kernel {
                "function" => format!("kernel `{}`", layer["name"].as_str().expect("a name")),
                _ => format!("{kernel}: "),
            };
            assert!(line(&format!("{name} ")).contains(&words), "{shown}");
        }
    }
}

/// All kinds of kernels that there are have their names in JSON.
#[test]
fn plans_of_all_layers_are_json() {
    let mut kernels = BTreeSet::new();
    for entry in std::fs::read_dir("../tests/specs/layers").expect("a folder") {
        let path = entry.expect("a file").path();
        let found = plans(&[path.to_str().expect("text")]);
        for plan in found["levels"].as_array().expect("a list") {
            for layer in plan["layers"].as_array().expect("a list") {
                kernels.insert(layer["kernel"].as_str().expect("a name").to_string());
            }
        }
    }
    let expected = [
        "columns",
        "dense",
        "elementwise",
        "function",
        "fused",
        "rows",
        "sparse",
    ];
    assert!(kernels.iter().eq(expected.iter()), "{kernels:?}");
}

#[test]
fn a_checked_network_is_json() {
    let checked = |arguments: &[&str]| -> Value {
        let text = output(&[&["check", "--json"], arguments].concat());
        serde_json::from_str(&text).expect("JSON")
    };
    let found = checked(&[SPEC]);
    let described: Value = serde_json::from_str(&output(&["describe", SPEC])).expect("JSON");
    assert_eq!(found["network"], described);
    assert_eq!(found["weights"], Value::Null);
    let memory = &found["memory"];
    assert_eq!(memory, &json!({ "weights": 6_515_520, "accumulator": 640 }));
    let shown = output(&["check", SPEC]);
    let expected = format!(
        "memory: weights {} bytes, accumulator {} bytes\n",
        memory["weights"], memory["accumulator"]
    );
    assert!(shown.ends_with(&expected), "{expected} in {shown}");
    let net = "../examples/nets/nn-37f18f62d772.nnue";
    let weights = &checked(&[SPEC, "--net", net])["weights"];
    assert_eq!(
        (&weights["file"], &weights["clamped"]),
        (&json!(net), &json!([]))
    );
    assert_eq!(weights["untold"][0], "shifts");

    let clamped = "../tests/specs/formats/clamped.toml";
    let text = std::fs::read_to_string(clamped).expect("the spec is there");
    let network = nnue_compiler::analyse(&SourceFile::new(clamped, text)).expect("it is right");
    let net = scratch("check-clamped.net", &random_net_file(&network, 3));
    let found = checked(&[clamped, "--net", &net]);
    let shown = output(&["check", clamped, "--net", &net]);
    let all = found["weights"]["clamped"].as_array().expect("a list");
    assert!(!all.is_empty(), "{found}");
    for Clamped { place, values } in all.iter().map(Clamped::of) {
        let line = format!("{values} values of `{place}` do not fit");
        assert!(shown.contains(&line), "{line} in {shown}");
    }
}

/// A tensor whose values do not all fit.
struct Clamped<'v> {
    place: &'v str,
    values: u64,
}

impl Clamped<'_> {
    fn of(value: &Value) -> Clamped<'_> {
        Clamped {
            place: value["place"].as_str().expect("a name"),
            values: value["values"].as_u64().expect("a number"),
        }
    }
}

#[test]
fn every_shell_has_completions() {
    for (shell, word) in [
        ("bash", "complete -F _nnue"),
        ("zsh", "#compdef nnue"),
        ("fish", "complete -c nnue"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let text = output(&["completions", shell]);
        assert!(text.contains(word) && text.contains("expand"), "{text}");
    }
}

#[test]
fn wrong_arguments_are_answered_with_the_nearest() {
    for (arguments, words) in [
        (&["chek", SPEC][..], &["'chek'", "similar", "'check'"][..]),
        (&["compile"], &["'compile'"]),
        (
            &["plan", SPEC, "--levle", "avx2"],
            &["'--levle'", "'--level'"],
        ),
        (&["check", SPEC, "--level", "avx2"], &["'--level'"]),
        (
            &["plan", SPEC, "--level", "avx22"],
            &["'avx22'", "avx512icl", "'avx2'"],
        ),
        (
            &["expand", SPEC, "--unroll", "ful"],
            &["'ful'", "auto, full", "'full'"],
        ),
        (&["plan", SPEC, "--level"], &["'--level <NAME>'"]),
        (&["check"], &["<SPEC>"]),
        (
            &["check", "sfnv5"],
            &["a TOML file", "`small128`", "did you mean `sfnnv5`?"],
        ),
        (&["plan", "a", "b"], &["'b'"]),
    ] {
        let message = refusal(2, arguments);
        assert!(message.starts_with("error: "), "{message}");
        for word in words {
            assert!(message.contains(word), "no {word} in {message}");
        }
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let text = refusal(1, &["check", "no/such.toml"]);
    assert!(
        text.starts_with("error: cannot read `no/such.toml`: "),
        "{text}"
    );
    let latin1 = scratch("latin1.toml", b"name = \"gr\xFC\xDFe\"");
    let text = refusal(1, &["check", &latin1]);
    assert_eq!(
        text,
        format!("error: `{latin1}` is not UTF-8 text: the byte at offset 10 is invalid\n")
    );
    let text = refusal(1, &["check", SPEC, "--net", "no/such.nnue"]);
    assert!(
        text.starts_with("error: cannot read `no/such.nnue`: "),
        "{text}"
    );
}

#[test]
fn wrong_specs_and_net_files_are_errors() {
    let spec = scratch("wrong.toml", b"name = 1\n[output]\n");
    let text = refusal(1, &["plan", &spec]);
    assert!(
        text.contains("error: `name` is an integer, expected a string\n"),
        "{text}"
    );
    assert!(
        text.ends_with(&format!("found 6 errors in {spec}\n")),
        "{text}"
    );
    let weights = scratch("wrong.nnue", &[0; 8]);
    assert_eq!(
        refusal(1, &["check", SPEC, "--net", &weights]),
        format!(
            "error: `{weights}` is not a net file for small128: file version at offset 0 is 0x00000000, expected 0x7af32f20 for small128: this is a file that begins with zeros\n"
        )
    );
}

#[test]
fn a_net_of_another_width_is_told_by_its_width() {
    let net = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/nets/nn-37f18f62d772.nnue"
    );
    let text = std::fs::read_to_string(SPEC).expect("the spec is there");
    let text = text.replace("width = 128", "width = 192");
    let spec = scratch("wider.toml", text.as_bytes());
    assert_eq!(
        refusal(1, &["check", &spec, "--net", net]),
        format!(
            "error: `{net}` is not a net file for small128: this is another network: \
             width is 128 in the file and 192 in the spec \
             (the network hash at offset 4 is 0x1c103c92, expected 0x1c103c62 for small128)\n"
        )
    );
}

#[cfg(unix)]
#[test]
fn arguments_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let path = OsStr::from_bytes(b"no/such\xFF.toml");
    let message = refusal(1, &[OsStr::new("check"), path]);
    assert!(
        message.starts_with("error: cannot read `no/such\u{FFFD}.toml`: "),
        "{message}"
    );
    assert_eq!(run(&[OsStr::from_bytes(b"\xFF")]).status.code(), Some(2));
}

#[test]
fn weights_may_be_compressed_with_zstd() {
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/files/packed.toml");
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/files/packed.net");
    let text = output(&["check", spec, "--net", net]);
    let expected = format!("`{net}` is a net file for Packed; no file tells: shifts, ");
    assert!(text.contains(&expected), "{text}");
}
