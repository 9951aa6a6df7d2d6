//! The piece-square family: a row for each piece on the board, which depends on the own king. The
//! name of a set stands for parameters, which other keys override.

pub(crate) mod buckets;
mod factors;
mod king_tables;
mod parameters;

use nnue_format::{self as format, Element, PieceSquare};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use toml::de::DeValue;

use super::{Family, FeatureSet};
use crate::check::value::{check_buckets, in_range_or, value_or};
use crate::decode::table::{Table, Value, integer, integers, keys, mismatch, named, names, one_of};
use crate::diagnostics::{Diagnostics, Span, Spanned, list};
use crate::spec::documented::documented;

pub use buckets::{
    BucketsBy, BucketsKey, BucketsName, Material, MaterialValue, PieceName, PiecesKey,
};
pub use factors::{FactorRounding, VirtualSet};
pub use king_tables::{KING_TABLES, KingTable};
pub use parameters::{FirstSquare, Flip, Mirror, NAMES, Parameters, PieceOrder, Planes, SQUARES};

/// The name of the set whose `king_buckets` must be given: the name alone does not stand for a set.
pub const KING_BUCKETS: &str = "KingBuckets";

/// The largest number of rows before the planes of a bucket. `HalfKP` has one such row.
const MAX_OFFSET: i64 = 64;

documented! {
    /// The keys of a set: parameters that override those for which its name stands.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Keys {
        /// `planes`: the number of kinds of pieces that are told apart.
        #[within(10..=14)]
        pub planes: Option<Spanned<i64>>,
        /// `piece_order`: the order of the planes.
        pub piece_order: Option<Spanned<PieceOrder>>,
        /// `flip`: how black sees the board.
        pub flip: Option<Spanned<Flip>>,
        /// `squares`: the first square of each plane.
        #[default("a1")]
        pub squares: Option<Spanned<FirstSquare>>,
        /// `mirror`: the files on which the own king is seen, by mirroring the board.
        pub mirror: Option<Spanned<Mirror>>,
        /// `king_buckets`: the bucket of each square of the own king.
        #[within(0..=63)]
        pub king_buckets: Option<Spanned<Vec<Spanned<i64>>>>,
        /// `queen_buckets`: the number of buckets for the opponent's queens.
        #[within(2..=6)]
        pub queen_buckets: Option<Spanned<i64>>,
        /// `buckets`: what chooses the bucket, outermost first.
        pub buckets: Option<Spanned<Vec<Spanned<BucketsKey>>>>,
        /// `offset`: the number of rows before the first plane of each bucket.
        #[within(0..=MAX_OFFSET)]
        pub offset: Option<Spanned<i64>>,
        /// `factorised`: the virtual sets whose rows the file has too.
        pub factorised: Option<Spanned<Vec<Spanned<VirtualSet>>>>,
        /// `rounding`: how the sum of a row and its virtual rows, in floating point, becomes integers.
        #[default("sum")]
        pub rounding: Option<Spanned<FactorRounding>>,
    }
}

pub(super) fn decode(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Keys> {
    keys!(
        table,
        diagnostics,
        Keys {
            planes: integer,
            piece_order: named,
            flip: named,
            squares: named,
            mirror: named,
            king_buckets: king_buckets,
            queen_buckets: integer,
            buckets: buckets::decode,
            offset: integer,
            factorised: names,
            rounding: named,
        }
    )
}

/// Decodes a list of numbers, or the name of a table, whose numbers stand at the name's place.
fn king_buckets(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<i64>>>> {
    match value.get_ref() {
        DeValue::Array(_) => integers(key, value, diagnostics),
        DeValue::String(_) => {
            let names: Vec<_> = KING_TABLES
                .iter()
                .map(|table| (table.name, table))
                .collect();
            let Spanned { value: table, span } = one_of(&names, key, value, diagnostics)?;
            let squares = table.squares().map(|bucket| Spanned {
                value: i64::from(bucket),
                span,
            });
            Some(Spanned {
                value: squares.into(),
                span,
            })
        }
        _ => {
            let expected = "an array, or the name of a table";
            mismatch(key, value, expected, diagnostics);
            None
        }
    }
}

impl Keys {
    pub(super) fn check(
        &self,
        set: &Spanned<String>,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<FeatureSet> {
        let named = Parameters::named(&set.value);
        if named.is_none() && self.king_buckets.is_none() {
            diagnostics
                .error(span, format!("`{KING_BUCKETS}` needs `king_buckets`"))
                .help("write a number for each square of the own king, or for each of the half that `mirror` puts it on; or the name of a table, such as `\"bullet10\"`");
            return None;
        }
        let defaults = named.clone().unwrap_or_else(Parameters::unbucketed);
        let planes = match &self.planes {
            Some(planes) => check_planes(planes, diagnostics),
            None => Some(defaults.planes),
        };
        let offset = self.offset.as_ref();
        let offset = in_range_or(
            "offset",
            offset,
            0..=MAX_OFFSET,
            defaults.offset,
            diagnostics,
        );
        let mirror = value_or(&self.mirror, defaults.mirror);
        let king_buckets = match &self.king_buckets {
            Some(table) => check_king_buckets(table, mirror, diagnostics),
            None => check_halves(&set.value, self, &defaults, diagnostics),
        };
        let own_kings = king_buckets
            .as_ref()
            .map_or(1, parameters::number_of_buckets);
        let buckets_by = buckets::check(self, own_kings, diagnostics);
        let parameters = Parameters {
            planes: planes?,
            piece_order: value_or(&self.piece_order, defaults.piece_order),
            flip: value_or(&self.flip, defaults.flip),
            first_square: value_or(&self.squares, defaults.first_square),
            mirror,
            king_buckets: king_buckets?,
            buckets_by: buckets_by?,
            offset: offset?,
        };
        let factors = factors::check(self, &parameters, diagnostics)?;
        // A set has a hash if it has the name of a set of Stockfish and is the same set.
        let is_known = factors.is_none() && named.as_ref() == Some(&parameters);
        let mut stockfishs = crate::explain::Features::ALL.into_iter();
        let stockfishs = stockfishs.find(|features| features.name() == set.value);
        Some(FeatureSet {
            name: set.value.clone(),
            rows: parameters.rows(),
            max_active: parameters.planes.max_active(),
            list_len: SQUARES * parameters.planes.of_a_square(),
            element: Element::I16,
            shift: 0,
            factors,
            hash: stockfishs
                .filter(|_| is_known)
                .map(crate::explain::Features::hash),
            family: Family::PieceSquare(Box::new(parameters)),
        })
    }
}

fn check_planes(planes: &Spanned<i64>, diagnostics: &mut Diagnostics) -> Option<Planes> {
    let found = Planes::ALL
        .into_iter()
        .find(|known| i64::from(known.count()) == planes.value);
    if found.is_none() {
        let message = format!("`planes` is {}, allowed are 10, 11, 12 or 14", planes.value);
        diagnostics
            .error(planes.span, message)
            .help("12 for all pieces, 11 where both kings share a plane, 10 without kings, 14 with pieces that are threatened");
    }
    found
}

/// Checks a table of buckets, for all squares or for half of them. Returns the bucket of every
/// square.
pub(super) fn check_king_buckets(
    table: &Spanned<Vec<Spanned<i64>>>,
    mirror: Mirror,
    diagnostics: &mut Diagnostics,
) -> Option<[u8; SQUARES]> {
    let entries = &table.value;
    let expected = match mirror {
        Mirror::None => "64",
        _ => "32 or 64",
    };
    let halved = entries.len() == SQUARES / 2;
    if entries.len() != SQUARES && (!halved || mirror == Mirror::None) {
        let message = format!(
            "`king_buckets` has {} entries, expected {expected}",
            entries.len()
        );
        let error = diagnostics.error(table.span, message);
        if halved {
            error
                .label("these are half of the squares, but without `mirror` the king can be on any")
                .help("say which half: `mirror = \"a-d\"` or `mirror = \"e-h\"`");
        } else {
            error.label(match mirror {
                Mirror::None => "one for each square: a1, b1, ... h1, a2, ... h8",
                Mirror::AToD => "one for each square of the half: a1, b1, c1, d1, a2, ... d8",
                Mirror::EToH => "one for each square of the half: e1, f1, g1, h1, e2, ... h8",
            });
        }
        return None;
    }
    let buckets = check_buckets("king_buckets", entries, SQUARES as i64 - 1, diagnostics)?;
    check_all_used(table, &buckets, diagnostics)?;
    let entry_of = |square: usize| {
        let (file, rank) = (square % 8, square / 8);
        let left = file.min(7 - file);
        match (halved, mirror) {
            (false, _) => square,
            (true, Mirror::EToH) => 4 * rank + 3 - left,
            (true, _) => 4 * rank + left,
        }
    };
    let unequal = |square: &usize| buckets[entry_of(*square)] != buckets[entry_of(square ^ 7)];
    if mirror != Mirror::None
        && let Some(square) = (0..SQUARES).find(unequal)
    {
        let message = format!(
            "`king_buckets` has {} for {} and {} for {}, expected the same",
            buckets[square],
            square_name(square),
            buckets[square ^ 7],
            square_name(square ^ 7),
        );
        diagnostics
            .error(entries[square ^ 7].span, message)
            .related(entries[square].span, "the other half")
            .help(format!(
                "with `mirror = \"{mirror}\"` the king is always on one half: 32 entries are enough"
            ));
        return None;
    }
    Some(std::array::from_fn(|square| buckets[entry_of(square)]))
}

/// Reports gaps in the numbers of the buckets: the rows of a bucket that no square has could never
/// be active.
fn check_all_used(
    table: &Spanned<Vec<Spanned<i64>>>,
    buckets: &[u8],
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let last = buckets.iter().max()?;
    let unused: Vec<String> = (0..*last)
        .filter(|bucket| !buckets.contains(bucket))
        .map(|bucket| bucket.to_string())
        .collect();
    if unused.is_empty() {
        return Some(());
    }
    let message = format!(
        "`king_buckets` has bucket {last}, but not {}",
        list(&unused)
    );
    diagnostics
        .error(table.span, message)
        .help("number the buckets from 0 without gaps");
    None
}

/// The buckets for which the set's name stands. Reports a mirrored board if they are not the same
/// on both halves.
fn check_halves(
    name: &str,
    keys: &Keys,
    defaults: &Parameters,
    diagnostics: &mut Diagnostics,
) -> Option<[u8; SQUARES]> {
    let buckets = defaults.king_buckets;
    let symmetric = (0..SQUARES).all(|square| buckets[square] == buckets[square ^ 7]);
    if let Some(mirror) = &keys.mirror
        && mirror.value != Mirror::None
        && !symmetric
    {
        let message =
            format!("`{name}` has a bucket for each square, but half of them would never be used");
        diagnostics
            .error(mirror.span, message)
            .help("give `king_buckets` of 32 numbers");
        return None;
    }
    Some(buckets)
}

/// The name of a square, such as `e4`.
fn square_name(square: usize) -> String {
    let file = char::from(b'a' + (square % 8) as u8);
    format!("{file}{}", square / 8 + 1)
}

/// An expression for the tables as a value of the runtime's type, in the module with this path.
pub(crate) fn constant(tables: &PieceSquare, features: &TokenStream) -> TokenStream {
    let flip = tables.flip.map(Literal::u8_unsuffixed);
    let mirror_files = Literal::u8_unsuffixed(tables.mirror_files);
    let king_offset = tables.king_offset.map(Literal::u32_unsuffixed);
    let materials = tables
        .materials()
        .map(|material| constant_material(material, features));
    let threatened = if tables.has_threatened() {
        let rows = tables.threatened.map(|rows| {
            let rows = rows.map(Literal::u32_unsuffixed);
            quote! { [#(#rows),*] }
        });
        quote! { [#(#rows),*] }
    } else {
        quote! { #features::PieceSquare::NO_THREATENED }
    };
    // The first entry is for no piece; the entries for the pieces follow it.
    let planes = tables.planes.map(|planes| {
        let planes = planes[1..13].iter().map(|plane| match *plane {
            PieceSquare::NO_PLANE => {
                quote! { #features::PieceSquare::NO_PLANE }
            }
            plane => Literal::u32_unsuffixed(plane).into_token_stream(),
        });
        quote! { [#(#planes),*] }
    });
    quote! {
        #features::PieceSquare {
            flip: [#(#flip),*],
            mirror_files: #mirror_files,
            king_offset: [#(#king_offset),*],
            materials: #features::Material::list([#(#materials),*]),
            threatened: #threatened,
            planes: #features::PieceSquare::planes([#(#planes),*]),
        }
    }
}

/// An expression for a material as a value of the runtime's type.
fn constant_material(material: &format::Material, features: &TokenStream) -> TokenStream {
    let kinds = Literal::u16_unsuffixed(material.kinds);
    let first_bit = Literal::u8_unsuffixed(material.first_bit);
    let rows = material.rows.map(Literal::u32_unsuffixed);
    let value = match material.value {
        format::MaterialValue::Quadrant => quote! { Quadrant },
        format::MaterialValue::Count(numbers) => {
            let numbers = numbers.map(Literal::u8_unsuffixed);
            quote! { Count([#(#numbers),*]) }
        }
    };
    quote! {
        #features::Material {
            kinds: #kinds,
            value: #features::MaterialValue::#value,
            first_bit: #first_bit,
            rows: [#(#rows),*],
        }
    }
}
