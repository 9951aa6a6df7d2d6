//! Games against itself, for data to train networks with.

mod output;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::time::Instant;
use std::{iter, thread};

use clap::Parser;
use cozy_chess::{Board, Color};
use fastrand::Rng;

use nnue_engine::end_with_any_thread;
use nnue_engine::evaluation::{DECIDED, Judge, judge};
use nnue_engine::game::{is_drawn, legal_moves, opening};
use nnue_engine::ordering::is_quiet;
use nnue_engine::search::{Found, Searcher};
use nnue_engine::table::Table;
use nnue_engine::time::Limits;

use crate::output::Output;

/// Positions whose score is beyond it are not written: in them the game is over.
const MOST_CENTIPAWNS: i32 = 3_000;
/// The score and the number of positions in a row at which a game counts as won.
const WON: (i32, usize) = (1_500, 6);
/// The largest score, the number of positions in a row, and the number of moves of both sides,
/// after which a game counts as drawn.
const DRAWN: (i32, usize, usize) = (10, 16, 100);
/// The most random moves: most games still go on after them.
const MOST_RANDOM_PLIES: usize = 100;
/// Longer games are drawn.
const MOST_PLIES: usize = 300;

/// Plays games and writes their quiet positions: `FEN | score | result` a line, the score in
/// centipawns for the side to move, the result for white
#[derive(Parser, Debug)]
#[command(name = "nnue-selfplay")]
struct Selfplay {
    /// How many games
    #[arg(long)]
    games: u64,
    /// Ends after this number of positions, or after the last game
    #[arg(long, default_value_t = u64::MAX, hide_default_value = true)]
    positions: u64,
    /// Nodes for each move
    #[arg(long, default_value_t = 1_000)]
    nodes: u64,
    /// Another seed gives other games, the same one the same
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads, by default one for each processor
    #[arg(long)]
    threads: Option<usize>,
    /// Games begin with this number of random moves
    #[arg(long, default_value = "7-10", value_parser = range)]
    random_plies: RangeInclusive<usize>,
    /// How often a random move is played after the beginning, of 1
    #[arg(long, default_value_t = 0.12)]
    random_moves: f64,
    /// What evaluates: a net file, `<material>`, or `<empty>` for the embedded network
    #[arg(long, default_value = "<empty>")]
    eval_file: String,
    /// Where the positions go
    #[arg(long)]
    out: PathBuf,
}

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first <= last && last <= MOST_RANDOM_PLIES => Ok(first..=last),
        _ => Err(format!(
            "expected two numbers from 0 to {MOST_RANDOM_PLIES}, as in 7-10"
        )),
    }
}

fn main() -> ExitCode {
    end_with_any_thread();
    match Selfplay::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

impl Selfplay {
    /// Plays the games on all threads, and writes them in their order.
    fn run(&self) -> Result<(), String> {
        let started = Instant::now();
        let mut out = Output::create(&self.out, self.eval_file.as_ref())?;
        let judge = judge(&self.eval_file, true)?;
        let available = || thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or_else(available).max(1);
        let next = AtomicU64::new(0);
        let (sender, games) = mpsc::channel();
        let (mut written, mut positions) = (0, 0);
        thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, table) = (sender.clone(), Table::new(4)?);
                let (next, judge) = (&next, &judge);
                scope.spawn(move || {
                    let numbers = iter::repeat_with(|| next.fetch_add(1, Relaxed));
                    let numbers = numbers.take_while(|&number| number < self.games);
                    let mut games =
                        numbers.map(|number| (number, self.play(number, judge, &table)));
                    // Nobody receives once there are enough positions.
                    games.all(|game| sender.send(game).is_ok())
                });
            }
            drop(sender);
            let mut waiting = BTreeMap::new();
            for (game, lines) in games {
                waiting.insert(game, lines);
                while let Some(lines) = waiting.remove(&written) {
                    for line in lines.iter().take((self.positions - positions) as usize) {
                        out.add(line)?;
                        positions += 1;
                    }
                    written += 1;
                }
                if positions == self.positions {
                    break;
                }
            }
            Ok::<(), String>(())
        })?;
        out.finish()?;
        let seconds = started.elapsed().as_secs_f64();
        eprintln!("{written} games, {positions} positions in {seconds:.1} s");
        Ok(())
    }

    /// The lines of a game.
    fn play(&self, number: u64, judge: &Judge, table: &Arc<Table>) -> Vec<String> {
        let mut random = Rng::with_seed(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number);
        table.clear();
        let mut searcher = Searcher::new(judge, table);
        let plies = random.usize(self.random_plies.clone());
        let start = Board::default();
        let openings = iter::repeat_with(|| opening(&mut random, &start, plies));
        let mut game = openings.flatten().next().unwrap_or_default();
        let mut limits = Limits::none();
        limits.nodes = self.nodes;
        let mut positions: Vec<(String, i32)> = Vec::new();
        let mut scores = Vec::new();
        let result = loop {
            let moves = legal_moves(&game.board);
            let in_check = !game.board.checkers().is_empty();
            let for_white = |score: i32| match game.board.side_to_move() {
                Color::White => score,
                Color::Black => -score,
            };
            if moves.is_empty() {
                break if in_check { for_white(-1) } else { 0 };
            }
            if is_drawn(&game.board, &game.keys, usize::MAX) || game.keys.len() >= MOST_PLIES {
                break 0;
            }
            let Found { score, best, .. } = searcher.search(&game, limits);
            let Some(best) = best else {
                break 0;
            };
            if !in_check && is_quiet(&game.board, best) && score.abs() <= MOST_CENTIPAWNS {
                positions.push((game.board.to_string(), score));
            }
            scores.push(for_white(score));
            if let Some(winner) = adjudicated(&scores) {
                break winner;
            }
            let is_random = random.f64() < self.random_moves;
            let chance = if is_random {
                random.choice(moves)
            } else {
                None
            };
            game.play(chance.unwrap_or(best));
        };
        let result = ["0.0", "0.5", "1.0"][(result + 1) as usize];
        let line = |(fen, score)| format!("{fen} | {score} | {result}");
        positions.into_iter().map(line).collect()
    }
}

/// The result for white, 1 if it wins, once the last scores, which are white's, leave no doubt.
fn adjudicated(scores: &[i32]) -> Option<i32> {
    let last = |count: usize| scores.len().checked_sub(count).map(|from| &scores[from..]);
    let (won, moves) = WON;
    let agree = |sign: i32| move |&score: &i32| score * sign >= won;
    for sign in [1, -1] {
        let decided = scores.last().is_some_and(|&score| score * sign >= DECIDED);
        if decided || last(moves).is_some_and(|scores| scores.iter().all(agree(sign))) {
            return Some(sign);
        }
    }
    let (even, moves, after) = DRAWN;
    let is_even = |&score: &i32| score.abs() <= even;
    let drawn = scores.len() >= after && last(moves).is_some_and(|last| last.iter().all(is_even));
    drawn.then_some(0)
}
