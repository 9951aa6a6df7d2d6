//! The structures that C and Rust share, which the header declares with the same fields.

use nnue_runtime::{Bitboard, Color, Delta, Output, Piece, Position, PositionWithClock, Role, Wdl};

use crate::status::{Status, fail};

/// `nnue_position`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CPosition {
    /// The squares of each piece, by [`Piece::index`].
    pub pieces: [u64; 12],
    /// 0 for white, 1 for black.
    pub side_to_move: i32,
}

/// A position that keeps the contract of positions, with its half-move clock.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    position: CPosition,
    halfmove_clock: u8,
}

/// The half-move clock as the runtime counts it.
#[inline]
pub(crate) fn clock(halfmove_clock: u32) -> u8 {
    u8::try_from(halfmove_clock).unwrap_or(u8::MAX)
}

impl CPosition {
    /// Checks the contract, which keeps evaluations from being meaningless.
    #[inline]
    pub(crate) fn check(&self, halfmove_clock: u32) -> Result<Checked, Status> {
        let (mut occupied, mut twice) = (0, 0);
        for squares in self.pieces {
            twice |= occupied & squares;
            occupied |= squares;
        }
        let kings = Color::ALL.map(|color| self.pieces[Piece::new(color, Role::King).index()]);
        let is_sound = twice == 0
            && kings.iter().all(|squares| squares.is_power_of_two())
            && matches!(self.side_to_move, 0 | 1);
        if is_sound {
            Ok(Checked {
                position: *self,
                halfmove_clock: clock(halfmove_clock),
            })
        } else {
            Err(self.refuse(twice, kings))
        }
    }

    #[cold]
    fn refuse(&self, twice: u64, kings: [u64; 2]) -> Status {
        let error = match (Bitboard(twice).first(), kings.map(u64::count_ones)) {
            (Some(square), _) => {
                format!("found several pieces on {square}, expected at most one")
            }
            (None, [white, black]) if [white, black] != [1; 2] => {
                format!("found {white} white and {black} black kings, expected one of each colour")
            }
            _ => format!(
                "found the side to move {}, expected 0 for white or 1 for black",
                self.side_to_move
            ),
        };
        fail(Status::POSITION, error)
    }
}

impl Position for Checked {
    #[inline]
    fn side_to_move(&self) -> Color {
        match self.position.side_to_move {
            0 => Color::White,
            _ => Color::Black,
        }
    }

    #[inline]
    fn pieces(&self, piece: Piece) -> Bitboard {
        Bitboard(self.position.pieces[piece.index()])
    }

    #[inline]
    fn halfmove_clock(&self) -> u8 {
        self.halfmove_clock
    }
}

impl PositionWithClock for Checked {}

/// `nnue_move`: two lists as [`Delta::from_packed`] takes them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CMove {
    /// The pieces that leave their squares.
    pub removed: u64,
    /// The pieces that are put on squares.
    pub added: u64,
}

impl CMove {
    /// The bit of `removed` that the header sets for pieces and squares that there are not.
    const WRONG: u64 = 0x80;

    /// The delta, unless the header's functions have marked the move.
    #[inline]
    pub(crate) fn delta(self) -> Result<Delta, Status> {
        match self.removed & Self::WRONG {
            0 => Ok(Delta::from_packed(self.removed, self.added)),
            _ => Err(wrong_move()),
        }
    }
}

#[cold]
fn wrong_move() -> Status {
    let error = "the move has a piece or a square that there is not, or more than four pieces in a list: \
                 expected pieces from 0 to 11 and squares from 0 to 63";
    fail(Status::MOVE, error)
}

/// `nnue_output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct COutput {
    /// [`Output::psqt`].
    pub psqt: i32,
    /// [`Output::positional`].
    pub positional: i32,
    /// [`Output::value`].
    pub value: i32,
}

/// `nnue_wdl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct CWdl {
    /// [`Wdl::win`].
    pub win: COutput,
    /// [`Wdl::draw`].
    pub draw: COutput,
    /// [`Wdl::loss`].
    pub loss: COutput,
}

/// An evaluation without further heads, as C has it.
pub trait Exported {
    /// The structure of C.
    type C;

    /// The evaluation as that structure.
    fn to_c(self) -> Self::C;
}

impl Exported for Output {
    type C = COutput;

    #[inline]
    fn to_c(self) -> COutput {
        let Output {
            psqt,
            positional,
            value,
        } = self;
        COutput {
            psqt,
            positional,
            value,
        }
    }
}

impl Exported for Wdl {
    type C = CWdl;

    #[inline]
    fn to_c(self) -> CWdl {
        let [win, draw, loss] = [self.win, self.draw, self.loss].map(Exported::to_c);
        CWdl { win, draw, loss }
    }
}
