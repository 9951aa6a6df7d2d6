//! The engine as a graphical program sees it.

mod session;

use session::Session;

const NET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../nets/nn-37f18f62d772.nnue");

/// The one line that a command is answered with.
fn answer(session: &mut Session, command: &str) -> String {
    let lines = session.ask(command);
    assert_eq!(lines.len(), 1, "{command}: {lines:?}");
    lines[0].clone()
}

#[test]
fn it_says_who_it_is_and_what_it_can() {
    let mut session = Session::engine();
    session.say("uci");
    let lines = session.until("uciok");
    assert!(lines[0].starts_with("id name "), "{lines:?}");
    for option in [
        "Hash type spin default 16 ",
        "Threads type spin default 1 ",
        "EvalFile type string default <empty>",
        "SharedNet type check default true",
        "UCI_Chess960 type check default false",
    ] {
        let line = format!("option name {option}");
        assert!(
            lines.iter().any(|found| found.starts_with(&line)),
            "{option}: {lines:?}"
        );
    }
    assert!(session.quit().is_empty());
}

#[test]
fn options_are_set_and_bad_ones_refused() {
    let mut session = Session::engine();
    for good in [
        "Hash value 1",
        "hash value 64",
        "Threads value 3",
        "Threads value 0",
        "UCI_Chess960 value true",
        "SharedNet value false",
        "SharedNet value true",
        "EvalFile value <material>",
        "EvalFile value <empty>",
        "EvalFile value",
        &format!("EvalFile value {NET}"),
    ] {
        let lines = session.ask(&format!("setoption name {good}"));
        assert!(lines.is_empty(), "{good}: {lines:?}");
    }
    for (bad, message) in [
        ("Hash value much", "expected a number, found `much`"),
        ("Threads value -1", "expected a number, found `-1`"),
        ("Colour value 1", "unknown option `colour`"),
        (
            "EvalFile value no such file.nnue",
            "cannot load `no such file.nnue`: ",
        ),
        (
            concat!("EvalFile value ", env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
            "cannot load",
        ),
    ] {
        let line = answer(&mut session, &format!("setoption name {bad}"));
        assert!(
            line.starts_with(&format!("info string error: {message}")),
            "{line}"
        );
    }
    let (best, _) = session.best("startpos", "go depth 3");
    assert_eq!(best.len(), 4);
}

#[test]
#[cfg(target_os = "linux")]
fn a_table_without_memory_is_refused() {
    let limited = format!(
        "ulimit -v 1000000; exec {}",
        env!("CARGO_BIN_EXE_nnue-engine")
    );
    let mut session = Session::start(std::process::Command::new("sh").args(["-c", &limited]));
    let line = answer(&mut session, "setoption name Hash value 4000");
    assert_eq!(line, "info string error: no memory for a table of 4000 MB");
    let (best, _) = session.best("startpos", "go depth 3");
    assert_eq!(best.len(), 4);
}

#[test]
fn evaluations_are_those_of_the_net_or_of_material() {
    let mut session = Session::engine();
    let fen = "r3k1n1/5pb1/n1p3pr/3B2P1/P3Np1p/3PP2P/P1P2K2/7Q b - - 1 41";
    session.ask(&format!("position fen {fen}"));
    // 449 in the net's units; a pawn is 208.
    let net = "info string evaluation 215 centipawns";
    assert_eq!(answer(&mut session, "eval"), net);
    session.ask("setoption name EvalFile value <material>");
    let material = "info string evaluation 200 centipawns";
    assert_eq!(answer(&mut session, "eval"), material);
    session.ask(&format!("setoption name EvalFile value {NET}"));
    assert_eq!(answer(&mut session, "eval"), net);
}

#[test]
fn bad_input_is_answered_and_harmless() {
    let mut session = Session::engine();
    for line in [
        "hello",
        "position",
        "position fen",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen kK6/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 9/8/8/8/8/8/8/8 w - - 0 1",
        "position fen k7/8/8/8/8/8/8/K7 w KQkq e9 0 1",
        "position fen k7/8/8/8/8/8/8/K7 w - - 0 1 and so on",
        "position startpos moves e2e5",
        "position startpos moves e2e4 e2e4",
        "position startpos moves \u{fc}\u{fc}",
        "position somewhere",
        "bench often",
        "setoption",
        "genfens",
        "genfens 1 seed x book None",
        "genfens 1 seed 1 book no-such-book.epd",
    ] {
        let line = answer(&mut session, line);
        assert!(line.starts_with("info string error: "), "{line}");
    }
    for line in ["", "   ", "debug on", "ponderhit", "stop", "register later"] {
        assert!(session.ask(line).is_empty(), "{line}");
    }
    // A position that was refused changes nothing.
    let (_, info) = session.best("startpos moves e2e4", "go depth 1");
    session.say("position startpos moves e2e5");
    session.until("info");
    session.say("go depth 1");
    let lines = session.until("bestmove");
    let nodes = |line: &str| line.split_once(" nps").map(|(before, _)| before.to_owned());
    let found = lines.iter().find(|line| line.starts_with("info depth"));
    assert_eq!(found.and_then(|line| nodes(line)), nodes(&info));
    session.quit();
}

#[test]
fn searches_end_when_they_are_told_to() {
    let mut session = Session::engine();
    for go in [
        "go nodes 1",
        "go nodes 3000",
        "go movetime 1",
        "go movetime -5",
        "go wtime 50 btime 50 winc 0 binc 0",
        "go wtime -30 btime 0 movestogo 0",
        "go wtime 1000 btime 1000 movestogo 1",
        "go depth 2 searchmoves e2e4 mate 3",
    ] {
        let (best, _) = session.best("startpos", go);
        assert_eq!(best.len(), 4, "{go}");
    }
}

/// The last iteration of a search counts too: it has a third of the nodes.
#[test]
fn the_last_line_has_all_nodes() {
    let mut session = Session::engine();
    for nodes in [700, 3000, 5000, 20_000] {
        let (_, info) = session.best("startpos", &format!("go nodes {nodes}"));
        let (_, told) = info.split_once(" nodes ").expect("nodes are told");
        assert_eq!(told.split(' ').next(), Some(&*nodes.to_string()), "{info}");
    }
    // A search that nothing cuts off has told of all of itself, with a score.
    let (_, info) = session.best("startpos", "go depth 5");
    assert!(info.contains(" score "), "{info}");
}

/// As cutechess writes starts of Chess960: rights of the outermost rooks.
#[test]
fn rights_may_be_those_of_the_outermost_rooks() {
    let mut session = Session::engine();
    session.ask("setoption name UCI_Chess960 value true");
    let said = session.ask("position fen rkbqnbrn/pppppppp/8/8/8/8/PPPPPPPP/RKBQNBRN w KQkq - 0 1");
    assert!(said.iter().all(|line| !line.contains("error")), "{said:?}");
    session.say("go nodes 100");
    session.until("bestmove");
}

/// No pawn can capture on e3, and moves are counted from 0.
#[test]
fn positions_are_read_as_programs_write_them() {
    let mut session = Session::engine();
    let fen = "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b KQkq e3 0 0";
    let (best, _) = session.best(&format!("fen {fen}"), "go depth 1");
    // Black moves.
    assert!(matches!(best.as_bytes()[1], b'7' | b'8'), "{best}");
}

#[test]
fn positions_of_no_game_are_searched_too() {
    let mut session = Session::engine();
    for fen in [
        "Q6Q/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - -",
        "rrrrrrr1/qqqqqq2/8/6K1/8/8/8/7k w - - 100 9999",
    ] {
        let (_, info) = session.best(&format!("fen {fen}"), "go depth 5");
        assert!(info.contains(" score "), "{fen}: {info}");
    }
}

#[test]
fn an_infinite_search_answers_only_when_it_is_stopped() {
    let mut session = Session::engine();
    // There is nothing left to search after the first iterations.
    for position in ["startpos", "fen k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"] {
        session.ask("ucinewgame");
        session.say(&format!("position {position}"));
        session.say("go infinite");
        for _ in 0..50 {
            let lines = session.ask("");
            assert!(
                lines.iter().all(|line| line.starts_with("info ")),
                "{lines:?}"
            );
        }
        session.say("stop");
        session.until("bestmove");
    }
    // Quitting is a way to stop too.
    session.say("position startpos");
    session.say("go infinite");
    let lines = session.quit();
    assert!(
        lines
            .last()
            .is_some_and(|line| line.starts_with("bestmove ")),
        "{lines:?}"
    );
}

/// Positions in which only castling mates.
#[test]
fn castling_is_written_as_the_mode_wants_it() {
    let standard = "fen R7/8/p7/p7/8/8/7Q/1k2K2R w K - 0 1";
    for (position, chess960, castled, understood) in [
        (standard, false, "e1g1", ["e1g1", "e1h1"]),
        (standard, true, "e1h1", ["e1g1", "e1h1"]),
        (
            "fen 8/2Q5/8/p1p5/8/8/7R/1k3KR1 w G - 0 1",
            true,
            "f1g1",
            ["f1g1"; 2],
        ),
        (
            "fen R7/8/5p2/p7/8/8/Q7/RK3k2 w A - 0 1",
            true,
            "b1a1",
            ["b1a1"; 2],
        ),
    ] {
        let mut session = Session::engine();
        session.ask(&format!("setoption name UCI_Chess960 value {chess960}"));
        let (best, info) = session.best(position, "go depth 3");
        assert_eq!(best, castled, "{position}: {info}");
        assert!(info.ends_with(&format!(" pv {castled}")), "{info}");
        for written in understood {
            let (best, _) = session.best(&format!("{position} moves {written}"), "go depth 1");
            assert_eq!(best, "0000", "{position} {written}");
        }
    }
}

/// What comes from a broken program, or over a broken line, is no reason to fall silent.
#[test]
fn lines_that_are_no_text_are_answered() {
    let mut session = Session::engine();
    session.send(b"\xFF\xFEgo\n");
    let line = answer(&mut session, "");
    assert!(
        line.starts_with("info string error: unknown command `\u{FFFD}"),
        "{line}"
    );
    let (best, _) = session.best("startpos", "go depth 1");
    assert_eq!(best.len(), 4);
    session.quit();
}

#[test]
#[cfg(unix)]
fn arguments_that_are_no_text_are_answered() {
    use std::os::unix::ffi::OsStrExt;

    let mut engine = std::process::Command::new(env!("CARGO_BIN_EXE_nnue-engine"));
    engine.arg(std::ffi::OsStr::from_bytes(b"\xFF"));
    let output = engine.output().expect("the engine starts");
    assert!(output.status.success(), "{}", output.status);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("info string error: "), "{said}");
}

#[test]
fn errors_say_little_of_the_input_and_nothing_that_a_terminal_obeys() {
    let mut session = Session::engine();
    let word = "x".repeat(100_000);
    for line in [
        &word,
        "\x1b[31m",
        "position fen \x1b[2J",
        &format!("go depth {word}"),
    ] {
        let [line, ..] = &session.ask(line)[..] else {
            panic!("no answer to {line}");
        };
        assert!(line.starts_with("info string error: "), "{line}");
        assert!(
            line.len() < 500 && !line.contains(char::is_control),
            "{line}"
        );
    }
}

#[test]
fn every_go_is_answered_by_a_move() {
    let mut session = Session::engine();
    for (go, message) in [
        ("go depth", "expected a number, found ``"),
        ("go depth x", "expected a number, found `x`"),
        ("go nodes 1,000", "expected a number, found `1,000`"),
        ("go movetime -", "expected a number, found `-`"),
    ] {
        session.say("position startpos");
        session.say(go);
        let lines = session.until("bestmove");
        assert_eq!(lines[0], format!("info string error: {message}"), "{go}");
        let best = lines.last().expect("a move").strip_prefix("bestmove ");
        assert!(best.is_some_and(|best| best.len() == 4), "{lines:?}");
    }
    // Limits that are larger than any number are none.
    let many = "9".repeat(23);
    for go in [
        format!("go depth 3 nodes {many}"),
        format!("go depth 3 movetime {many}"),
        format!("go depth 3 wtime {many} btime {many} winc {many} movestogo {many}"),
    ] {
        let (best, info) = session.best("startpos", &go);
        assert_eq!(best.len(), 4, "{go}");
        assert!(info.starts_with("info depth 3 "), "{go}: {info}");
    }
    // Stopping ends one that no number ends.
    session.say(&format!("go nodes {many} depth {many}"));
    session.say("stop");
    session.until("bestmove");
}
