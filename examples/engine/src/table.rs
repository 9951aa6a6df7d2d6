//! The transposition table: what was found about positions, shared by threads without locks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use cozy_chess::{Move, Piece, Square};

use crate::evaluation::DECIDED;

/// What a stored score says of the position's.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Bound {
    Lower = 1,
    #[default]
    Upper,
    Exact,
}

/// What was found about a position.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry {
    pub(crate) best: Option<Move>,
    pub(crate) score: i32,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
}

impl Entry {
    /// An entry to which no move was added yet.
    pub(crate) fn new(score: i32, depth: i32) -> Entry {
        let mut entry = Entry::default();
        (entry.score, entry.depth) = (score, depth);
        entry
    }

    /// Whether its score is enough to know that the position is outside of a window.
    pub(crate) fn cuts(&self, alpha: i32, beta: i32) -> bool {
        let is_above = self.bound != Bound::Upper && self.score >= beta;
        is_above || self.bound != Bound::Lower && self.score <= alpha
    }

    /// Adds what was found of a move: scores between alpha and beta are exact.
    pub(crate) fn add(&mut self, mv: Move, score: i32, alpha: &mut i32, beta: i32) {
        self.score = self.score.max(score);
        if score > *alpha {
            (*alpha, self.best, self.bound) = (score, Some(mv), Bound::Exact);
        }
        if score >= beta {
            self.bound = Bound::Lower;
        }
    }
}

/// An entry is two words: its content, and the position's key combined with the content. If two
/// threads write at once, what is left of both has no key that anyone looks for.
pub(crate) struct Table(Vec<[AtomicU64; 2]>);

impl Table {
    pub(crate) fn new(megabytes: usize) -> Table {
        let empty = std::iter::repeat_with(Default::default);
        Table(empty.take(megabytes << 16).collect())
    }

    pub(crate) fn clear(&self) {
        for word in self.0.iter().flatten() {
            word.store(0, Relaxed);
        }
    }

    /// The place for a position, and what is there if it is of this position.
    fn find(&self, key: u64) -> (&[AtomicU64; 2], Option<Entry>) {
        let place = &self.0[((u128::from(key) * self.0.len() as u128) >> 64) as usize];
        let content = place[0].load(Relaxed);
        let is_known = place[1].load(Relaxed) ^ content == key;
        (place, if is_known { unpack(content) } else { None })
    }

    /// What is known of a position so many plies from the search's root.
    pub(crate) fn get(&self, key: u64, ply: usize) -> Option<Entry> {
        let mut entry = self.find(key).1?;
        entry.score -= mate(entry.score) * ply as i32;
        Some(entry)
    }

    /// Stores what was found, unless what is there was found by a much deeper search.
    pub(crate) fn put(&self, key: u64, ply: usize, mut entry: Entry) {
        let (place, known) = self.find(key);
        if let Some(known) = known {
            if entry.bound != Bound::Exact && entry.depth + 3 < known.depth {
                return;
            }
            entry.best = entry.best.or(known.best);
        }
        entry.score += mate(entry.score) * ply as i32;
        let content = pack(entry);
        place[0].store(content, Relaxed);
        place[1].store(key ^ content, Relaxed);
    }
}

/// 1 if the side to move mates, -1 if it is mated: such scores count from the root of the search,
/// but are stored as they count from the position.
fn mate(score: i32) -> i32 {
    i32::from(score >= DECIDED) - i32::from(score <= -DECIDED)
}

/// From the lowest bit: 16 of the move, 16 of the score, 8 of the depth, and the bound, 0 where
/// nothing is stored.
fn pack(entry: Entry) -> u64 {
    let best = entry.best.map_or(0, |mv| {
        let promotion = mv.promotion.map_or(0, |piece| piece as u64);
        mv.from as u64 | (mv.to as u64) << 6 | promotion << 12
    });
    let score = u64::from(entry.score as u16);
    best | score << 16 | (entry.depth.clamp(0, 255) as u64) << 32 | (entry.bound as u64) << 40
}

fn unpack(content: u64) -> Option<Entry> {
    let square = |shift: u32| Square::ALL[(content >> shift & 63) as usize];
    let (from, to) = (square(0), square(6));
    let promotion = Piece::try_index((content >> 12 & 7) as usize);
    let promotion = promotion.filter(|&piece| piece != Piece::Pawn);
    Some(Entry {
        best: (from != to).then_some(Move {
            from,
            to,
            promotion,
        }),
        score: i32::from((content >> 16) as i16),
        depth: (content >> 32 & 255) as i32,
        bound: match content >> 40 {
            1 => Bound::Lower,
            2 => Bound::Upper,
            3 => Bound::Exact,
            _ => return None,
        },
    })
}
