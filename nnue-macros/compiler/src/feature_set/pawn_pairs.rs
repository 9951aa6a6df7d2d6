//! The family of pawn pairs: a row for each pair of pawns that stand near each other.

use nnue_format::Element;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::piece_square::Mirror;
use super::{Family, FeatureSet};
use crate::check::value::{in_range_or, value_or};
use crate::decode::table::{Table, integer, keys, named};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::spec::documented::documented;

/// The name of all sets of the family in a spec.
pub const NAME: &str = "PawnPairs";

/// The number of squares on which pawns can stand.
const SQUARES: usize = 48;
/// The number of different pawns: own pawns and the opponent's, on each square.
const PAWNS: usize = 2 * SQUARES;
/// The largest number of pawns on a board.
const MOST_PAWNS: usize = 16;

documented! {
    /// The keys of a set of pawn pairs.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Keys {
        /// `file_distance`: the largest number of files between the pawns of a pair, 0 for the same
        /// file.
        #[within(0..=7)]
        #[default(1)]
        pub file_distance: Option<Spanned<i64>>,
        /// `mirror`: the files on which the own king is seen, by mirroring the board.
        #[default("a-d")]
        pub mirror: Option<Spanned<Mirror>>,
    }
}

/// The parameters that make a set of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How many files apart the pawns of a pair may be, 0 to 7.
    pub file_distance: u8,
    /// The files on which the own king is seen, by mirroring the board.
    pub mirror: Mirror,
}

pub(super) fn decode(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Keys> {
    keys!(
        table,
        diagnostics,
        Keys {
            file_distance: integer,
            mirror: named,
        }
    )
}

impl Keys {
    pub(super) fn check(&self, diagnostics: &mut Diagnostics) -> Option<FeatureSet> {
        let distance = self.file_distance.as_ref();
        let distance = in_range_or("file_distance", distance, 0..=7, 1, diagnostics)?;
        let parameters = Parameters {
            file_distance: distance as u8,
            mirror: value_or(&self.mirror, Mirror::AToD),
        };
        let is_stockfishs = distance == 1 && parameters.mirror == Mirror::AToD;
        Some(FeatureSet {
            name: NAME.to_string(),
            rows: PAWNS * (PAWNS - 1) / 2,
            max_active: (MOST_PAWNS * (MOST_PAWNS - 1) / 2).min(pairs(distance as usize)),
            list_len: pairs(distance as usize),
            element: Element::I8,
            shift: 0,
            factors: None,
            hash: is_stockfishs.then_some(nnue_format::stockfish::PAWN_PAIRS),
            family: Family::PawnPairs(parameters),
        })
    }
}

/// The number of pairs of squares that are at most `distance` files apart.
fn pairs(distance: usize) -> usize {
    let (ranks, files) = (SQUARES / 8, 8);
    let of_a_file = files * ranks * (ranks - 1) / 2;
    let of_two_files = (1..=distance).map(|apart| (files - apart) * ranks * ranks);
    of_a_file + of_two_files.sum::<usize>()
}

/// An expression for the set as a value of the runtime's type, in the module with this path.
pub(super) fn constant(parameters: Parameters, features: &TokenStream) -> TokenStream {
    let mirror_files = Literal::u8_unsuffixed(parameters.mirror.files());
    let file_distance = Literal::u8_unsuffixed(parameters.file_distance);
    quote! {
        #features::PawnPairs { mirror_files: #mirror_files, file_distance: #file_distance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_squares_are_counted() {
        assert_eq!(pairs(0), 8 * 15);
        assert_eq!(pairs(1), 8 * 15 + 7 * 36);
        assert_eq!(pairs(7), SQUARES * (SQUARES - 1) / 2);
    }
}
