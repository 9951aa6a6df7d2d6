//! Feature sets as constants: which rows each has, and whose code says which of them are active.
//!
//! The constants are part of generated code. What is asked about them here is answered while that
//! code is compiled; [`features`](crate::features) finds the active rows.

use nnue_format::{PieceSquare, Threats};

/// A feature set: a run of rows of one table of the transformer's weights, and who says which of
/// them are active.
#[derive(Clone, Copy, Debug)]
pub struct FeatureSet {
    /// The number of the table that has the set's rows.
    pub table: usize,
    /// The numbers in the table of white's first row and of black's: the same, unless each
    /// perspective has weights of its own.
    pub first_row: [u32; 2],
    /// How many rows the set has for a perspective.
    pub rows: u32,
    /// How far rows are shifted to the left when they are added to an accumulator, 0 to 15.
    pub shift: u32,
    /// How many of the set's features can be active at once; in sets that follow the position, on a
    /// legal board.
    pub max_active: usize,
    /// How the active rows are found.
    pub family: Family,
}

/// Sets that are told apart by how their active rows are found.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "only ever a constant of generated code"
)]
pub enum Family {
    /// A row for each piece on the board, which depends on the own king, and maybe on other pieces;
    /// and maybe another row for each piece that is threatened.
    PieceSquare(PieceSquare),
    /// A row for each piece that attacks another one.
    Threats(Threats),
    /// A row for each two pawns that stand near each other.
    PawnPairs(PawnPairs),
    /// A row for each step of the half-move clock.
    Clock(Clock),
    /// The engine tells the active features, by numbers from 0. If a network has several custom
    /// sets, the second's numbers continue where the first's end, and so on.
    Custom {
        /// How many views there are.
        views: u32,
        /// How many blocks of rows there are, which divides the number of views. Each has a row for
        /// every feature, and as many views in a row share it.
        blocks: u32,
    },
}

/// A set of pawn pairs.
///
/// Pawns are numbered from 0 for an own pawn on the second rank to 95 for a pawn of the opponent's
/// on the seventh, as a perspective sees them. Two pawns switch on the row `high * (high - 1) / 2 +
/// low`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PawnPairs {
    /// Bit `f` is set when a king on file `f` mirrors the board.
    pub mirror_files: u8,
    /// How many files the pawns of a pair can be apart.
    pub file_distance: u8,
}

/// A set of rows by the half-move clock: the number of half moves since the last capture or move of
/// a pawn.
///
/// From the clock `first` on it switches on the row `king_rows[perspective][king] + min((clock -
/// first) / step, steps - 1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The first clock that has a row.
    pub first: u8,
    /// How many clocks share a row, at least 1.
    pub step: u8,
    /// How many rows there are for a square of the own king, at least 1.
    pub steps: u8,
    /// The first row for each square of the own king, for white's perspective and for black's.
    pub king_rows: [[u32; 64]; 2],
}

impl FeatureSet {
    /// Whether the engine supplies the active features. They follow from the position otherwise.
    #[inline]
    pub(crate) const fn is_supplied(&self) -> bool {
        matches!(self.family, Family::Custom { .. })
    }

    /// How many views the engine tells apart: 1 in sets that follow the position.
    #[inline]
    pub(crate) const fn views(&self) -> u32 {
        match self.family {
            Family::Custom { views, .. } => views,
            _ => 1,
        }
    }

    /// How many blocks of rows the views share.
    #[inline]
    const fn blocks(&self) -> u32 {
        match self.family {
            Family::Custom { blocks, .. } => blocks,
            _ => 1,
        }
    }

    /// How many features the set has: the rows of a block.
    #[inline]
    pub(crate) const fn features(&self) -> u32 {
        self.rows / self.blocks()
    }

    /// The first row that a view shows, counted within the set. Numbers beyond the last view stand
    /// for the last; sets without views are seen alike from all.
    #[inline]
    pub(crate) const fn first_row_in(&self, view: u32) -> u32 {
        let last = self.views() - 1;
        let view = if view < last { view } else { last };
        view / (self.views() / self.blocks()) * self.features()
    }

    /// Whether finding the changes of active rows reads squares that stay as they are.
    const fn reads_all_squares(&self) -> bool {
        match &self.family {
            Family::PieceSquare(tables) => tables.has_threatened(),
            Family::Custom { .. } | Family::Clock(_) => false,
            Family::Threats(_) | Family::PawnPairs(_) => true,
        }
    }
}

/// Whether the engine supplies the active features of some set.
pub(crate) const fn has_supplied(sets: &[FeatureSet]) -> bool {
    match sets {
        [first, others @ ..] => first.is_supplied() || has_supplied(others),
        [] => false,
    }
}

/// Whether some set has rows by the half-move clock.
pub(crate) const fn has_clock(sets: &[FeatureSet]) -> bool {
    match sets {
        [first, others @ ..] => matches!(first.family, Family::Clock(_)) || has_clock(others),
        [] => false,
    }
}

/// How many views the engine tells apart. Sets that have several have the same number of them, and
/// then no set follows the position.
pub(crate) const fn views(sets: &[FeatureSet]) -> u32 {
    match sets {
        [first, others @ ..] => match first.views() {
            1 => views(others),
            views => views,
        },
        [] => 1,
    }
}

/// Whether the engine supplies views.
pub(crate) const fn has_views(sets: &[FeatureSet]) -> bool {
    views(sets) > 1
}

/// Whether the changes of some set follow from the whole board, not from the squares that change.
pub(crate) const fn read_all_squares(sets: &[FeatureSet]) -> bool {
    match sets {
        [first, others @ ..] => first.reads_all_squares() || read_all_squares(others),
        [] => false,
    }
}

/// Whether a network has a single set, and a move that changes no view changes one row of it for
/// each piece that is not a king.
pub(crate) const fn follow_moves(sets: &[FeatureSet]) -> bool {
    match sets {
        [set] => match &set.family {
            Family::PieceSquare(tables) => {
                let depends_on_others = tables.has_threatened() || tables.depends_on_material();
                tables.has_rows(false) && !depends_on_others
            }
            Family::Threats(_)
            | Family::PawnPairs(_)
            | Family::Clock(_)
            | Family::Custom { .. } => false,
        },
        _ => false,
    }
}

/// Whether the rows of a network with a single set probably are in a cache near the processor: there
/// are at most four million weights.
pub(crate) const fn rows_are_near(sets: &[FeatureSet], width: usize) -> bool {
    matches!(sets, [set] if set.rows as usize * width <= 4_000_000)
}

/// Whether kings have rows in a network whose accumulators follow from moves.
pub(crate) const fn kings_have_rows(sets: &[FeatureSet]) -> bool {
    match sets {
        [set] => matches!(&set.family, Family::PieceSquare(tables) if tables.has_rows(true)),
        _ => false,
    }
}
