//! What can be proved about a network from its weights.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::architecture::Architecture;
use crate::chess::Role;
use crate::features::{PieceSquare, piece_squares};
use crate::file::{Identity, Loaded};
use crate::proof::LayerProof;

/// What is known of a network's weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How far the accumulator can go.
    pub accumulator: AccumulatorBound,
    /// How far the sums of the affine layers of integers can go.
    pub layers: Vec<LayerProof>,
    /// Bytes of the file other than zero that no evaluation reads.
    pub ignored_bytes: usize,
    /// What a user of the network should know; empty for a sound one.
    pub warnings: Vec<Warning>,
}

/// Bounds that no accumulator value passes on a board of at most `pieces` pieces, one per square, both kings among
/// them or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccumulatorBound {
    /// The pieces on the board.
    pub pieces: usize,
    /// No value is below this.
    pub lowest: i32,
    /// No value is above this.
    pub highest: i32,
}

impl AccumulatorBound {
    /// What is left of the 16 bits: negative if the bounds leave them.
    #[must_use]
    pub fn margin(&self) -> i32 {
        (i32::from(i16::MAX) - self.highest).min(self.lowest - i32::from(i16::MIN))
    }
}

/// Something about a network that does not keep it from being used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The accumulator cannot be proved to stay within 16 bits. It wraps around where it does not, as in engines.
    AccumulatorMayOverflow(AccumulatorBound),
    /// The sums of this layer cannot be proved to stay within 32 bits. They wrap around where they do not, on every level
    /// alike.
    SumsMayOverflow(&'static str),
    /// The file has bytes other than zero where no weight is. They are kept, and change no evaluation.
    IgnoredBytes(usize),
    /// The file has the header and the size of this network's files, but its weights are those of this one.
    LooksLike(Identity),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::AccumulatorMayOverflow(bound) => write!(
                f,
                "accumulator values are only known to stay within {} to {} for {} pieces, 16 bits hold {} to {}",
                bound.lowest,
                bound.highest,
                bound.pieces,
                i16::MIN,
                i16::MAX
            ),
            Warning::SumsMayOverflow(layer) => {
                write!(f, "sums of `{layer}` are not known to fit in 32 bits")
            }
            Warning::IgnoredBytes(count) => {
                write!(
                    f,
                    "{count} bytes of the file's padding are not zero; they are ignored"
                )
            }
            Warning::LooksLike(identity) => write!(
                f,
                "this is {identity}, by its weights: header and size do not tell it from a net of this spec"
            ),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = &self.accumulator;
        write!(
            f,
            "accumulator within {} to {} for {} pieces: margin {}",
            bound.lowest,
            bound.highest,
            bound.pieces,
            bound.margin()
        )?;
        for layer in &self.layers {
            write!(f, "\n{layer}")?;
        }
        for warning in &self.warnings {
            write!(f, "\nwarning: {warning}")?;
        }
        Ok(())
    }
}

impl Report {
    pub(crate) fn of<A: Architecture>(weights: &A::Weights, loaded: &Loaded) -> Report {
        let biases = A::values(A::biases(weights));
        let accumulator = bound(piece_squares::<A>(), biases, A::rows(weights));
        let layers = A::proofs(weights).into_layers();
        let mut warnings = Vec::new();
        if accumulator.margin() < 0 {
            warnings.push(Warning::AccumulatorMayOverflow(accumulator));
        }
        for layer in layers.iter().filter(|layer| layer.margin() < 0) {
            warnings.push(Warning::SumsMayOverflow(layer.layer));
        }
        if !loaded.ignored.is_empty() {
            warnings.push(Warning::IgnoredBytes(loaded.ignored.len()));
        }
        warnings.extend(loaded.looks_like.map(Warning::LooksLike));
        Report {
            accumulator,
            layers,
            ignored_bytes: loaded.ignored.len(),
            warnings,
        }
    }
}

/// For every neuron and every square of the own king, the largest sum of at most `max_active` weights of which each
/// square gives one, and likewise the smallest; sums of several sets are added.
fn bound<'s>(
    sets: impl Iterator<Item = &'s PieceSquare>,
    biases: &[i16],
    rows: &[i16],
) -> AccumulatorBound {
    let width = biases.len();
    let mut lowest: Vec<i32> = biases.iter().map(|bias| i32::from(*bias)).collect();
    let mut highest = lowest.clone();
    let mut pieces = 0;
    for set in sets {
        let (low, high) = set_bound(set, rows, width);
        for neuron in 0..width {
            lowest[neuron] += low[neuron];
            highest[neuron] += high[neuron];
        }
        pieces = pieces.max(set.max_active);
    }
    AccumulatorBound {
        pieces,
        lowest: lowest.into_iter().min().unwrap_or(0),
        highest: highest.into_iter().max().unwrap_or(0),
    }
}

/// The bounds of one set's contribution to each neuron, over all squares of the own king.
fn set_bound(set: &PieceSquare, rows: &[i16], width: usize) -> (Vec<i32>, Vec<i32>) {
    let mut offsets: Vec<u32> = set.king_offset.to_vec();
    offsets
        .iter_mut()
        .for_each(|offset| *offset += set.first_row[0]);
    offsets.sort_unstable();
    offsets.dedup();
    let is_feature = |index: &usize| set.kings || index % 6 != Role::King.index();
    let mut planes: Vec<u32> = (0..12)
        .filter(is_feature)
        .map(|index| set.plane[index])
        .collect();
    planes.sort_unstable();
    planes.dedup();

    let (mut lowest, mut highest) = (vec![0; width], vec![0; width]);
    // Per neuron and square, the best of the pieces that can stand there, or none.
    let (mut low, mut high) = (vec![0i16; 64 * width], vec![0i16; 64 * width]);
    let mut column = [0i16; 64];
    for offset in offsets {
        low.fill(0);
        high.fill(0);
        for plane in &planes {
            for square in 0..64 {
                let first = (offset + plane) as usize * width + square * width;
                let row = &rows[first..first + width];
                let best = square * width..(square + 1) * width;
                for ((weight, low), high) in
                    row.iter().zip(&mut low[best.clone()]).zip(&mut high[best])
                {
                    *low = (*low).min(*weight);
                    *high = (*high).max(*weight);
                }
            }
        }
        for neuron in 0..width {
            let mut gather = |table: &[i16]| {
                for (square, value) in column.iter_mut().enumerate() {
                    *value = table[square * width + neuron];
                }
                column.sort_unstable();
                let len = set.max_active.min(64);
                let sum =
                    |values: &[i16]| values.iter().map(|value| i32::from(*value)).sum::<i32>();
                (sum(&column[..len]), sum(&column[64 - len..]))
            };
            lowest[neuron] = lowest[neuron].min(gather(&low).0);
            highest[neuron] = highest[neuron].max(gather(&high).1);
        }
    }
    (lowest, highest)
}
