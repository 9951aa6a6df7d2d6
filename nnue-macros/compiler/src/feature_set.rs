//! Feature sets: which rows of the transformer a position makes active.
//!
//! Each family of sets is a module, which goes along the whole pipeline: its keys in a spec, how
//! they are decoded and checked, how many rows there are, and its constant in generated code. This
//! file lists the families. Nothing else in the compiler tells them apart.

mod custom;
pub mod pawn_pairs;
pub mod piece_square;
pub mod threats;

use nnue_format::{Element, Factors};
use proc_macro2::TokenStream;
use quote::quote;

use crate::decode::table::Table;
use crate::diagnostics::{Diagnostics, Span, Spanned};

/// A checked set: its rows follow those of the sets before it.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureSet {
    /// What the spec calls it.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// How many features can be active at once.
    pub max_active: usize,
    /// Rows in a list that has room for all that can be active, or that become so or cease to be,
    /// on any board.
    pub list_len: usize,
    /// How its active rows are found.
    pub family: Family,
    /// The type of its rows in the file; [`Table`](crate::layout::Table) says what they are in
    /// memory.
    pub element: Element,
    /// How far its rows are shifted to the left when they are added to an accumulator, 0 to 15.
    pub shift: u32,
    /// The virtual rows that the file has besides, to be added to the set's own when it is loaded.
    pub factors: Option<Factors>,
    /// The word that stands for the set in Stockfish's transformer hash; only sets of Stockfish's
    /// have one.
    pub hash: Option<u32>,
}

/// Sets that are told apart by how their active rows are found, with what tells a family's sets
/// apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    /// A row for each piece on the board, which depends on the own king.
    PieceSquare(Box<piece_square::Parameters>),
    /// A row for each piece that attacks another one.
    Threats(threats::Parameters),
    /// A row for each two pawns that stand near each other.
    PawnPairs(pawn_pairs::Parameters),
    /// The rows that the engine tells. What they mean only the engine knows: sets of the same name
    /// are the same.
    Custom(String),
}

/// The keys of `[[features]]` that sets of a family have.
#[derive(Clone, Debug, PartialEq)]
pub enum Keys {
    /// Those of a set with a row for each piece on the board.
    PieceSquare(Box<piece_square::Keys>),
    /// Those of a set of threats.
    Threats(threats::Keys),
    /// Those of a set of pawn pairs.
    PawnPairs(pawn_pairs::Keys),
    /// Those of a set whose active rows the engine tells.
    Custom(custom::Keys),
}

/// The names of the sets that a spec can ask for.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    let piece_square = piece_square::NAMES.iter().copied();
    piece_square.chain([threats::NAME, pawn_pairs::NAME, custom::NAME])
}

impl Keys {
    /// Reads the keys of the set of this name.
    pub(crate) fn decode(
        set: &str,
        table: &mut Table<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Keys> {
        match set {
            threats::NAME => threats::decode(table, diagnostics).map(Keys::Threats),
            pawn_pairs::NAME => pawn_pairs::decode(table, diagnostics).map(Keys::PawnPairs),
            custom::NAME => custom::decode(table, diagnostics).map(Keys::Custom),
            _ => {
                let keys = piece_square::decode(table, diagnostics)?;
                Some(Keys::PieceSquare(Box::new(keys)))
            }
        }
    }

    /// The set that they stand for, with rows of the family's usual type; `span` is the place of
    /// the table.
    pub(crate) fn check(
        &self,
        set: &Spanned<String>,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<FeatureSet> {
        match self {
            Keys::PieceSquare(keys) => keys.check(set, span, diagnostics),
            Keys::Threats(keys) => keys.check(diagnostics),
            Keys::PawnPairs(keys) => keys.check(diagnostics),
            Keys::Custom(keys) => keys.check(diagnostics),
        }
    }
}

impl Family {
    /// Its value of the runtime's type of the same name, which is in the module of this path.
    pub(crate) fn constant(&self, features: &TokenStream) -> TokenStream {
        match self {
            Family::PieceSquare(parameters) => {
                let tables = piece_square::constant(&parameters.tables(), features);
                quote! { #features::Family::PieceSquare(#tables) }
            }
            Family::Threats(parameters) => {
                let tables = threats::constant(parameters, features);
                quote! { #features::Family::Threats(#tables) }
            }
            Family::PawnPairs(parameters) => {
                let set = pawn_pairs::constant(*parameters, features);
                quote! { #features::Family::PawnPairs(#set) }
            }
            Family::Custom(_) => quote! { #features::Family::Custom },
        }
    }
}

impl FeatureSet {
    /// The set with rows of another type in the file, or shifted ones. Stockfish's have neither.
    pub(crate) fn with_rows(self, element: Element, shift: u32) -> FeatureSet {
        let is_stockfishs = element == self.element && shift == 0;
        FeatureSet {
            hash: self.hash.filter(|_| is_stockfishs),
            element,
            shift,
            ..self
        }
    }

    /// Whether rows of both sets are numbers of one kind, so that they are in one tensor of a file
    /// and in one table if the sets follow each other.
    pub(crate) fn rows_are_like(&self, other: &FeatureSet) -> bool {
        self.element == other.element && self.shift == other.shift
    }

    /// Whether the engine tells which features are active. They follow from the position otherwise.
    pub fn is_told(&self) -> bool {
        matches!(self.family, Family::Custom(_))
    }

    /// What `check` shows of the set's rows, besides their number: a table, whose first line has
    /// the titles.
    pub(crate) fn table(&self) -> Option<Vec<[String; 4]>> {
        match &self.family {
            Family::Threats(parameters) => Some(parameters.table()),
            _ => None,
        }
    }

    /// Virtual rows that the file has besides.
    pub fn virtual_rows(&self) -> usize {
        self.factors.as_ref().map_or(0, Factors::rows)
    }
}
