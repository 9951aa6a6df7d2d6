//! Feature sets: which rows of the transformer a position makes active.

mod factors;
mod piece_square;

pub use factors::Factors;
pub use piece_square::{Parameters, SQUARES};

use nnue_format::Features;

use crate::spec::RowType;

/// A checked set: its rows follow those of the sets before it.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureSet {
    /// What the spec calls it.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// How many features can be active at once.
    pub max_active: usize,
    /// Who says which features are active, and how.
    pub family: Family,
    /// The type of its rows in the file; [`Table`](crate::layout::Table) says what they are in
    /// memory.
    pub element: RowType,
    /// The virtual rows that the file has besides, to be added to the set's own when it is loaded.
    pub factors: Option<Factors>,
    /// The word that stands for the set in Stockfish's transformer hash; only sets of Stockfish's
    /// have one.
    pub hash: Option<u32>,
}

/// Sets that are told apart by how their active rows are found.
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    /// A row for each piece on the board, which depends on the own king.
    PieceSquare(Box<Parameters>),
    /// The rows that the engine tells.
    Custom,
}

/// The name of the set that has nothing but its `king_buckets`.
pub const KING_BUCKETS: &str = "KingBuckets";

/// The name of the sets whose active rows the engine tells.
pub const CUSTOM: &str = "Custom";

/// The names of the sets that a spec can ask for.
pub const NAMES: &[&str] = &[
    "A",
    "HalfKP",
    "HalfKA",
    "HalfKAv2",
    "HalfKAv2_hm",
    KING_BUCKETS,
    CUSTOM,
];

impl FeatureSet {
    /// A set of the piece-square family. It has a hash if it is called like one of Stockfish's and
    /// has its parameters.
    pub fn piece_square(name: &str, parameters: &Parameters) -> FeatureSet {
        let stockfishs = Features::ALL.into_iter();
        let named = { stockfishs }.find(|features| features.name() == name);
        let hash = named.map(Features::hash);
        FeatureSet {
            name: name.to_string(),
            rows: parameters.rows(),
            max_active: parameters.planes.max_active(),
            family: Family::PieceSquare(Box::new(parameters.clone())),
            element: RowType::I16,
            factors: None,
            hash: hash.filter(|_| Parameters::named(name).as_ref() == Some(parameters)),
        }
    }

    /// A set whose active rows the engine tells, at most `max_active` of them at once.
    pub fn custom(name: &str, rows: usize, max_active: usize) -> FeatureSet {
        FeatureSet {
            name: name.to_string(),
            rows,
            max_active,
            family: Family::Custom,
            element: RowType::I16,
            factors: None,
            hash: None,
        }
    }

    /// The set with rows of another type in the file, and with virtual rows. Stockfish's have
    /// neither.
    pub fn stored(mut self, element: RowType, factors: Option<Factors>) -> FeatureSet {
        if element != RowType::I16 || factors.is_some() {
            self.hash = None;
        }
        self.element = element;
        self.factors = factors;
        self
    }

    /// Virtual rows that the file has besides.
    pub fn virtual_rows(&self) -> usize {
        self.factors.as_ref().map_or(0, Factors::rows)
    }

    /// Rows in a list that has room for all that can be active: a piece on every square, or all
    /// that the engine tells.
    pub fn list_len(&self) -> usize {
        match self.family {
            Family::PieceSquare(_) => SQUARES,
            Family::Custom => self.max_active,
        }
    }
}
