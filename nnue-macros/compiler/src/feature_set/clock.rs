//! The family of the half-move clock: rows for the number of half moves since the last capture or
//! move of a pawn.

use nnue_format::Element;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::piece_square::{self, Flip, Mirror, SQUARES};
use super::{Family, FeatureSet};
use crate::check::value::{in_range, value_or};
use crate::decode::table::{Table, integer, integers, keys, named};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::spec::documented::documented;

/// The name of all sets of the family in a spec.
pub const NAME: &str = "Clock";

/// The largest clock that is told from others: a byte also counts the rows from 0 on. Games end
/// long before it.
const MAX_CLOCK: i64 = u8::MAX as i64 - 1;

documented! {
    /// The keys of a set of rows by the clock.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Keys {
        /// `first`: the first clock that has a row.
        #[within(0..=MAX_CLOCK)]
        pub first: Spanned<i64>,
        /// `step`: the number of clocks that share a row.
        #[within(1..=MAX_CLOCK)]
        pub step: Spanned<i64>,
        /// `last`: the last clock that is told from those before it.
        #[within(0..=MAX_CLOCK)]
        pub last: Spanned<i64>,
        /// `flip`: how black sees the board.
        #[default("vertical")]
        pub flip: Option<Spanned<Flip>>,
        /// `mirror`: the files on which the own king is seen, by mirroring the board.
        #[default("none")]
        pub mirror: Option<Spanned<Mirror>>,
        /// `king_buckets`: the bucket of each square of the own king.
        #[within(0..=63)]
        pub king_buckets: Option<Spanned<Vec<Spanned<i64>>>>,
    }
}

/// The parameters that make a set of the family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The first clock that has a row.
    pub first: u8,
    /// How many clocks share a row, at least 1.
    pub step: u8,
    /// How many rows a bucket has, at least 1. The last is that of all later clocks.
    pub steps: u8,
    /// How black sees the board.
    pub flip: Flip,
    /// The bucket of each square of the own king, as the perspective sees the board.
    pub king_buckets: [u8; SQUARES],
}

pub(super) fn decode(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Keys> {
    keys!(
        table,
        diagnostics,
        Keys {
            first: integer = "14",
            step: integer = "8",
            last: integer = "100",
            flip: named,
            mirror: named,
            king_buckets: integers,
        }
    )
}

impl Keys {
    pub(super) fn check(&self, diagnostics: &mut Diagnostics) -> Option<FeatureSet> {
        let first = in_range("first", &self.first, 0..=MAX_CLOCK, diagnostics);
        let step = in_range("step", &self.step, 1..=MAX_CLOCK, diagnostics);
        let least = first.map_or(0, i64::from);
        let last = in_range("last", &self.last, least..=MAX_CLOCK, diagnostics);
        let king_buckets = match &self.king_buckets {
            Some(table) => {
                let mirror = value_or(&self.mirror, Mirror::None);
                piece_square::check_king_buckets(table, mirror, diagnostics)
            }
            None => Some([0; SQUARES]),
        };
        let (first, step) = (first?, step?);
        let steps = (last? - first) / step + 1;
        let parameters = Parameters {
            first: first as u8,
            step: step as u8,
            steps: steps as u8,
            flip: value_or(&self.flip, Flip::Vertical),
            king_buckets: king_buckets?,
        };
        Some(FeatureSet {
            name: NAME.to_string(),
            rows: parameters.buckets() * steps as usize,
            max_active: 1,
            list_len: 1,
            element: Element::I16,
            shift: 0,
            factors: None,
            hash: None,
            family: Family::Clock(Box::new(parameters)),
        })
    }
}

impl Parameters {
    /// The number of the own king's buckets. They are numbered without gaps.
    pub fn buckets(&self) -> usize {
        self.king_buckets
            .iter()
            .max()
            .map_or(1, |last| usize::from(*last) + 1)
    }

    /// The first row for each square of the own king as it is on the board, for white's perspective
    /// and for black's.
    pub fn king_rows(&self) -> [[u32; SQUARES]; 2] {
        let flips = match self.flip {
            Flip::None => [0, 0],
            Flip::Vertical => [0, 0b111_000],
            Flip::Rotate => [0, 0b111_111],
        };
        flips.map(|flip| {
            std::array::from_fn(|square| {
                let bucket = self.king_buckets[square ^ flip];
                u32::from(bucket) * u32::from(self.steps)
            })
        })
    }
}

/// An expression for the set as a value of the runtime's type, in the module with this path.
pub(super) fn constant(parameters: &Parameters, features: &TokenStream) -> TokenStream {
    let Parameters {
        first, step, steps, ..
    } = *parameters;
    let [first, step, steps] = [first, step, steps].map(Literal::u8_unsuffixed);
    let king_rows = parameters.king_rows().map(|rows| {
        let rows = rows.map(Literal::u32_unsuffixed);
        quote! { [#(#rows),*] }
    });
    quote! {
        #features::Clock {
            first: #first,
            step: #step,
            steps: #steps,
            king_rows: [#(#king_rows),*],
        }
    }
}
