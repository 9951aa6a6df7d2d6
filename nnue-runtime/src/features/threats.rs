//! The family of threats: a row for each piece that attacks another one.
//!
//! A move changes attacks on squares that it does not touch, so they are found from the whole
//! board, before the moves and after them; [`changes`] does that once for all sets and both
//! perspectives. This module finds an attack's row for a set and a perspective.

pub(crate) mod changes;
mod directions;
pub(super) mod levels;
pub(super) mod pieces;
mod threatened;
pub(super) mod view;

use alloc::vec;
use alloc::vec::Vec;

use nnue_format::Threats;

use self::changes::Attacks;
use self::view::View;
use super::bounds::{Bounds, extremes};
use super::prefetch;
use super::step::Step;
use super::viewpoint::Viewpoint;
use crate::architecture::Architecture;
use crate::chess::{Bitboard, Color};
use crate::feature_set::FeatureSet;
use crate::network::Network;
use crate::placement::PieceCodes;
use crate::rows::changes::RowChanges;
use crate::rows::{RowList, RowLists};

/// Lists the rows of the attacks that a perspective's sums gain or lose.
#[inline]
pub(super) fn list_changes<A: Architecture>(
    set: &FeatureSet,
    tables: &Threats,
    net: &Network<A>,
    perspective: Color,
    from: Viewpoint,
    step: Step<'_>,
    changes: &mut RowChanges<A>,
) {
    let view = View::of(tables.mirror_files, perspective, from);
    let first_row = set.first_row[perspective.index()];
    let list_rows = |codes: &PieceCodes, attacks: &Attacks, list: &mut RowList<'_>| {
        let attacks = attacks.as_slice();
        levels::list_rows(net.level(), tables, view, first_row, codes, attacks, list);
    };
    let RowChanges { added, removed } = changes;
    list_rows(step.before, &step.board.removed, &mut removed.of(set.table));
    let mut added = added.of(set.table);
    let listed = added.len();
    list_rows(step.after, &step.board.added, &mut added);
    prefetch::<A>(net.weights(), set.table, added.from(listed));
}

/// For every neuron, the largest sum of weights that at most `pieces` attackers switch on, each on
/// a square of its own and with one victim in each direction; and likewise the smallest.
pub(super) fn bounds<W: Copy + Into<i16>>(
    tables: &Threats,
    pieces: usize,
    rows: &[W],
    width: usize,
) -> Bounds {
    // Per square and neuron, the best of the attackers that can stand there, or none.
    let (mut low, mut high) = (vec![0i32; 64 * width], vec![0i32; 64 * width]);
    for attacker in 1..=12 {
        for from in 0..64 {
            let attacks = tables.attacks[attacker][from];
            let reached = attacks.count_ones();
            // Per direction, the best of its victims.
            let mut sums = [vec![0i32; width], vec![0i32; width]];
            for direction in directions(attacker, from, attacks) {
                let mut best = [vec![0i32; width], vec![0i32; width]];
                for to in Bitboard(direction) {
                    let place = (attacks & ((1 << to.index()) - 1)).count_ones();
                    for victim in 1..=12 {
                        let pair = tables.pairs[attacker][victim];
                        if pair & Threats::NO_ROW != 0 {
                            continue;
                        }
                        let slot = u32::from(tables.slots[attacker][victim]) * reached;
                        let row = (pair & !Threats::IF_LATER)
                            + tables.squares[attacker][from]
                            + slot
                            + place;
                        let row = &rows[row as usize * width..][..width];
                        let [low, high] = &mut best;
                        for ((weight, low), high) in row.iter().zip(low).zip(high) {
                            let weight = i32::from((*weight).into());
                            *low = (*low).min(weight);
                            *high = (*high).max(weight);
                        }
                    }
                }
                for (sums, best) in sums.iter_mut().zip(&best) {
                    for (sum, best) in sums.iter_mut().zip(best) {
                        *sum += best;
                    }
                }
            }
            let [least, most] = &sums;
            for neuron in 0..width {
                let entry = from * width + neuron;
                low[entry] = low[entry].min(least[neuron]);
                high[entry] = high[entry].max(most[neuron]);
            }
        }
    }
    let mut column = [0i32; 64];
    let mut of_neuron = |table: &[i32], neuron: usize| {
        for (square, value) in column.iter_mut().enumerate() {
            *value = table[square * width + neuron];
        }
        extremes(&mut column, pieces)
    };
    Bounds {
        lowest: (0..width).map(|neuron| of_neuron(&low, neuron).0).collect(),
        highest: (0..width)
            .map(|neuron| of_neuron(&high, neuron).1)
            .collect(),
    }
}

/// The squares that an attacker reaches, direction by direction: it attacks at most one piece in
/// each direction.
fn directions(attacker: usize, from: usize, attacks: u64) -> Vec<u64> {
    let is_knight = attacker % 6 == 2;
    let mut directions: Vec<((i8, i8), u64)> = Vec::new();
    for to in Bitboard(attacks) {
        let to = to.index();
        let step = |from: usize, to: usize| to as i8 - from as i8;
        let (right, up) = (step(from % 8, to % 8), step(from / 8, to / 8));
        let direction = if is_knight {
            (right, up)
        } else {
            (right.signum(), up.signum())
        };
        match directions.iter_mut().find(|(known, _)| *known == direction) {
            Some((_, squares)) => *squares |= 1 << to,
            None => directions.push((direction, 1 << to)),
        }
    }
    directions.into_iter().map(|(_, squares)| squares).collect()
}
