//! The command `nnue-compiler`, as a person meets it.

use std::path::PathBuf;
use std::process::{Command, Output};

use nnue_compiler::diagnostics::list;

const SPEC: &str = "../../specs/small128.toml";

/// Runs the command in this package's folder.
fn level_names() -> Vec<&'static str> {
    nnue_levels::ISAS.iter().map(|isa| isa.name).collect()
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nnue-compiler"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the command starts")
}

/// Standard output of a run that must succeed, silently but for that.
fn output(arguments: &[&str]) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = run(arguments);
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(
        status.success() && stderr.is_empty(),
        "{arguments:?}: {status}, {stderr}"
    );
    String::from_utf8(stdout).expect("output is text")
}

/// Standard error of a run that must fail, and print nothing else.
fn refusal(arguments: &[&str]) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = run(arguments);
    assert_eq!(status.code(), Some(1), "{arguments:?}");
    assert!(stdout.is_empty(), "{arguments:?}");
    String::from_utf8(stderr).expect("errors are text")
}

/// A file for the command to read.
fn temporary(name: &str, bytes: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("temporary files can be written");
    path.into_os_string()
        .into_string()
        .expect("the folder's name is text")
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

/// The tensors of a stack are together, or those of a layer in all stacks.
#[test]
fn check_shows_the_order_of_the_file_stack_by_stack() {
    let file = |spec: &str| {
        let text = output(&["check", &format!("../../tests/specs/formats/{spec}.toml")]);
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
fn help_is_no_error() {
    let usage = output(&["--help"]);
    assert!(usage.starts_with("usage: nnue-compiler COMMAND SPEC"));
    for level in level_names() {
        assert!(usage.contains(level), "no {level} in\n{usage}");
    }
    assert_eq!(output(&["plan", "-h"]), usage);
    assert_eq!(refusal(&[]), usage);
    assert_eq!(
        refusal(&["check"]),
        format!("error: found 0 specs, expected one\n\n{usage}")
    );
    assert_eq!(
        refusal(&["plan", "a", "b"]),
        format!("error: found 2 specs, expected one\n\n{usage}")
    );
}

#[test]
fn unknown_words_are_answered_with_the_nearest() {
    let levels = list(level_names());
    let unknown_level =
        format!("unknown level `avx22`, allowed are {levels}: did you mean `avx2`?");
    for (arguments, expected) in [
        (
            &["chek", SPEC][..],
            "unknown command `chek`, allowed are `check`, `plan` or `expand`: did you mean `check`?",
        ),
        (
            &["compile"],
            "unknown command `compile`, allowed are `check`, `plan` or `expand`",
        ),
        (
            &["plan", SPEC, "--levle", "avx2"],
            "unknown option `--levle`, allowed are `--level` or `--unroll`: did you mean `--level`?",
        ),
        (
            &["check", SPEC, "--level", "avx2"],
            "unknown option `--level`, allowed are `--weights`",
        ),
        (&["plan", SPEC, "--level", "avx22"], &unknown_level),
        (
            &["expand", SPEC, "--unroll", "ful"],
            "unknown value of --unroll `ful`, allowed are `auto` or `full`: did you mean `full`?",
        ),
        (&["plan", SPEC, "--level"], "`--level` needs a value"),
    ] {
        assert_eq!(refusal(arguments), format!("error: {expected}\n"));
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let text = refusal(&["check", "no/such.toml"]);
    assert!(
        text.starts_with("error: cannot read `no/such.toml`: "),
        "{text}"
    );
    let latin1 = temporary("latin1.toml", b"name = \"gr\xFC\xDFe\"");
    let text = refusal(&["check", &latin1]);
    assert_eq!(
        text,
        format!("error: `{latin1}` is not UTF-8 text: the byte at offset 10 is invalid\n")
    );
    let text = refusal(&["check", SPEC, "--weights", "no/such.nnue"]);
    assert!(
        text.starts_with("error: cannot read `no/such.nnue`: "),
        "{text}"
    );
}

#[test]
fn wrong_specs_and_net_files_are_errors() {
    let spec = temporary("wrong.toml", b"name = 1\n[output]\n");
    let text = refusal(&["plan", &spec]);
    assert!(
        text.contains("error: `name` is an integer, expected a string\n"),
        "{text}"
    );
    assert!(
        text.ends_with(&format!("found 6 errors in {spec}\n")),
        "{text}"
    );
    let weights = temporary("wrong.nnue", &[0; 8]);
    assert_eq!(
        refusal(&["check", SPEC, "--weights", &weights]),
        format!(
            "error: `{weights}` is not a net file for small128: file version at offset 0 is 0x00000000, expected 0x7af32f20 for small128: this is a file that begins with zeros\n"
        )
    );
}

#[test]
fn a_net_of_another_width_is_told_by_its_width() {
    let net = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/nets/nn-37f18f62d772.nnue"
    );
    let text = std::fs::read_to_string(SPEC).expect("the spec is there");
    let text = text.replace("width = 128", "width = 192");
    let spec = temporary("wider.toml", text.as_bytes());
    assert_eq!(
        refusal(&["check", &spec, "--weights", net]),
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

    let output = Command::new(env!("CARGO_BIN_EXE_nnue-compiler"))
        .arg(OsStr::from_bytes(b"\xFF"))
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        output.stderr,
        "error: the argument `\u{FFFD}` is not UTF-8\n".as_bytes()
    );
}

#[test]
fn weights_may_be_compressed_with_zstd() {
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/files/packed.toml");
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/files/packed.net");
    let text = output(&["check", spec, "--weights", net]);
    let expected = format!("`{net}` is a net file for Packed; no file tells shifts, ");
    assert!(text.contains(&expected), "{text}");
}
