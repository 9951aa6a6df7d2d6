//! Records in batches: read by several threads, then shuffled or left in their order.

use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::ops::Neg;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;

use fastrand::Rng;
use nnue_runtime::Color;

use crate::data::error::{BadRecord, DataError};
use crate::data::filter::{Filter, Unmet};
use crate::data::formats::Format;
use crate::data::hold_out::{BLOCK, Share, Split, Splitter};
use crate::data::input::{Chunk, Input};
use crate::data::ordered::{Ordered, ordered};
use crate::data::passes::Passes;
use crate::data::record::Record;
use crate::data::sampling::Sampler;
use crate::data::shuffle::Shuffle;

/// How many bad records are kept to be shown.
const EXAMPLES: usize = 5;

/// How many records a thread hands over at once. A chunk of a file can have a million.
const PIECE: usize = 1 << 13;

/// How records are read and put into batches.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most records in a batch, at least 1.
    pub batch_size: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    /// How many records wait to be shuffled; `None` leaves the records in their order.
    pub shuffle: Option<usize>,
    /// Whether the files are read again and again, in another order each time.
    pub endless: bool,
    /// Whether records that cannot be used are left out, and not an error.
    pub skip_bad: bool,
    /// Whether scores of text are from white's view, as bullet's are, and not from the side to
    /// move's.
    pub white_scores: bool,
    /// Which records are used.
    pub filter: Filter,
    /// Which part of the files is used.
    pub split: Split,
    /// The most records in all batches together.
    pub limit: Option<usize>,
    /// How many threads read records. As many further threads find active rows.
    pub threads: usize,
}

impl Default for Options {
    /// One pass over the files on two threads, shuffled among a million records.
    fn default() -> Options {
        Options {
            batch_size: 16384,
            seed: 0,
            shuffle: Some(1 << 20),
            endless: false,
            skip_bad: false,
            white_scores: false,
            filter: Filter::default(),
            split: Split::All,
            limit: None,
            threads: 2,
        }
    }
}

/// How many records were read so far, were used, and were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records that were read.
    pub read: u64,
    /// Records that could not be used.
    pub bad: u64,
    /// The first of the records that could not be used.
    pub examples: Vec<BadRecord>,
    /// Records that belong to the other part of the split.
    pub split_off: u64,
    /// Records that the filter leaves out, counted by the [`Unmet`] condition.
    pub left_out: [u64; Unmet::ALL.len()],
    /// Records that are used.
    pub used: u64,
    /// Notes for the user about how files are read, each once.
    pub notes: Vec<String>,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.read += other.read;
        self.bad += other.bad;
        let room = EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.into_iter().take(room));
        self.split_off += other.split_off;
        self.used += other.used;
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        for (all, more) in self.left_out.iter_mut().zip(other.left_out) {
            *all += more;
        }
    }
}

/// The text says how many records were read, and why not all of them were used.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} records were read", self.read)?;
        let left_out = Unmet::ALL.into_iter().zip(self.left_out);
        let others = [
            (self.bad, "bad and skipped"),
            (self.split_off, "in the other part of a split"),
        ];
        let left_out = left_out.map(|(unmet, count)| (count, unmet.name()));
        for (count, why) in others
            .into_iter()
            .chain(left_out)
            .filter(|(count, _)| *count > 0)
        {
            write!(f, ", {count} {why}")?;
        }
        Ok(())
    }
}

/// Counts that are shared between threads.
#[derive(Clone, Debug, Default)]
pub struct SharedCounts(Arc<Mutex<Counts>>);

impl SharedCounts {
    /// A copy of the counts as they are now.
    #[must_use]
    pub fn get(&self) -> Counts {
        self.with(|counts| counts.clone())
    }

    fn with<T>(&self, use_them: impl FnOnce(&mut Counts) -> T) -> T {
        use_them(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The batches of shuffled or ordered records that are made of files.
pub struct Batches {
    read: Ordered<Result<Read, DataError>>,
    options: Options,
    shuffle: Option<Shuffle>,
    /// Records that are in no batch yet, in their order.
    waiting: VecDeque<Record>,
    splitter: Splitter,
    sampler: Sampler,
    counts: SharedCounts,
    /// Records used since the files were begun.
    used: u64,
    /// How many records may still be put into batches.
    left: usize,
    /// Whether nothing more is read.
    ended: bool,
}

/// The result of a thread.
enum Read {
    /// Some records of a chunk.
    Records {
        /// The number of the file, from 0.
        number: usize,
        /// Whether they are the first of the file.
        is_first: bool,
        /// A note for the user about how the file is read.
        note: Option<String>,
        records: Vec<Result<Filtered, BadRecord>>,
    },
    /// All files have been read once.
    EndOfFiles,
}

/// A record, and the first condition of the filter that it does not meet.
type Filtered = (Record, Option<Unmet>);

impl Batches {
    /// Reads the files on threads of the scope, and makes batches of their records.
    ///
    /// # Errors
    ///
    /// [`DataError::Format`] if the format of a file lacks a value that the filter needs.
    pub fn new<'scope>(
        scope: &'scope Scope<'scope, '_>,
        inputs: Vec<Input>,
        options: Options,
        counts: SharedCounts,
    ) -> Result<Batches, DataError> {
        options.filter.check(&inputs)?;
        let mut random = Rng::with_seed(options.seed);
        let shuffle = options
            .shuffle
            .map(|room| Shuffle::new(room, random.fork()));
        let of_files = shuffle.is_some().then(|| random.fork());
        let passes = Passes::new(inputs, of_files, options.endless);
        let sampler = Sampler::new(options.filter.sampling.clone(), random.fork());
        let read = ordered(scope, options.threads, passes, || {
            let options = options.clone();
            move |chunk, found: &mut dyn FnMut(_)| read(chunk, &options, found)
        });
        Ok(Batches {
            read,
            splitter: Splitter::new(options.split),
            sampler,
            left: options.limit.unwrap_or(usize::MAX),
            options,
            shuffle,
            waiting: VecDeque::new(),
            counts,
            used: 0,
            ended: false,
        })
    }

    /// Adds records of a chunk to those that wait, and counts them.
    fn take(&mut self, records: Vec<Result<Filtered, BadRecord>>) -> Result<(), DataError> {
        let mut counts = Counts::default();
        for record in records {
            let (record, unmet) = match record {
                Ok(filtered) => filtered,
                Err(bad) if self.options.skip_bad => {
                    counts.bad += 1;
                    counts.examples.push(bad);
                    continue;
                }
                Err(bad) => return Err(DataError::Bad(bad)),
            };
            counts.read += 1;
            if !self.splitter.uses(&record) {
                counts.split_off += 1;
            } else if let Some(unmet) = unmet.or_else(|| self.sampler.leaves_out(&record)) {
                counts.left_out[unmet as usize] += 1;
            } else {
                counts.used += 1;
                self.waiting.extend(match &mut self.shuffle {
                    Some(shuffle) => shuffle.exchange(record),
                    None => Some(record),
                });
            }
        }
        self.used += counts.used;
        self.counts.with(|all| all.add(counts));
        Ok(())
    }

    fn end_of_files(&mut self) -> Result<(), DataError> {
        if mem::take(&mut self.used) == 0 {
            let counts = self.counts.get();
            let mut reason = counts.to_string();
            if counts.split_off > 0
                && let Split::Training(share) | Split::HeldOut(share) = self.options.split
            {
                reason += &format!(": {}", advice(share));
            }
            return Err(DataError::Empty { reason });
        }
        if !self.options.endless {
            self.ended = true;
            let held = self.shuffle.as_mut().map(Shuffle::drain);
            self.waiting.extend(held.into_iter().flatten());
        }
        Ok(())
    }
}

impl Iterator for Batches {
    type Item = Result<Vec<Record>, DataError>;

    fn next(&mut self) -> Option<Result<Vec<Record>, DataError>> {
        let size = self.options.batch_size.max(1).min(self.left);
        while self.waiting.len() < size && !self.ended {
            let taken = match self.read.next() {
                Some(Ok(Read::Records {
                    number,
                    is_first,
                    note,
                    records,
                })) => {
                    if is_first {
                        self.splitter.begin_file(number);
                    }
                    if let Some(note) = note {
                        let notes = vec![note];
                        let counts = Counts {
                            notes,
                            ..Counts::default()
                        };
                        self.counts.with(|all| all.add(counts));
                    }
                    self.take(records)
                }
                Some(Ok(Read::EndOfFiles)) => self.end_of_files(),
                Some(Err(error)) => Err(error),
                None => break,
            };
            if let Err(error) = taken {
                self.ended = true;
                self.waiting.clear();
                return Some(Err(error));
            }
        }
        let size = size.min(self.waiting.len());
        self.left -= size;
        (size > 0).then(|| Ok(self.waiting.drain(..size).collect()))
    }
}

/// The advice for a user whose split leaves one of its parts without positions.
fn advice(Share { part, of }: Share) -> String {
    format!(
        "whole games are held out, in blocks of {BLOCK} positions or more, {part} of every {of} blocks of a \
         file; use more positions, another share, such as 1/2 if there are more than {BLOCK}, or separate files for the \
         two parts"
    )
}

/// Reads the records of a chunk, and hands over some at a time.
fn read(
    chunk: Result<Option<(usize, Chunk)>, DataError>,
    options: &Options,
    found: &mut dyn FnMut(Result<Read, DataError>),
) {
    let (number, mut chunk) = match chunk {
        Ok(Some(chunk)) => chunk,
        Ok(None) => return found(Ok(Read::EndOfFiles)),
        Err(error) => return found(Err(error)),
    };
    let has_white_scores = options.white_scores && chunk.format() == Format::Text;
    let (mut is_first, mut note) = (chunk.is_first(), chunk.take_note());
    let mut hand_over = |records| {
        found(Ok(Read::Records {
            number,
            is_first: mem::take(&mut is_first),
            note: note.take(),
            records,
        }));
    };
    let mut records = Vec::new();
    chunk.format().read(&chunk.content(), &mut |record| {
        records.push(record.map(|mut record| {
            if has_white_scores && record.side_to_move() == Color::Black {
                record.score = record.score.map(Neg::neg);
            }
            // Turned scores may be -0.
            record.score = record.score.map(|score| score + 0.0);
            (record, options.filter.unmet(&record))
        }));
        if records.len() == PIECE {
            hand_over(mem::take(&mut records));
        }
    });
    // A file begins with its first chunk even if that has no records.
    hand_over(records);
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A chunk can have a million records in few bytes, and each thread may hold several results.
    #[test]
    fn a_thread_hands_over_few_records_at_once() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let game = "1. Nf3 Nf6 2. Ng1 Ng8 *\n\n[Round \"1\"]\n\n";
        write!(file, "{}", game.repeat(6000)).expect("room");
        let input = Input::own(file.path(), Format::Pgn);
        let chunk = input.chunks().next().expect("a chunk").expect("readable");
        let mut pieces = Vec::new();
        read(
            Ok(Some((0, chunk))),
            &Options::default(),
            &mut |found| match found.expect("records") {
                Read::Records {
                    is_first, records, ..
                } => pieces.push((is_first, records.len())),
                Read::EndOfFiles => panic!("the file has records"),
            },
        );
        let all: usize = pieces.iter().map(|(_, count)| count).sum();
        assert!(all > 2 * PIECE, "{all}");
        assert!(
            pieces.iter().all(|(_, count)| *count <= PIECE),
            "{pieces:?}"
        );
        let first = pieces.iter().map(|(is_first, _)| *is_first);
        assert!(
            first.eq((0..pieces.len()).map(|index| index == 0)),
            "{pieces:?}"
        );
    }
}
