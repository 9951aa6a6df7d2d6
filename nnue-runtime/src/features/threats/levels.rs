//! Attacks and their rows are found by code that is compiled for each level.

use nnue_format::Threats;

use super::View;
use super::changes::{BoardChanges, Scope, Threat};
use crate::__private::dispatch;
use crate::level::Level;
use crate::placement::PieceCodes;
use crate::rows::RowList;

/// Finds what differs between two placements.
#[inline]
pub(super) fn find(
    level: Level,
    scope: &Scope,
    placements: [&PieceCodes; 2],
    changes: &mut BoardChanges,
) {
    dispatch!(level, find(scope, placements, changes));
}

/// Finds the threatened pieces of two placements.
#[inline]
pub(super) fn find_threatened(
    level: Level,
    placements: [&PieceCodes; 2],
    changes: &mut BoardChanges,
) {
    dispatch!(level, find_threatened(placements, changes));
}

/// [`list_rows`](super::list_rows), at a level.
#[inline]
pub(super) fn list_rows(
    level: Level,
    tables: &Threats,
    view: View,
    first_row: u32,
    threats: &[Threat],
    list: &mut RowList<'_>,
) {
    dispatch!(level, list_rows(tables, view, first_row, threats, list));
}

/// For which of the eight lines a set of squares is: all bits for them, none for the others.
macro_rules! lines {
    ($($line:literal)+) => {{
        let mut lines = [0; 8];
        $(lines[$line] = u64::MAX;)+
        lines
    }};
}

/// The distances of `length` steps in each direction.
const fn times(length: u64, steps: [u64; 8]) -> [u64; 8] {
    let mut distances = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        distances[direction] = length * steps[direction] % 64;
        direction += 1;
    }
    distances
}

// Vectors of eight sets of squares are passed between functions that enable the level's features:
// closures and generic functions, which do not, would have them in memory.
macro_rules! of_levels {
    ($(
        $kind:ident $module:ident target_arch[$($arch:literal)?] features[$($feature:literal),*]
        $facts:tt
    )+) => {
        $(
            #[cfg(all($(target_arch = $arch)?))]
            mod $module {
                use nnue_format::Threats;

                use super::super::View;
                use super::super::changes::{
                    BoardChanges, JUMP_ENDS, JUMPS, LINE_ENDS, LINES, Pieces, Scope, Threat, list_attacks,
                };
                use super::super::threatened::threatened;
                use super::times;
                use crate::buffer::chunk_mut;
                use crate::placement::PieceCodes;
                use crate::rows::RowList;
                use crate::simd::$module::{self as simd, U64x8, and_u64x8, load_u64x8, or_u64x8, splat_u64x8};

                /// The squares one step on in each direction, without leaving the board and
                /// entering it on the other side.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn step(squares: U64x8, steps: &[u64; 8], ends: &[u64; 8]) -> U64x8 {
                    and_u64x8(simd::rotate_left_u64x8(squares, load_u64x8(steps)), load_u64x8(ends))
                }

                /// The squares that are reached in each direction from some squares, through empty
                /// ones and one step further.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn reached(squares: U64x8, empty: u64) -> U64x8 {
                    const TWO: [u64; 8] = times(2, LINES);
                    const FOUR: [u64; 8] = times(4, LINES);
                    let mut open = and_u64x8(splat_u64x8(empty), load_u64x8(&LINE_ENDS));
                    let mut squares = squares;
                    for steps in [&LINES, &TWO, &FOUR] {
                        let steps = load_u64x8(steps);
                        let next = simd::rotate_left_u64x8(squares, steps);
                        squares = or_u64x8(squares, and_u64x8(open, next));
                        open = and_u64x8(open, simd::rotate_left_u64x8(open, steps));
                    }
                    step(squares, &LINES, &LINE_ENDS)
                }

                /// The squares for some directions, and none for the others.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn on(squares: u64, lines: &[u64; 8]) -> U64x8 {
                    and_u64x8(splat_u64x8(squares), load_u64x8(lines))
                }

                /// The attacked squares in each direction: on lines, and by jumps.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn attacked(pieces: &Pieces, scope: &Scope) -> (U64x8, U64x8) {
                    let queens = pieces.attackers(scope, 4);
                    let diagonal = pieces.attackers(scope, 2) | queens;
                    let straight = pieces.attackers(scope, 3) | queens;
                    let sliders = or_u64x8(
                        on(straight, &const { lines!(0 1 4 5) }),
                        on(diagonal, &const { lines!(2 3 6 7) }),
                    );
                    let sliding = and_u64x8(
                        reached(sliders, !pieces.occupied),
                        splat_u64x8(pieces.victims(scope, 4)),
                    );
                    let kings = splat_u64x8(pieces.attackers(scope, 5));
                    let kings = and_u64x8(
                        step(kings, &LINES, &LINE_ENDS),
                        splat_u64x8(pieces.victims(scope, 5)),
                    );
                    let [white, black] = pieces.pawns;
                    let capturing = or_u64x8(
                        on(white, &const { lines!(2 3) }),
                        on(black, &const { lines!(6 7) }),
                    );
                    let capturing = and_u64x8(
                        step(capturing, &LINES, &LINE_ENDS),
                        splat_u64x8(pieces.victims(scope, 0)),
                    );
                    let pushing = or_u64x8(
                        on(white & scope.pushes, &const { lines!(0) }),
                        on(black & scope.pushes, &const { lines!(4) }),
                    );
                    let pushing = and_u64x8(
                        step(pushing, &LINES, &LINE_ENDS),
                        splat_u64x8(pieces.all_pawns()),
                    );
                    let knights = splat_u64x8(pieces.attackers(scope, 1));
                    let jumps = and_u64x8(
                        step(knights, &JUMPS, &JUMP_ENDS),
                        splat_u64x8(pieces.victims(scope, 1)),
                    );
                    let lines = or_u64x8(or_u64x8(sliding, kings), or_u64x8(capturing, pushing));
                    (lines, jumps)
                }

                $(#[target_feature(enable = $feature)])*
                pub(super) fn find(
                    scope: &Scope,
                    placements: [&PieceCodes; 2],
                    changes: &mut BoardChanges,
                ) {
                    let [before, after] = placements;
                    let pieces = [
                        Pieces::of(simd::bit_planes(before.bytes())),
                        Pieces::of(simd::bit_planes(after.bytes())),
                    ];
                    let changed = pieces[0].differences(&pieces[1]);
                    let empty = !(changed | pieces[0].occupied | pieces[1].occupied);
                    let changed = splat_u64x8(changed);
                    // Where attacks on lines and by jumps can differ.
                    let along = or_u64x8(changed, reached(changed, empty));
                    let across = or_u64x8(changed, step(changed, &JUMPS, &JUMP_ENDS));
                    let BoardChanges { added, removed, pawns, .. } = changes;
                    *pawns = [pieces[0].pawns, pieces[1].pawns];
                    for (pieces, codes, list) in
                        [(&pieces[0], before, removed), (&pieces[1], after, added)]
                    {
                        let (lines, jumps) = attacked(pieces, scope);
                        let mut victims = [0; 16];
                        simd::store_u64x8(and_u64x8(lines, along), chunk_mut(&mut victims, 0));
                        simd::store_u64x8(and_u64x8(jumps, across), chunk_mut(&mut victims, 1));
                        list_attacks(codes, pieces.occupied, victims, list);
                    }
                }

                $(#[target_feature(enable = $feature)])*
                pub(super) fn find_threatened(
                    placements: [&PieceCodes; 2],
                    changes: &mut BoardChanges,
                ) {
                    let [before, after] = placements;
                    changes.threatened = [
                        threatened(&Pieces::of(simd::bit_planes(before.bytes()))),
                        threatened(&Pieces::of(simd::bit_planes(after.bytes()))),
                    ];
                }

                $(#[target_feature(enable = $feature)])*
                pub(super) fn list_rows(
                    tables: &Threats,
                    view: View,
                    first_row: u32,
                    threats: &[Threat],
                    list: &mut RowList<'_>,
                ) {
                    super::super::list_rows(tables, view, first_row, threats, list);
                }
            }
        )+
    };
}
nnue_levels::levels!(of_levels);
