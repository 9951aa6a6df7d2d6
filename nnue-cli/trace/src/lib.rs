//! Traces of searches: the moves and evaluations of an engine, in the format that the README in
//! this folder describes.
//!
//! [`Contender`]s evaluate a trace with a network, in each of the ways of [`Pass`]. `nnue bench`
//! compiles each network into a program of its own, whose `main` is `serve` (with the feature of
//! this name). The program loads a net file, writes [`Facts`] about the network, and then evaluates
//! a search for each [`Request`], while the programs of other networks wait. `nnue verify` starts
//! the same programs to evaluate positions.

mod answer;
mod contenders;
mod engine;
mod error;
mod facts;
mod parse;
mod pass;
mod request;
#[cfg(feature = "serve")]
mod serve;
mod task;

use std::hint::black_box;
use std::time::{Duration, Instant};

use cozy_chess::Board as Game;
use nnue_runtime::{Board, Delta};

pub use cozy_chess::Move;

pub use crate::answer::{Answer, Values};
pub use crate::contenders::{Along, ByPieces, Evaluate, FirstBucket, Prepared, Refreshed};
pub use crate::engine::{Engine, Following};
pub use crate::error::{Expected, LineError, TraceError};
pub use crate::facts::{Facts, checksum};
pub use crate::pass::{Contender, Pass, Work, time_each, time_prepared};
pub use crate::request::{Request, Took};
#[cfg(feature = "serve")]
pub use crate::serve::serve;
pub use crate::task::{Task, Weights};

/// The trace of a real search, compressed.
const BUNDLED: &[u8] = include_bytes!("../search-trace.txt.gz");

/// Searches of several positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The searches, one per line of the file.
    pub searches: Vec<Search>,
}

/// The search of one root position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The line of the search in the file, counted from 1.
    pub line: usize,
    /// The position at which the search starts.
    pub root: Board,
    /// The root as a game of chess, for callers that make moves on a board.
    pub game: Game,
    /// The moves and evaluations of the search, in order.
    pub events: Vec<Event>,
    /// The moves that the search makes, in order and without null moves, as legal moves of chess.
    /// Castling is the king's move to its own rook.
    pub played: Vec<Move>,
    /// The positions that the search evaluates, in order.
    pub evaluated: Vec<Board>,
}

/// The next step of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The search makes a move.
    Make(Delta),
    /// The search makes a null move.
    MakeNull,
    /// The search takes back the last move or null move.
    Unmake,
    /// The search evaluates the position.
    Evaluate,
}

impl Trace {
    /// The trace that comes with the project.
    ///
    /// # Errors
    ///
    /// There are no errors, unless the file was changed before this crate was compiled.
    pub fn bundled() -> Result<Trace, TraceError> {
        Trace::read(BUNDLED)
    }

    /// Reads a trace: text, or text compressed by gzip. Blank lines are skipped.
    ///
    /// # Errors
    ///
    /// [`TraceError`] if the file cannot be decompressed, or a line is not as the format says.
    pub fn read(file: &[u8]) -> Result<Trace, TraceError> {
        let searches = parse::searches(file)?;
        Ok(Trace { searches })
    }

    /// The number of evaluations in the trace.
    #[must_use]
    pub fn evaluations(&self) -> usize {
        self.evaluated().count()
    }

    /// The number of moves in the trace, null moves excluded.
    #[must_use]
    pub fn moves(&self) -> usize {
        let events = self.searches.iter().flat_map(|search| &search.events);
        events
            .filter(|event| matches!(event, Event::Make(_)))
            .count()
    }

    /// A trace for each search, in order.
    #[must_use]
    pub fn by_search(&self) -> Vec<Trace> {
        let alone = |search: &Search| Trace {
            searches: vec![search.clone()],
        };
        self.searches.iter().map(alone).collect()
    }

    /// The positions that are evaluated, in order.
    pub fn evaluated(&self) -> impl Iterator<Item = &Board> {
        self.searches.iter().flat_map(|search| &search.evaluated)
    }

    /// The place of an evaluation, counted from 0 over the whole trace: its search, and its number
    /// in that search.
    #[must_use]
    pub fn locate(&self, mut evaluation: usize) -> Option<(&Search, usize)> {
        for search in &self.searches {
            if evaluation < search.evaluated.len() {
                return Some((search, evaluation));
            }
            evaluation -= search.evaluated.len();
        }
        None
    }

    /// Lets `follower` follow the trace from beginning to end, writes each evaluation to its place
    /// in `values`, and measures the time. Evaluations beyond the end of `values` are made, but not
    /// written.
    pub fn replay<F: Follow>(&self, follower: &mut F, values: &mut [F::Value]) -> Duration {
        let mut places = values.iter_mut();
        let started = Instant::now();
        for search in &self.searches {
            follower.reset(search);
            let mut played = search.played.iter();
            for event in &search.events {
                match event {
                    // There are as many moves as deltas.
                    Event::Make(delta) => {
                        if let Some(played) = played.next() {
                            follower.make(*played, delta);
                        }
                    }
                    Event::MakeNull => follower.make_null(),
                    Event::Unmake => follower.unmake(),
                    Event::Evaluate => {
                        let value = follower.evaluate();
                        match places.next() {
                            Some(place) => *place = value,
                            None => drop(black_box(value)),
                        }
                    }
                }
            }
        }
        started.elapsed()
    }
}

/// A type that can follow a trace: an evaluator, or another program with which it is compared.
pub trait Follow {
    /// The type of an evaluation.
    type Value;

    /// Begins another search at its root.
    fn reset(&mut self, search: &Search);
    /// Makes a move, which changes `delta`.
    fn make(&mut self, played: Move, delta: &Delta);
    /// Makes a null move.
    fn make_null(&mut self);
    /// Takes back the last move or null move.
    fn unmake(&mut self);
    /// Evaluates the position.
    fn evaluate(&mut self) -> Self::Value;
}

/// A follower that does nothing, to measure the time of reading a trace.
#[derive(Clone, Copy, Debug, Default)]
pub struct Idle;

impl Follow for Idle {
    type Value = ();

    #[inline]
    fn reset(&mut self, search: &Search) {
        black_box(search);
    }

    #[inline]
    fn make(&mut self, played: Move, delta: &Delta) {
        black_box((played, delta));
    }

    #[inline]
    fn make_null(&mut self) {
        black_box(());
    }

    #[inline]
    fn unmake(&mut self) {
        black_box(());
    }

    #[inline]
    fn evaluate(&mut self) {
        black_box(());
    }
}

/// The code of README.md, which doctests compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use nnue_runtime::{Color, Piece, Position, Role};

    use super::*;

    const BARE_KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

    #[test]
    fn the_bundled_trace_is_as_its_readme_says() {
        let trace = Trace::bundled().unwrap();
        assert_eq!(trace.searches.len(), 46);
        assert_eq!(trace.evaluations(), 97_226);
        assert_eq!(trace.moves(), 474_174);
    }

    #[test]
    fn evaluations_are_located_by_search() {
        let text = format!("{BARE_KINGS}; = e1e2 =\n\n{BARE_KINGS}; e1f1\n{BARE_KINGS}; e1d1 =\n");
        let trace = Trace::read(text.as_bytes()).unwrap();
        assert_eq!((trace.evaluations(), trace.moves()), (3, 3));
        let place = |index| {
            let (search, number) = trace.locate(index)?;
            Some((search.line, number))
        };
        assert_eq!(
            [0, 1, 2, 3].map(place),
            [Some((1, 0)), Some((1, 1)), Some((4, 0)), None]
        );
    }

    /// A follower with a board for each ply, which knows it by the deltas that it gets.
    #[derive(Default)]
    pub(crate) struct Boards(pub(crate) Vec<Board>);

    impl Boards {
        fn apply(&mut self, delta: &Delta) {
            let mut board = self.0[self.0.len() - 1].clone();
            board.apply(delta).expect("the delta fits");
            self.0.push(board);
        }
    }

    impl Follow for Boards {
        type Value = Option<Board>;

        fn reset(&mut self, search: &Search) {
            self.0 = vec![search.root.clone()];
        }

        fn make(&mut self, _: Move, delta: &Delta) {
            self.apply(delta);
        }

        fn make_null(&mut self) {
            self.apply(&Delta::null());
        }

        fn unmake(&mut self) {
            self.0.pop();
        }

        fn evaluate(&mut self) -> Option<Board> {
            self.0.last().cloned()
        }
    }

    #[test]
    fn replaying_passes_through_the_positions_that_are_evaluated() {
        let trace = Trace::bundled().unwrap();
        let mut values = vec![None; trace.evaluations()];
        trace.replay(&mut Boards::default(), &mut values);
        assert!(values.iter().flatten().eq(trace.evaluated()));
        assert!(values.iter().all(Option::is_some));
        // If `values` has too few places, the evaluations for these places are still written.
        let mut fewer = vec![None; trace.evaluations() - 1];
        trace.replay(&mut Boards::default(), &mut fewer);
        assert_eq!(values[..fewer.len()], fewer);
    }

    #[test]
    fn castling_en_passant_promotion_and_null_moves_are_understood() {
        let text =
            "r3k2r/6Pp/8/8/4pP2/8/8/R3K2R b KQkq f3 0 1; e4f3 = - e8c8 e1g1 = - - 0 g7g8q = - ~ =";
        let trace = Trace::read(text.as_bytes()).unwrap();
        let boards: Vec<&Board> = trace.evaluated().collect();
        let pieces = |board: &Board, color, role| board.pieces(Piece::new(color, role)).len();
        assert_eq!(pieces(boards[0], Color::White, Role::Pawn), 1);
        assert_eq!(boards[1].to_string(), "2kr3r/6Pp/8/8/4pP2/8/8/R4RK1 b");
        assert_eq!(pieces(boards[2], Color::White, Role::Queen), 1);
        assert_eq!(*boards[3], trace.searches[0].root);
    }
}
