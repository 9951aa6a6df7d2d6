//! Records in a random order, in bounded memory.

use fastrand::Rng;

use crate::data::record::Record;

/// A buffer of records that shuffles: each new record takes the place of a random record, which
/// comes out.
///
/// The larger the buffer is beside the file, the more random is the order. Half of the records come
/// out before 0.7 times as many records as the buffer holds have come in after them. Files that are
/// much larger are cut into shards first, which spreads each part of the file over all shards.
pub(crate) struct Shuffle {
    held: Vec<Record>,
    room: usize,
    random: Rng,
}

impl Shuffle {
    pub(crate) fn new(room: usize, random: Rng) -> Shuffle {
        Shuffle {
            held: Vec::new(),
            room,
            random,
        }
    }

    /// Takes a record in, and returns a random record if the buffer was full.
    pub(crate) fn exchange(&mut self, record: Record) -> Option<Record> {
        if self.held.len() < self.room {
            self.held.push(record);
            return None;
        }
        if self.held.is_empty() {
            return Some(record);
        }
        let place = self.random.usize(..self.held.len());
        Some(std::mem::replace(&mut self.held[place], record))
    }

    /// Returns all records in the buffer, in a random order.
    pub(crate) fn drain(&mut self) -> Vec<Record> {
        let mut held = std::mem::take(&mut self.held);
        self.random.shuffle(&mut held);
        held
    }
}
