//! What chooses the bucket of a set: the own king, and other pieces. The buckets are a product, in
//! the order that the spec says.

use std::ops::RangeInclusive;

use nnue_format as format;
use toml::de::DeValue;

use super::super::{Family, FeatureSet};
use super::Keys;
use crate::check::value::in_range;
use crate::decode::table::{
    Value, array, inline_table, integers, keys, mismatch, named, one_or_more,
};
use crate::diagnostics::{Diagnostics, Spanned, all};
use crate::spec::documented::documented;
use crate::spec::named::named;

/// What chooses the bucket, together with others.
#[derive(Clone, Debug, PartialEq)]
pub enum BucketsBy {
    /// The square of the own king, by `king_buckets`.
    King,
    /// Pieces on the board.
    Material(Material),
}

impl BucketsBy {
    /// The pieces besides the own king.
    pub fn material(&self) -> Option<&Material> {
        match self {
            BucketsBy::King => None,
            BucketsBy::Material(material) => Some(material),
        }
    }

    fn material_mut(&mut self) -> Option<&mut Material> {
        match self {
            BucketsBy::King => None,
            BucketsBy::Material(material) => Some(material),
        }
    }
}

/// Pieces that choose the bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The kinds of pieces: bits 0 to 5 for the own pawn to king, bits 6 to 11 for the opponent's.
    pub kinds: u16,
    /// What is told apart.
    pub value: MaterialValue,
    /// The lowest bit of the value in the number of all values of the network.
    pub first_bit: u8,
}

/// What a set tells apart of some pieces.
#[derive(Clone, Debug, PartialEq)]
pub enum MaterialValue {
    /// How many there are: a bucket below the first number, and a bucket from each number on.
    Count(Vec<u8>),
    /// Where the only piece stands: bucket 0 for no piece, 1 to 4 for the quadrants.
    Quadrant {
        /// Whether several pieces have bucket 5. Otherwise they have bucket 0.
        several: bool,
    },
}

impl Material {
    /// The opponent's queens as `queen_buckets` has them; `None` for other numbers of buckets.
    pub fn of_queens(buckets: i64) -> Option<Material> {
        Some(Material {
            kinds: PieceName::OpponentQueen.kinds(),
            value: match buckets {
                2 => MaterialValue::Count(vec![1]),
                5 => MaterialValue::Quadrant { several: false },
                6 => MaterialValue::Quadrant { several: true },
                _ => return None,
            },
            first_bit: 0,
        })
    }

    /// The number of buckets.
    pub fn buckets(&self) -> usize {
        match &self.value {
            MaterialValue::Count(from) => 1 + from.len(),
            MaterialValue::Quadrant { several: false } => 5,
            MaterialValue::Quadrant { several: true } => 6,
        }
    }

    /// The first bit after the value in the number of all values of the network.
    pub(crate) fn end(&self) -> u8 {
        self.first_bit + self.table(0, 0).bits() as u8
    }

    /// The number of values that buckets follow from.
    fn values(&self) -> usize {
        self.table(0, 0).values()
    }

    /// The same for the loader and the runtime, where each bucket skips as many rows. Quadrants are
    /// exclusive-ored with `turned`.
    pub(super) fn table(&self, bucket_rows: u32, turned: usize) -> format::Material {
        let (value, buckets) = match &self.value {
            MaterialValue::Count(from) => {
                let mut numbers = [u8::MAX; format::Material::VALUES - 1];
                numbers
                    .iter_mut()
                    .zip(from)
                    .for_each(|(to, from)| *to = *from);
                let buckets =
                    std::array::from_fn(|value| if value > from.len() { 0 } else { value });
                (format::MaterialValue::Count(numbers), buckets)
            }
            MaterialValue::Quadrant { several } => {
                let last = if *several { 5 } else { 0 };
                let buckets = std::array::from_fn(|place| match place {
                    1..=4 => 1 + ((place - 1) ^ turned),
                    5 => last,
                    _ => 0,
                });
                (format::MaterialValue::Quadrant, buckets)
            }
        };
        format::Material {
            kinds: self.kinds,
            value,
            first_bit: self.first_bit,
            rows: buckets.map(|bucket| bucket as u32 * bucket_rows),
        }
    }

    /// Whether both have the same value in each position. Buckets follow from values.
    fn has_the_value_of(&self, other: &Material) -> bool {
        let is_same = match (&self.value, &other.value) {
            (MaterialValue::Quadrant { .. }, MaterialValue::Quadrant { .. }) => true,
            (own, others) => own == others,
        };
        self.kinds == other.kinds && is_same
    }
}

named! {
    /// Pieces that choose the bucket.
    PieceName {
        /// Own pawns.
        OwnPawn = "own-pawn",
        /// Own knights.
        OwnKnight = "own-knight",
        /// Own bishops.
        OwnBishop = "own-bishop",
        /// Own rooks.
        OwnRook = "own-rook",
        /// Own queens.
        OwnQueen = "own-queen",
        /// The opponent's pawns.
        OpponentPawn = "opponent-pawn",
        /// The opponent's knights.
        OpponentKnight = "opponent-knight",
        /// The opponent's bishops.
        OpponentBishop = "opponent-bishop",
        /// The opponent's rooks.
        OpponentRook = "opponent-rook",
        /// The opponent's queens.
        OpponentQueen = "opponent-queen",
        /// All own pieces, with the king.
        Own = "own",
        /// All pieces of the opponent, with the king.
        Opponent = "opponent",
    }
}

impl PieceName {
    /// The kinds of pieces, as in [`Material::kinds`].
    pub fn kinds(self) -> u16 {
        match self {
            PieceName::OwnPawn => 1,
            PieceName::OwnKnight => 1 << 1,
            PieceName::OwnBishop => 1 << 2,
            PieceName::OwnRook => 1 << 3,
            PieceName::OwnQueen => 1 << 4,
            PieceName::OpponentPawn => 1 << 6,
            PieceName::OpponentKnight => 1 << 7,
            PieceName::OpponentBishop => 1 << 8,
            PieceName::OpponentRook => 1 << 9,
            PieceName::OpponentQueen => 1 << 10,
            PieceName::Own => 0b111_111,
            PieceName::Opponent => 0b111_111 << 6,
        }
    }
}

named! {
    /// What chooses the bucket by keys of its own.
    BucketsName {
        /// The own king, by `king_buckets`.
        King = "king",
        /// The opponent's queens, by `queen_buckets`.
        Queens = "queens",
    }
}

/// An item of `buckets`.
#[derive(Clone, Debug, PartialEq)]
pub enum BucketsKey {
    /// A name.
    Named(BucketsName),
    /// `{ pieces = ... }`: how many pieces there are.
    Pieces(PiecesKey),
}

documented! {
    /// The keys of `{ pieces = ... }` in `buckets`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PiecesKey {
        /// `pieces`: the kinds of pieces.
        pub pieces: Spanned<Vec<Spanned<PieceName>>>,
        /// `from`: the numbers of pieces from which there is another bucket.
        #[within(FROM)]
        pub from: Option<Spanned<Vec<Spanned<i64>>>>,
    }
}

/// The numbers of pieces that `from` can have: a board has 64 squares.
const FROM: RangeInclusive<i64> = 1..=64;

pub(super) fn decode(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<BucketsKey>>>> {
    array(key, value, item, diagnostics)
}

fn item(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<BucketsKey>> {
    let example = "{ pieces = \"own-rook\" }";
    let key = match value.get_ref() {
        DeValue::String(_) => BucketsKey::Named(named(key, value, diagnostics)?.value),
        DeValue::Table(_) => {
            let mut table = inline_table(key, value, example, diagnostics)?;
            let keys = keys!(
                table,
                diagnostics,
                PiecesKey {
                    pieces: pieces = "\"own-rook\"",
                    from: integers,
                }
            );
            table.finish(diagnostics);
            BucketsKey::Pieces(keys?)
        }
        _ => {
            mismatch(key, value, "`king`, `queens` or a table", diagnostics)
                .help(format!("for example `{example}`"));
            return None;
        }
    };
    Some(Spanned::new(key, value.span()))
}

fn pieces(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<PieceName>>>> {
    one_or_more(key, value, named, diagnostics)
}

/// What chooses the bucket of a set with as many buckets of the own king, outermost first. A king
/// with a single bucket comes last, wherever the spec has it.
pub(super) fn check(
    keys: &Keys,
    own_kings: usize,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<BucketsBy>> {
    let mut buckets_by = listed(keys, own_kings, diagnostics)?;
    if own_kings == 1 {
        buckets_by.retain(|by| *by != BucketsBy::King);
        buckets_by.push(BucketsBy::King);
    }
    Some(buckets_by)
}

/// What chooses the bucket, in the order of the spec.
fn listed(keys: &Keys, own_kings: usize, diagnostics: &mut Diagnostics) -> Option<Vec<BucketsBy>> {
    let queens = match &keys.queen_buckets {
        Some(count) => Some(check_queens(count, diagnostics)?),
        None => None,
    };
    let Some(listed) = &keys.buckets else {
        // The order of the engines: Stockfish's has two buckets, Starzix six.
        return Some(match queens {
            None => vec![BucketsBy::King],
            Some(queens) if queens.buckets() == 2 => {
                vec![BucketsBy::King, BucketsBy::Material(queens)]
            }
            Some(queens) => vec![BucketsBy::Material(queens), BucketsBy::King],
        });
    };
    let items = all(listed.value.iter().map(|item| match &item.value {
        BucketsKey::Named(BucketsName::King) => Some(BucketsBy::King),
        BucketsKey::Named(BucketsName::Queens) => {
            if queens.is_none() {
                diagnostics
                    .error(item.span, "`queens` needs `queen_buckets`")
                    .help("say how many buckets there are for the opponent's queens");
            }
            queens.clone().map(BucketsBy::Material)
        }
        BucketsKey::Pieces(keys) => check_pieces(keys, diagnostics).map(BucketsBy::Material),
    }))?;
    let has = |name| {
        let mut items = listed.value.iter();
        items.any(|item| item.value == BucketsKey::Named(name))
    };
    if own_kings > 1 && !has(BucketsName::King) {
        let message = format!("`buckets` has no `king`, but the own king has {own_kings} buckets");
        diagnostics
            .error(listed.span, message)
            .help("say where they belong: the first of the list is the outermost");
        return None;
    }
    if let Some(queens) = &keys.queen_buckets
        && !has(BucketsName::Queens)
    {
        diagnostics
            .error(listed.span, "`buckets` has no `queens`")
            .related(
                queens.span,
                "but there are buckets for the opponent's queens",
            )
            .help("say where they belong: the first of the list is the outermost");
        return None;
    }
    check_repeated(listed, &items, diagnostics)?;
    let values = items.iter().filter_map(BucketsBy::material);
    let values = values.fold(1, |product: usize, material| {
        product.saturating_mul(material.values())
    });
    if values > format::Material::MOST_COMBINED {
        diagnostics.error(listed.span, too_many(values));
        return None;
    }
    Some(items)
}

/// The message for sets that tell too many positions apart, besides the own king's squares.
pub(crate) fn too_many(values: usize) -> String {
    format!(
        "`buckets` tells {values} sorts of positions apart besides the own king's squares, allowed are at most {}",
        format::Material::MOST_COMBINED
    )
}

fn check_queens(count: &Spanned<i64>, diagnostics: &mut Diagnostics) -> Option<Material> {
    let found = Material::of_queens(count.value);
    if found.is_none() {
        let message = format!("`queen_buckets` is {}, allowed are 2, 5 or 6", count.value);
        diagnostics.error(count.span, message).help(
            "2 for whether the opponent has a queen; 5 for the quadrant of the only queen, where several are as none; \
             6 where several have a bucket of their own",
        );
    }
    found
}

fn check_pieces(keys: &PiecesKey, diagnostics: &mut Diagnostics) -> Option<Material> {
    let pieces = &keys.pieces.value;
    if pieces.is_empty() {
        let message = "`pieces` is empty, expected at least one";
        diagnostics.error(keys.pieces.span, message);
        return None;
    }
    let mut kinds = 0;
    for name in pieces {
        if kinds & name.value.kinds() != 0 {
            let message = format!("`pieces` has `{}` twice", name.value);
            diagnostics.error(name.span, message);
            return None;
        }
        kinds |= name.value.kinds();
    }
    let numbers = match &keys.from {
        Some(from) => check_from(from, diagnostics)?,
        None => vec![1],
    };
    Some(Material {
        kinds,
        value: MaterialValue::Count(numbers),
        first_bit: 0,
    })
}

/// Checks the numbers of pieces from which there is another bucket.
fn check_from(from: &Spanned<Vec<Spanned<i64>>>, diagnostics: &mut Diagnostics) -> Option<Vec<u8>> {
    let most = format::Material::VALUES - 1;
    let found = from.value.len();
    if !(1..=most).contains(&found) {
        let message = format!("`from` has {found} numbers, allowed are 1 to {most}");
        diagnostics.error(from.span, message);
        return None;
    }
    let numbers = all(from.value.iter().enumerate().map(|(index, number)| {
        let number = in_range(&format!("from[{index}]"), number, FROM, diagnostics)?;
        u8::try_from(number).ok()
    }))?;
    let falls = (1..found).find(|index| numbers[*index] <= numbers[index - 1]);
    if let Some(index) = falls {
        let [before, number] = [numbers[index - 1], numbers[index]];
        let message = format!("`from` has {number} after {before}, expected numbers that rise");
        diagnostics.error(from.value[index].span, message);
        return None;
    }
    Some(numbers)
}

/// Reports what chooses the bucket twice.
fn check_repeated(
    listed: &Spanned<Vec<Spanned<BucketsKey>>>,
    items: &[BucketsBy],
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    for (index, item) in items.iter().enumerate() {
        let first = items.iter().position(|first| first == item);
        if let Some(first) = first.filter(|first| *first < index) {
            let message = format!("`buckets[{index}]` is the same as `buckets[{first}]`");
            diagnostics
                .error(listed.value[index].span, message)
                .related(listed.value[first].span, "first here");
            return None;
        }
    }
    Some(())
}

/// Gives each value of the sets' materials its bits in the number of all values. The error is the
/// index of a set with which there are too many combinations of values, and how many.
pub(crate) fn place_materials(sets: &mut [FeatureSet]) -> Result<(), (usize, usize)> {
    let mut placed: Vec<Material> = Vec::new();
    let (mut bits, mut combined) = (0, 1);
    for (index, set) in sets.iter_mut().enumerate() {
        let Family::PieceSquare(parameters) = &mut set.family else {
            continue;
        };
        for material in parameters
            .buckets_by
            .iter_mut()
            .filter_map(BucketsBy::material_mut)
        {
            let known = placed.iter().find(|known| known.has_the_value_of(material));
            if let Some(known) = known {
                material.first_bit = known.first_bit;
                continue;
            }
            material.first_bit = bits;
            bits = material.end();
            combined *= material.values();
            placed.push(material.clone());
        }
        if combined > format::Material::MOST_COMBINED {
            return Err((index, combined));
        }
    }
    Ok(())
}
