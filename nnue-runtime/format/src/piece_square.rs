//! The tables of piece-square feature sets, which say which row a piece on a square makes active.

use alloc::vec;
use alloc::vec::Vec;

use crate::Material;

/// The formula of a feature set of the piece-square family, as tables.
///
/// Seen by a perspective, a piece makes this row active:
///
/// ```text
/// king_offset[king ^ o] + skipped + planes[perspective][piece] + (square ^ o)
/// o = flip[perspective], ^ 7 if the king's file is then in mirror_files
/// ```
///
/// It is a row of the perspective's rows of the set. `king` is the perspective's own king, and
/// `skipped` is the sum of the rows that the set's [`materials`](Self::materials) skip. A piece that
/// a weaker piece of the other player attacks also makes the row active with
/// `threatened[perspective][its colour]` instead of `planes[perspective][piece]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceSquare {
    /// The numbers with which white's and black's perspectives exclusive-or squares.
    pub flip: [u8; 2],
    /// Bit `f` is set when a king on file `f`, flipped, mirrors the board.
    pub mirror_files: u8,
    /// The first row for each square of the oriented own king.
    pub king_offset: [u32; 64],
    /// What chooses the rows besides the own king. [`Material::NONE`] follows the last.
    pub materials: [Material; Material::MOST],
    /// For white and for black, the first row, within the king's rows, of white's and of black's
    /// threatened pieces, which a weaker piece of the opponent attacks; or
    /// [`NO_THREATENED`](Self::NO_THREATENED).
    pub threatened: [[u32; 2]; 2],
    /// For white and for black, the first row of each piece within the king's rows. A piece's index
    /// is 1 to 6 for white's pawn to king, 7 to 12 for black's. [`NO_PLANE`](Self::NO_PLANE) stands
    /// for pieces without rows.
    pub planes: [[u32; 16]; 2],
}

impl PieceSquare {
    /// [`Self::threatened`] of sets in which threatened pieces have no row of their own.
    pub const NO_THREATENED: [[u32; 2]; 2] = [[Self::NO_PLANE; 2]; 2];

    /// Stands in [`Self::planes`] for pieces without rows. Sums with this number are beyond all
    /// rows and do not overflow.
    pub const NO_PLANE: u32 = 1 << 31;

    /// Whether the rows depend on other pieces than the own king.
    #[must_use]
    pub const fn depends_on_material(&self) -> bool {
        self.materials[0].exists()
    }

    /// What chooses the rows besides the own king.
    #[inline]
    pub fn materials(&self) -> impl Iterator<Item = &Material> {
        self.materials.iter().take_while(|one| one.exists())
    }

    /// All sums of rows that the materials can skip.
    #[must_use]
    pub fn skipped_rows(&self) -> Vec<u32> {
        let mut sums = vec![0];
        for material in self.materials() {
            let rows = distinct(&material.rows[..material.values()]);
            let longer = sums
                .iter()
                .flat_map(|sum| rows.iter().map(move |row| sum + row));
            sums = longer.collect();
        }
        sums
    }

    /// Whether all pieces have rows; without `with_kings`, whether all pieces except kings have
    /// rows.
    #[must_use]
    pub const fn has_rows(&self, with_kings: bool) -> bool {
        // The codes of pieces begin at 1, and every sixth code is a king's.
        let mut code = 1;
        while code <= 12 {
            let asked = with_kings || code % 6 != 0;
            let (white, black) = (self.planes[0][code], self.planes[1][code]);
            if asked && (white == Self::NO_PLANE || black == Self::NO_PLANE) {
                return false;
            }
            code += 1;
        }
        true
    }

    /// Whether threatened pieces have a row of their own, besides the row of the piece.
    #[must_use]
    pub const fn has_threatened(&self) -> bool {
        self.threatened[0][0] != Self::NO_PLANE
    }

    /// [`Self::planes`] of the first rows of the twelve pieces, white's pawn to king and black's
    /// pawn to king, as white and as black sees them.
    #[must_use]
    pub const fn planes(pieces: [[u32; 12]; 2]) -> [[u32; 16]; 2] {
        let mut planes = [[Self::NO_PLANE; 16]; 2];
        let mut index = 0;
        while index < 12 {
            planes[0][1 + index] = pieces[0][index];
            planes[1][1 + index] = pieces[1][index];
            index += 1;
        }
        planes
    }
}

/// The numbers without repetitions, the smallest first.
pub(crate) fn distinct(numbers: &[u32]) -> Vec<u32> {
    let mut distinct = Vec::new();
    for number in numbers {
        if let Err(place) = distinct.binary_search(number) {
            distinct.insert(place, *number);
        }
    }
    distinct
}
