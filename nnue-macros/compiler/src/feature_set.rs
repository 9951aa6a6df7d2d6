//! Feature sets: which rows of the transformer a position makes active.
//!
//! Each family of sets is a module with everything that the pipeline needs of it: the keys in a
//! spec, how they are decoded and checked, the number of rows, and the constant in generated code.
//! This file lists the families. Besides it, only `description` tells them apart.

pub mod clock;
pub mod custom;
pub mod pawn_pairs;
pub mod piece_square;
pub mod threats;

use nnue_format::{Element, Factors};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::decode::table::Table;
use crate::diagnostics::{Diagnostics, Span, Spanned};

/// A checked feature set. Its rows follow those of the sets before it.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureSet {
    /// The name of the set in the spec.
    pub name: String,
    /// The number of rows.
    pub rows: usize,
    /// The largest number of features that can be active at once.
    pub max_active: usize,
    /// The largest number of rows that can be active, become active or cease to be active at once,
    /// on any board: the length of lists.
    pub list_len: usize,
    /// The rule that finds active rows.
    pub family: Family,
    /// The type of the rows in the file. Their type in memory is that of their
    /// [`Table`](crate::layout::Table).
    pub element: Element,
    /// How many bits rows are shifted to the left when they are added to an accumulator, 0 to 15.
    pub shift: u32,
    /// The virtual rows that the file has too. They are added to the set's own rows when the file
    /// is loaded.
    pub factors: Option<Factors>,
    /// The number that stands for the set in Stockfish's transformer hash; only sets of Stockfish
    /// have it.
    pub hash: Option<u32>,
}

/// The rule that finds a set's active rows. A family is a rule, and its parameters make the set.
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    /// A row for each piece on the board, which depends on the own king.
    PieceSquare(Box<piece_square::Parameters>),
    /// A row for each piece that attacks another piece.
    Threats(threats::Parameters),
    /// A row for each two pawns that stand near each other.
    PawnPairs(pawn_pairs::Parameters),
    /// A row for each step of the half-move clock.
    Clock(Box<clock::Parameters>),
    /// The rows of the features that the engine supplies.
    Custom(custom::Parameters),
}

/// The keys of `[[features]]`, which depend on the family of the set.
#[derive(Clone, Debug, PartialEq)]
pub enum Keys {
    /// The keys of a set with a row for each piece on the board.
    PieceSquare(Box<piece_square::Keys>),
    /// The keys of a set of threats.
    Threats(threats::Keys),
    /// The keys of a set of pawn pairs.
    PawnPairs(pawn_pairs::Keys),
    /// The keys of a set of rows by the half-move clock.
    Clock(clock::Keys),
    /// The keys of a set whose active rows the engine supplies.
    Custom(custom::Keys),
}

/// The names of the sets that a spec can ask for.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    let piece_square = piece_square::NAMES.iter().copied();
    piece_square.chain([threats::NAME, pawn_pairs::NAME, clock::NAME, custom::NAME])
}

impl Keys {
    /// Decodes the keys of the set with this name.
    pub(crate) fn decode(
        set: &str,
        table: &mut Table<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Keys> {
        match set {
            threats::NAME => threats::decode(table, diagnostics).map(Keys::Threats),
            pawn_pairs::NAME => pawn_pairs::decode(table, diagnostics).map(Keys::PawnPairs),
            clock::NAME => clock::decode(table, diagnostics).map(Keys::Clock),
            custom::NAME => custom::decode(table, diagnostics).map(Keys::Custom),
            _ => {
                let keys = piece_square::decode(table, diagnostics)?;
                Some(Keys::PieceSquare(Box::new(keys)))
            }
        }
    }

    /// Checks the keys and makes the set of them, with rows of the family's usual type; `span` is
    /// the place of the table.
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
            Keys::Clock(keys) => keys.check(diagnostics),
            Keys::Custom(keys) => keys.check(diagnostics),
        }
    }
}

impl Family {
    /// An expression for the same family as a value of the runtime's type `Family`, in the module
    /// with this path.
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
            Family::Clock(parameters) => {
                let set = clock::constant(parameters, features);
                quote! { #features::Family::Clock(#set) }
            }
            Family::Custom(custom::Parameters { views, blocks, .. }) => {
                let [views, blocks] = [views, blocks].map(|n| Literal::usize_unsuffixed(*n));
                quote! { #features::Family::Custom { views: #views, blocks: #blocks } }
            }
        }
    }
}

impl FeatureSet {
    /// How many bits the values of its materials take in the number of all values of the network.
    pub(crate) fn material_bits(&self) -> u8 {
        match &self.family {
            Family::PieceSquare(set) => set
                .materials()
                .map(piece_square::Material::end)
                .max()
                .unwrap_or(0),
            _ => 0,
        }
    }

    /// The set with this type of rows in the file and this shift. A set that differs from
    /// Stockfish's in them has no hash.
    pub(crate) fn with_rows(self, element: Element, shift: u32) -> FeatureSet {
        let is_stockfishs = element == self.element && shift == 0;
        FeatureSet {
            hash: self.hash.filter(|_| is_stockfishs),
            element,
            shift,
            ..self
        }
    }

    /// Whether rows of both sets have the same type and shift, so that they are in one tensor of a
    /// file and in one table if the sets follow each other.
    pub(crate) fn rows_are_like(&self, other: &FeatureSet) -> bool {
        self.element == other.element && self.shift == other.shift
    }

    /// Whether the engine supplies the active features. Otherwise they follow from the position.
    pub fn is_supplied(&self) -> bool {
        matches!(self.family, Family::Custom(_))
    }

    /// Whether the active features follow from the half-move clock.
    pub fn is_clock(&self) -> bool {
        matches!(self.family, Family::Clock(_))
    }

    /// The number of views. The views of sets that follow the position are not counted.
    pub fn views(&self) -> usize {
        match &self.family {
            Family::Custom(parameters) => parameters.views,
            _ => 1,
        }
    }

    /// The number of blocks of rows that views show. As many views in a row show each block.
    pub fn blocks(&self) -> usize {
        match &self.family {
            Family::Custom(parameters) => parameters.blocks,
            _ => 1,
        }
    }

    /// Whether both sets switch on the same features.
    pub(crate) fn is_same(&self, other: &FeatureSet) -> bool {
        match (&self.family, &other.family) {
            (Family::Custom(own), Family::Custom(others)) => own.name == others.name,
            (own, others) => own == others,
        }
    }

    /// The table in which `nnue check` describes the set's rows, if there is more to say than their
    /// number. The first line has the titles.
    pub(crate) fn table(&self) -> Option<Vec<[String; 4]>> {
        match &self.family {
            Family::Threats(parameters) => Some(parameters.table()),
            _ => None,
        }
    }

    /// The number of the set's virtual rows in the file.
    pub fn virtual_rows(&self) -> usize {
        self.factors.as_ref().map_or(0, Factors::rows)
    }
}
