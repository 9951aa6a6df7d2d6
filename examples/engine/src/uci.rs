//! The Universal Chess Interface: what a graphical program says to the engine.

use std::fmt::Display;
use std::io::{self, Write};
use std::str::{FromStr, SplitWhitespace};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cozy_chess::util::{display_uci_move, parse_uci_move};
use cozy_chess::{Board, Move};

use crate::bench;
use crate::evaluation::{DECIDED, Evaluation, Judge, MATE};
use crate::genfens::genfens;
use crate::search::{Control, Found, Game, Searcher, search};
use crate::table::Table;
use crate::time::Limits;

const MOST_THREADS: usize = 1024;
const MOST_MEGABYTES: usize = 1 << 20;

/// Prints a line. A reader that is gone is no reason to fail: the end of input follows.
pub(crate) fn say(line: impl Display) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// The engine between two commands.
pub(crate) struct Engine {
    game: Game,
    judge: Judge,
    table: Arc<Table>,
    /// One for each thread. They are away while they search.
    searchers: Vec<Searcher>,
    chess960: bool,
    running: Option<(Arc<Control>, JoinHandle<Vec<Searcher>>)>,
}

impl Engine {
    pub(crate) fn new() -> Engine {
        let judge = Judge::embedded();
        let table = Arc::new(Table::new(16));
        Engine {
            game: Game::default(),
            searchers: vec![Searcher::new(&judge, &table)],
            judge,
            table,
            chess960: false,
            running: None,
        }
    }

    /// Does what a line says; false if that is to quit.
    pub(crate) fn obey(&mut self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let command = words.next().unwrap_or_default();
        match command {
            "isready" => say("readyok"),
            "quit" => return false,
            "" | "ponderhit" | "debug" | "register" => {}
            _ => {
                self.stop();
                if let Err(error) = self.command(command, words) {
                    say(format_args!("info string error: {error}"));
                }
            }
        }
        true
    }

    /// A command while nothing is being searched.
    fn command(&mut self, command: &str, mut words: SplitWhitespace<'_>) -> Result<(), String> {
        match command {
            "uci" => identify(),
            "stop" => {}
            "ucinewgame" => {
                self.table.clear();
                self.hire(self.searchers.len());
            }
            "setoption" => return self.set_option(words),
            "position" => self.game = position(words)?,
            "go" => self.go(limits(words, &self.game.board)?),
            "eval" => {
                let value = Evaluation::new(&self.judge, &self.game.board).value(&self.game.board);
                say(format_args!(
                    "info string evaluation {value} centipawns for the side to move"
                ));
            }
            "bench" => {
                let depth = words.next().map_or(Ok(bench::DEPTH), number)?;
                let (nodes, speed) = bench::bench(&self.judge, depth);
                say(format_args!("{nodes} nodes {speed} nps"));
            }
            "genfens" => return genfens(&self.judge, words),
            "soak" => self.soak(number(words.next().unwrap_or_default())?),
            unknown => return Err(format!("unknown command `{unknown}`")),
        }
        Ok(())
    }

    /// As many threads, which know nothing.
    fn hire(&mut self, threads: usize) {
        let searcher = || Searcher::new(&self.judge, &self.table);
        self.searchers = std::iter::repeat_with(searcher).take(threads).collect();
    }

    fn set_option(&mut self, words: SplitWhitespace<'_>) -> Result<(), String> {
        let words: Vec<&str> = words.skip_while(|&word| word == "name").collect();
        let end = words.iter().position(|&word| word == "value");
        let (name, value) = words.split_at(end.unwrap_or(words.len()));
        let (name, value) = (name.join(" "), value.get(1..).unwrap_or_default().join(" "));
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                self.table = Arc::new(Table::new(
                    number::<usize>(&value)?.clamp(1, MOST_MEGABYTES),
                ));
                self.hire(self.searchers.len());
            }
            "threads" => self.hire(number::<usize>(&value)?.clamp(1, MOST_THREADS)),
            "evalfile" => {
                self.judge = Judge::named(&value)?;
                self.table.clear();
                self.hire(self.searchers.len());
            }
            "uci_chess960" => self.chess960 = value.eq_ignore_ascii_case("true"),
            _ => return Err(format!("unknown option `{name}`")),
        }
        Ok(())
    }

    fn go(&mut self, limits: Limits) {
        let mut searchers = std::mem::take(&mut self.searchers);
        let (game, chess960) = (self.game.clone(), self.chess960);
        let control = Arc::new(Control::default());
        let shared = control.clone();
        let handle = thread::spawn(move || {
            let mut tell = |found: &Found| tell(found, &game.board, chess960);
            let found = search(&mut searchers, &game, limits, &shared, &mut tell);
            let line = spell(&game.board, &found.line, chess960);
            say(format_args!(
                "bestmove {}",
                line.first().map_or("0000", String::as_str)
            ));
            searchers
        });
        self.running = Some((control, handle));
    }

    /// Ends a search.
    pub(crate) fn stop(&mut self) {
        if let Some((control, _)) = &self.running {
            control.stop.store(true, Relaxed);
        }
        self.finish();
    }

    /// Waits for the end of a search.
    pub(crate) fn finish(&mut self) {
        if let Some((_, handle)) = self.running.take() {
            // A thread that panics ends the program.
            self.searchers = handle.join().unwrap_or_default();
        }
    }

    /// Searches the positions of random games for so many seconds. With the feature `verify`, the
    /// first evaluation that is wrong ends the program.
    fn soak(&mut self, seconds: u64) {
        let mut random = fastrand::Rng::with_seed(seconds);
        let (soaking, mut searches) = (Limits::none(), 0);
        let mut nodes = 0;
        while soaking.started.elapsed().as_secs() < seconds {
            if searches % 60 == 0 || self.game.is_drawn() || self.game.moves().is_empty() {
                self.game = Game::new(crate::genfens::opening(&mut random, &Board::default(), 8));
            }
            let limits = Limits::none().movetime(Duration::from_millis(200));
            let control = Arc::new(Control::default());
            let found = search(
                &mut self.searchers,
                &self.game,
                limits,
                &control,
                &mut |_| {},
            );
            found
                .line
                .first()
                .into_iter()
                .for_each(|&mv| self.game.play(mv));
            searches += 1;
            nodes += found.nodes;
        }
        let threads = self.searchers.len();
        say(format_args!(
            "{searches} searches by {threads} threads, {nodes} nodes, none wrong"
        ));
    }
}

fn identify() {
    say("id name nnue-engine\nid author the authors of nnue-runtime");
    say(format_args!(
        "option name Hash type spin default 16 min 1 max {MOST_MEGABYTES}"
    ));
    say(format_args!(
        "option name Threads type spin default 1 min 1 max {MOST_THREADS}"
    ));
    say("option name EvalFile type string default <empty>");
    say("option name UCI_Chess960 type check default false\nuciok");
}

/// A number that has to be there.
pub(crate) fn number<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse()
        .map_err(|_| format!("expected a number, found `{word}`"))
}

/// The board of a FEN, which may lack its last fields.
pub(crate) fn board(fen: &str) -> Result<Board, String> {
    let mut fields: Vec<&str> = fen.split_whitespace().collect();
    let rest = ["", "w", "-", "-", "0", "1"];
    fields.extend(rest.get(fields.len()..).unwrap_or_default());
    fields
        .join(" ")
        .parse()
        .map_err(|error| format!("`{fen}`: {error}"))
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
    for mv in moves.iter().skip(1) {
        let legal = parse_uci_move(&game.board, mv)
            .ok()
            .filter(|&mv| game.board.is_legal(mv));
        game.play(legal.ok_or_else(|| format!("`{mv}` is no move in `{}`", game.board))?);
    }
    Ok(game)
}

fn limits(mut words: SplitWhitespace<'_>, board: &Board) -> Result<Limits, String> {
    let mut limits = Limits::none();
    let (mut clocks, mut increments, mut moves) = ([None; 2], [0; 2], None);
    while let Some(word) = words.next() {
        let mut next = || number::<i64>(words.next().unwrap_or_default());
        match word {
            "infinite" => limits.infinite = true,
            "depth" => limits.depth = next()?.clamp(1, 1_000) as i32,
            "nodes" => limits.nodes = next()?.max(1) as u64,
            "movetime" => limits = limits.movetime(milliseconds(next()?)),
            "wtime" => clocks[0] = Some(next()?),
            "btime" => clocks[1] = Some(next()?),
            "winc" => increments[0] = next()?,
            "binc" => increments[1] = next()?,
            "movestogo" => moves = Some(next()?.clamp(1, 1_000) as u32),
            _ => {} // of other commands
        }
    }
    let side = board.side_to_move() as usize;
    if let Some(left) = clocks[side] {
        limits = limits.clock(milliseconds(left), milliseconds(increments[side]), moves);
    }
    Ok(limits)
}

/// A time within a month; clocks may be below zero.
fn milliseconds(number: i64) -> Duration {
    Duration::from_millis(number.clamp(0, 1 << 31) as u64)
}

/// The moves of a line as UCI writes them: castling as the move of the king, or in Chess960 as the
/// king taking the rook.
fn spell(board: &Board, line: &[Move], chess960: bool) -> Vec<String> {
    let mut board = board.clone();
    let spell = |&mv: &Move| {
        let text = match chess960 {
            true => mv.to_string(),
            false => display_uci_move(&board, mv).to_string(),
        };
        board.play_unchecked(mv);
        text
    };
    line.iter().map(spell).collect()
}

/// Tells of an iteration.
fn tell(found: &Found, board: &Board, chess960: bool) {
    let score = match found.score {
        score if score >= DECIDED => format!("mate {}", (MATE - score + 1) / 2),
        score if score <= -DECIDED => format!("mate {}", -(MATE + score) / 2),
        score => format!("cp {score}"),
    };
    let (depth, deepest, nodes) = (found.depth, found.deepest, found.nodes);
    let time = found.elapsed.as_millis();
    let speed = nodes as f64 / found.elapsed.as_secs_f64().max(1e-6);
    let line = spell(board, &found.line, chess960).join(" ");
    say(format_args!(
        "info depth {depth} seldepth {deepest} score {score} nodes {nodes} nps {speed:.0} time \
         {time} pv {line}"
    ));
}
