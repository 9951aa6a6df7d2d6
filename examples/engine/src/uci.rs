//! The Universal Chess Interface: what a graphical program says to the engine.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cozy_chess::util::{display_uci_move, parse_uci_move};
use cozy_chess::{Board, Move};

use crate::bench::bench;
use crate::evaluation::{DECIDED, Evaluation, Judge, MATE, judge};
use crate::game::Game;
use crate::genfens::genfens;
use crate::search::{Found, Searcher, Task, search};
use crate::table::Table;
use crate::time::{DEEPEST, Limits};
use crate::words::{board, number, say};

const IDENTITY: &str = "id name nnue-engine
id author the authors of nnue-runtime
option name Hash type spin default 16 min 1 max 65536
option name Threads type spin default 1 min 1 max 1024
option name EvalFile type string default <empty>
option name SharedNet type check default true
option name UCI_Chess960 type check default false
uciok";

/// Obeys lines until one of them is to quit, or waits after each for its search to end. What is no
/// UTF-8 is answered as other words are that nobody knows.
pub fn obey(lines: impl Iterator<Item = Vec<u8>>, wait: bool) -> Result<(), String> {
    let mut engine = Engine::new()?;
    for line in lines {
        let line = String::from_utf8_lossy(&line);
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["isready", ..] => say("readyok"),
            ["quit", ..] => break,
            [] | ["ponderhit" | "debug" | "register", ..] => {}
            [command, ref words @ ..] => {
                engine.end(true);
                engine.command(command, words).unwrap_or_else(complain);
            }
        }
        if wait {
            engine.end(false);
        }
    }
    engine.end(true);
    Ok(())
}

/// Prints an error, in which words of the input are as long and as odd as they came.
fn complain(error: String) {
    let shown: String = error.escape_debug().take(400).collect();
    say(&format!("info string error: {shown}"));
}

struct Engine {
    game: Game,
    judge: Judge,
    /// The judge's name, and whether its weights may be shared.
    net: (String, bool),
    table: Arc<Table>,
    /// One for each thread. They are away while they search.
    searchers: Vec<Searcher>,
    running: Option<(Arc<Task>, JoinHandle<Vec<Searcher>>)>,
    chess960: bool,
}

impl Engine {
    fn new() -> Result<Engine, String> {
        let (judge, table) = (judge("", true).unwrap_or_default(), Table::new(16)?);
        Ok(Engine {
            game: Game::default(),
            searchers: vec![Searcher::new(&judge, &table)],
            judge,
            net: (String::new(), true),
            table,
            running: None,
            chess960: false,
        })
    }

    /// A command while nothing is being searched.
    fn command(&mut self, command: &str, words: &[&str]) -> Result<(), String> {
        match command {
            "uci" => say(IDENTITY),
            "stop" => {}
            "ucinewgame" => self.forget(self.searchers.len()),
            "setoption" => return self.set_option(words),
            "position" => self.game = position(words)?,
            "go" => self.go(limits(words, &self.game.board)),
            "eval" => self.tell_value("evaluation"),
            "bench" => return bench(&self.judge, words),
            "genfens" => return genfens(&self.judge, words),
            unknown => return Err(format!("unknown command `{unknown}`")),
        }
        Ok(())
    }

    /// As many threads, which know nothing.
    fn forget(&mut self, threads: usize) {
        self.table.clear();
        let searcher = || Searcher::new(&self.judge, &self.table);
        self.searchers = std::iter::repeat_with(searcher).take(threads).collect();
    }

    fn set_option(&mut self, words: &[&str]) -> Result<(), String> {
        let words = words.strip_prefix(&["name"]).unwrap_or(words);
        let mut parts = words.splitn(2, |&word| word == "value");
        let [name, value] = [(); 2].map(|()| parts.next().unwrap_or_default().join(" "));
        let count = |most| number::<usize>(&value).map(|count| count.clamp(1, most));
        let name = name.to_ascii_lowercase();
        let is_true = || value.eq_ignore_ascii_case("true");
        let (mut threads, mut net) = (self.searchers.len(), self.net.clone());
        match &*name {
            "threads" => threads = count(1024)?,
            "evalfile" => net.0 = value,
            "sharednet" => net.1 = is_true(),
            "uci_chess960" => self.chess960 = is_true(),
            "hash" => self.table = Table::new(count(65536)?)?,
            unknown => return Err(format!("unknown option `{unknown}`")),
        }
        if ["evalfile", "sharednet"].contains(&&*name) {
            self.judge = judge(&net.0, net.1)?;
            self.net = net;
        }
        self.forget(threads);
        Ok(())
    }

    /// What the network says of the position, without a search.
    fn tell_value(&self, what: &str) {
        let value = Evaluation::new(&self.judge, &self.game.board).value(&self.game.board);
        say(&format!("info string {what} {value} centipawns"));
    }

    fn go(&mut self, limits: Limits) {
        // OpenBench's clients keep it beside the move's score.
        if self.game.board.generate_moves(|_| true) {
            self.tell_value("pgncomment static");
        }
        let task = Task::new(self.game.clone(), limits);
        let mut searchers = std::mem::take(&mut self.searchers);
        let (shared, table, chess960) = (task.clone(), self.table.clone(), self.chess960);
        let handle = thread::spawn(move || {
            let board = &shared.game.board;
            let tell = |found: &Found| say(&info(found, board, &table, chess960));
            let best = search(&mut searchers, &shared, tell).best;
            let best = best.map_or("0000".to_owned(), |mv| spell(board, mv, chess960));
            say(&format!("bestmove {best}"));
            searchers
        });
        self.running = Some((task, handle));
    }

    /// Waits for the end of a search, which may be now.
    fn end(&mut self, now: bool) {
        if let Some((task, handle)) = self.running.take() {
            task.stop.fetch_or(now, Relaxed);
            // A thread that panics ends the program.
            self.searchers = handle.join().unwrap_or_default();
        }
    }
}

fn position(words: &[&str]) -> Result<Game, String> {
    let mut parts = words.split(|&word| word == "moves");
    let mut game = match parts.next().unwrap_or_default() {
        ["startpos"] => Game::default(),
        ["fen", fen @ ..] => Game::new(board(fen.iter().copied())?),
        _ => return Err("expected `position startpos` or `position fen FEN`".to_owned()),
    };
    for text in parts.flatten() {
        match parse_uci_move(&game.board, text) {
            Ok(mv) if game.board.is_legal(mv) => game.play(mv),
            _ => return Err(format!("`{text}` is no move in `{}`", game.board)),
        }
    }
    Ok(game)
}

fn limits(words: &[&str], board: &Board) -> Limits {
    // Numbers beyond all integers are the largest integer. A word that is not a number is the least
    // limit, because the asker waits for a move.
    let value = |word| {
        let place = words.iter().position(|&found| found == word)?;
        let given = number::<f64>(words.get(place + 1).unwrap_or(&""));
        Some(given.map_err(complain).unwrap_or(1.0) as i64)
    };
    // Clocks may be below zero, and a month is enough.
    let time = |ms: i64| Duration::from_millis(ms.clamp(0, 1 << 31) as u64);
    let mut limits = Limits::none();
    limits.infinite = words.contains(&"infinite");
    limits.depth = value("depth").map_or(DEEPEST, |depth| depth.clamp(1, DEEPEST.into()) as i32);
    limits.nodes = value("nodes").map_or(u64::MAX, |nodes| nodes.max(1) as u64);
    if let Some(ms) = value("movetime") {
        limits.set_time(time(ms));
    }
    let [clock, increment] = [["wtime", "winc"], ["btime", "binc"]][board.side_to_move() as usize];
    if let Some(left) = value(clock) {
        let increment = time(value(increment).unwrap_or_default());
        let moves = value("movestogo").map(|moves| moves.clamp(1, 1_000) as u32);
        limits.set_clock(time(left), increment, moves);
    }
    limits
}

/// A move as UCI writes it: castling as the move of the king, or in Chess960 as the king taking the
/// rook.
fn spell(board: &Board, mv: Move, chess960: bool) -> String {
    match chess960 {
        true => mv.to_string(),
        false => display_uci_move(board, mv).to_string(),
    }
}

/// What was found in an iteration. The table knows how the line goes on.
fn info(found: &Found, board: &Board, table: &Table, chess960: bool) -> String {
    let (depth, nodes, ms) = (found.depth, found.nodes, found.elapsed.as_millis());
    let nps = (nodes as f64 / found.elapsed.as_secs_f64().max(1e-6)) as u64;
    let score = match found.score {
        score if score >= DECIDED => format!("mate {}", (MATE - score + 1) / 2),
        score if score <= -DECIDED => format!("mate {}", -(MATE + score) / 2),
        score => format!("cp {score}"),
    };
    let mut info = format!("info depth {depth} score {score} nodes {nodes} nps {nps} time {ms} pv");
    let (mut board, mut next) = (board.clone(), found.best);
    for _ in 0..depth {
        if let Some(mv) = next.filter(|&mv| board.is_legal(mv)) {
            info = info + " " + &spell(&board, mv, chess960);
            board.play_unchecked(mv);
            next = table.get(board.hash(), 0).and_then(|known| known.best);
        }
    }
    info
}
