//! The rows of the transformer that a position switches on.
//!
//! Only this file, `step.rs`, `viewpoint.rs` and `feature_set.rs` know all families of feature
//! sets. The accumulators, the evaluator and its cache ask a set through the methods of
//! [`FeatureSet`]; sets are constants of generated code, so each question is answered by the code
//! of one family, compiled for the set's own tables.

mod active;
mod bounds;
pub(crate) mod clock;
mod custom;
mod pawn_pairs;
mod piece_square;
mod step;
mod threats;
mod viewpoint;

use alloc::vec::Vec;

use nnue_format::{PAIRED_RUN, PieceSquare, Threats, unpaired};

use crate::architecture::{Architecture, sets};
use crate::buffer::chunk;
use crate::chess::{Bitboard, Color, PieceCode, Square};
use crate::feature_set::{Family, FeatureSet, PawnPairs};
use crate::level::Level;
use crate::network::Network;
use crate::placement::PieceCodes;
use crate::rows::changes::RowChanges;
use crate::rows::{RowList, TableRows};

pub use self::active::RowFinder;
pub(crate) use self::bounds::Bounds;
use self::bounds::PIECES;
pub use self::custom::FeatureChanges;
pub(crate) use self::custom::{feature_count, row};
pub(crate) use self::step::Step;
pub(crate) use self::threats::changes::BoardChanges;
pub(crate) use self::viewpoint::Viewpoint;
pub use self::viewpoint::{Entries, EntryNumbers};

impl FeatureSet {
    /// Whether a perspective gives every piece on the board the same row from either of two
    /// viewpoints. If not, all rows of the set change from one viewpoint to the other.
    #[inline]
    pub(crate) fn sees_alike(&'static self, perspective: Color, from: [Viewpoint; 2]) -> bool {
        let [first, second] = from.map(|from| self.view(perspective, from));
        first == second
    }

    /// The number of the view that a perspective has from a viewpoint: the same where it gives
    /// every piece on the board the same row.
    #[inline]
    pub(crate) fn view(&self, perspective: Color, from: Viewpoint) -> u64 {
        match &self.family {
            Family::PieceSquare(tables) => {
                piece_square::View::of(self, tables, perspective, from).number()
            }
            Family::Threats(Threats { mirror_files, .. })
            | Family::PawnPairs(PawnPairs { mirror_files, .. }) => {
                threats::view::View::of(*mirror_files, perspective, from).number()
            }
            Family::Clock(clock) => u64::from(clock.first_row(perspective, from)),
            Family::Custom { .. } => 0,
        }
    }

    /// Lists the rows that are active on a board, for a perspective that sees it from a viewpoint.
    /// A set whose features the engine tells has none, and [`clock`] lists those of the half-move
    /// clock. `board` has what differs from an empty board, where some set reads all squares.
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
                let view = threats::view::View::of(tables.mirror_files, perspective, from);
                let first_row = self.first_row[perspective.index()];
                let attacks = board.added.as_slice();
                threats::levels::list_rows(level, tables, view, first_row, pieces, attacks, list);
            }
            Family::PawnPairs(pairs) => {
                let view = threats::view::View::of(pairs.mirror_files, perspective, from);
                let first_row = self.first_row[perspective.index()];
                let [_, pawns] = board.pawns;
                pawn_pairs::list_rows(*pairs, view, first_row, pawns, [0, 0], list);
            }
            Family::Clock(_) | Family::Custom { .. } => {}
        }
    }

    /// Lists the rows that some moves add to a perspective's sums or remove, seen from the same
    /// viewpoint before and after.
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
            Family::Clock(_) | Family::Custom { .. } => {}
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

    /// [`Self::bounds`] of the set in its table, where its weights begin at the index `first`.
    pub(crate) fn bounds_in_table(
        &self,
        table: TableRows<'_>,
        first: usize,
        width: usize,
    ) -> Bounds {
        match table {
            TableRows::I16(weights) => self.bounds(&weights[first..], width),
            TableRows::I8(weights) => self.bounds(&weights[first..], width),
            TableRows::Paired(weights) => self.bounds_of_pairs(&weights[first..], width),
        }
    }

    /// [`Self::bounds`] of paired rows, for as many neurons at once as share words: few enough to
    /// need little memory.
    fn bounds_of_pairs(&self, pairs: &[i8], width: usize) -> Bounds {
        let mut bounds = Bounds::default();
        for run in 0..width / PAIRED_RUN {
            let rows = pairs.chunks_exact(width).take(self.rows as usize);
            let values = rows.flat_map(|row| unpaired(chunk(row, run)));
            bounds.extend(self.bounds(&values.collect::<Vec<i8>>(), PAIRED_RUN));
        }
        bounds
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
            Family::PawnPairs(_) | Family::Clock(_) | Family::Custom { .. } => {
                let of_a_block = self.features() as usize * width;
                let blocks = rows[..self.rows as usize * width].chunks_exact(of_a_block);
                let of_each = blocks.map(|rows| bounds::of_any(self.max_active, rows, width));
                of_each.reduce(Bounds::or).unwrap_or_default()
            }
        }
    }
}

/// How a perspective with its king on a square looks at the board, in networks whose accumulators
/// follow from moves: the condition of [`moved_row`].
#[inline]
pub(crate) fn moved_view<A: Architecture>(perspective: Color, king: Square) -> u32 {
    match A::FEATURES {
        [set] => match &set.family {
            Family::PieceSquare(tables) => {
                // These networks have no materials.
                let from = Viewpoint::new::<A>(perspective, king, |_| Bitboard::EMPTY);
                piece_square::View::of(set, tables, perspective, from).packed()
            }
            _ => 0,
        },
        _ => 0,
    }
}

/// The row that a piece on a square switches on for a perspective with a view, and whether it
/// exists.
#[inline]
pub(crate) fn moved_row<A: Architecture>(
    perspective: usize,
    view: u32,
    piece: PieceCode,
    square: Square,
) -> (u32, bool) {
    match A::FEATURES {
        [set] => match &set.family {
            Family::PieceSquare(tables) => {
                piece_square::View::unpacked(tables, perspective, view).row(piece, square)
            }
            _ => (0, false),
        },
        _ => (0, false),
    }
}

/// Whether a perspective sees other rows of some set from the first viewpoint than from the second.
#[inline]
pub(crate) fn view_changes<A: Architecture>(perspective: Color, from: [Viewpoint; 2]) -> bool {
    sets::<A>().any(|set| !set.sees_alike(perspective, from))
}

/// Asks for rows that are to be added. Those that are to be removed were added a few plies ago, and
/// are near the processor still: asking for them too costs 1 %.
#[inline]
fn prefetch<A: Architecture>(weights: &A::Weights, table: usize, rows: &[u32]) {
    for &row in rows {
        A::prefetch(weights, table, row);
    }
}
