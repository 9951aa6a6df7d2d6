//! `nnue check`, `plan`, `expand` and `completions`, as a person meets them.

mod program;

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
fn every_subcommand_has_help_with_an_example() {
    let all = output(&["--help"]);
    let (_, commands) = all
        .split_once("\nCommands:\n")
        .expect("a list of subcommands");
    let (commands, _) = commands.split_once("\n\n").expect("an empty line");
    // A summary that does not fit on a line goes on further to the right.
    let names = commands.lines().filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        (!name.is_empty() && name != "help").then_some(name)
    });
    let names: Vec<&str> = names.collect();
    assert!(names.len() >= 4, "{all}");
    for name in names {
        let help = output(&[name, "--help"]);
        let example = format!("Example: nnue {name} ");
        assert!(help.contains(&example), "{help}");
    }
    let help = output(&["plan", "-h"]);
    for level in level_names() {
        assert!(help.contains(level), "no {level} in\n{help}");
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
    let text = refusal(1, &["check", SPEC, "--weights", "no/such.nnue"]);
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
        refusal(1, &["check", SPEC, "--weights", &weights]),
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
        refusal(1, &["check", &spec, "--weights", net]),
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
    let text = output(&["check", spec, "--weights", net]);
    let expected = format!("`{net}` is a net file for Packed; no file tells: shifts, ");
    assert!(text.contains(&expected), "{text}");
}
