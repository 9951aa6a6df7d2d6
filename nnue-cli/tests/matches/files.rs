//! The files of a match: its state, and what must not be written.

use std::fs;

use super::{UNEVEN, file, games, json, run};
use crate::match_engine;
use crate::program::{assert_refused, nnue, stderr};

#[test]
fn a_match_goes_on_where_it_was_interrupted() {
    let whole = json(&run(&[&UNEVEN[..], &["--games=12", "--json"]].concat()));
    let [state, pgn] = ["resumed.state", "resumed.pgn"].map(file);
    let kept = ["--state", &state, "--pgn", &pgn, "--json"];
    json(&run(&[&UNEVEN[..], &["--games=8"], &kept].concat()));
    // As if the program had been killed: a pair is missing, and one is cut off.
    let text = fs::read_to_string(&state).expect("the state");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5);
    let cut = format!(
        "{}\n{}\n{}\n{}",
        lines[0],
        lines[1],
        lines[3],
        &lines[4][..40]
    );
    fs::write(&state, cut).expect("the state can be written");
    let more = [&UNEVEN[..], &["--games=12"], &kept].concat();
    assert_eq!(json(&run(&more)), whole);
    assert_eq!(
        fs::read_to_string(&state)
            .expect("the state")
            .lines()
            .count(),
        7
    );
    assert_eq!(games(&pgn).matches("[Event ").count(), 12);
    // What is finished is not played again.
    let before = fs::read(&state).expect("the state");
    assert_eq!(json(&run(&more)), whole);
    assert_eq!(fs::read(&state).expect("the state"), before);
}

#[test]
fn another_match_does_not_go_on() {
    let state = file("other.state");
    let kept = ["--games=2", "--state", &state];
    run(&[&UNEVEN[..], &kept].concat());
    let nodes = [
        "--nodes=200",
        UNEVEN[1],
        UNEVEN[2],
        UNEVEN[3],
        "--openings-seed=7",
    ];
    let refused = run(&[&nodes[..], &kept].concat());
    assert_eq!(refused.status.code(), Some(1));
    let expected = "is the state of another match: --openings-seed was 1 and is 7; the limit was \
                    100 nodes a move and is 200 nodes a move";
    assert!(stderr(&refused).contains(expected), "{}", stderr(&refused));
    fs::write(&state, "{\"nnue_match\":2,\"settings\":{}}\n").expect("it can be written");
    let newer = run(&[&UNEVEN[..], &kept].concat());
    assert!(
        stderr(&newer).contains("has version 2"),
        "{}",
        stderr(&newer)
    );
    for foreign in ["a letter", "a letter\n", "{}\n", "\nnotes\n", "\n"] {
        fs::write(&state, foreign).expect("it can be written");
        let refused = run(&[&UNEVEN[..], &kept].concat());
        assert!(
            stderr(&refused).contains("is no state of a match"),
            "{}",
            stderr(&refused)
        );
        assert_eq!(fs::read_to_string(&state).expect("it is there"), foreign);
    }
}

/// Nets by options, arguments that are files, and engines that the system finds.
#[test]
fn what_players_read_is_not_written() {
    let net = file("read.nnue");
    fs::write(&net, "greedy").expect("it can be written");
    for option in [
        format!("--options-a=EvalFile={net}"),
        format!("--args-b={net}"),
    ] {
        for output in ["--pgn", "--state"] {
            let refused = run(&["--nodes=1", "--games=2", &option, output, &net]);
            assert_refused(&refused, 2, &["read.nnue`, which is read"]);
        }
    }
    assert_eq!(fs::read(&net).expect("it is there"), b"greedy");
}

#[cfg(unix)]
#[test]
fn an_engine_that_the_system_finds_is_not_written() {
    use crate::program::write_executable;

    let [folder, state] = ["bin", "bin.state"].map(file);
    fs::create_dir_all(&folder).expect("it can be made");
    let engine = format!("{folder}/my-engine");
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", match_engine::path());
    write_executable(engine.as_ref(), &script);
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let play = |more: [&str; 2]| {
        let mut command = nnue(&["match", "my-engine", "my-engine", "--nodes=1", "--games=2"]);
        command.args(match_engine::options()).args(more);
        command
            .env("PATH", &path)
            .output()
            .expect("the program starts")
    };
    assert_refused(&play(["--pgn", &engine]), 2, &["my-engine`, which is read"]);
    assert_eq!(fs::read_to_string(&engine).expect("it is there"), script);
    // Its hash counts too.
    assert_eq!(play(["--state", &state]).status.code(), Some(0));
    write_executable(engine.as_ref(), &(script + "\n"));
    assert_refused(&play(["--state", &state]), 1, &["the engine of A was "]);
}

#[test]
fn a_net_that_has_changed_is_another_match() {
    let [net, log, state] = ["changed.nnue", "changed.log", "changed.state"].map(file);
    let option = format!("--options-a=EvalFile={net}");
    let play = || run(&["--nodes=10", "--games=2", "--state", &state, &option]);
    fs::write(&net, "greedy").expect("it can be written");
    assert_eq!(play().status.code(), Some(0));
    fs::write(&net, "random").expect("it can be written");
    assert_refused(&play(), 1, &["another match: the file EvalFile of A was "]);
    // What an engine writes is no reason.
    let state = file("logged.state");
    let option = format!("--options=Log={log}");
    for text in ["before", "after"] {
        fs::write(&log, text).expect("it can be written");
        let output = run(&["--nodes=10", "--games=2", "--state", &state, &option]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
}

/// What a match cannot go on with is left alone, and not read for ever.
#[cfg(unix)]
#[test]
fn a_state_is_a_file() {
    let pipe = file("pipe.state");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("`mkfifo` is there").success());
    for state in ["-", "/dev/zero", &pipe, env!("CARGO_TARGET_TMPDIR")] {
        let refused = run(&["--nodes=1", "--games=2", "--state", state]);
        assert_refused(&refused, 1, &["is no state of a match: expected a file"]);
    }
    let endless = file("endless.state");
    let made = fs::File::create(&endless).and_then(|file| file.set_len(1 << 40));
    made.expect("a file without content takes no room");
    let refused = run(&["--nodes=1", "--games=2", "--state", &endless]);
    fs::remove_file(&endless).expect("it is ours");
    assert_refused(&refused, 1, &["is no state of a match"]);
}

#[test]
fn few_of_many_differences_are_told() {
    let state = file("differences.state");
    let settings: Vec<_> = (0..100_000).map(|n| format!("\"{n}\":\"x\"")).collect();
    let header = format!(
        "{{\"nnue_match\":1,\"settings\":{{{}}}}}\n",
        settings.join(",")
    );
    fs::write(&state, header).expect("it can be written");
    let refused = run(&["--nodes=1", "--games=2", "--state", &state]);
    assert_refused(&refused, 1, &["the state of another match: ", "more\n"]);
    assert!(stderr(&refused).len() < 2000, "{}", stderr(&refused));
}

/// A match that could not be played does not stand in the way of the next.
#[test]
fn a_state_begins_with_a_match_that_can_be_played() {
    let state = file("begun.state");
    let play = |option| run(&["--nodes=1", "--games=2", "--state", &state, option]);
    assert_refused(
        &play("--options=Nonsense=1"),
        1,
        &["has no option `Nonsense`"],
    );
    assert!(!fs::exists(&state).expect("it can be asked"));
    // Nor does an empty file that somebody has made for it.
    fs::write(&state, "").expect("it can be written");
    assert_eq!(play("--options=Style=random").status.code(), Some(0));
    // What has pairs stays.
    let before = fs::read(&state).expect("it is there");
    assert_refused(
        &play("--options=Nonsense=1"),
        1,
        &["is the state of another match"],
    );
    assert_eq!(fs::read(&state).expect("it is there"), before);
}

/// On a full disk the settings are written as a whole or not at all.
#[cfg(target_os = "linux")]
#[test]
fn settings_are_not_cut() {
    let folder = file("full");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("it can be made");
    let state = format!("{folder}/state");
    // No file can be longer than one block of 512 bytes, and the settings need more.
    let engine = match_engine::path();
    let limited = "ulimit -f 1; trap '' XFSZ; exec \"$@\"";
    let play = |shell: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", shell, "sh", env!("CARGO_BIN_EXE_nnue"), "match"]);
        command.args([
            &engine,
            &engine,
            "--nodes=1",
            "--games=2",
            "--state",
            &state,
        ]);
        command.args(match_engine::options());
        // Standard settings are long enough with this one.
        command.arg(format!("--options=Style={}", "x".repeat(2000)));
        command.output().expect("a shell")
    };
    for before in [None, Some("")] {
        if let Some(text) = before {
            fs::write(&state, text).expect("it can be written");
        }
        assert_refused(&play(limited), 1, &["cannot write "]);
        assert_eq!(fs::read_to_string(&state).ok().as_deref(), before);
        assert_eq!(
            fs::read_dir(&folder).expect("it is there").count(),
            before.iter().count()
        );
    }
    assert_eq!(play("exec \"$@\"").status.code(), Some(0));
}
