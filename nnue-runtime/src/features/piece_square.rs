//! The piece-square family: a row for each piece on the board.

use alloc::vec;
use alloc::vec::Vec;

use nnue_format::PieceSquare;

use super::bounds::{Bounds, PIECES, extremes};
use super::prefetch;
use super::step::Step;
use super::viewpoint::Viewpoint;
use crate::architecture::Architecture;
use crate::chess::{Bitboard, Color, PieceCode, Square};
use crate::feature_set::{FeatureSet, rows_are_near};
use crate::level::Level;
use crate::placement::PieceCodes;
use crate::rows::changes::RowChanges;
use crate::rows::{RowList, RowLists};

/// How a perspective looks at the board: it changes only with its viewpoint, and not always then.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    /// The number that squares are exclusive-ored with.
    orientation: u8,
    /// The first row of the viewpoint's rows, in the set's table.
    offset: u32,
    /// The first row of each piece, among the viewpoint's rows.
    planes: &'a [u32; 16],
}

impl<'a> View<'a> {
    /// How `perspective` looks at the board from a viewpoint.
    #[inline]
    pub(super) fn of(
        set: &FeatureSet,
        tables: &'a PieceSquare,
        perspective: Color,
        from: Viewpoint,
    ) -> View<'a> {
        let p = perspective.index();
        let orientation = from.orientation(tables.flip[p], tables.mirror_files);
        let king = (from.king.index() ^ usize::from(orientation)) % 64;
        let mut offset = set.first_row[p] + tables.king_offset[king];
        for material in tables.materials() {
            offset += material.rows[from.value(material, orientation)];
        }
        View {
            orientation,
            offset,
            planes: &tables.planes[p],
        }
    }

    /// The view as a number: the first row, times 256, and the number that squares are
    /// exclusive-ored with.
    #[inline]
    pub(super) fn number(self) -> u64 {
        u64::from(self.offset) << 8 | u64::from(self.orientation)
    }

    /// The same in 32 bits, for sets of fewer than 2^24 rows: without materials, none has more.
    #[inline]
    pub(super) fn packed(self) -> u32 {
        self.number() as u32
    }

    /// The view that is [packed](Self::packed) in a number.
    #[inline]
    pub(super) fn unpacked(tables: &'a PieceSquare, perspective: usize, packed: u32) -> View<'a> {
        View {
            orientation: packed as u8 % 64,
            offset: packed >> 8,
            planes: &tables.planes[perspective],
        }
    }

    /// The row that a piece on a square switches on, and whether it exists. It is found without a
    /// branch, and means nothing if it does not exist.
    #[inline]
    pub(super) fn row(&self, piece: PieceCode, square: Square) -> (u32, bool) {
        let plane = self.planes[piece.index()];
        let square = square.index() as u32 ^ u32::from(self.orientation);
        (self.offset + plane + square, plane != PieceSquare::NO_PLANE)
    }

    /// The row that a threatened piece of a colour switches on. The rows of white's pieces and of
    /// black's begin with `first_rows`, among the viewpoint's.
    #[inline]
    fn threatened_row(&self, first_rows: [u32; 2], color: Color, square: Square) -> u32 {
        let square = square.index() as u32 ^ u32::from(self.orientation);
        self.offset + first_rows[color.index()] + square
    }
}

/// Lists the rows of all pieces.
#[inline]
pub(super) fn list_active(
    view: View<'_>,
    level: Level,
    pieces: &PieceCodes,
    list: &mut RowList<'_>,
) {
    let View {
        orientation,
        offset,
        planes,
    } = view;
    list.append(level, pieces.bytes(), planes, offset, orientation);
}

/// Lists the rows that the sums gain or lose by the pieces on single squares. It does not matter
/// which moves lie between: a piece that moved away and back is where it was. There is one loop,
/// over the squares, and its end is the only branch that depends on the position.
#[inline]
pub(super) fn list_changes<A: Architecture>(
    table: usize,
    view: View<'_>,
    weights: &A::Weights,
    step: Step<'_>,
    changes: &mut RowChanges<A>,
) {
    let (mut all_added, mut all_removed) = (changes.added.of(table), changes.removed.of(table));
    let (mut added_rows, mut removed_rows) = (all_added.end(), all_removed.end());
    for square in step.changed {
        let [old, new] = [step.before, step.after].map(|squares| squares.code(square));
        let ((removed, was), (added, is)) = (view.row(old, square), view.row(new, square));
        removed_rows.push_if(was & (old != new), removed);
        added_rows.push_if(is & (old != new), added);
    }
    let (adds, removes) = (added_rows.len, removed_rows.len);
    let listed = all_added.len();
    all_added.extend(adds);
    all_removed.extend(removes);
    if const { !rows_are_near(A::FEATURES, A::WIDTH) } {
        prefetch::<A>(weights, table, all_added.from(listed));
    }
}

/// Lists the rows of the pieces that begin or cease to be threatened. The rows of white's pieces
/// and of black's begin with `first_rows`, among the viewpoint's.
#[inline]
pub(super) fn list_threatened<A: Architecture>(
    table: usize,
    first_rows: [u32; 2],
    view: View<'_>,
    weights: &A::Weights,
    step: Step<'_>,
    changes: &mut RowChanges<A>,
) {
    let [before, after] = step.board.threatened;
    for color in Color::ALL {
        let (before, after) = (before[color.index()], after[color.index()]);
        for square in Bitboard(before ^ after) {
            let row = view.threatened_row(first_rows, color, square);
            A::prefetch(weights, table, row);
            let is = after & Bitboard::from(square).0 != 0;
            changes.removed.push_if(!is, table, row);
            changes.added.push_if(is, table, row);
        }
    }
}

/// Lists the rows of all threatened pieces. The rows of white's pieces and of black's begin with
/// `first_rows`, among the viewpoint's.
pub(super) fn list_all_threatened(
    first_rows: [u32; 2],
    view: View<'_>,
    threatened: [u64; 2],
    list: &mut RowList<'_>,
) {
    for color in Color::ALL {
        for square in Bitboard(threatened[color.index()]) {
            list.push_if(true, view.threatened_row(first_rows, color, square));
        }
    }
}

/// For every neuron and every viewpoint, the largest sum of weights that at most `max_active`
/// pieces on squares of their own switch on; and likewise the smallest. The set's rows are the
/// first of `rows`.
pub(super) fn bounds<W: Copy + Into<i16>>(
    tables: &PieceSquare,
    max_active: usize,
    rows: &[W],
    width: usize,
) -> Bounds {
    let skipped = tables.skipped_rows();
    let of_king = |king: u32| skipped.iter().map(move |skipped| king + skipped);
    let mut offsets: Vec<u32> = tables.king_offset.into_iter().flat_map(of_king).collect();
    offsets.sort_unstable();
    offsets.dedup();
    let white = Color::White.index();
    let planes = [&tables.planes[white][..], &tables.threatened[white][..]];

    let (mut lowest, mut highest) = (vec![0; width], vec![0; width]);
    let mut best = [ExtremeWeights::none(width), ExtremeWeights::none(width)];
    let mut column = [0i32; 64];
    for offset in offsets {
        for (best, planes) in best.iter_mut().zip(planes) {
            best.find(offset, planes, rows, width);
        }
        for neuron in 0..width {
            let mut gather = |of: fn(&ExtremeWeights) -> &[i16]| {
                for (square, value) in column.iter_mut().enumerate() {
                    let weights = best
                        .each_ref()
                        .map(|best| of(best)[square * width + neuron]);
                    *value = weights.map(i32::from).into_iter().sum();
                }
                extremes(&mut column, max_active.min(PIECES))
            };
            lowest[neuron] = lowest[neuron].min(gather(|best| &best.low).0);
            highest[neuron] = highest[neuron].max(gather(|best| &best.high).1);
        }
    }
    Bounds { lowest, highest }
}

/// Per square and neuron, the smallest and the largest weight of some planes; a piece need not be
/// there, so 0 is among the weights.
struct ExtremeWeights {
    low: Vec<i16>,
    high: Vec<i16>,
}

impl ExtremeWeights {
    fn none(width: usize) -> ExtremeWeights {
        let none = vec![0; 64 * width];
        ExtremeWeights {
            low: none.clone(),
            high: none,
        }
    }

    /// Finds the weights among a viewpoint's rows, which begin at `offset`.
    fn find<W: Copy + Into<i16>>(&mut self, offset: u32, planes: &[u32], rows: &[W], width: usize) {
        self.low.fill(0);
        self.high.fill(0);
        let planes = planes
            .iter()
            .filter(|plane| **plane != PieceSquare::NO_PLANE);
        for plane in planes {
            let first = (offset + plane) as usize * width;
            let plane = &rows[first..first + 64 * width];
            for ((weight, low), high) in plane.iter().zip(&mut self.low).zip(&mut self.high) {
                let weight = (*weight).into();
                *low = (*low).min(weight);
                *high = (*high).max(weight);
            }
        }
    }
}
