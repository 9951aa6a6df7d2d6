//! What an engine author writes by hand for (768 -> W)x2 -> 1xB: weights as they are in bullet's
//! `quantised.bin`, a stack of accumulators, and loops of intrinsics.

use nnue_runtime::{Color, Delta, Piece, Position, Square};
use nnue_trace::{Follow, Move, Search};

/// The loops of an instruction set.
pub(crate) trait Loops: Copy {
    /// The largest value of a clipped neuron.
    const ONE: i32;
    /// Whether clipped neurons are squared.
    const SQUARED: bool;

    /// Adds a row of the transformer's weights to each value.
    fn add<const W: usize>(self, values: &mut [i16; W], row: &[i16; W]);

    /// `after = before + added - removed`
    fn quiet<const W: usize>(
        self,
        before: &[i16; W],
        after: &mut [i16; W],
        added: &[i16; W],
        removed: &[i16; W],
    );

    /// `after = before + added - removed[0] - removed[1]`
    fn capture<const W: usize>(
        self,
        before: &[i16; W],
        after: &mut [i16; W],
        added: &[i16; W],
        removed: [&[i16; W]; 2],
    );

    /// `after = before + added[0] + added[1] - removed[0] - removed[1]`
    fn castling<const W: usize>(
        self,
        before: &[i16; W],
        after: &mut [i16; W],
        added: [&[i16; W]; 2],
        removed: [&[i16; W]; 2],
    );

    /// The sum of neurons times weights, over the half of the side to move and the other one.
    fn forward<const W: usize>(self, halves: [&[i16; W]; 2], weights: &[[i16; W]; 2]) -> i32;
}

/// What stands for 1.0 in weights of the output.
const QB: i32 = 64;
/// The engine's units for 1.0.
const SCALE: i32 = 400;

/// An array on cache lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Aligned<T>(T);

/// A network's weights.
pub(crate) struct Weights<const W: usize, const B: usize> {
    /// Each feature's row.
    rows: Vec<Aligned<[i16; W]>>,
    biases: Aligned<[i16; W]>,
    /// For each bucket, the weights of the side to move's half and those of the other one.
    output: Vec<Aligned<[[i16; W]; 2]>>,
    output_biases: [i16; B],
}

impl<const W: usize, const B: usize> Weights<W, B> {
    /// The weights in the bytes of a `quantised.bin`.
    ///
    /// # Panics
    ///
    /// If there are too few bytes.
    pub(crate) fn of(file: &[u8]) -> Weights<W, B> {
        let words = file.as_chunks().0.iter();
        let mut words = words.map(|word: &[u8; 2]| i16::from_le_bytes(*word));
        let mut next = || words.next().expect("the file has all weights");
        let mut values = || std::array::from_fn(|_| next());
        Weights {
            rows: (0..768).map(|_| Aligned(values())).collect(),
            biases: Aligned(values()),
            output: (0..B).map(|_| Aligned([values(), values()])).collect(),
            output_biases: std::array::from_fn(|_| next()),
        }
    }

    fn row(&self, perspective: Color, (piece, square): (Piece, Square)) -> &[i16; W] {
        let theirs = usize::from(piece.color != perspective);
        let square = match perspective {
            Color::White => square.index(),
            Color::Black => square.index() ^ 56,
        };
        &self.rows[384 * theirs + 64 * piece.role.index() + square].0
    }
}

/// When accumulators are updated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Updates {
    /// With each move.
    Eager,
    /// When a position is evaluated, that of each ply since the last one that is known.
    Lazy,
}

/// Both perspectives' accumulators after a move.
struct Entry<const W: usize> {
    halves: [Aligned<[i16; W]>; 2],
    /// What the move changed.
    delta: Delta,
    pieces: usize,
    is_known: bool,
}

/// A search's accumulators, and the network.
pub(crate) struct Engine<'w, L, const W: usize, const B: usize> {
    loops: L,
    weights: &'w Weights<W, B>,
    updates: Updates,
    entries: Vec<Entry<W>>,
    /// The entry of each ply: a null move has that of the ply before.
    plies: Vec<usize>,
    side_to_move: Color,
}

/// The most moves that are made at a time.
const MOST_PLIES: usize = 256;

impl<'w, L: Loops, const W: usize, const B: usize> Engine<'w, L, W, B> {
    pub(crate) fn new(
        loops: L,
        weights: &'w Weights<W, B>,
        updates: Updates,
    ) -> Engine<'w, L, W, B> {
        let entry = || Entry {
            halves: [weights.biases; 2],
            delta: Delta::null(),
            pieces: 0,
            is_known: false,
        };
        Engine {
            loops,
            weights,
            updates,
            entries: (0..MOST_PLIES).map(|_| entry()).collect(),
            plies: Vec::with_capacity(MOST_PLIES),
            side_to_move: Color::White,
        }
    }

    /// The entry of the last ply.
    fn current(&self) -> usize {
        self.plies[self.plies.len() - 1]
    }

    /// Updates the accumulators of an entry from those of the one before.
    #[inline]
    fn update(&mut self, entry: usize) {
        let (before, after) = self.entries.split_at_mut(entry);
        let (before, after) = (&before[entry - 1], &mut after[0]);
        let (mut added, mut removed) = (after.delta.added(), after.delta.removed());
        let (added, removed) = (
            [added.next(), added.next()],
            [removed.next(), removed.next()],
        );
        for perspective in Color::ALL {
            let index = perspective.index();
            let row = |change| self.weights.row(perspective, change);
            let (from, to) = (&before.halves[index].0, &mut after.halves[index].0);
            match (
                added.map(|change| change.map(row)),
                removed.map(|change| change.map(row)),
            ) {
                ([Some(a), None], [Some(r), None]) => self.loops.quiet(from, to, a, r),
                ([Some(a), None], [Some(r), Some(s)]) => self.loops.capture(from, to, a, [r, s]),
                ([Some(a), Some(b)], [Some(r), Some(s)]) => {
                    self.loops.castling(from, to, [a, b], [r, s]);
                }
                _ => unreachable!("no move of chess changes other numbers of pieces"),
            }
        }
        after.is_known = true;
    }

    /// The network's value of the last ply.
    #[inline]
    pub(crate) fn forward(&self) -> i32 {
        let entry = &self.entries[self.current()];
        let us = self.side_to_move.index();
        let halves = [&entry.halves[us].0, &entry.halves[1 - us].0];
        let bucket = match B {
            1 => 0,
            _ => (entry.pieces - 2) / 32usize.div_ceil(B),
        };
        let sum = self.loops.forward(halves, &self.weights.output[bucket].0);
        let bias = i32::from(self.weights.output_biases[bucket]);
        let sum = if L::SQUARED { sum / L::ONE } else { sum };
        (sum + bias) * SCALE / (L::ONE * QB)
    }
}

impl<L: Loops, const W: usize, const B: usize> Follow for Engine<'_, L, W, B> {
    type Value = i32;

    fn reset(&mut self, search: &Search) {
        let root = &search.root;
        let root_entry = &mut self.entries[0];
        root_entry.halves = [self.weights.biases; 2];
        root_entry.pieces = 0;
        root_entry.is_known = true;
        for piece in Piece::ALL {
            for square in root.pieces(piece) {
                root_entry.pieces += 1;
                for perspective in Color::ALL {
                    let row = self.weights.row(perspective, (piece, square));
                    self.loops
                        .add(&mut root_entry.halves[perspective.index()].0, row);
                }
            }
        }
        self.side_to_move = root.side_to_move();
        self.plies.clear();
        self.plies.push(0);
    }

    #[inline]
    fn make(&mut self, _: Move, delta: &Delta) {
        let before = self.current();
        let pieces = self.entries[before].pieces + delta.added().len() - delta.removed().len();
        let entry = &mut self.entries[before + 1];
        entry.delta = *delta;
        entry.pieces = pieces;
        entry.is_known = false;
        self.plies.push(before + 1);
        self.side_to_move = !self.side_to_move;
        if self.updates == Updates::Eager {
            self.update(before + 1);
        }
    }

    #[inline]
    fn make_null(&mut self) {
        self.plies.push(self.current());
        self.side_to_move = !self.side_to_move;
    }

    #[inline]
    fn unmake(&mut self) {
        self.plies.pop();
        self.side_to_move = !self.side_to_move;
    }

    #[inline]
    fn evaluate(&mut self) -> i32 {
        let last = self.current();
        let mut known = last;
        while !self.entries[known].is_known {
            known -= 1;
        }
        for entry in known + 1..=last {
            self.update(entry);
        }
        self.forward()
    }
}
