//! The transposition table: what was found about positions, shared by threads without locks.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use cozy_chess::{Move, Piece, Square};

use crate::evaluation::DECIDED;

/// What a stored score says of the position's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Lower,
    Upper,
    Exact,
}

/// What was found about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) best: Option<Move>,
    /// For the side to move; mates count from this position.
    pub(crate) score: i32,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
}

/// An entry is two words: its content, and the position's key combined with the content. What two
/// threads have written halves of has no key that anyone looks for.
pub(crate) struct Table {
    slots: Vec<[AtomicU64; 2]>,
    /// How many searches there were, which tells old entries.
    age: AtomicU8,
}

const AGES: u8 = 32;

impl Table {
    pub(crate) fn new(megabytes: usize) -> Table {
        let mut slots = Vec::new();
        slots.resize_with(megabytes.max(1) << 16, Default::default);
        Table {
            slots,
            age: AtomicU8::new(0),
        }
    }

    pub(crate) fn clear(&self) {
        for slot in &self.slots {
            slot[0].store(0, Relaxed);
            slot[1].store(0, Relaxed);
        }
        self.age.store(0, Relaxed);
    }

    /// Another search begins.
    pub(crate) fn grow_older(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    fn slot(&self, key: u64) -> &[AtomicU64; 2] {
        &self.slots[((u128::from(key) * self.slots.len() as u128) >> 64) as usize]
    }

    /// What is known of a position so many plies from the search's root.
    pub(crate) fn get(&self, key: u64, ply: usize) -> Option<Entry> {
        let [check, content] = self.slot(key);
        let content = content.load(Relaxed);
        if check.load(Relaxed) ^ content != key {
            return None;
        }
        let entry = unpack(content)?;
        Some(Entry {
            score: entry.score - mate(entry.score) * ply as i32,
            ..entry
        })
    }

    /// Stores what was found, unless what is there is worth more.
    pub(crate) fn put(&self, key: u64, ply: usize, entry: Entry) {
        let [check, content] = self.slot(key);
        let old = content.load(Relaxed);
        let same = check.load(Relaxed) ^ old == key;
        let age = self.age.load(Relaxed);
        let keeps = same
            && age_of(old) == age
            && entry.bound != Bound::Exact
            && unpack(old).is_some_and(|old| entry.depth + 3 < old.depth);
        if keeps {
            return;
        }
        let best = entry.best.or_else(|| unpack(old).filter(|_| same)?.best);
        let new = pack(
            Entry {
                best,
                score: entry.score + mate(entry.score) * ply as i32,
                ..entry
            },
            age,
        );
        content.store(new, Relaxed);
        check.store(key ^ new, Relaxed);
    }
}

/// 1 if the side to move mates, -1 if it is mated.
fn mate(score: i32) -> i32 {
    if score.abs() < DECIDED {
        0
    } else {
        score.signum()
    }
}

/// From the lowest bit: 16 of the move, 16 of the score, 8 of the depth, 2 of the bound, of which 0
/// is no entry, and 6 of the age.
fn pack(entry: Entry, age: u8) -> u64 {
    let best = entry.best.map_or(0, |mv| {
        let promotion = mv.promotion.map_or(0, |piece| piece as u64);
        mv.from as u64 | (mv.to as u64) << 6 | promotion << 12
    });
    let bound = entry.bound as u64 + 1;
    let depth = entry.depth.clamp(0, 255) as u64;
    best | u64::from(entry.score as i16 as u16) << 16
        | depth << 32
        | bound << 40
        | u64::from(age) << 42
}

fn age_of(content: u64) -> u8 {
    (content >> 42) as u8 & 63
}

fn unpack(content: u64) -> Option<Entry> {
    let bound = match content >> 40 & 3 {
        1 => Bound::Lower,
        2 => Bound::Upper,
        3 => Bound::Exact,
        _ => return None,
    };
    let square = |shift: u32| Square::ALL[(content >> shift & 63) as usize];
    let best = Move {
        from: square(0),
        to: square(6),
        promotion: match (content >> 12 & 7) as usize {
            0 => None,
            piece => Piece::try_index(piece),
        },
    };
    Some(Entry {
        best: (best.from != best.to).then_some(best),
        score: i32::from((content >> 16) as u16 as i16),
        depth: (content >> 32 & 255) as i32,
        bound,
    })
}
