//! Which positions are trained on, and which are held out to measure the loss.
//!
//! Positions of the same game resemble each other, so whole games are held out: a file is cut into
//! blocks of at least [`BLOCK`] positions, which end where a game ends, and some of these blocks
//! are held out. A game ends where the number of half moves does not grow. Positions may lack this
//! number, or all say `0 1` because nobody counted. Then a held-out block begins and ends with
//! [`MARGIN`] positions that are not used at all, because their game may go on in the next block.

use crate::data::record::Record;

/// The fewest positions of a block, except the last block.
pub const BLOCK: u32 = 1000;

/// The longest game, in positions, that is not split if positions do not tell where games end.
pub const MARGIN: u32 = 250;

/// The share of blocks that are held out: `part` of every `of` blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// How many blocks of every `of` are held out, at least 1.
    pub part: u32,
    /// `part` of this number of blocks are held out; larger than `part`.
    pub of: u32,
}

/// Which positions of the files are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// All positions are used.
    #[default]
    All,
    /// The positions that are not held out are used, to train on.
    Training(Share),
    /// The positions that are held out are used, to measure the loss.
    HeldOut(Share),
}

/// Decides for each position of a file, in order, whether it is used.
#[derive(Clone, Debug)]
pub(crate) struct Splitter {
    split: Split,
    block: u32,
    /// How many positions of the current block were seen.
    count: u32,
    last_ply: Option<u16>,
    /// How many of the last positions, in a row, say that at most one half move was made.
    beginnings: u32,
}

impl Splitter {
    pub(crate) fn new(split: Split) -> Splitter {
        Splitter {
            split,
            block: 0,
            count: 0,
            last_ply: None,
            beginnings: 0,
        }
    }

    /// Begins the file of this number. In each file, other blocks are held out, so that some of
    /// many short files are held out too.
    pub(crate) fn begin_file(&mut self, number: usize) {
        self.block = number as u32;
        self.count = 0;
        self.last_ply = None;
        self.beginnings = 0;
    }

    /// Whether the next position of the file is used.
    pub(crate) fn uses(&mut self, record: &Record) -> bool {
        let (Split::Training(share) | Split::HeldOut(share)) = self.split else {
            return true;
        };
        let ply = self.known_ply(record);
        let game_goes_on = ply.is_some_and(|ply| self.last_ply.is_some_and(|last| last < ply));
        if self.count >= BLOCK && !game_goes_on {
            self.block = self.block.wrapping_add(1);
            self.count = 0;
        }
        let is_held = self.block % share.of >= share.of - share.part;
        let is_margin = ply.is_none() && !(MARGIN..BLOCK - MARGIN).contains(&self.count);
        self.count += 1;
        self.last_ply = ply;
        match self.split {
            Split::HeldOut(_) => is_held && !is_margin,
            _ => !is_held,
        }
    }

    /// How many half moves were made, if that is known. A game has at most two positions with fewer
    /// than two half moves; if more follow each other, their `0 1` is no count of moves.
    fn known_ply(&mut self, record: &Record) -> Option<u16> {
        let ply = record.rest.ply;
        self.beginnings = match ply {
            Some(0 | 1) => self.beginnings.saturating_add(1),
            _ => 0,
        };
        ply.filter(|_| self.beginnings <= 2)
    }
}
