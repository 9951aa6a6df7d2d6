//! A small UCI engine for tests of matches: it looks one ply ahead or not at all, plays the same
//! moves each time, and fails in all the ways that engines fail if it is asked to.
//!
//! It is the test program itself, started with [`play`] as its only test. What the harness prints
//! before is garbage for UCI, which a client has to pass over.

use std::io::BufRead;
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use cozy_chess::util::{display_uci_move, parse_uci_move};
use cozy_chess::{Board, Color, GameStatus, Move, Piece};

/// UCI options, and what goes on.
#[derive(Default)]
struct Engine {
    /// `greedy` wins material where it can and leaves none; any other style moves at random.
    style: String,
    /// What it does wrong from its third move on.
    fault: String,
    chess960: bool,
    board: Board,
    /// Moves since the start of the game.
    moves: usize,
    games: usize,
}

/// What makes this program an engine.
pub(crate) const ARGUMENTS: [&str; 4] =
    ["--ignored", "--exact", "match_engine::play", "--nocapture"];

/// Where the engine is.
pub(crate) fn path() -> String {
    let path = std::env::current_exe().expect("this program has a path");
    path.into_os_string()
        .into_string()
        .expect("the path is text")
}

/// The options with which `nnue match` starts it.
pub(crate) fn options() -> [String; 4] {
    ARGUMENTS.map(|argument| format!("--args={argument}"))
}

/// Obeys standard input until it ends, if it is what this program was started for, and not one of
/// all ignored tests.
#[test]
#[ignore = "it is no test, but the engine of the others"]
fn play() {
    if !std::env::args().any(|argument| argument == ARGUMENTS[2]) {
        return;
    }
    let mut engine = Engine::default();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        engine.obey(&line);
    }
}

impl Engine {
    fn obey(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["uci"] => {
                println!("id name test");
                for name in ["Style", "Fault", "EvalFile", "Log", "UCI_Chess960"] {
                    println!("option name {name} type string default");
                }
                println!("uciok");
            }
            ["isready"] => println!("readyok"),
            ["ucinewgame"] => {
                self.moves = 0;
                self.games += 1;
            }
            ["setoption", "name", name, "value", value] => match *name {
                "Style" => self.style = (*value).into(),
                // What a net has learnt is in its file.
                "EvalFile" if *value == "<material>" => self.style.clear(),
                "EvalFile" => match std::fs::read(value) {
                    Ok(style) => self.style = String::from_utf8_lossy(&style).into_owned(),
                    Err(_) => println!("info string error: cannot load {value}"),
                },
                "Fault" => self.fault = (*value).into(),
                "Log" => {}
                _ => self.chess960 = *value == "true",
            },
            ["position", "fen", rest @ ..] => self.set(rest),
            ["go", ..] => self.go(),
            ["quit"] => exit(0),
            _ => {}
        }
    }

    fn set(&mut self, words: &[&str]) {
        self.board = words[..6].join(" ").parse().expect("a position");
        for word in words.iter().skip(7) {
            let played = if self.chess960 {
                word.parse()
            } else {
                parse_uci_move(&self.board, word)
            };
            self.board.play(played.expect("a move"));
        }
    }

    fn go(&mut self) {
        self.moves += 1;
        let (best, score) = self.best();
        println!("info depth 1 score cp {score} nodes 100 time 1 pv {best}");
        let best = if self.chess960 {
            best.to_string()
        } else {
            display_uci_move(&self.board, best).to_string()
        };
        if self.moves < 3 {
            return println!("bestmove {best}");
        }
        match &*self.fault {
            "crash" => {
                println!("info string broken");
                exit(3);
            }
            "illegal" => println!("bestmove e2e9"),
            "escape" => println!("bestmove \u{1b}[31m\u{7}{}\u{202e}\"\\", "}".repeat(9)),
            "long" => println!("bestmove {}", "x".repeat(60_000)),
            "last-words" => {
                println!("info string \u{1b}]0;owned\u{7}{}", "}".repeat(300));
                exit(3);
            }
            "nothing" => println!("bestmove"),
            "hang" => loop {
                sleep(Duration::from_secs(1));
            },
            "hang-late" if self.games > 2 => loop {
                sleep(Duration::from_secs(1));
            },
            "slow" => {
                sleep(Duration::from_millis(4000));
                println!("bestmove {best}");
            }
            "garbage" => {
                println!("\u{1b}[31m\0 bestmove\nbestmovee2e4\ninfo depth score cp nodes");
                println!("info string score cp 900\n\n   bestmove {best} ponder e7e5");
                println!("info depth 99 score cp 5");
            }
            _ => println!("bestmove {best}"),
        }
    }

    /// The best move, and what it is worth in centipawns. Which of several equal moves it is, is the
    /// same in the same position.
    fn best(&self) -> (Move, i32) {
        let mut moves: Vec<Move> = Vec::new();
        self.board.generate_moves(|of_piece| {
            moves.extend(of_piece);
            false
        });
        let us = self.board.side_to_move();
        let rank = |played: Move| {
            let mut after = self.board.clone();
            after.play(played);
            let value = match after.status() {
                GameStatus::Won => 30_000,
                GameStatus::Drawn => 0,
                GameStatus::Ongoing => material(&after, us),
            };
            let wanted = match &*self.style {
                "greedy" if value != 30_000 => after_reply(&after, us),
                "greedy" => value,
                _ => 0,
            };
            let noise = (after.hash() ^ self.board.hash()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (wanted, noise, value)
        };
        let best = moves.into_iter().max_by_key(|played| rank(*played));
        let best = best.expect("the game is not over");
        (best, rank(best).2)
    }
}

/// What is left of our material after the reply that takes most.
fn after_reply(board: &Board, us: Color) -> i32 {
    let mut least = material(board, us);
    board.generate_moves(|mut of_piece| {
        of_piece.to &= board.colors(us);
        for reply in of_piece {
            let mut after = board.clone();
            after.play_unchecked(reply);
            least = least.min(material(&after, us));
        }
        false
    });
    least
}

fn material(board: &Board, us: Color) -> i32 {
    let values = [100, 300, 300, 500, 900, 0];
    let of = |color| {
        let counts = Piece::ALL.map(|piece| board.colored_pieces(color, piece).len() as i32);
        counts
            .iter()
            .zip(values)
            .map(|(count, value)| count * value)
            .sum::<i32>()
    };
    of(us) - of(!us)
}
