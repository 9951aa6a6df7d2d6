//! How a perspective sees attacks, and the rows that they switch on.

use nnue_format::Threats;

use crate::chess::Color;
use crate::features::viewpoint::Viewpoint;
use crate::placement::PieceCodes;
use crate::rows::RowList;

/// How a perspective looks at the board: it changes only when its own king crosses the middle.
#[derive(Clone, Copy)]
pub(in crate::features) struct View {
    /// The number that squares are exclusive-ored with.
    orientation: u8,
    /// Whether black's pieces are the own pieces.
    is_black: bool,
}

impl View {
    /// How `perspective` looks at the board from a viewpoint if kings on these files mirror it.
    #[inline]
    pub(in crate::features) fn of(mirror_files: u8, perspective: Color, from: Viewpoint) -> View {
        let flip = [0, 0b111_000][perspective.index()];
        View {
            orientation: from.orientation(flip, mirror_files),
            is_black: perspective == Color::Black,
        }
    }

    /// The view as a number, which tells it from other views of its perspective.
    #[inline]
    pub(in crate::features) fn number(self) -> u64 {
        self.orientation.into()
    }

    /// The square as it is seen.
    #[inline]
    pub(in crate::features) fn square(self, square: u8) -> usize {
        usize::from((square ^ self.orientation) % 64)
    }

    /// Whether pieces of a colour are the opponent's.
    #[inline]
    pub(in crate::features) fn is_opponents(self, is_black: bool) -> bool {
        is_black != self.is_black
    }

    /// The piece of this code as it is seen: 1 to 6 for own pieces, 7 to 12 for the opponent's.
    #[inline]
    fn piece(self, code: u8) -> usize {
        /// White's and black's pieces change places.
        const EXCHANGED: [u8; 16] = [0, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 0, 0, 0];
        let code = code % 16;
        usize::from(if self.is_black {
            EXCHANGED[usize::from(code)]
        } else {
            code
        })
    }

    /// The row that an attack switches on, from one square to another, on a board of these pieces.
    /// The row is found without a branch, and means nothing unless it exists.
    #[inline(always)]
    fn row(self, tables: &Threats, codes: &PieceCodes, [from, to]: [u8; 2]) -> (u32, bool) {
        let piece = |square: u8| self.piece(codes.bytes()[usize::from(square % 64)]);
        let (attacker, victim) = (piece(from), piece(to));
        let (from, to) = (self.square(from), self.square(to));
        let pair = tables.pairs[attacker][victim];
        let attacks = tables.attacks[attacker][from];
        let place = (attacks & ((1 << to) - 1)).count_ones();
        let mut row = (pair & !Threats::IF_LATER) + tables.squares[attacker][from] + place;
        if tables.rules.by_square {
            row += u32::from(tables.slots[attacker][victim]) * attacks.count_ones();
        }
        let is_feature = pair & Threats::NO_ROW == 0 && attacks >> to & 1 != 0;
        let is_earlier = pair & Threats::IF_LATER != 0 && from < to;
        (row, is_feature & !is_earlier)
    }
}

/// Lists the rows that attacks switch on.
#[inline(always)]
pub(super) fn list_rows(
    tables: &Threats,
    view: View,
    first_row: u32,
    codes: &PieceCodes,
    attacks: &[[u8; 2]],
    list: &mut RowList<'_>,
) {
    for &attack in attacks {
        let (row, exists) = view.row(tables, codes, attack);
        list.push_if(exists, first_row + row);
    }
}
