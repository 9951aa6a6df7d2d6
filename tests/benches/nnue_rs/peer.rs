//! The crate `nnue-rs`, used as well as its interface allows.

#[path = "peer/along.rs"]
mod along;

use std::fmt;
use std::time::Duration;

use ::nnue_rs as theirs;
use nnue_runtime::{Board, Color, Output, Piece, Position, Role, Square};
use nnue_trace::{Contender, Engine, Following, Pass, Trace, time_each, time_prepared};
use theirs::Arch;

use self::along::{EachMove, Lazily};

/// A net, loaded by `nnue-rs`.
pub(crate) struct Peer {
    net: theirs::Network,
}

/// A way to evaluate every position of a trace with `nnue-rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The way that the documentation of `nnue-rs` shows: each move updates an accumulator, whether
    /// the position is evaluated or not.
    EachMove,
    /// Only evaluations compute an accumulator: all moves since the last known accumulator become a
    /// single update. `nnue-rs` leaves this to its users.
    Lazily,
    /// For each position, a full refresh of the accumulator and then the layers.
    Refresh,
    /// The layers alone, with accumulators that are in the processor's cache.
    Forward,
}

impl Way {
    /// Every way, in the order in which they are shown.
    pub(crate) const ALL: [Way; 4] = [Way::EachMove, Way::Lazily, Way::Refresh, Way::Forward];

    /// Our pass that does the same work.
    #[must_use]
    pub(crate) fn pass(self) -> Pass {
        match self {
            Way::EachMove | Way::Lazily => Pass::Incremental,
            Way::Refresh => Pass::Refresh,
            Way::Forward => Pass::Forward,
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::EachMove => f.pad("along the search, each move"),
            Way::Lazily => f.pad("along the search, lazily"),
            Way::Refresh | Way::Forward => self.pass().fmt(f),
        }
    }
}

impl Peer {
    /// Loads a net file.
    ///
    /// # Errors
    ///
    /// An error of `nnue-rs`.
    pub(crate) fn read(mut file: &[u8]) -> Result<Peer, theirs::Error> {
        let net = theirs::Network::from_reader(&mut file)?;
        Ok(Peer { net })
    }

    /// A contender that evaluates with the net in this way, in an engine if there is an engine.
    #[must_use]
    pub(crate) fn contender<'c>(
        &'c self,
        way: Way,
        engine: Option<&'c Engine>,
    ) -> Box<dyn Contender<Value = i32> + Send + 'c> {
        let net = &self.net;
        match way {
            Way::EachMove => Box::new(Following::new(EachMove::new(net), engine)),
            Way::Lazily => Box::new(WithBoards(Following::new(Lazily::new(net), engine))),
            Way::Refresh => Box::new(Refreshed {
                net,
                // The `evaluate` of `nnue-rs` would allocate an accumulator each time.
                accumulator: net.empty_accumulator(),
            }),
            Way::Forward => Box::new(Prepared { net }),
        }
    }

    /// The value of an output by the rules of `nnue-rs`, in the engine's units. For mirrored
    /// feature sets `nnue-rs` divides each part, as engines do since SFNNv9; earlier engines
    /// divided the sum.
    #[must_use]
    pub(crate) fn value_of(&self, output: Output) -> i32 {
        match self.net.arch() {
            Arch::HalfKP | Arch::HalfKAv2 => (output.psqt + output.positional) / 16,
            Arch::HalfKAv2Hm | Arch::Sfnnv10 => output.psqt / 16 + output.positional / 16,
        }
    }
}

/// A contender that gets the boards of a trace before the time is taken.
struct WithBoards<'n>(Following<'n, Lazily<'n>>);

impl Contender for WithBoards<'_> {
    type Value = i32;

    fn time(&mut self, trace: &Trace, values: &mut [i32]) -> Duration {
        self.0.follower_mut().prepare(trace);
        self.0.time(trace, values)
    }
}

struct Refreshed<'n> {
    net: &'n theirs::Network,
    accumulator: theirs::Accumulator,
}

impl Contender for Refreshed<'_> {
    type Value = i32;

    fn time(&mut self, trace: &Trace, values: &mut [i32]) -> Duration {
        let Refreshed { net, accumulator } = self;
        let evaluate = |board: &Board| {
            net.refresh(&View(board), accumulator);
            net.evaluate_accumulator(accumulator, color(board.side_to_move()))
        };
        time_each(trace, evaluate, values)
    }
}

struct Prepared<'n> {
    net: &'n theirs::Network,
}

impl Contender for Prepared<'_> {
    type Value = i32;

    fn time(&mut self, trace: &Trace, values: &mut [i32]) -> Duration {
        time_prepared(
            trace,
            self.net.empty_accumulator(),
            |accumulator, board| self.net.refresh(&View(board), accumulator),
            |accumulator, board| {
                self.net
                    .evaluate_accumulator(accumulator, color(board.side_to_move()))
            },
            values,
        )
    }
}

/// A board with the interface that `nnue-rs` asks for.
struct View<'b>(&'b Board);

impl theirs::Board for View<'_> {
    #[inline]
    fn side_to_move(&self) -> theirs::Color {
        color(self.0.side_to_move())
    }

    #[inline]
    fn king_square(&self, owner: theirs::Color) -> u8 {
        let owner = match owner {
            theirs::Color::White => Color::White,
            theirs::Color::Black => Color::Black,
        };
        square(self.0.king(owner))
    }

    #[inline]
    fn for_each_piece(&self, visit: &mut dyn FnMut(u8, theirs::Piece)) {
        // A single loop over all squares: a loop for each piece would mispredict a dozen times.
        for at in self.0.occupied() {
            if let Some(found) = self.0.piece_at(at) {
                visit(square(at), piece(found));
            }
        }
    }
}

#[inline]
fn square(square: Square) -> u8 {
    square.index() as u8
}

#[inline]
fn color(color: Color) -> theirs::Color {
    match color {
        Color::White => theirs::Color::White,
        Color::Black => theirs::Color::Black,
    }
}

#[inline]
fn piece(piece: Piece) -> theirs::Piece {
    let kind = match piece.role {
        Role::Pawn => theirs::PieceKind::Pawn,
        Role::Knight => theirs::PieceKind::Knight,
        Role::Bishop => theirs::PieceKind::Bishop,
        Role::Rook => theirs::PieceKind::Rook,
        Role::Queen => theirs::PieceKind::Queen,
        Role::King => theirs::PieceKind::King,
    };
    theirs::Piece::new(color(piece.color), kind)
}
