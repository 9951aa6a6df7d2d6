//! Records in a random order, in bounded memory.

use fastrand::Rng;

use crate::record::Record;

/// Holds as many records as it has room for; each that comes in then pushes a random one out.
///
/// The order is as random as the room is large beside the file: a record comes out at any time after
/// it came in, half of them before as many others have come in as 0.7 times the room. Files that are
/// larger by far are cut into shards first, which spreads each stretch of the file over all of them.
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

    /// Takes a record in, and gives one out when there is no more room.
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

    /// All that is held, in a random order.
    pub(crate) fn drain(&mut self) -> Vec<Record> {
        let mut held = std::mem::take(&mut self.held);
        self.random.shuffle(&mut held);
        held
    }
}
