//! The rows of the transformer that a position switches on.
//!
//! This file is the only one that knows all families of feature sets. The accumulators, the
//! evaluator and its cache ask a set through the methods of [`FeatureSet`]; sets are constants of
//! generated code, so each question is answered by the code of one family, compiled for the set's
//! own tables.

mod active;
mod bounds;
mod custom;
mod pawn_pairs;
mod piece_square;
mod threats;
mod viewpoint;

use crate::architecture::Architecture;
use crate::chess::{Color, Square};
use crate::delta::Delta;
use crate::level::Level;
use crate::network::Network;
use crate::placement::{PieceCodes, Step};
use crate::rows::{RowChanges, RowList};

pub use active::RowFinder;
pub(crate) use bounds::Bounds;
pub use custom::FeatureChanges;
pub use nnue_format::{PieceSquare, ThreatRules, Threats};
pub use pawn_pairs::PawnPairs;
pub(crate) use threats::changes::BoardChanges;
pub(crate) use viewpoint::Viewpoint;

pub use crate::rows::{RowLists, Rows, TableRows};

/// A feature set: a run of rows of one table of the transformer's weights, and who says which of
/// them are active.
#[derive(Clone, Copy, Debug)]
pub struct FeatureSet {
    /// The table, by its number.
    pub table: usize,
    /// The first of white's rows and of black's in the table: the same one, unless each has weights
    /// of its own.
    pub first_row: [u32; 2],
    /// How many rows there are for a perspective.
    pub rows: u32,
    /// How far rows are shifted to the left when they are added to an accumulator, 0 to 15.
    pub shift: u32,
    /// How many features can be active at once: of sets that follow the position, on a legal board.
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
    /// A row for each piece on the board, which depends on the own king, and maybe on the
    /// opponent's queens; and maybe one more for each piece that is threatened.
    PieceSquare(PieceSquare),
    /// A row for each piece that attacks another one.
    Threats(Threats),
    /// A row for each two pawns that stand near each other.
    PawnPairs(PawnPairs),
    /// The engine tells the active features, by numbers from 0. If a network has several custom
    /// sets, the second's numbers continue where the first's end, and so on.
    Custom,
}

impl FeatureSet {
    /// Whether the engine tells which features are active. They follow from the position otherwise.
    #[inline]
    pub(crate) const fn is_told(&self) -> bool {
        matches!(self.family, Family::Custom)
    }

    /// Whether [`list_changes`](Self::list_changes) reads squares that stay as they are.
    const fn reads_all_squares(&self) -> bool {
        match &self.family {
            Family::PieceSquare(tables) => tables.has_threatened(),
            Family::Custom => false,
            Family::Threats(_) | Family::PawnPairs(_) => true,
        }
    }

    /// Whether a perspective gives every piece on the board the same row from either of two
    /// viewpoints. If not, all rows of the set change from one to the other.
    #[inline]
    pub(crate) fn sees_alike(&'static self, perspective: Color, from: [Viewpoint; 2]) -> bool {
        match &self.family {
            Family::PieceSquare(tables) => {
                let [first, second] =
                    from.map(|from| piece_square::View::of(self, tables, perspective, from));
                first == second
            }
            Family::Threats(Threats { mirror_files, .. })
            | Family::PawnPairs(PawnPairs { mirror_files, .. }) => {
                let [first, second] =
                    from.map(|from| threats::View::of(*mirror_files, perspective, from));
                first == second
            }
            Family::Custom => true,
        }
    }

    /// Lists the rows that are active on a board, for a perspective that sees it from a viewpoint;
    /// none of sets whose features the engine tells. `board` is what differs from an empty board,
    /// where some set reads all squares.
    // The set's own tables are only known where the call is compiled.
    #[inline(always)]
    pub(crate) fn list_active(
        &self,
        level: Level,
        perspective: Color,
        from: Viewpoint,
        pieces: &PieceCodes,
        board: &BoardChanges,
        list: &mut RowList<'_>,
    ) {
        match &self.family {
            Family::PieceSquare(tables) => {
                let view = piece_square::View::of(self, tables, perspective, from);
                piece_square::list_active(view, level, pieces, list);
                if tables.has_threatened() {
                    let [_, threatened] = board.threatened;
                    let first_rows = tables.threatened[perspective.index()];
                    piece_square::list_all_threatened(first_rows, view, threatened, list);
                }
            }
            Family::Threats(tables) => {
                let view = threats::View::of(tables.mirror_files, perspective, from);
                let first_row = self.first_row[perspective.index()];
                let attacks = board.added.as_slice();
                threats::levels::list_rows(level, tables, view, first_row, pieces, attacks, list);
            }
            Family::PawnPairs(pairs) => {
                let view = threats::View::of(pairs.mirror_files, perspective, from);
                let first_row = self.first_row[perspective.index()];
                let [_, pawns] = board.pawns;
                pawn_pairs::list_rows(*pairs, view, first_row, pawns, [0, 0], list);
            }
            Family::Custom => {}
        }
    }

    /// Lists the rows by which a perspective's sums differ before and after some moves, both seen
    /// from the same viewpoint.
    // The set's own tables are only known where the call is compiled.
    #[inline(always)]
    pub(crate) fn list_changes<A: Architecture>(
        &'static self,
        net: &Network<A>,
        perspective: Color,
        from: Viewpoint,
        step: Step<'_>,
        changes: &mut RowChanges<A>,
    ) {
        match &self.family {
            Family::PieceSquare(tables) => {
                let view = piece_square::View::of(self, tables, perspective, from);
                piece_square::list_changes(self.table, view, net.weights(), step, changes);
                self.list_threatened(tables, view, net, perspective, step, changes);
            }
            Family::Threats(tables) => {
                threats::list_changes(self, tables, net, perspective, from, step, changes);
            }
            Family::PawnPairs(pairs) => {
                let board = step.board;
                pawn_pairs::list_changes(self, *pairs, net, perspective, from, board, changes);
            }
            Family::Custom => {}
        }
    }

    /// Lists the rows of threatened pieces that a step changes, in sets that have such rows.
    #[inline(always)]
    fn list_threatened<A: Architecture>(
        &'static self,
        tables: &PieceSquare,
        view: piece_square::View<'_>,
        net: &Network<A>,
        perspective: Color,
        step: Step<'_>,
        changes: &mut RowChanges<A>,
    ) {
        if tables.has_threatened() {
            let rows = tables.threatened[perspective.index()];
            piece_square::list_threatened(self.table, rows, view, net.weights(), step, changes);
        }
    }

    /// How far a perspective's active rows can take the sum of each neuron. The set's rows are the
    /// first of `rows`, each of `width` neurons.
    pub(crate) fn bounds<W: Copy + Into<i16>>(&self, rows: &[W], width: usize) -> Bounds {
        self.bounds_of_rows(rows, width).shifted_left(self.shift)
    }

    /// [`Self::bounds`] of rows that are not shifted.
    fn bounds_of_rows<W: Copy + Into<i16>>(&self, rows: &[W], width: usize) -> Bounds {
        match &self.family {
            Family::PieceSquare(tables) => {
                piece_square::bounds(tables, self.max_active, rows, width)
            }
            Family::Threats(tables) => threats::bounds(tables, PIECES, rows, width),
            Family::PawnPairs(_) | Family::Custom => {
                let rows = &rows[..self.rows as usize * width];
                bounds::of_any(self.max_active, rows, width)
            }
        }
    }
}

/// The number that squares are exclusive-ored with for a perspective that sees the board flipped by
/// `flip`, and mirrored if its own king then stands on one of `mirror_files`, a bit for each.
#[inline]
fn orientation(flip: u8, mirror_files: u8, king: Square) -> u8 {
    let file = (king.index() as u8 ^ flip) % 8;
    let mirrored = mirror_files >> file & 1 != 0;
    flip ^ if mirrored { 7 } else { 0 }
}

/// Pieces on a board.
const PIECES: usize = 32;

/// All sets of a network.
#[inline]
pub(crate) fn sets<A: Architecture>() -> impl Iterator<Item = &'static FeatureSet> + Clone {
    // By index: compilers unroll a loop whose number of turns is a constant, and then know the
    // tables.
    (0..A::FEATURES.len()).map(|index| &A::FEATURES[index])
}

/// Whether the engine tells the active features of some set.
pub(crate) const fn has_told(sets: &[FeatureSet]) -> bool {
    has(sets, true)
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
                let depends_on_others = tables.has_threatened() || tables.depends_on_queens();
                tables.has_rows(false) && !depends_on_others
            }
            Family::Threats(_) | Family::PawnPairs(_) | Family::Custom => false,
        },
        _ => false,
    }
}

/// White's row and black's of each piece that a move changes, in networks that follow moves.
pub struct MovedRows {
    /// Those of the piece that is put on the board.
    pub added: [u32; 2],
    /// Those of the piece that leaves its square.
    pub removed: [u32; 2],
    /// Those of the piece that it captures.
    pub captured: Option<[u32; 2]>,
}

/// The rows by which a [plain](Delta::is_plain) move changes the sums of white and of black, whose
/// views stay the same. `None` if a king moves that has no row.
#[inline]
pub(crate) fn moved_rows<A: Architecture>(
    [white, black]: [Viewpoint; 2],
    delta: &Delta,
) -> Option<MovedRows> {
    let [set] = A::FEATURES else { return None };
    let Family::PieceSquare(tables) = &set.family else {
        return None;
    };
    if !tables.has_rows(true) && delta.moves_kings() {
        return None;
    }
    let white = piece_square::View::of(set, tables, Color::White, white);
    let black = piece_square::View::of(set, tables, Color::Black, black);
    let rows = |(piece, square)| [white.row(piece, square).0, black.row(piece, square).0];
    let [removed, added] = delta.changes();
    let ([added, _], [moved, captured]) = (added.first_two(), removed.first_two());
    Some(MovedRows {
        added: rows(added),
        removed: rows(moved),
        captured: delta.is_capture().then(|| rows(captured)),
    })
}

/// Whether the network has sets whose active features the engine tells, or sets that follow the
/// position.
const fn has(sets: &[FeatureSet], told: bool) -> bool {
    match sets {
        [first, others @ ..] => first.is_told() == told || has(others, told),
        [] => false,
    }
}

/// Fails to compile for networks with sets whose features the engine tells: the features cannot be
/// left out.
#[track_caller]
pub(crate) const fn refuse_told(sets: &[FeatureSet]) {
    assert!(
        !has(sets, true),
        "the network has custom feature sets: call the function whose name contains `with`, which takes their features, \
         or the one whose name ends in `_features` where there are no other sets"
    );
}

/// Fails to compile for networks with sets that follow the position: the position cannot be left
/// out.
#[track_caller]
pub(crate) const fn require_only_told(sets: &[FeatureSet]) {
    assert!(
        !has(sets, false),
        "the network has sets that follow the position: call the function whose name contains `with`, which takes it"
    );
}

/// Whether a perspective sees other rows of some set from one viewpoint than from the other.
#[inline]
pub(crate) fn view_changes<A: Architecture>(perspective: Color, from: [Viewpoint; 2]) -> bool {
    sets::<A>().any(|set| !set.sees_alike(perspective, from))
}
