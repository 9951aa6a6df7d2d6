//! What all subcommands have in common: help, exit codes, errors, and where their output goes.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use nnue_test_support::synthetic::synthetic_net;
use serde_json::Value;

use crate::match_engine;
use crate::networks::random_net;
use crate::program::{
    assert_refused, nnue, output, printed, refusal, run, scratch, scratch_path, stderr, text,
};

const SMALL128: &str = "../examples/nets/nn-37f18f62d772.nnue";

/// A small network.
const SPEC: &str = "../specs/bullet/simple.toml";

/// A net file of it.
static NET: LazyLock<String> = LazyLock::new(|| scratch("subcommands.bin", &random_net(SPEC, 1)));

/// A net whose neurons can be reordered.
static SFNNV5: LazyLock<String> =
    LazyLock::new(|| scratch("subcommands-v5.nnue", &synthetic_net("v5")));

/// A subcommand.
struct Subcommand {
    name: &'static str,
    /// Arguments with which it does its work.
    works: Vec<String>,
    /// Whether it prints JSON when it is asked to.
    json: bool,
    /// Arguments with which it cannot do its work.
    fails: Vec<String>,
    /// Arguments that are wrong.
    wrong: Vec<&'static str>,
}

impl Subcommand {
    /// Whether a test can run it: `nnue bench` and `nnue loop` compile with the optimiser, and have
    /// tests of their own.
    fn can_work(&self) -> bool {
        !["bench", "loop"].contains(&self.name)
    }

    fn working(&self) -> Vec<&str> {
        self.arguments(&self.works)
    }

    /// With arguments that are wrong, if there is nothing that it cannot do.
    fn failing(&self) -> Vec<&str> {
        match self.fails.as_slice() {
            [] => [&[self.name], self.wrong.as_slice()].concat(),
            fails => self.arguments(fails),
        }
    }

    fn arguments<'s>(&'s self, arguments: &'s [String]) -> Vec<&'s str> {
        let arguments = arguments.iter().map(String::as_str);
        [self.name].into_iter().chain(arguments).collect()
    }
}

/// All of them; what they write has names that begin with that of the test.
fn subcommands(test: &str) -> Vec<Subcommand> {
    let file = |name: &str| text(&scratch_path(&format!("{test}-{name}")));
    let trace = scratch(
        &format!("{test}-trace.txt"),
        b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1; = e2e4 e8d7 = -\n",
    );
    let positions = scratch(
        &format!("{test}-positions.txt"),
        b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 85 | 1.0\n",
    );
    let net = NET.as_str();
    let sfnnv5 = SFNNV5.as_str();
    let engine = match_engine::path();
    let [first, second, third, fourth] = match_engine::options();
    let fens = scratch(&format!("{test}.epd"), b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n");
    let golden = file("golden.txt");
    output(&[
        "verify", net, "--spec", SPEC, "--write", &golden, "--fens", &fens,
    ]);
    let floats = scratch(&format!("{test}-floats.bin"), &[0; 4 * 98_689]);
    let owned = |arguments: &[&str]| {
        arguments
            .iter()
            .map(|argument| argument.to_string())
            .collect()
    };
    let subcommand = |name, works: &[&str], json, fails: &[&str], wrong: &[_]| Subcommand {
        name,
        works: owned(works),
        json,
        fails: owned(fails),
        wrong: wrong.to_vec(),
    };
    let no_spec = &["no/such.toml"][..];
    let all = [
        subcommand("check", &[SPEC, "--net", net], true, no_spec, &[]),
        subcommand("describe", &[SPEC], false, no_spec, &[]),
        subcommand("plan", &[SPEC], true, no_spec, &[]),
        subcommand("expand", &[SPEC], false, no_spec, &[]),
        subcommand("schema", &["run"], false, &[], &["net"]),
        subcommand("info", &[net, "--spec", SPEC], true, &["no/such.nnue"], &[]),
        subcommand("adopt", &[SMALL128], true, &["no/such.nnue"], &[]),
        subcommand("spec", &[SMALL128], false, &["no/such.nnue"], &[]),
        subcommand(
            "diff",
            &[net, net, "--spec", SPEC],
            true,
            &[net, "no/such.nnue"],
            &[net],
        ),
        subcommand("eval", &[], true, &["8/8 w"], &["--fens"]),
        subcommand(
            "reorder",
            &[&trace, "--net", sfnnv5],
            true,
            &["no/such.txt"],
            &["--level"],
        ),
        subcommand(
            "bench",
            &[SPEC],
            true,
            &["no/such.toml", "--cache", &file("cache")],
            &[SPEC, "--level", "avx3"],
        ),
        subcommand(
            "convert",
            &[net, &file("out.nnue"), "--spec", SPEC, "--to", SPEC],
            false,
            &["no/such", "out", "--spec", SPEC, "--to", SPEC],
            &[net],
        ),
        subcommand(
            "quantise",
            &[&floats, &file("out.bin"), "--spec", SPEC],
            true,
            &["no/such", "out", "--spec", SPEC],
            &[net],
        ),
        subcommand(
            "trainer",
            &[SPEC],
            false,
            &["../specs/games/ataxx.toml"],
            &[],
        ),
        subcommand(
            "data",
            &["info", &positions],
            false,
            &["info", "no/such.txt"],
            &["batches", SPEC],
        ),
        subcommand(
            "verify",
            &[net, "--spec", SPEC, "--golden", &golden],
            true,
            &[net, "--spec", SPEC, "--golden", "no/such.txt"],
            &[net],
        ),
        subcommand("draw", &[SPEC], false, no_spec, &[SPEC, "--net", net]),
        subcommand(
            "onnx",
            &[SPEC, "--net", net, "--out", &file("out.onnx")],
            false,
            &[SPEC, "--net", "no/such", "--out", "out"],
            &[SPEC],
        ),
        subcommand(
            "capi",
            &[SPEC, "--source", &file("library")],
            false,
            &["no/such.toml", "--out", "out"],
            &[SPEC],
        ),
        subcommand(
            "report",
            &[net, "--spec", SPEC, "--out", &file("out.html")],
            false,
            &["no/such", "--out", "out"],
            &[net],
        ),
        subcommand("loop", &[], false, &["no/such.toml"], &[]),
        subcommand(
            "match",
            &[
                &engine,
                &engine,
                &first,
                &second,
                &third,
                &fourth,
                "--games=2",
                "--nodes=1",
            ],
            true,
            &["no/such", "no/such", "--nodes=1"],
            &["a", "b"],
        ),
        // Nothing that it is asked for can fail.
        subcommand("completions", &["bash"], false, &[], &["csh"]),
    ];
    all.into()
}

/// Those that `nnue --help` lists.
fn listed() -> BTreeSet<String> {
    let all = output(&["--help"]);
    let (commands, _) = all.split_once("\nOptions:\n").expect("options come last");
    let names = commands.lines().filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        (!name.is_empty() && name != "help").then(|| name.to_string())
    });
    names.collect()
}

#[test]
fn every_subcommand_is_tested_here() {
    let tested = subcommands("list").into_iter();
    let tested: BTreeSet<String> = tested.map(|subcommand| subcommand.name.into()).collect();
    assert_eq!(tested, listed());
}

#[test]
fn subcommands_are_listed_in_groups() {
    let all = output(&["--help"]);
    let titles = ["Look", "Measure:", "Change", "Train:", "Rarely", "Options:"];
    let places = titles.map(|title| all.find(&format!("\n{title}")).expect(title));
    assert!(places.is_sorted(), "{all}");
    let place = |name: &str| all.find(&format!("\n  {name} ")).expect("is listed");
    let [look, measure, change, train, rare, end] = places;
    for (from, to, names) in [
        (look, measure, &["eval", "info", "check", "diff"][..]),
        (measure, change, &["bench", "verify"]),
        (change, train, &["convert", "quantise"]),
        (train, rare, &["loop", "data", "trainer"]),
        (rare, end, &["plan", "expand", "completions", "help"]),
    ] {
        for name in names {
            assert!((from..to).contains(&place(name)), "{name} in {all}");
        }
    }
}

#[test]
fn help_has_help() {
    let own = output(&["help", "--help"]);
    assert!(own.contains("Usage: nnue help [COMMAND]..."), "{own}");
    assert_eq!(output(&["help"]), output(&["--help"]));
    for path in [&["info"][..], &["data", "batches"]] {
        let asked = output(&[&["help"], path].concat());
        assert_eq!(asked, output(&[path, &["--help"]].concat()));
    }
    let unknown = run(&["help", "data", "shuffle"]);
    assert_refused(&unknown, 2, &["'shuffle'", "--help"]);
}

/// `--net` and `--spec` name the same as the argument that stands alone.
#[test]
fn nets_and_specs_are_named_in_one_way() {
    let net = NET.as_str();
    let same: [(&[&str], &[&str]); 8] = [
        (
            &["info", net, "--spec", SPEC],
            &["info", "--net", net, "--spec", SPEC],
        ),
        (&["spec", SMALL128], &["spec", "--net", SMALL128]),
        (
            &["check", SPEC, "--net", net],
            &["check", "--spec", SPEC, "--net", net],
        ),
        (&["describe", SPEC], &["describe", "--spec", SPEC]),
        (&["plan", SPEC], &["plan", "--spec", SPEC]),
        (&["expand", SPEC], &["expand", "--spec", SPEC]),
        (&["draw", SPEC], &["draw", "--spec", SPEC]),
        (&["trainer", SPEC], &["trainer", "--spec", SPEC]),
    ];
    for (one, other) in same {
        assert_eq!(output(one), output(other), "{other:?}");
    }
    let out = text(&scratch_path("named.onnx"));
    let onnx = |arguments: &[&str]| output(&[&["onnx", "--out", &out], arguments].concat());
    let told = onnx(&["small128", "--net", SMALL128]);
    assert_eq!(told, onnx(&["--spec", "small128", "--net", SMALL128]));
    assert_eq!(told, onnx(&["--net", SMALL128]));
    assert_refused(&run(&["info", net, "--net", net]), 2, &["--net"]);
}

#[test]
fn of_a_net_that_is_missing_it_is_said_where_nets_come_from() {
    for arguments in [
        &["info", "no/such.nnue"][..],
        &["eval", "--net", "no/such.nnue"],
        &["check", SPEC, "--net", "no/such.nnue"],
        &["diff", SMALL128, "no/such.nnue"],
        &["convert", "no/such.nnue", "x", "--spec", SPEC, "--to", SPEC],
    ] {
        let words = ["cannot read `no/such.nnue`: ", "docs/net-files.md"];
        assert_refused(&run(arguments), 1, &words);
    }
}

#[test]
fn help_has_an_example() {
    for name in listed() {
        for option in ["-h", "--help"] {
            let help = output(&[&name, option]);
            let example = format!("Example: nnue {name} ");
            assert!(help.contains(&example), "{help}");
        }
    }
}

/// 0 if all is well, 1 if the work cannot be done, 2 if the arguments are wrong; errors are in
/// lowercase and end without a period.
#[test]
fn exit_codes_tell_what_went_wrong() {
    for subcommand in subcommands("codes") {
        let Subcommand {
            name, fails, wrong, ..
        } = &subcommand;
        if subcommand.can_work() {
            let ended = run(&subcommand.working());
            let message = stderr(&ended);
            assert_eq!((ended.status.code(), message), (Some(0), ""), "{name}");
        }
        if !fails.is_empty() {
            let message = refusal(1, &subcommand.failing());
            let text = message.strip_prefix("error: ").expect("an error");
            let is_sentence = text.starts_with(char::is_uppercase) && !text.starts_with("FEN");
            assert!(!is_sentence && !text.trim_end().ends_with('.'), "{message}");
        }
        let unknown = [*name, "--no-such-option"];
        let both = [&[*name][..], wrong].concat();
        let wrongs = [(&unknown[..], true), (&both, !wrong.is_empty())];
        for (arguments, _) in wrongs.into_iter().filter(|(_, is_given)| *is_given) {
            assert_refused(&run(arguments), 2, &["--help"]);
        }
    }
    assert_eq!(run(&["no-such-subcommand"]).status.code(), Some(2));
    // Help, for want of a subcommand.
    assert_eq!(run(&[""; 0]).status.code(), Some(2));
    assert_eq!(run(&["--version"]).status.code(), Some(0));
}

#[test]
fn what_prints_tables_prints_json() {
    for subcommand in subcommands("json") {
        let Subcommand { name, json, .. } = &subcommand;
        let help = output(&[*name, "--help"]);
        assert_eq!(help.contains("\n      --json"), *json, "{help}");
        if *json && subcommand.can_work() {
            let text = output(&[&subcommand.working()[..], &["--json"]].concat());
            let value: Value = serde_json::from_str(&text).expect("JSON");
            assert!(!value.is_null(), "{name}");
        }
    }
}

/// Runs it in all ways that there are for a person to ask for colours, or not.
fn ended(command: &mut Command) -> (String, String) {
    let output = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(output.stdout), text(output.stderr))
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let mut coloured = 0;
    for subcommand in subcommands("colours") {
        let fails = subcommand.failing();
        let works = subcommand.can_work().then(|| subcommand.working());
        for arguments in works.iter().chain([&fails]) {
            let piped = ended(&mut nnue(arguments));
            assert!(!piped.0.contains('\x1b') && !piped.1.contains('\x1b'));
            let refused = ended(nnue(arguments).envs([("NO_COLOR", "1"), ("CLICOLOR", "1")]));
            assert!(!refused.0.contains('\x1b') && !refused.1.contains('\x1b'));
            let forced = ended(nnue(arguments).env("CLICOLOR_FORCE", "1"));
            let plain = anstream::adapter::strip_str(&forced.1).to_string();
            assert_eq!(plain, piped.1, "{arguments:?}");
            coloured += usize::from(forced.0.contains('\x1b') || forced.1.contains('\x1b'));
        }
    }
    assert!(coloured > 10, "{coloured}");
}

/// `nnue SUBCOMMAND | head -1`: nobody reads what is written.
#[test]
fn a_reader_that_is_gone_is_no_error() {
    let gone = |mut command: Command| {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        command.stdout(writer).stderr(Stdio::piped());
        let output = command.output().expect("the program starts");
        (output.status.code(), stderr(&output).to_string())
    };
    for subcommand in subcommands("gone") {
        let help = gone(nnue(&[subcommand.name, "--help"]));
        assert_eq!(help, (Some(0), String::new()), "{}", subcommand.name);
        if !subcommand.can_work() {
            continue;
        }
        let arguments = subcommand.working();
        assert_eq!(
            gone(nnue(&arguments)),
            (Some(0), String::new()),
            "{arguments:?}"
        );
        if subcommand.json {
            let json = gone(nnue(&[&arguments[..], &["--json"]].concat()));
            assert_eq!(json, (Some(0), String::new()), "{arguments:?}");
        }
    }
}

/// Nor can an error be told to a closed standard error: the exit code says it.
#[test]
fn errors_that_nobody_reads_have_their_exit_code() {
    for subcommand in subcommands("mute") {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let fails = subcommand.failing();
        let status = nnue(&fails).stderr(writer).stdout(Stdio::null()).status();
        let code = status.expect("the program starts").code();
        let expected = if subcommand.fails.is_empty() { 2 } else { 1 };
        assert_eq!(code, Some(expected), "{fails:?}");
    }
}

/// A full disk is not a reader that has seen enough.
#[cfg(target_os = "linux")]
#[test]
fn output_that_is_lost_is_an_error() {
    for subcommand in subcommands("full") {
        if !subcommand.can_work() {
            continue;
        }
        let arguments = subcommand.working();
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = nnue(&arguments);
        command.stdout(full.expect("Linux has it"));
        let output = command.output().expect("the program starts");
        // What has nothing to say loses nothing.
        if printed_nothing(&arguments) {
            continue;
        }
        let message = "error: cannot write to standard output: ";
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).starts_with(message), "{}", stderr(&output));
    }
}

#[cfg(target_os = "linux")]
fn printed_nothing(arguments: &[&str]) -> bool {
    printed(&run(arguments)).is_empty()
}
