//! What the page shows: a net, a position's evaluation and its pieces' parts in it, and the speed.

use nnue_runtime::{Board, Color, Delta, Position, Role, Square};
use serde::Serialize;

mod small128 {
    nnue_runtime::nnue_net!("../../specs/small128.toml");
}

/// A net, once it is loaded.
#[derive(Default)]
pub struct Page {
    net: Option<small128::Network>,
}

/// What is said of a net that was loaded.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Loaded {
    /// The instructions that evaluate it.
    pub level: &'static str,
    /// What the net file says of itself.
    pub description: String,
}

/// What is said of a position. Values are in the engine's units.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Evaluation {
    /// The value for the side to move.
    pub value: i32,
    /// The value for white.
    pub white: i32,
    /// Whether white is to move.
    pub white_to_move: bool,
    /// All pieces on the board.
    pub pieces: Vec<Piece>,
}

/// A piece on the board.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// From 0, a1, to 63, h8.
    pub square: usize,
    /// Its letter in FENs.
    pub letter: char,
    /// What white's evaluation loses when the piece is taken off. Kings have none, as no network
    /// was trained on boards without them.
    pub contribution: Option<i32>,
}

/// What [`Page::measure`] did.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Measured {
    /// How many positions were evaluated.
    pub evaluations: usize,
    /// The sum of their values, so that nobody has to compute them twice to compare two levels.
    pub sum: i32,
}

impl Page {
    /// Loads a net file.
    ///
    /// # Errors
    ///
    /// What the loader says of a file that does not fit.
    pub fn load(&mut self, file: &[u8]) -> Result<Loaded, String> {
        let net = small128::Network::from_bytes(file).map_err(|error| error.to_string())?;
        let loaded = Loaded {
            level: net.level().name(),
            description: String::from_utf8_lossy(net.description()).into_owned(),
        };
        self.net = Some(net);
        Ok(loaded)
    }

    /// Evaluates a position, given as FEN, and each board that lacks one of its pieces.
    ///
    /// # Errors
    ///
    /// No net is loaded, or the text is no position.
    pub fn evaluate(&mut self, fen: &[u8]) -> Result<Evaluation, String> {
        let net = self.net()?;
        let board = position(fen)?;
        let side = board.side_to_move();
        let value = evaluate(net, &board);
        let pieces = Square::ALL.into_iter().filter_map(|square| {
            let piece = board.piece_at(square)?;
            let contribution = (piece.role != Role::King).then(|| {
                let without = evaluate(net, &board.without(square));
                for_white(side, value.wrapping_sub(without))
            });
            Some(Piece {
                square: square.index(),
                letter: piece.to_char(),
                contribution,
            })
        });
        Ok(Evaluation {
            value,
            white: for_white(side, value),
            white_to_move: side == Color::White,
            pieces: pieces.collect(),
        })
    }

    /// Evaluates positions as a search does, by updates from one to the next: those that follow
    /// from a position when one of its pieces goes to an empty square, again and again.
    ///
    /// # Errors
    ///
    /// Those of [`Page::evaluate`], and positions in which no piece can be moved so.
    pub fn measure(&mut self, fen: &[u8], at_least: usize) -> Result<Measured, String> {
        let net = self.net()?;
        let board = position(fen)?;
        let moves = moves(&board);
        if moves.is_empty() {
            return Err("no piece can be moved to an empty square".into());
        }
        let mut evaluator = small128::Evaluator::new(net, &board);
        let mut measured = Measured {
            evaluations: 0,
            sum: 0,
        };
        while measured.evaluations < at_least {
            for delta in &moves {
                evaluator.push(delta);
                measured.sum = measured.sum.wrapping_add(evaluator.evaluate().value);
                evaluator.pop();
            }
            measured.evaluations += moves.len();
        }
        Ok(measured)
    }

    fn net(&self) -> Result<&small128::Network, String> {
        self.net.as_ref().ok_or("no net is loaded".into())
    }
}

fn position(fen: &[u8]) -> Result<Board, String> {
    let fen = std::str::from_utf8(fen).map_err(|_| "the FEN is not UTF-8 text".to_string())?;
    Board::from_fen(fen).map_err(|error| error.to_string())
}

fn evaluate(net: &small128::Network, board: &Board) -> i32 {
    let accumulator = small128::Accumulator::new(net, board);
    net.evaluate(&accumulator, board).value
}

fn for_white(side: Color, value: i32) -> i32 {
    match side {
        Color::White => value,
        Color::Black => value.wrapping_neg(),
    }
}

/// What the side to move could do if its pieces went one rank or two ranks forward, whatever they
/// are: for the network, one piece's way is as long as another's.
fn moves(board: &Board) -> Vec<Delta> {
    let side = board.side_to_move();
    let own = Square::ALL.into_iter().filter_map(|from| {
        let piece = board.piece_at(from)?;
        (piece.color == side && piece.role != Role::King).then_some((piece, from))
    });
    let moves = own.flat_map(|(piece, from)| {
        [1, 2].into_iter().filter_map(move |ranks: u8| {
            let rank = match side {
                Color::White => from.rank().checked_add(ranks)?,
                Color::Black => from.rank().checked_sub(ranks)?,
            };
            let to = Square::from_file_rank(from.file(), rank)?;
            let last = rank == 0 || rank == 7;
            let possible = board.piece_at(to).is_none() && !(piece.role == Role::Pawn && last);
            possible.then(|| Delta::quiet(piece, from, to))
        })
    });
    moves.collect()
}
