//! `nnue match`, with the engine of [`match_engine`].

mod files;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::match_engine;
use crate::program::{self, nnue, printed, scratch_path, stderr, stdout, text};

/// A match of the engine against itself, with more arguments.
fn command(arguments: &[&str]) -> Command {
    let engine = match_engine::path();
    let mut command = nnue(&["match", &engine, &engine]);
    command.args(match_engine::options()).args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}

/// What a match prints as JSON, without times.
fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    let mut value: Value = serde_json::from_str(stdout(output)).expect("JSON");
    value["seconds_per_move"] = Value::Null;
    value
}

/// A PGN file without the times of moves.
fn games(path: &str) -> String {
    let text = fs::read_to_string(path).expect("the match has written it");
    let words = text.split(' ').map(|word| match word.split_once("s}") {
        Some((time, rest)) if time.parse::<f64>().is_ok() => format!("}}{rest}"),
        _ => word.into(),
    });
    // Lines break elsewhere when times are longer.
    words.collect::<Vec<_>>().join(" ").replace('\n', " ")
}

fn file(name: &str) -> String {
    text(&scratch_path(&format!("match-{name}")))
}

/// Two players, the first stronger than the second, and a rule that ends games when that is clear.
const UNEVEN: [&str; 4] = [
    "--nodes=100",
    "--options-a=Style=greedy",
    "--options-b=Style=random",
    "--resign=3,400",
];

#[test]
fn a_match_is_the_same_however_many_games_are_played_at_a_time() {
    let results = [("1", "one.pgn"), ("3", "three.pgn")].map(|(concurrency, name)| {
        let pgn = file(name);
        let more = [
            "--games=24",
            "--json",
            "--pgn",
            &pgn,
            "--concurrency",
            concurrency,
        ];
        let found = json(&run(&[&UNEVEN[..], &more].concat()));
        (found, games(&pgn))
    });
    assert_eq!(results[0], results[1]);
    let (found, games) = &results[0];
    assert_eq!(found["games"], 24);
    let counts = ["wins", "draws", "losses"].map(|key| found[key].as_u64().expect("a number"));
    assert_eq!(counts.iter().sum::<u64>(), 24);
    assert!(counts[0] > 10 && counts[2] < 2, "{found}");
    let pairs = found["pentanomial"].as_array().expect("numbers");
    let points: u64 = (0..)
        .zip(pairs)
        .map(|(halves, n)| halves * n.as_u64().unwrap())
        .sum();
    assert_eq!(points, 2 * counts[0] + counts[1]);
    assert_eq!(found["nodes_per_move"][0], 100.0);
    assert_eq!(found["forfeits"], serde_json::json!([0, 0]));
    assert_eq!(found["sprt"], Value::Null);
    assert_eq!(games.matches("[Event ").count(), 24);
    // Another seed has other openings.
    let pgn = file("seed.pgn");
    let more = ["--games=4", "--openings-seed=2", "--json", "--pgn", &pgn];
    json(&run(&[&UNEVEN[..], &more].concat()));
    let opening = |games: &str| tag(games, "FEN").to_string();
    assert_ne!(opening(games), opening(&self::games(&pgn)));
}

/// The first value of a tag.
fn tag<'t>(pgn: &'t str, name: &str) -> &'t str {
    let (_, rest) = pgn.split_once(&format!("[{name} \"")).expect("the tag");
    rest.split_once('"').expect("its end").0
}

/// Both games of a pair, as another reader of PGN would read them.
#[test]
fn games_are_legal_and_have_both_colours() {
    let pgn = file("legal.pgn");
    json(&run(&[
        &UNEVEN[..],
        &["--games=6", "--json", "--pgn", &pgn],
    ]
    .concat()));
    let text = fs::read_to_string(&pgn).expect("the match has written it");
    let all: Vec<&str> = text.split("[Event ").skip(1).collect();
    assert_eq!(all.len(), 6);
    for (pair, both) in all.chunks(2).enumerate() {
        assert_eq!(tag(both[0], "FEN"), tag(both[1], "FEN"));
        assert_eq!(tag(both[0], "White"), tag(both[1], "Black"));
        assert_eq!(tag(both[1], "Round"), format!("{}.2", pair + 1));
        for game in both {
            replay(game);
        }
    }
}

/// Plays a game's moves, and checks that they are as many as it says and end as it says.
fn replay(game: &str) {
    let mut board: cozy_chess::Board = tag(game, "FEN").parse().expect("a position");
    let (_, moves) = game.split_once("\n\n").expect("an empty line");
    let mut plies = 0;
    let mut is_comment = false;
    for word in moves.split_whitespace() {
        let is_move = !is_comment && !word.starts_with('{') && word.contains(char::is_alphabetic);
        if word.starts_with('{') {
            is_comment = true;
        }
        if word.ends_with('}') {
            is_comment = false;
        }
        if is_move {
            let played = cozy_chess::util::parse_san_move(&board, word).expect("a legal move");
            board.play(played);
            plies += 1;
        }
    }
    assert_eq!(plies.to_string(), tag(game, "PlyCount"));
    let is_mate = board.status() == cozy_chess::GameStatus::Won;
    assert_eq!(game.contains(" is mated}"), is_mate);
    let result = tag(game, "Result");
    assert!(moves.trim_end().ends_with(result));
    if is_mate {
        let is_white_mated = board.side_to_move() == cozy_chess::Color::White;
        assert_eq!(result, if is_white_mated { "0-1" } else { "1-0" });
    }
    let first = moves.split_once('{').expect("a comment").1;
    let (score, depth) = first.split_once('/').expect("a score and a depth");
    assert!(
        score.starts_with(['+', '-']) && depth.starts_with("1 "),
        "{first}"
    );
}

#[test]
fn a_test_ends_the_match_at_the_same_pair_each_time() {
    let found = ["1", "3"].map(|concurrency| {
        let more = [
            "--sprt=0,60",
            "--games=400",
            "--json",
            "--concurrency",
            concurrency,
        ];
        json(&run(&[&UNEVEN[..], &more].concat()))
    });
    assert_eq!(found[0], found[1]);
    let games = found[0]["games"].as_u64().expect("a number");
    assert!(games < 400, "{}", found[0]);
    let test = &found[0]["sprt"];
    assert_eq!(test["accepted"], "elo1");
    assert!(test["llr"].as_f64() >= test["upper"].as_f64(), "{test}");
    // The weaker one is not stronger.
    let swapped = [
        "--nodes=100",
        "--options-a=Style=random",
        "--options-b=Style=greedy",
        "--resign=3,400",
        "--sprt=0,60",
    ];
    let table = run(&swapped);
    let table = printed(&table);
    assert!(
        table.contains("SPRT of 60 against 0 normalised Elo: LLR -"),
        "{table}"
    );
    assert!(table.contains(", 0 accepted\n"), "{table}");
}

#[test]
fn engines_that_fail_lose_and_the_match_goes_on() {
    let faults = [
        (
            "crash",
            "crashes: ended with exit status: 3 after `info string broken`",
            "--nodes=100",
        ),
        (
            "illegal",
            "makes an illegal move: `e2e9` in ",
            "--nodes=100",
        ),
        ("nothing", "makes an illegal move: `` in ", "--nodes=100"),
        ("hang", "hangs: no answer for 8.0 s", "--nodes=100"),
        ("hang", "loses on time: 3100 ms of 100", "--movetime=100"),
        ("slow", "loses on time: ", "--tc=0.3"),
    ];
    // Most of them wait most of the time.
    std::thread::scope(|scope| {
        for (fault, reason, limit) in faults {
            scope.spawn(move || check_fault(fault, reason, limit));
        }
    });
}

fn check_fault(fault: &str, reason: &str, limit: &str) {
    let pgn = file(&format!("{fault}{limit}.pgn"));
    let option = format!("--options-b=Fault={fault}");
    // As much time as an engine needs where others use the processor. Only one of them is waited for
    // until patience ends.
    let patience = match (fault, limit) {
        ("hang", "--nodes=100") => "--patience=8",
        _ => "--patience=30",
    };
    let times = [patience, "--time-margin=3000"];
    let kept = ["--games=2", "--pgn", &pgn, "--json"];
    let output = run(&[&[&option, limit], &times[..], &kept].concat());
    let found = json(&output);
    assert_eq!(
        (&found["wins"], &found["games"]),
        (&2.into(), &2.into()),
        "{fault}"
    );
    assert_eq!(found["forfeits"], serde_json::json!([0, 2]), "{fault}");
    let told = stderr(&output);
    assert_eq!(told.matches(reason).count(), 2, "{told}");
    assert!(told.starts_with("warning: game "), "{told}");
    assert_eq!(games(&pgn).matches("[Termination \"normal\"]").count(), 0);
}

/// What an engine and the name of its file say is shown and kept in few words, which no terminal
/// obeys.
#[cfg(unix)]
#[test]
fn words_of_engines_are_no_orders() {
    let engine = file("\u{1b}[31m\"\\engine");
    std::os::unix::fs::symlink(match_engine::path(), &engine).expect("another name");
    for fault in ["escape", "long", "last-words"] {
        let pgn = file(&format!("{fault}.pgn"));
        let mut command = nnue(&["match", &engine, &engine]);
        command.args(match_engine::options()).args([
            &format!("--options-b=Fault={fault}"),
            "--nodes=100",
            "--games=2",
            "--pgn",
            &pgn,
        ]);
        let output = command.output().expect("the program starts");
        let kept = fs::read_to_string(&pgn).expect("the match has written it");
        assert!(
            kept.contains("[White \"match-\\\\u{1b}[31m\\\"\\\\engine"),
            "{kept}"
        );
        assert!(kept.contains("[Termination \""), "{kept}");
        for text in [stdout(&output), stderr(&output), &kept] {
            let is_hidden =
                |letter: char| letter != '\n' && letter.is_control() || letter == '\u{202e}';
            assert!(!text.contains(is_hidden), "{text:?}");
            assert!(text.lines().all(|line| line.len() < 600), "{text}");
        }
        // Comments end where they should, and nothing is left of the braces of what was said.
        let comments = kept.matches('{').count();
        let tags = 4 * "\\u{1b}".matches('{').count();
        assert_eq!(comments, kept.matches('}').count(), "{kept}");
        assert!(comments > tags, "{kept}");
    }
}

/// What engines say that is not UCI, and what comes after an answer, is passed over.
#[test]
fn garbage_is_no_fault() {
    let noisy = [
        "--options=Style=greedy",
        "--options-b=Fault=garbage",
        "--nodes=100",
    ];
    let quiet = ["--options=Style=greedy", "--nodes=100"];
    let [noisy, quiet] = [&noisy[..], &quiet]
        .map(|options| json(&run(&[options, &["--games=8", "--json"]].concat())));
    assert_eq!(noisy, quiet);
}

/// Ctrl-C: the result so far, and a state with which the match goes on.
#[cfg(unix)]
#[test]
fn a_signal_leaves_a_state() {
    let state = file("signal.state");
    let options = ["--options-b=Fault=hang-late", "--games=20", "--json"];
    let kept = [
        "--nodes=100",
        "--concurrency=1",
        "--patience=600",
        "--state",
        &state,
    ];
    let mut command = command(&[&options[..], &kept].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // The engine plays the first pair and hangs in the second.
    while fs::read_to_string(&state).map_or(0, |text| text.lines().count()) < 2 {
        let ended = child.try_wait().expect("it can be asked");
        assert_eq!(ended, None, "the match ends before its first pair");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("`kill` is there").success());
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(1));
    let said = stderr(&ended);
    assert!(
        said.contains("error: interrupted; the same command goes on with the pairs"),
        "{said}"
    );
    let found: Value = serde_json::from_str(stdout(&ended)).expect("JSON");
    assert_eq!(
        (&found["games"], &found["planned"]),
        (&2.into(), &20.into())
    );
    assert_eq!(found["forfeits"], serde_json::json!([0, 0]));
}

#[test]
fn engines_may_agree_on_the_result() {
    let pgn = file("adjudicated.pgn");
    let rules = ["--draw=1,1,30000", "--games=4", "--json", "--pgn", &pgn];
    let drawn = json(&run(&[&["--nodes=100"][..], &rules].concat()));
    assert_eq!(drawn["draws"], 4);
    assert_eq!(games(&pgn).matches("{draw by adjudication}").count(), 4);
    assert_eq!(tag(&games(&pgn), "Termination"), "adjudication");
    let rules = ["--games=8", "--json", "--pgn", &pgn];
    let won = json(&run(&[&UNEVEN[..], &rules].concat()));
    let losses = games(&pgn).matches(" loses by adjudication}").count();
    assert!(
        losses > 2 && won["wins"].as_u64() >= Some(losses as u64),
        "{won}"
    );
}

#[test]
fn chess960_is_played_as_such() {
    let pgn = file("chess960.pgn");
    let more = ["--chess960", "--games=10", "--json", "--pgn", &pgn];
    let found = json(&run(&[&UNEVEN[..], &more].concat()));
    assert_eq!(found["forfeits"], serde_json::json!([0, 0]));
    assert_eq!(tag(&games(&pgn), "Variant"), "Chess960");
}

#[test]
fn a_book_gives_the_openings() {
    let book = file("book.epd");
    let fens = [
        "\u{feff}4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 ;D1 6 ;D2 30",
        "4k3/8/8/8/8/8/3P4/4K3 b - e3 id \"one\";",
        "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 0;",
    ];
    fs::write(&book, fens.join("\n")).expect("it can be written");
    let pgn = file("book.pgn");
    let options = [
        "--games=6",
        "--nodes=10",
        "--json",
        "--book",
        &book,
        "--pgn",
        &pgn,
    ];
    json(&run(&options));
    let text = fs::read_to_string(&pgn).expect("the match has written it");
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    for game in text.split("[Event ").skip(1) {
        *used.entry(tag(game, "FEN")).or_default() += 1;
    }
    assert_eq!(used.values().collect::<Vec<_>>(), [&2, &2, &2]);
    assert!(
        used.contains_key("4k3/8/8/8/8/8/3P4/4K3 b - - 0 1"),
        "{used:?}"
    );
    let few = run(&["--games=8", "--nodes=10", "--book", &book]);
    assert!(stderr(&few).contains("has 3 different positions, and 4 pairs need one each"));
    let games = run(&["--games=6", "--nodes=10", "--book", &pgn]);
    assert!(stderr(&games).contains("found a PGN, expected a FEN or EPD a line"));
    // As programs of Chess960 write the rights of the outermost rooks.
    let start = "rkbqnbrn/pppppppp/8/8/8/8/PPPPPPPP/RKBQNBRN w KQkq - 0 1";
    fs::write(&book, start).expect("it can be written");
    let chess960 = [
        "--games=2",
        "--nodes=10",
        "--json",
        "--book",
        &book,
        "--pgn",
        &pgn,
    ];
    json(&run(&[&chess960[..], &["--chess960"]].concat()));
    let text = fs::read_to_string(&pgn).expect("the match has written it");
    assert_eq!(tag(&text, "FEN"), start.replace("KQkq", "GAga"));
    let unasked = run(&chess960);
    assert!(
        stderr(&unasked).contains("which needs `--chess960`"),
        "{}",
        stderr(&unasked)
    );
}

/// Nets are values of an option of the engine that plays them.
#[test]
fn nets_are_played_by_an_engine() {
    let engine = match_engine::path();
    let net = file("some.nnue");
    fs::write(&net, "greedy").expect("it can be written");
    let mut command = nnue(&[
        "match",
        &net,
        "<material>",
        "--engine",
        &engine,
        "--nodes=100",
    ]);
    command.args(match_engine::options());
    command.args(["--games=8", "--json", UNEVEN[3]]);
    let found = json(&command.output().expect("the program starts"));
    assert_eq!(
        found["names"],
        serde_json::json!(["match-some.nnue", "<material>"])
    );
    assert!(found["wins"].as_u64() > Some(2), "{found}");
    assert_eq!(found["losses"], 0);
}

/// An engine that cannot load its net plays on with another, which is no match of the two.
#[test]
fn a_net_that_is_not_played_is_an_error() {
    let engine = match_engine::path();
    let [missing, folder] = [
        file("missing.nnue"),
        text(env!("CARGO_TARGET_TMPDIR").as_ref()),
    ];
    for (net, code, words) in [
        (&*missing, 1, "(os error 2); nets come from a trainer"),
        (&folder, 1, "found a folder, expected a file"),
        ("-", 2, "`-` is no net for an engine"),
        ("<a>\nquit\n<b>", 1, "is not one line of UTF-8"),
        // The engine itself says so.
        (
            "<nonsense>",
            1,
            "`info string error: cannot load <nonsense>",
        ),
    ] {
        let mut command = nnue(&["match", "--nodes=100", "--games=2", "--engine", &engine]);
        command.args(match_engine::options());
        command.args(["<material>", net]);
        let output = command.output().expect("the program starts");
        program::assert_refused(&output, code, &[words]);
    }
    let option = format!("--options-b=EvalFile={missing}");
    let output = run(&["--nodes=100", "--games=2", &option]);
    let words = "does not take its options: `info string error: cannot load ";
    program::assert_refused(&output, 1, &[words]);
}

#[test]
fn what_cannot_be_played_is_an_error() {
    let refused = |output: Output, code, words: &str| {
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    };
    refused(
        run(&["--nodes=100", "--options=Nonsense=1"]),
        1,
        "has no option `Nonsense`; it has ",
    );
    refused(run(&["--games=2"]), 2, "--movetime");
    refused(
        run(&["--nodes=1", "--movetime=1"]),
        2,
        "cannot be used with",
    );
    refused(
        run(&["--nodes=1", "--opening-plies=1", "--games=60"]),
        1,
        "only 20 different",
    );
    let no_engine = program::run(&["match", "a.nnue", "<material>", "--nodes=1"]);
    refused(
        no_engine,
        2,
        "`<material>` is a net, which `--engine` has to play",
    );
    let mute = program::run(&["match", "true", "true", "--nodes=1"]);
    refused(mute, 1, "/true` does not start: ended with exit status: 0");
}

/// An engine that nobody feeds any more ends, so that a killed match leaves no processes.
#[test]
fn the_engine_of_these_tests_ends_with_its_input() {
    let mut child = Command::new(match_engine::path())
        .args(match_engine::ARGUMENTS)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    writeln!(input, "uci").expect("it listens");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut lines = output.lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "uciok"));
    drop(input);
    // The harness has something to say too.
    assert!(lines.any(|line| line.starts_with("test result: ok. 1 passed")));
    assert!(child.wait().expect("it ends").success());
}
