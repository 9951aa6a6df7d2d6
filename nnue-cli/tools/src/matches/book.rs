//! Openings, all different: random openings from a seed, or openings of a list.

use std::collections::HashSet;

use cozy_chess::{Board, Color, Move, Piece, get_king_moves};
use fastrand::Rng;
use nnue_compiler::format::foreign;

use crate::fen::{Fen, castles_as_usual};
use crate::matches::error::Error;
use crate::matches::game::can_move;

/// Openings that consist of random legal moves.
#[derive(Clone, Debug)]
pub struct RandomBook {
    /// The seed that chooses the openings.
    pub seed: u64,
    /// How many moves an opening has, of both players together.
    pub plies: u8,
    /// Whether the openings begin at random starts of Chess960.
    pub chess960: bool,
    /// How many pawns of material a player may be ahead after all captures.
    pub imbalance: u8,
}

impl RandomBook {
    /// Generates `count` openings. The first of them do not depend on `count`.
    ///
    /// # Errors
    ///
    /// [`Error::FewMoves`] if too few different openings are found in a bounded number of attempts.
    pub fn openings(&self, count: usize) -> Result<Vec<Board>, Error> {
        /// The most attempts for an opening.
        const ATTEMPTS: usize = 20_000;

        let mut random = Rng::with_seed(self.seed);
        let mut seen = HashSet::new();
        let mut openings = Vec::new();
        while openings.len() < count {
            let next = (0..ATTEMPTS).find_map(|_| {
                let board = self.attempt(&mut random)?;
                seen.insert(board.hash()).then_some(board)
            });
            let Some(board) = next else {
                return Err(Error::FewMoves {
                    plies: self.plies,
                    found: openings.len(),
                    needed: count,
                });
            };
            openings.push(board);
        }
        Ok(openings)
    }

    /// A position after random moves; `None` if it is not suitable as an opening.
    fn attempt(&self, random: &mut Rng) -> Option<Board> {
        let mut board = if self.chess960 {
            Board::chess960_startpos(random.u32(..960))
        } else {
            Board::default()
        };
        for _ in 0..self.plies {
            let mut moves: Vec<Move> = Vec::new();
            board.generate_moves(|of_piece| {
                moves.extend(of_piece);
                false
            });
            board.play_unchecked(random.choice(moves)?);
        }
        let ahead = after_captures(&board, -i32::MAX, i32::MAX).unsigned_abs();
        let is_good =
            board.checkers().is_empty() && can_move(&board) && ahead <= u32::from(self.imbalance);
        is_good.then_some(board)
    }
}

fn pawns(piece: Piece) -> i32 {
    match piece {
        Piece::Pawn => 1,
        Piece::Knight | Piece::Bishop => 3,
        Piece::Rook => 5,
        Piece::Queen => 9,
        Piece::King => 0,
    }
}

fn material(board: &Board, color: Color) -> i32 {
    let of = |piece| board.colored_pieces(color, piece).len() as i32 * pawns(piece);
    Piece::ALL.into_iter().map(of).sum()
}

/// By how many pawns the player to move is ahead after the best captures of both players.
fn after_captures(board: &Board, mut alpha: i32, beta: i32) -> i32 {
    let us = board.side_to_move();
    alpha = alpha.max(material(board, us) - material(board, !us));
    if alpha >= beta {
        return alpha;
    }
    let mut captures: Vec<(i32, Move)> = Vec::new();
    board.generate_moves(|mut of_piece| {
        of_piece.to &= board.colors(!us);
        let worth = |capture: Move| board.piece_on(capture.to).map_or(0, pawns);
        captures.extend(
            of_piece
                .into_iter()
                .map(|capture| (worth(capture), capture)),
        );
        false
    });
    captures.sort_by_key(|(worth, _)| -worth);
    for (_, capture) in captures {
        let mut after = board.clone();
        after.play_unchecked(capture);
        alpha = alpha.max(-after_captures(&after, -beta, -alpha));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

/// The openings of a list, each of them once.
#[derive(Clone, Debug)]
pub struct ListedBook {
    source: String,
    chess960: bool,
    openings: Vec<Board>,
    seen: HashSet<u64>,
}

impl ListedBook {
    /// An empty list; `source` is its name in messages. Without `chess960`, castling rights must be
    /// those of ordinary chess.
    #[must_use]
    pub fn new(source: impl Into<String>, chess960: bool) -> ListedBook {
        ListedBook {
            source: source.into(),
            chess960,
            openings: Vec::new(),
            seen: HashSet::new(),
        }
    }

    /// Adds a position, unless the list has it already. The clocks of its FEN may be missing, as in
    /// EPD.
    ///
    /// # Errors
    ///
    /// [`BadOpening`] if no game can be played from the position.
    pub fn add(&mut self, fen: &str) -> Result<(), BadOpening> {
        let board = opening(fen, self.chess960)?;
        if self.seen.insert(board.hash()) {
            self.openings.push(board);
        }
        Ok(())
    }

    /// Chooses `count` openings of the list, in an order that the seed determines.
    ///
    /// # Errors
    ///
    /// [`Error::ShortList`] if the list has fewer openings.
    pub fn openings(mut self, seed: u64, count: usize) -> Result<Vec<Board>, Error> {
        if self.openings.len() < count {
            return Err(Error::ShortList {
                list: self.source,
                found: self.openings.len(),
                needed: count,
            });
        }
        Rng::with_seed(seed).shuffle(&mut self.openings);
        self.openings.truncate(count);
        Ok(self.openings)
    }
}

/// Why a position is no opening. Every message shows the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadOpening {
    /// No game can reach the position.
    #[error("`{}` is no position of a game: {reason}", foreign(.fen))]
    Unreachable {
        /// The position.
        fen: String,
        /// The mistake in the position.
        reason: String,
    },
    /// The game is over in the position.
    #[error("`{}` is the end of a game", foreign(.fen))]
    Over {
        /// The position.
        fen: String,
    },
    /// The position has castling rights that only Chess960 has, which is not played.
    #[error("`{}` castles as in Chess960", foreign(.fen))]
    Chess960 {
        /// The position.
        fen: String,
    },
}

/// A position from which a game can be played.
fn opening(fen: &str, chess960: bool) -> Result<Board, BadOpening> {
    let unreachable = |reason: String| BadOpening::Unreachable {
        fen: fen.into(),
        reason,
    };
    let read = Fen::parse(fen).map_err(|error| unreachable(error.to_string()))?;
    let board = read.game().map_err(unreachable)?;
    // No board of that crate has any other fault.
    if get_king_moves(board.king(Color::White)).has(board.king(Color::Black)) {
        return Err(unreachable("the kings stand side by side".into()));
    }
    if !can_move(&board) || board.halfmove_clock() >= 100 {
        return Err(BadOpening::Over { fen: fen.into() });
    }
    if !chess960 && !castles_as_usual(&board) {
        return Err(BadOpening::Chess960 { fen: fen.into() });
    }
    Ok(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: RandomBook = RandomBook {
        seed: 1,
        plies: 8,
        chess960: false,
        imbalance: 1,
    };

    #[test]
    fn openings_are_those_of_their_seed() {
        let few = BOOK.openings(20).unwrap();
        let many = BOOK.openings(200).unwrap();
        assert_eq!(few, many[..20]);
        let other = RandomBook { seed: 2, ..BOOK }.openings(20).unwrap();
        assert!(other.iter().all(|board| !many.contains(board)));
    }

    #[test]
    fn openings_differ_and_are_balanced_and_quiet() {
        let openings = BOOK.openings(500).unwrap();
        let different: HashSet<u64> = openings.iter().map(Board::hash).collect();
        assert_eq!(different.len(), 500);
        for board in &openings {
            assert!(board.checkers().is_empty() && can_move(board), "{board}");
            assert_eq!(board.fullmove_number(), 5);
            let ahead = after_captures(board, -i32::MAX, i32::MAX);
            assert!(ahead.abs() <= 1, "{board}");
        }
        let any = RandomBook {
            imbalance: u8::MAX,
            ..BOOK
        };
        let any = any.openings(500).unwrap();
        let ahead = |board: &Board| after_captures(board, -i32::MAX, i32::MAX).abs();
        assert!(any.iter().filter(|board| ahead(board) > 1).count() > 50);
    }

    #[test]
    fn starts_of_chess960_are_drawn_too() {
        let chess960 = RandomBook {
            chess960: true,
            ..BOOK
        };
        let openings = chess960.openings(50).unwrap();
        assert!(openings.iter().any(|board| !castles_as_usual(board)));
    }

    #[test]
    fn there_are_only_so_many_openings() {
        let one = RandomBook { plies: 1, ..BOOK };
        assert_eq!(one.openings(20).unwrap().len(), 20);
        let message = one.openings(21).unwrap_err().to_string();
        assert!(
            message.starts_with("1 random moves give only 20 different"),
            "{message}"
        );
    }

    #[test]
    fn captures_are_played_out() {
        for (fen, ahead) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
            // A queen that attacks a protected pawn, and a queen that attacks an unprotected pawn.
            ("4k3/2p5/3p4/8/8/8/3Q4/4K3 w - - 0 1", 7),
            ("4k3/8/3p4/8/8/8/3Q4/4K3 w - - 0 1", 9),
            ("4k3/8/3q4/8/8/3Q4/8/4K3 b - - 0 1", 9),
            // A queen that is recaptured.
            ("4k3/8/3q4/8/8/8/3Q4/4K3 b - - 0 1", 0),
        ] {
            let board: Board = fen.parse().unwrap();
            assert_eq!(after_captures(&board, -i32::MAX, i32::MAX), ahead, "{fen}");
        }
    }

    fn list(text: &str, chess960: bool) -> ListedBook {
        let mut book = ListedBook::new("a book", chess960);
        for fen in text.lines() {
            book.add(fen).unwrap();
        }
        book
    }

    const THREE: &str = "\
4k3/8/8/8/8/8/4P3/4K3 w - -
4k3/8/8/8/8/8/3P4/4K3 w - - 0 1
4k3/8/8/8/8/8/3P4/4K3 w - - 5 9
4k3/8/8/8/8/8/2P5/4K3 b - -
";

    #[test]
    fn a_list_is_shuffled_without_what_it_repeats() {
        let book = list(THREE, false);
        let all = book.clone().openings(1, 3).unwrap();
        let different: HashSet<u64> = all.iter().map(Board::hash).collect();
        assert_eq!(different.len(), 3);
        let first = |seed| book.clone().openings(seed, 3).unwrap()[0].hash();
        assert_eq!((0..20).map(first).collect::<HashSet<_>>(), different);
        assert_eq!(book.clone().openings(1, 2).unwrap(), all[..2]);
        let message = book.openings(1, 4).unwrap_err().to_string();
        assert_eq!(
            message,
            "a book has 3 different positions, and 4 pairs need one each"
        );
    }

    #[test]
    fn positions_without_a_game_are_refused() {
        for (fen, reason) in [
            ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "is the end of a game"),
            ("4k3/8/8/8/8/8/8/4K2R w H - 100 90", "is the end of a game"),
            ("4k3/8/8/8/8/8/8/K3R3 w - - 0 1", "is no position of a game"),
            ("4k3/8/8/8/8/8/8 w", "is no position of a game"),
            (
                "8/8/8/3k4/3K4/8/P7/8 w - - 0 1",
                "the kings stand side by side",
            ),
            (
                "8/8/8/3k4/4K3/8/P7/8 b - - 0 1",
                "the kings stand side by side",
            ),
            ("1k6/8/8/8/8/8/8/RK6 w A - 0 1", "castles as in Chess960"),
        ] {
            let message = opening(fen, false).unwrap_err().to_string();
            assert!(message.starts_with(&format!("`{fen}` ")), "{message}");
            assert!(message.contains(reason), "{message}");
        }
        let chess960 = list("1k6/8/8/8/8/8/8/RK6 w A - 0 1", true);
        assert_eq!(chess960.openings(1, 1).unwrap().len(), 1);
    }
}
