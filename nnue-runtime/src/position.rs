//! The facts about a board that a network needs.

use crate::chess::{Bitboard, Color, Piece, Role, Square};

/// The pieces with their squares, and the side to move: most evaluations depend on nothing else.
/// The half-move clock, which a few depend on, is told by a [`PositionWithClock`].
///
/// Engines implement it for their own board; [`Board`](crate::Board) is one that is ready to use.
///
/// # Contract
///
/// The twelve sets of [`pieces`](Position::pieces) have no square in common. There is exactly one king of each colour. The sets stay the same as long as the
/// position is not changed. Whether legal moves lead to the position does not matter. A position
/// that breaks the contract has meaningless evaluations, but causes neither panics nor undefined
/// behaviour.
///
/// # Examples
///
/// An engine that keeps a set of squares per colour and per role:
///
/// ```
/// use nnue_runtime::{Bitboard, Color, Piece, Position, Role, Square};
///
/// struct EngineBoard {
///     colors: [u64; 2],
///     roles: [u64; 6],
///     white_to_move: bool,
/// }
///
/// impl Position for EngineBoard {
///     fn side_to_move(&self) -> Color {
///         if self.white_to_move { Color::White } else { Color::Black }
///     }
///
///     fn pieces(&self, piece: Piece) -> Bitboard {
///         Bitboard(self.colors[piece.color.index()] & self.roles[piece.role.index()])
///     }
/// }
///
/// let bare_kings = EngineBoard {
///     colors: [1 << 4, 1 << 60],
///     roles: [0, 0, 0, 0, 0, 1 << 4 | 1 << 60],
///     white_to_move: true,
/// };
/// assert_eq!(bare_kings.king(Color::White), Square::E1);
/// assert_eq!(bare_kings.king(Color::Black), Square::E8);
/// assert_eq!(bare_kings.occupied().len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no position that a network can evaluate",
    label = "`Position` is not implemented for `{Self}`",
    note = "for `cozy_chess::Board`, enable the feature `cozy-chess` of nnue-runtime",
    note = "for a board of your own, implement `nnue_runtime::Position`: it needs `side_to_move` and `pieces`"
)]
pub trait Position {
    /// The player whose turn it is, and from whose point of view evaluations are given.
    fn side_to_move(&self) -> Color;

    /// The squares where that piece stands. This is called up to twelve times for each refresh of
    /// an accumulator, so it should be fast.
    fn pieces(&self, piece: Piece) -> Bitboard;

    /// The squares where any piece stands: the union of all [`pieces`](Position::pieces). Override
    /// it where the board keeps this set.
    #[inline]
    fn occupied(&self) -> Bitboard {
        let mut occupied = Bitboard::EMPTY;
        for piece in Piece::ALL {
            occupied |= self.pieces(piece);
        }
        occupied
    }

    /// The square of that colour's king. With several kings it is the square of the lowest index,
    /// without a king a1.
    #[inline]
    fn king(&self, color: Color) -> Square {
        self.pieces(Piece::new(color, Role::King))
            .first()
            .unwrap_or(Square::A1)
    }

    /// The number of half moves since the last capture or move of a pawn; 255 stands for more, too.
    /// Only networks with the feature set `Clock` read it, and compiled ones only take a
    /// [`PositionWithClock`].
    #[inline]
    fn halfmove_clock(&self) -> u8 {
        0
    }
}

/// A position that tells the half-move clock: it overrides [`Position::halfmove_clock`]. Networks
/// with the feature set `Clock` do not compile with other positions, so that none is evaluated as
/// if its clock were 0.
///
/// ```
/// use nnue_runtime::{Bitboard, Color, Piece, Position, PositionWithClock};
/// # struct EngineBoard { clock: u8 }
///
/// impl Position for EngineBoard {
///     fn halfmove_clock(&self) -> u8 {
///         self.clock
///     }
///     // And what all networks need.
/// #   fn side_to_move(&self) -> Color { Color::White }
/// #   fn pieces(&self, _: Piece) -> Bitboard { Bitboard::EMPTY }
/// }
///
/// impl PositionWithClock for EngineBoard {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not tell the half-move clock, which this network sees",
    label = "`PositionWithClock` is not implemented for `{Self}`",
    note = "override `halfmove_clock` in its `nnue_runtime::Position`, and say so: `impl nnue_runtime::PositionWithClock \
            for {Self} {{}}`"
)]
pub trait PositionWithClock: Position {}

impl<P: PositionWithClock + ?Sized> PositionWithClock for &P {}

impl<P: Position + ?Sized> Position for &P {
    #[inline]
    fn side_to_move(&self) -> Color {
        (**self).side_to_move()
    }

    #[inline]
    fn pieces(&self, piece: Piece) -> Bitboard {
        (**self).pieces(piece)
    }

    #[inline]
    fn occupied(&self) -> Bitboard {
        (**self).occupied()
    }

    #[inline]
    fn king(&self, color: Color) -> Square {
        (**self).king(color)
    }

    #[inline]
    fn halfmove_clock(&self) -> u8 {
        (**self).halfmove_clock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds the same squares for each piece of one colour: enough to see what the provided methods
    /// ask for.
    struct OneColor(Color, Bitboard);

    impl Position for OneColor {
        fn side_to_move(&self) -> Color {
            self.0
        }

        fn pieces(&self, piece: Piece) -> Bitboard {
            if piece.color == self.0 {
                self.1
            } else {
                Bitboard::EMPTY
            }
        }
    }

    #[test]
    fn a_king_is_the_first_square_or_a1() {
        let squares = Bitboard::from(Square::G5) | Square::C6.into();
        let position = OneColor(Color::Black, squares);
        assert_eq!(position.king(Color::Black), Square::G5);
        assert_eq!(position.king(Color::White), Square::A1);
        assert_eq!(position.occupied(), squares);
    }

    #[test]
    fn references_and_trait_objects_are_positions() {
        fn look(position: impl Position) -> (Color, Square, Bitboard) {
            let king = position.king(Color::White);
            (position.side_to_move(), king, position.occupied())
        }
        let position = OneColor(Color::White, Square::B3.into());
        let seen = (Color::White, Square::B3, Square::B3.into());
        assert_eq!(look(&position), seen);
        assert_eq!(look(&position as &dyn Position), seen);
    }
}
