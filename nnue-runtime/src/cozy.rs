//! Boards, moves and vocabulary of [cozy-chess](cozy_chess).

use crate::board::Board;
use crate::chess::{Bitboard, Color, Piece, Role, Square};
use crate::delta::Delta;
use crate::position::{Position, PositionWithClock};

/// Conversions of an enum to the enum of cozy-chess with the same variants, and back.
macro_rules! same_variants {
    ($own:ident, $cozy:ident: $($variant:ident),+) => {
        impl From<cozy_chess::$cozy> for $own {
            #[inline]
            fn from(cozy: cozy_chess::$cozy) -> $own {
                match cozy { $(cozy_chess::$cozy::$variant => $own::$variant),+ }
            }
        }

        impl From<$own> for cozy_chess::$cozy {
            #[inline]
            fn from(own: $own) -> cozy_chess::$cozy {
                match own { $($own::$variant => cozy_chess::$cozy::$variant),+ }
            }
        }
    };
}
same_variants!(Color, Color: White, Black);
// What cozy-chess calls a piece has no colour, so it is a role here.
same_variants!(Role, Piece: Pawn, Knight, Bishop, Rook, Queen, King);

impl From<cozy_chess::Square> for Square {
    #[inline]
    fn from(square: cozy_chess::Square) -> Square {
        Square::wrapping(square as u8)
    }
}

impl From<Square> for cozy_chess::Square {
    #[inline]
    fn from(square: Square) -> cozy_chess::Square {
        cozy_chess::Square::ALL[square.index()]
    }
}

impl Position for cozy_chess::Board {
    #[inline]
    fn side_to_move(&self) -> Color {
        self.side_to_move().into()
    }

    #[inline]
    fn pieces(&self, piece: Piece) -> Bitboard {
        Bitboard(self.colored_pieces(piece.color.into(), piece.role.into()).0)
    }

    #[inline]
    fn occupied(&self) -> Bitboard {
        Bitboard(self.occupied().0)
    }

    #[inline]
    fn halfmove_clock(&self) -> u8 {
        self.halfmove_clock()
    }
}

impl PositionWithClock for cozy_chess::Board {}

impl From<&cozy_chess::Board> for Board {
    fn from(board: &cozy_chess::Board) -> Board {
        let piece_on = |square| {
            let square = cozy_chess::Square::from(square);
            let (color, role) = board.color_on(square).zip(board.piece_on(square))?;
            Some(Piece::new(color.into(), role.into()))
        };
        let side_to_move = board.side_to_move().into();
        Board::from_squares(
            Square::ALL.map(piece_on),
            side_to_move,
            board.halfmove_clock(),
        )
    }
}

impl Delta {
    /// The changes that a move will make on `board`, the board before the move. The move is not
    /// played. Castling is written as cozy-chess writes it: the king takes its own rook.
    ///
    /// The move must be legal. Otherwise the delta need not fit the board.
    pub fn from_cozy(board: &cozy_chess::Board, mv: cozy_chess::Move) -> Delta {
        let Some(role) = board.piece_on(mv.from) else {
            return Delta::null();
        };
        let color = board.side_to_move();
        let piece = Piece::new(color.into(), role.into());
        let (from, to) = (Square::from(mv.from), Square::from(mv.to));

        if role == cozy_chess::Piece::King && board.colors(color).has(mv.to) {
            let short = mv.from.file() < mv.to.file();
            let (king_file, rook_file) = if short {
                (cozy_chess::File::G, cozy_chess::File::F)
            } else {
                (cozy_chess::File::C, cozy_chess::File::D)
            };
            let rank = mv.from.rank();
            let king_to = cozy_chess::Square::new(king_file, rank).into();
            let rook_to = cozy_chess::Square::new(rook_file, rank).into();
            return Delta::castling(color.into(), from, king_to, to, rook_to);
        }
        let captured = board
            .piece_on(mv.to)
            .map(|role| Piece::new((!color).into(), role.into()));
        if let Some(promoted) = mv.promotion {
            return Delta::promotion(color.into(), from, to, promoted.into(), captured);
        }
        if let Some(captured) = captured {
            return Delta::capture(piece, from, to, captured, to);
        }
        if role == cozy_chess::Piece::Pawn && mv.from.file() != mv.to.file() {
            // En passant: the pawn beside `from` is taken.
            let captured_on = cozy_chess::Square::new(mv.to.file(), mv.from.rank()).into();
            let captured = Piece::new((!color).into(), Role::Pawn);
            return Delta::capture(piece, from, to, captured, captured_on);
        }
        Delta::quiet(piece, from, to)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use fastrand::Rng;

    use super::*;
    use crate::delta::PieceChanges;

    /// How often the moves that are easy to get wrong were played.
    #[derive(Debug, Default)]
    struct Played {
        plies: u32,
        castling: u32,
        castling_in_place: u32,
        en_passant: u32,
        promotions: u32,
        promotion_captures: u32,
    }

    fn sorted(changes: PieceChanges) -> Vec<(Piece, Square)> {
        let mut changes: Vec<_> = changes.collect();
        changes.sort();
        changes
    }

    fn is_castling(board: &cozy_chess::Board, mv: cozy_chess::Move) -> bool {
        board.colors(board.side_to_move()).has(mv.to)
    }

    fn is_en_passant(board: &cozy_chess::Board, mv: cozy_chess::Move) -> bool {
        board.piece_on(mv.from) == Some(cozy_chess::Piece::Pawn)
            && mv.from.file() != mv.to.file()
            && board.piece_on(mv.to).is_none()
    }

    /// Plays random moves, special ones preferred, and checks the delta of each.
    fn play(mut position: cozy_chess::Board, random: &mut Rng, played: &mut Played) {
        let mut follower = Board::from(&position);
        for _ in 0..120 {
            let mut moves = Vec::new();
            let mut special = Vec::new();
            position.generate_moves(|piece_moves| {
                for mv in piece_moves {
                    moves.push(mv);
                    if is_castling(&position, mv)
                        || is_en_passant(&position, mv)
                        || mv.promotion.is_some()
                    {
                        special.push(mv);
                    }
                }
                false
            });
            if moves.is_empty() {
                return;
            }
            let choice = if special.is_empty() || random.usize(..4) == 0 {
                &moves
            } else {
                &special
            };
            let mv = choice[random.usize(..choice.len())];
            let context = format!("{position} {mv}");

            let delta = Delta::from_cozy(&position, mv);
            let mut after = position.clone();
            after.play(mv);
            let between = Delta::between(&position, &after).unwrap();
            assert_eq!(
                sorted(delta.removed()),
                sorted(between.removed()),
                "{context}"
            );
            assert_eq!(sorted(delta.added()), sorted(between.added()), "{context}");
            for color in Color::ALL {
                let moved = Position::king(&position, color) != Position::king(&after, color);
                assert_eq!(delta.moves_king(color), moved, "{context}");
            }
            assert_eq!(follower.apply(&delta), Ok(()), "{context}");
            assert_eq!(follower, Board::from(&after), "{context}");
            // cozy-chess counts to 100.
            let clock = follower.halfmove_clock().min(100);
            assert_eq!(clock, Position::halfmove_clock(&after), "{context}");

            played.plies += 1;
            played.castling += u32::from(is_castling(&position, mv));
            played.castling_in_place +=
                u32::from(is_castling(&position, mv) && delta.removed().len() == 1);
            played.en_passant += u32::from(is_en_passant(&position, mv));
            played.promotions += u32::from(mv.promotion.is_some());
            played.promotion_captures +=
                u32::from(mv.promotion.is_some() && delta.removed().len() == 2);
            position = after;
        }
    }

    #[test]
    fn deltas_of_standard_games_are_what_the_moves_change() {
        let mut random = Rng::with_seed(0x0ddb_a11c_0ffe_e123);
        let mut played = Played::default();
        for _ in 0..150 {
            play(cozy_chess::Board::startpos(), &mut random, &mut played);
        }
        assert!(played.plies > 10_000, "{played:?}");
        assert!(played.castling > 10, "{played:?}");
        assert!(played.en_passant > 10, "{played:?}");
        assert!(played.promotion_captures > 5, "{played:?}");
        assert!(
            played.promotions > played.promotion_captures + 5,
            "{played:?}"
        );
    }

    #[test]
    fn deltas_of_chess960_games_are_what_the_moves_change() {
        let mut random = Rng::with_seed(0xcafe_f00d_5eed_1234);
        let mut played = Played::default();
        for _ in 0..120 {
            let (white, black) = (random.usize(..960) as u32, random.usize(..960) as u32);
            let position = cozy_chess::Board::double_chess960_startpos(white, black);
            play(position, &mut random, &mut played);
        }
        assert!(played.plies > 8000, "{played:?}");
        assert!(played.castling > 50, "{played:?}");
        assert!(played.castling_in_place > 5, "{played:?}");
    }

    #[test]
    fn cozy_boards_are_positions() {
        let fen = "r3k2r/1p6/8/2Q5/8/8/PP5P/R3K2R b KQkq - 3 20";
        let position: cozy_chess::Board = fen.parse().unwrap();
        let board = Board::from_fen(fen).unwrap();
        assert_eq!(Board::from(&position), board);
        assert_eq!(Board::of(&position), Ok(board.clone()));
        assert_eq!(Position::occupied(&position), board.occupied());
        assert_eq!(Position::side_to_move(&position), Color::Black);
    }

    #[test]
    fn vocabulary_round_trips() {
        for color in Color::ALL {
            assert_eq!(Color::from(cozy_chess::Color::from(color)), color);
        }
        for role in Role::ALL {
            assert_eq!(Role::from(cozy_chess::Piece::from(role)), role);
        }
        for square in Square::ALL {
            let theirs = cozy_chess::Square::from(square);
            assert_eq!(Square::from(theirs), square);
            assert_eq!(theirs.to_string(), square.to_string());
        }
    }

    #[test]
    fn moves_of_no_piece_are_harmless() {
        let position = cozy_chess::Board::startpos();
        let mv = "e4e5".parse().unwrap();
        assert_eq!(Delta::from_cozy(&position, mv), Delta::null());
    }
}
