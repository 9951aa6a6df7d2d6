//! The Universal Chess Interface: what a graphical program says to the engine.

use std::io::{self, Write};
use std::str::{FromStr, SplitWhitespace};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cozy_chess::util::{display_uci_move, parse_uci_move};
use cozy_chess::{Board, Color, Move, get_king_moves};

use crate::evaluation::{DECIDED, Evaluation, Judge, MATE, judge};
use crate::game::Game;
use crate::search::{Control, Found, Searcher, search};
use crate::table::Table;
use crate::time::{DEEPEST, Limits};
use crate::tools::{bench, genfens};

const IDENTITY: &str = "id name nnue-engine
id author the authors of nnue-runtime
option name Hash type spin default 16 min 1 max 65536
option name Threads type spin default 1 min 1 max 1024
option name EvalFile type string default <empty>
option name UCI_Chess960 type check default false
uciok";

/// Obeys lines until one of them is to quit, or waits after each for its search to end.
pub(crate) fn obey(mut lines: impl Iterator<Item = String>, wait: bool) {
    let mut engine = Engine::new();
    while lines.next().is_some_and(|line| engine.obey(&line)) {
        if wait {
            engine.wait();
        }
    }
    engine.stop();
}

/// Prints a line. If nobody reads, the input will end too.
pub(crate) fn say(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

struct Engine {
    game: Game,
    judge: Judge,
    table: Arc<Table>,
    /// One for each thread. They are away while they search.
    searchers: Vec<Searcher>,
    running: Option<(Arc<Control>, JoinHandle<Vec<Searcher>>)>,
    chess960: bool,
}

impl Engine {
    fn new() -> Engine {
        let (judge, table) = (judge("").unwrap_or_default(), Arc::new(Table::new(16)));
        Engine {
            game: Game::default(),
            searchers: vec![Searcher::new(&judge, &table)],
            judge,
            table,
            running: None,
            chess960: false,
        }
    }

    /// Does what a line says; false if that is to quit.
    fn obey(&mut self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        match words.next().unwrap_or_default() {
            "isready" => say("readyok"),
            "quit" => return false,
            "" | "ponderhit" | "debug" | "register" => {}
            command => {
                self.stop();
                if let Err(error) = self.command(command, words) {
                    say(&format!("info string error: {error}"));
                }
            }
        }
        true
    }

    /// A command while nothing is being searched.
    fn command(&mut self, command: &str, mut words: SplitWhitespace<'_>) -> Result<(), String> {
        match command {
            "uci" => say(IDENTITY),
            "stop" => {}
            "ucinewgame" => self.forget(self.searchers.len()),
            "setoption" => return self.set_option(words),
            "position" => self.game = position(words)?,
            "go" => self.go(limits(words, &self.game.board)?),
            "eval" => {
                let value = Evaluation::new(&self.judge, &self.game.board).value(&self.game.board);
                say(&format!("info string evaluation {value} centipawns"));
            }
            "bench" => {
                let depth = words.next().map_or(Ok(bench::DEPTH), number)?;
                say(&bench::bench(&self.judge, depth.clamp(1, DEEPEST)));
            }
            "genfens" => return genfens::genfens(&self.judge, words),
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

    fn set_option(&mut self, words: SplitWhitespace<'_>) -> Result<(), String> {
        let words: Vec<&str> = words.skip_while(|&word| word == "name").collect();
        let end = words.iter().position(|&word| word == "value");
        let (name, value) = words.split_at(end.unwrap_or(words.len()));
        let value = value.get(1..).unwrap_or_default().join(" ");
        let count = |most| number::<usize>(&value).map(|count| count.clamp(1, most));
        let mut threads = self.searchers.len();
        match name.join(" ").to_ascii_lowercase().as_str() {
            "threads" => threads = count(1024)?,
            "evalfile" => self.judge = judge(&value)?,
            "uci_chess960" => self.chess960 = value.eq_ignore_ascii_case("true"),
            "hash" => self.table = Arc::new(Table::new(count(65536)?)),
            unknown => return Err(format!("unknown option `{unknown}`")),
        }
        self.forget(threads);
        Ok(())
    }

    fn go(&mut self, limits: Limits) {
        let mut searchers = std::mem::take(&mut self.searchers);
        let (game, table, chess960) = (self.game.clone(), self.table.clone(), self.chess960);
        let control = Arc::new(Control::default());
        let shared = control.clone();
        let handle = thread::spawn(move || {
            let mut tell = |found: &Found| say(&info(found, &game, &table, chess960));
            let found = search(&mut searchers, &game, limits, &shared, &mut tell);
            let best = found.best.map(|mv| spell(&game.board, mv, chess960));
            say(&format!("bestmove {}", best.unwrap_or("0000".to_owned())));
            searchers
        });
        self.running = Some((control, handle));
    }

    fn stop(&mut self) {
        if let Some((control, _)) = &self.running {
            control.stop.store(true, Relaxed);
        }
        self.wait();
    }

    /// Waits for the end of a search.
    fn wait(&mut self) {
        if let Some((_, handle)) = self.running.take() {
            // A thread that panics ends the program.
            self.searchers = handle.join().unwrap_or_default();
        }
    }
}

/// A number that has to be there.
pub(crate) fn number<T: FromStr>(word: &str) -> Result<T, String> {
    let error = |_| format!("expected a number, found `{word}`");
    word.parse().map_err(error)
}

/// The board of a FEN, which may lack its last fields.
pub(crate) fn board(fen: &str) -> Result<Board, String> {
    let mut fields: Vec<&str> = fen.split_whitespace().collect();
    let rest = ["", "w", "-", "-", "0", "1"];
    fields.extend(rest.get(fields.len()..).unwrap_or_default());
    let parsed = fields.join(" ").parse::<Board>();
    let board = parsed.map_err(|error| format!("`{fen}`: {error}"))?;
    match get_king_moves(board.king(Color::White)).has(board.king(Color::Black)) {
        true => Err(format!("`{fen}`: the kings are side by side")),
        false => Ok(board),
    }
}

fn position(words: SplitWhitespace<'_>) -> Result<Game, String> {
    let words: Vec<&str> = words.collect();
    let end = words.iter().position(|&word| word == "moves");
    let (start, moves) = words.split_at(end.unwrap_or(words.len()));
    let mut game = match start {
        ["startpos"] => Game::default(),
        ["fen", fen @ ..] => Game::new(board(&fen.join(" "))?),
        _ => return Err("expected `position startpos` or `position fen FEN`".to_owned()),
    };
    for text in moves.iter().skip(1) {
        match parse_uci_move(&game.board, text) {
            Ok(mv) if game.board.is_legal(mv) => game.play(mv),
            _ => return Err(format!("`{text}` is no move in `{}`", game.board)),
        }
    }
    Ok(game)
}

fn limits(mut words: SplitWhitespace<'_>, board: &Board) -> Result<Limits, String> {
    let mut limits = Limits::none();
    let (mut left, mut increment, mut moves) = (None, Duration::ZERO, None);
    let own = [["wtime", "winc"], ["btime", "binc"]][board.side_to_move() as usize];
    while let Some(word) = words.next() {
        let mut next = || number::<i64>(words.next().unwrap_or_default());
        // Clocks may be below zero, and a month is enough.
        let time = |number: i64| Duration::from_millis(number.clamp(0, 1 << 31) as u64);
        match word {
            "infinite" => limits.infinite = true,
            "depth" => limits.depth = next()?.clamp(1, DEEPEST.into()) as i32,
            "nodes" => limits.nodes = next()?.max(1) as u64,
            "movetime" => limits.set_time(time(next()?)),
            clock if clock == own[0] => left = Some(time(next()?)),
            clock if clock == own[1] => increment = time(next()?),
            "movestogo" => moves = Some(next()?.clamp(1, 1_000) as u32),
            _ => {}
        }
    }
    if let Some(left) = left {
        limits.set_clock(left, increment, moves);
    }
    Ok(limits)
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
fn info(found: &Found, game: &Game, table: &Table, chess960: bool) -> String {
    let (depth, nodes, ms) = (found.depth, found.nodes, found.elapsed.as_millis());
    let nps = (nodes as f64 / found.elapsed.as_secs_f64().max(1e-6)) as u64;
    let score = match found.score {
        score if score >= DECIDED => format!("mate {}", (MATE - score + 1) / 2),
        score if score <= -DECIDED => format!("mate {}", -(MATE + score) / 2),
        score => format!("cp {score}"),
    };
    let mut info = format!("info depth {depth} score {score} nodes {nodes} nps {nps} time {ms} pv");
    let (mut board, mut next) = (game.board.clone(), found.best);
    for _ in 0..depth {
        if let Some(mv) = next.filter(|&mv| board.is_legal(mv)) {
            info = info + " " + &spell(&board, mv, chess960);
            board.play_unchecked(mv);
            next = table.get(board.hash(), 0).and_then(|known| known.best);
        }
    }
    info
}
