//! The chunks of all files, one file after the other, in one pass or in endless passes.

use std::collections::VecDeque;

use fastrand::Rng;

use crate::data::error::DataError;
use crate::data::input::{Chunk, Chunks, Input};

/// The chunks of all files, and `None` after the last chunk of each pass.
pub(crate) struct Passes {
    inputs: Vec<Input>,
    /// The source of random orders of the files; `None` keeps the order of the arguments.
    random: Option<Rng>,
    endless: bool,
    /// Files that are still to be read in this pass, by their numbers.
    files: VecDeque<usize>,
    /// The number and the chunks of the file that is being read.
    reading: Option<(usize, Chunks)>,
    /// Whether a pass has begun.
    begun: bool,
}

impl Passes {
    pub(crate) fn new(inputs: Vec<Input>, random: Option<Rng>, endless: bool) -> Passes {
        Passes {
            inputs,
            random,
            endless,
            files: VecDeque::new(),
            reading: None,
            begun: false,
        }
    }

    fn begin(&mut self) {
        let mut files: Vec<usize> = (0..self.inputs.len()).collect();
        if let Some(random) = &mut self.random {
            random.shuffle(&mut files);
        }
        self.files = files.into();
        self.begun = true;
    }
}

impl Iterator for Passes {
    /// A chunk with the number of its file.
    type Item = Result<Option<(usize, Chunk)>, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reading.is_none() && self.files.is_empty() {
            if self.begun && !self.endless {
                return None;
            }
            self.begin();
        }
        loop {
            if let Some((file, chunks)) = &mut self.reading
                && let Some(chunk) = chunks.next()
            {
                let file = *file;
                return Some(chunk.map(|chunk| Some((file, chunk))));
            }
            let file = self.files.pop_front();
            self.reading = file.map(|file| (file, self.inputs[file].chunks()));
            if self.reading.is_none() {
                return Some(Ok(None));
            }
        }
    }
}
