//! The transposition table: what was found about positions, shared by threads without locks.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use cozy_chess::{Move, Piece, Square};

use crate::evaluation::DECIDED;

/// What was found about a position.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) best: Option<Move>,
    pub(crate) score: i32,
    pub(crate) depth: i32,
    /// How the position's score may compare with this one, unless it is equal.
    bound: Ordering,
}

impl Entry {
    /// An entry to which no move was added yet.
    pub(crate) fn new(score: i32, depth: i32) -> Entry {
        Entry {
            best: None,
            score,
            depth,
            bound: Ordering::Less,
        }
    }

    /// Whether its score is enough to know that the position is outside of a window.
    pub(crate) fn cuts(&self, alpha: i32, beta: i32) -> bool {
        self.bound.is_ge() && self.score >= beta || self.bound.is_le() && self.score <= alpha
    }

    /// Adds what was found of a move: scores between alpha and beta are exact.
    pub(crate) fn add(&mut self, mv: Move, score: i32, alpha: &mut i32, beta: i32) {
        self.score = self.score.max(score);
        if score > *alpha {
            (*alpha, self.best, self.bound) = (score, Some(mv), Ordering::Equal);
        }
        if score >= beta {
            self.bound = Ordering::Greater;
        }
    }
}

/// An entry is two words: its content, and the position's key combined with the content. If two
/// threads write at once, what is left of both has no key that anyone looks for.
pub struct Table(Vec<[AtomicU64; 2]>);

impl Table {
    /// A table of `megabytes` megabytes, if there is memory for it.
    pub fn new(megabytes: usize) -> Result<Arc<Table>, String> {
        let (mut entries, count) = (Vec::new(), megabytes.saturating_mul(1 << 16));
        let refuse = |_| format!("no memory for a table of {megabytes} MB");
        entries.try_reserve_exact(count).map_err(refuse)?;
        entries.resize_with(count, Default::default);
        Ok(Arc::new(Table(entries)))
    }

    /// Forgets everything.
    pub fn clear(&self) {
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

    /// The entry of a position `ply` plies from the search's root.
    pub(crate) fn get(&self, key: u64, ply: usize) -> Option<Entry> {
        let mut entry = self.find(key).1?;
        entry.score -= mate(entry.score) * ply as i32;
        Some(entry)
    }

    /// Stores what was found, unless what is there was found by a much deeper search.
    pub(crate) fn put(&self, key: u64, ply: usize, mut entry: Entry) {
        let (place, known) = self.find(key);
        if let Some(known) = known {
            if entry.bound.is_ne() && entry.depth + 3 < known.depth {
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

/// An entry as bytes. That of the bound is 0 where nothing is stored.
fn pack(entry: Entry) -> u64 {
    let [low, high] = (entry.score as i16).to_le_bytes();
    let [depth, bound] = [entry.depth as u8, (entry.bound as i8 + 2) as u8];
    let promotion = |mv: Move| mv.promotion.map_or(0, |piece| piece as u8);
    let best = |mv: Move| [mv.from as u8, mv.to as u8, promotion(mv)];
    let [from, to, promotion] = entry.best.map_or([0; 3], best);
    u64::from_le_bytes([low, high, depth, bound, from, to, promotion, 0])
}

fn unpack(content: u64) -> Option<Entry> {
    let [low, high, depth, bound, from, to, promotion, _] = content.to_le_bytes();
    let promotion = Piece::try_index(promotion.into());
    let best = Move {
        from: Square::try_index(from.into())?,
        to: Square::try_index(to.into())?,
        promotion: promotion.filter(|&piece| piece != Piece::Pawn),
    };
    let entry = Entry {
        best: (from != to).then_some(best),
        score: i16::from_le_bytes([low, high]).into(),
        depth: depth.into(),
        bound: bound.cmp(&2),
    };
    (bound != 0).then_some(entry)
}
