//! The lines of text that `nnue bench` and a network's program exchange.

use std::fmt;
use std::str::FromStr;

use crate::pass::Work;

/// A request to evaluate a search. The answer is the time in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The kind of work.
    pub work: Work,
    /// The number of the search in the trace, from 0.
    pub search: usize,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.work.name(), self.search)
    }
}

impl FromStr for Request {
    type Err = String;

    fn from_str(line: &str) -> Result<Request, String> {
        let unknown = || format!("found the request `{line}`, expected work and a number");
        let (word, search) = line.split_once(' ').ok_or_else(unknown)?;
        let work = Work::ALL.into_iter().find(|work| work.name() == word);
        Ok(Request {
            work: work.ok_or_else(unknown)?,
            search: search.parse().map_err(|_| unknown())?,
        })
    }
}

/// Facts about a network that its program reports when the network is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// The size of the weights in memory, in bytes.
    pub weights: u64,
    /// The size of an accumulator with both perspectives, in bytes.
    pub accumulator: u64,
    /// How many rows an evaluation along the search adds and removes on average.
    pub rows: f64,
    /// How many blocks of four inputs of the first layer are not all zero, on average over
    /// positions.
    pub blocks: f64,
    /// How many blocks of four inputs the first layer has.
    pub all_blocks: u64,
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Facts {
            weights,
            accumulator,
            rows,
            blocks,
            all_blocks,
        } = self;
        write!(f, "{weights} {accumulator} {rows} {blocks} {all_blocks}")
    }
}

impl FromStr for Facts {
    type Err = String;

    fn from_str(line: &str) -> Result<Facts, String> {
        let wrong = || format!("found `{line}`, expected five facts");
        let mut words = line.split(' ');
        let mut word = || words.next().ok_or_else(wrong);
        let integer = |word: &str| word.parse().map_err(|_| wrong());
        let number = |word: &str| word.parse().map_err(|_| wrong());
        Ok(Facts {
            weights: integer(word()?)?,
            accumulator: integer(word()?)?,
            rows: number(word()?)?,
            blocks: number(word()?)?,
            all_blocks: integer(word()?)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        for work in Work::ALL {
            let request = Request { work, search: 45 };
            assert_eq!(request.to_string().parse(), Ok(request));
        }
        let facts = Facts {
            weights: 1 << 33,
            accumulator: 640,
            rows: 7.25,
            blocks: 0.1,
            all_blocks: 32,
        };
        assert_eq!(facts.to_string().parse(), Ok(facts));
        for wrong in ["", "idle", "idle x", "refesh 1"] {
            assert!(wrong.parse::<Request>().is_err(), "{wrong}");
        }
        assert!("1 2 3 4".parse::<Facts>().is_err());
    }
}
