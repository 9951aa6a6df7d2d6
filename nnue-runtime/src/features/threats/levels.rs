//! Attacks and their rows are found by code that is compiled for each level.
//!
//! An attack goes from a piece in one of 16 [directions](super::directions) to the nearest piece
//! there. So a direction and the square of the victim stand for an attack, and the attacks of all
//! pieces in one direction are a set of squares. Such sets are found for eight directions at once,
//! by filling lines with bits.
//!
//! An attack differs before and after if its victim's square has changed, or if the nearest square
//! back in its direction that has changed or holds a piece has changed. That is one more fill, and
//! it leaves nothing that was there before and after.

use nnue_format::Threats;

use super::changes::BoardChanges;
use super::pieces::Scope;
use super::view::View;
use crate::__private::dispatch;
use crate::level::Level;
use crate::placement::PieceCodes;
use crate::rows::RowList;

/// Finds the differences of two placements.
#[inline]
pub(in crate::features) fn find(
    level: Level,
    scope: &Scope,
    placements: [&PieceCodes; 2],
    changes: &mut BoardChanges,
) {
    dispatch!(level, find(scope, placements, changes));
}

/// Finds all attacks and pawns of a placement: its differences from an empty board.
#[inline]
pub(in crate::features) fn find_all(
    level: Level,
    scope: &Scope,
    placement: &PieceCodes,
    changes: &mut BoardChanges,
) {
    dispatch!(level, find_all(scope, placement, changes));
}

/// Finds the threatened pieces of two placements.
#[inline]
pub(in crate::features) fn find_threatened(
    level: Level,
    placements: [&PieceCodes; 2],
    changes: &mut BoardChanges,
) {
    dispatch!(level, find_threatened(placements, changes));
}

/// [`list_rows`](super::view::list_rows), at a level.
#[inline]
pub(in crate::features) fn list_rows(
    level: Level,
    tables: &Threats,
    view: View,
    first_row: u32,
    codes: &PieceCodes,
    attacks: &[[u8; 2]],
    list: &mut RowList<'_>,
) {
    dispatch!(
        level,
        list_rows(tables, view, first_row, codes, attacks, list)
    );
}

// Vectors of eight sets of squares are passed between functions that enable the level's features:
// closures and generic functions, which do not, would have them in memory.
macro_rules! of_levels {
    ($(
        $kind:ident $module:ident target_arch[$($arch:literal $(, $($build:tt)+)?)?]
        features[$($feature:literal),*]
        $facts:tt
    )+) => {
        $(
            #[cfg(all($(target_arch = $arch $(, $($build)+)?)?))]
            mod $module {
                use nnue_format::Threats;

                use super::super::changes::{Attacks, BoardChanges};
                use super::super::directions::{
                    CAPTURES, DIAGONAL, Eight, JUMPS, JUMPS_BACK, LINES, LINES_BACK, Lines, PUSHES,
                    STRAIGHT, Steps,
                };
                use super::super::pieces::{Attack, Attacker, PAWN_RANKS, Pieces, Scope};
                use super::super::threatened::PLACES;
                use super::super::view::{self, View};
                use crate::placement::PieceCodes;
                use crate::rows::RowList;
                use crate::simd::$module::{
                    self as simd, U64x8, and_u64x8, load_u64x8, or_u64x8, rotate_left_u64x8,
                    splat_u64x8,
                };

                /// The pieces of a placement.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn pieces(scope: &Scope, placement: &PieceCodes) -> Pieces {
                    let [attackers, victims] = scope.tables();
                    Pieces::new([
                        simd::bit_planes(placement.bytes(), attackers),
                        simd::bit_planes(placement.bytes(), victims),
                    ])
                }

                /// The squares one step on in each direction, without leaving the board and
                /// entering it on the other side.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn step(squares: U64x8, steps: &Steps) -> U64x8 {
                    let next = rotate_left_u64x8(squares, load_u64x8(&steps.distances));
                    and_u64x8(next, load_u64x8(&steps.ends))
                }

                /// The squares that are reached in each direction from some squares, through empty
                /// squares and one step further.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn reached(squares: U64x8, empty: u64, lines: &Lines) -> U64x8 {
                    let mut open = and_u64x8(splat_u64x8(empty), load_u64x8(&lines.step.ends));
                    let mut squares = squares;
                    for distances in &lines.distances {
                        let distances = load_u64x8(distances);
                        let next = rotate_left_u64x8(squares, distances);
                        squares = or_u64x8(squares, and_u64x8(open, next));
                        open = and_u64x8(open, rotate_left_u64x8(open, distances));
                    }
                    step(squares, &lines.step)
                }

                /// A set of squares for some directions, and no squares for the others.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn on(squares: u64, lines: &Eight) -> U64x8 {
                    and_u64x8(splat_u64x8(squares), load_u64x8(lines))
                }

                /// The squares that pieces reach which go along ranks and files, and those that
                /// pieces reach which go along diagonals.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn slid_to(straight: u64, diagonal: u64, empty: u64) -> U64x8 {
                    let sliders = or_u64x8(on(straight, &STRAIGHT), on(diagonal, &DIAGONAL));
                    reached(sliders, empty, &LINES)
                }

                /// White's squares for some directions, and black's for others.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn on_each([white, black]: [u64; 2], lines: &[Eight; 2]) -> U64x8 {
                    or_u64x8(on(white, &lines[0]), on(black, &lines[1]))
                }

                /// The attacked squares in each direction, along lines.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn attacked_on_lines(pieces: &Pieces) -> U64x8 {
                    let sliding = and_u64x8(
                        slid_to(
                            pieces.attackers(Attacker::Straight),
                            pieces.attackers(Attacker::Diagonal),
                            !pieces.occupied(),
                        ),
                        splat_u64x8(pieces.victims(Attack::Slide)),
                    );
                    let kings = splat_u64x8(pieces.attackers(Attacker::Stepper));
                    let capturing = on_each(pieces.pawns(), &CAPTURES);
                    let pushing = on_each(pieces.pawns(), &PUSHES);
                    let stepping = [
                        (kings, Attack::Step),
                        (capturing, Attack::Capture),
                        (pushing, Attack::Push),
                    ];
                    let mut attacked = sliding;
                    for (attackers, victims) in stepping {
                        let victims = splat_u64x8(pieces.victims(victims));
                        let ends = step(attackers, &LINES.step);
                        attacked = or_u64x8(attacked, and_u64x8(ends, victims));
                    }
                    attacked
                }

                /// The attacked squares in each direction, by jumps.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn attacked_by_jumps(pieces: &Pieces) -> U64x8 {
                    let knights = splat_u64x8(pieces.attackers(Attacker::Jumper));
                    let victims = splat_u64x8(pieces.victims(Attack::Jump));
                    and_u64x8(step(knights, &JUMPS), victims)
                }

                $(#[target_feature(enable = $feature)])*
                pub(super) fn find(
                    scope: &Scope,
                    [before, after]: [&PieceCodes; 2],
                    changes: &mut BoardChanges,
                ) {
                    let pieces = [pieces(scope, before), pieces(scope, after)];
                    let occupied = [pieces[0].occupied(), pieces[1].occupied()];
                    let changed = after.differences(before).0;
                    let empty = !(changed | occupied[0] | occupied[1]);
                    let changed = splat_u64x8(changed);
                    // Where attacks along lines and by jumps can differ.
                    let along = or_u64x8(changed, reached(changed, empty, &LINES));
                    let across = or_u64x8(changed, step(changed, &JUMPS));
                    let mut lines = [
                        and_u64x8(attacked_on_lines(&pieces[0]), along),
                        and_u64x8(attacked_on_lines(&pieces[1]), along),
                    ];
                    let mut jumps = [
                        and_u64x8(attacked_by_jumps(&pieces[0]), across),
                        and_u64x8(attacked_by_jumps(&pieces[1]), across),
                    ];
                    changes.pawns = [pieces[0].pawns(), pieces[1].pawns()];
                    changes.removed.clear();
                    changes.added.clear();
                    // All lists grow in one loop, and its end is the only branch that depends on
                    // the position.
                    while simd::any_u64x8(or_u64x8(
                        or_u64x8(lines[0], lines[1]),
                        or_u64x8(jumps[0], jumps[1]),
                    )) {
                        let lists = [&mut changes.removed, &mut changes.added];
                        for (side, list) in lists.into_iter().enumerate() {
                            let attacked = list_next(lines[side], jumps[side], occupied[side], list);
                            [lines[side], jumps[side]] = attacked;
                        }
                    }
                }

                $(#[target_feature(enable = $feature)])*
                pub(super) fn find_all(
                    scope: &Scope,
                    placement: &PieceCodes,
                    changes: &mut BoardChanges,
                ) {
                    let pieces = pieces(scope, placement);
                    let mut lines = attacked_on_lines(&pieces);
                    let mut jumps = attacked_by_jumps(&pieces);
                    changes.pawns = [[0; 2], pieces.pawns()];
                    changes.removed.clear();
                    changes.added.clear();
                    while simd::any_u64x8(or_u64x8(lines, jumps)) {
                        [lines, jumps] =
                            list_next(lines, jumps, pieces.occupied(), &mut changes.added);
                    }
                }

                /// Lists at most one attack of each direction, of those on squares that are
                /// attacked along lines and by jumps, and returns the squares that are left.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn list_next(
                    lines: U64x8,
                    jumps: U64x8,
                    occupied: u64,
                    list: &mut Attacks,
                ) -> [U64x8; 2] {
                    let to = simd::lowest_u64x8(lines);
                    let back = reached(to, !occupied, &LINES_BACK);
                    let from = and_u64x8(back, splat_u64x8(occupied));
                    let written = simd::write_squares(from, to, list.room());
                    list.grow(written);
                    let lines = simd::and_not_u64x8(lines, to);
                    let to = simd::lowest_u64x8(jumps);
                    let from = step(to, &JUMPS_BACK);
                    let written = simd::write_squares(from, to, list.room());
                    list.grow(written);
                    [lines, simd::and_not_u64x8(jumps, to)]
                }

                /// The union of the sets of all directions.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn of_all(squares: U64x8) -> u64 {
                    let mut lanes = [0; 8];
                    simd::store_u64x8(squares, &mut lanes);
                    lanes.into_iter().fold(0, |all, squares| all | squares)
                }

                /// The pieces of either player that weaker pieces of a player attack.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn by_weaker(places: [u64; 8], players: u64, captures: &Eight) -> u64 {
                    let [_, _, pawns, knights, bishops, rooks, queens, all] = places;
                    let captured = step(on(pawns & players & PAWN_RANKS, captures), &LINES.step);
                    let slid_to = slid_to(rooks & players, bishops & players, !all);
                    let by_bishops = and_u64x8(slid_to, load_u64x8(&DIAGONAL));
                    let by_rooks = and_u64x8(slid_to, load_u64x8(&STRAIGHT));
                    let by_knights = step(splat_u64x8(knights & players), &JUMPS);
                    of_all(captured) & (knights | bishops | rooks | queens)
                        | of_all(or_u64x8(by_bishops, by_knights)) & (rooks | queens)
                        | of_all(by_rooks) & queens
                }

                /// White's pieces and black's that a weaker piece of the opponent attacks.
                #[inline]
                $(#[target_feature(enable = $feature)])*
                fn threatened(placement: &PieceCodes) -> [u64; 2] {
                    let places = simd::bit_planes(placement.bytes(), &PLACES);
                    let [white, black, ..] = places;
                    [
                        white & by_weaker(places, black, &CAPTURES[1]),
                        black & by_weaker(places, white, &CAPTURES[0]),
                    ]
                }

                $(#[target_feature(enable = $feature)])*
                pub(super) fn find_threatened(
                    [before, after]: [&PieceCodes; 2],
                    changes: &mut BoardChanges,
                ) {
                    changes.threatened = [threatened(before), threatened(after)];
                }

                $(#[target_feature(enable = $feature)])*
                pub(super) fn list_rows(
                    tables: &Threats,
                    view: View,
                    first_row: u32,
                    codes: &PieceCodes,
                    attacks: &[[u8; 2]],
                    list: &mut RowList<'_>,
                ) {
                    view::list_rows(tables, view, first_row, codes, attacks, list);
                }
            }
        )+
    };
}
nnue_format::levels!(of_levels);
