//! The keys of `[[features]]`: the name of a feature set, and the parameters that override what the
//! name stands for.

use super::{Named, named};
use crate::diagnostics::{Span, Spanned};

/// The keys of one `[[features]]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    /// `set`: the name of a feature set.
    pub set: Spanned<String>,
    /// `element`: the type of its rows in the file.
    pub element: Option<Spanned<RowType>>,
    /// The keys that sets of its family have.
    pub keys: FeatureKeys,
    /// The place of the table's header.
    pub span: Span,
}

/// The keys of a family of feature sets.
#[derive(Clone, Debug, PartialEq)]
pub enum FeatureKeys {
    /// The keys of sets with a row for each piece on the board.
    PieceSquare(PieceSquareKeys),
    /// The keys of sets whose active rows the engine passes.
    Custom(CustomKeys),
}

/// The parameters of a piece-square set that override its defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct PieceSquareKeys {
    /// `planes`: how many kinds of pieces are told apart.
    pub planes: Option<Spanned<i64>>,
    /// `piece_order`: the order of the planes.
    pub piece_order: Option<Spanned<PieceOrder>>,
    /// `flip`: how black sees the board.
    pub flip: Option<Spanned<Flip>>,
    /// `squares`: the first square of each plane.
    pub squares: Option<Spanned<FirstSquare>>,
    /// `mirror`: on which files the own king is put.
    pub mirror: Option<Spanned<Mirror>>,
    /// `king_buckets`: the bucket of each square of the own king.
    pub king_buckets: Option<Spanned<Vec<Spanned<i64>>>>,
    /// `offset`: rows before the first plane of each bucket.
    pub offset: Option<Spanned<i64>>,
    /// `factorised`: the virtual sets whose rows the file has besides.
    pub factorised: Option<Spanned<Vec<Spanned<VirtualSet>>>>,
    /// `rounding`: how the sum of a row and its virtual rows, in floating point, becomes integers.
    pub rounding: Option<Spanned<FactorRounding>>,
}

/// The keys of a set whose active rows the engine passes.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomKeys {
    /// `rows`: how many features there are.
    pub rows: Spanned<i64>,
    /// `active`: how many can be active at once.
    pub active: Spanned<i64>,
    /// `name`: what messages call the set.
    pub name: Option<Spanned<String>>,
}

named! {
    /// In which order pieces have their planes.
    PieceOrder {
        /// Own pawn, knight, ... king, then the opponent's.
        ByColour = "by-colour",
        /// Own pawn, opponent's pawn, own knight, ...
        Interleaved = "interleaved",
    }
}

named! {
    /// How black sees the board. White sees it as it is.
    Flip {
        /// Black sees the board as white does.
        None = "none",
        /// Upside down: ranks exchanged.
        Vertical = "vertical",
        /// From the other side: ranks and files exchanged.
        Rotate = "rotate",
    }
}

named! {
    /// The first square of each plane. The others follow along the ranks.
    FirstSquare {
        /// Square 0 is a1, and square 63 is h8, as in most engines.
        A1 = "a1",
        /// Square 0 is a8, and square 63 is h1.
        A8 = "a8",
    }
}

named! {
    /// On which files the own king is put, by mirroring the board if need be.
    Mirror {
        /// The board is never mirrored.
        None = "none",
        /// The king is put on the left half of the board, files a to d.
        AToD = "a-d",
        /// The king is put on the right half of the board, files e to h.
        EToH = "e-h",
    }
}

named! {
    /// The type of a set's rows.
    RowType {
        /// Signed integers of 16 bits.
        I16 = "i16",
        /// Signed bytes, which are widened when they are added to an accumulator.
        I8 = "i8",
    }
}

named! {
    /// Virtual features: each stands for what real ones have in common.
    VirtualSet {
        /// A piece on a square, kings included, whichever the own king's bucket.
        A = "A",
        /// A piece on a square, but no kings.
        P = "P",
        /// The own king's bucket.
        K = "K",
        /// A piece so many files and ranks from the own king.
        HalfRelativeKP = "HalfRelativeKP",
    }
}

named! {
    /// How the sum of a row and its virtual rows is rounded to integers.
    FactorRounding {
        /// The summands are added first, and their sum is rounded.
        Sum = "sum",
        /// Each summand is rounded before they are added.
        Each = "each",
    }
}

/// Which kinds of pieces have planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planes {
    /// Twelve planes: every kind of piece has one.
    All,
    /// Eleven planes: both kings share one.
    MergedKings,
    /// Ten planes: kings have none.
    NoKings,
}

impl Planes {
    /// Every value of this type.
    pub const ALL: [Planes; 3] = [Planes::All, Planes::MergedKings, Planes::NoKings];

    /// The number of planes, 10 to 12.
    pub fn count(self) -> u32 {
        match self {
            Planes::All => 12,
            Planes::MergedKings => 11,
            Planes::NoKings => 10,
        }
    }

    /// The number of pieces with a plane that can be on the board at once.
    pub fn max_active(self) -> usize {
        match self {
            Planes::All | Planes::MergedKings => 32,
            Planes::NoKings => 30,
        }
    }
}
