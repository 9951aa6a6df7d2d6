//! The network as engines write it by hand: a struct that the net file fits, an index of features,
//! and loops. Each port deletes all of this.

use cozy_chess::{Board, Color};

use crate::board::{Placed, pieces};

/// Neurons of each perspective.
pub const WIDTH: usize = 128;
const QA: i32 = 255;
const QB: i32 = 64;
const SCALE: i32 = 400;

/// The net file as it lies in memory.
#[repr(C)]
#[derive(Clone)]
pub struct Weights {
    features: [[i16; WIDTH]; 768],
    biases: [i16; WIDTH],
    outputs: [[i16; WIDTH]; 2],
    output_bias: i16,
}

impl Weights {
    /// Reads a net file, whose size is all that is checked.
    ///
    /// # Panics
    ///
    /// If the file is shorter than the weights.
    #[must_use]
    pub fn read(file: &[u8]) -> Weights {
        let mut values = file
            .chunks_exact(2)
            .map(|two| i16::from_le_bytes([two[0], two[1]]));
        let mut next = || values.next().expect("a net file that is long enough");
        Weights {
            features: [(); 768].map(|()| [(); WIDTH].map(|()| next())),
            biases: [(); WIDTH].map(|()| next()),
            outputs: [(); 2].map(|()| [(); WIDTH].map(|()| next())),
            output_bias: next(),
        }
    }

    /// The row of a piece as one side sees it.
    #[must_use]
    pub fn row(&self, perspective: Color, (color, piece, square): Placed) -> &[i16; WIDTH] {
        let side = if color == perspective { 0 } else { 384 };
        let flip = if perspective == Color::White { 0 } else { 56 };
        &self.features[side + 64 * piece as usize + (square as usize ^ flip)]
    }

    /// The value for the side to move.
    #[must_use]
    pub fn evaluate(&self, accumulator: &Accumulator, side_to_move: Color) -> i32 {
        let mut sum = 0;
        for (color, weights) in [side_to_move, !side_to_move].into_iter().zip(&self.outputs) {
            for (&value, &weight) in accumulator.values[color as usize].iter().zip(weights) {
                let clipped = i32::from(value).clamp(0, QA);
                sum += clipped * clipped * i32::from(weight);
            }
        }
        (sum / QA + i32::from(self.output_bias)) * SCALE / (QA * QB)
    }
}

/// What both sides see, white's side first.
#[derive(Clone, Copy)]
pub struct Accumulator {
    values: [[i16; WIDTH]; 2],
}

impl Accumulator {
    /// The accumulator of a position.
    #[must_use]
    pub fn new(weights: &Weights, board: &Board) -> Accumulator {
        let mut accumulator = Accumulator {
            values: [weights.biases; 2],
        };
        pieces(board).for_each(|piece| accumulator.add(weights, piece));
        accumulator
    }

    /// A piece is put on the board.
    pub fn add(&mut self, weights: &Weights, piece: Placed) {
        for color in Color::ALL {
            let row = weights.row(color, piece);
            for (value, weight) in self.values[color as usize].iter_mut().zip(row) {
                *value += weight;
            }
        }
    }

    /// A piece leaves the board.
    pub fn remove(&mut self, weights: &Weights, piece: Placed) {
        for color in Color::ALL {
            let row = weights.row(color, piece);
            for (value, weight) in self.values[color as usize].iter_mut().zip(row) {
                *value -= weight;
            }
        }
    }
}
