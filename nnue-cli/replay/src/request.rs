//! What `nnue bench` and a network's program say to each other: one line of text each time.

use std::fmt;
use std::str::FromStr;

/// A way to evaluate every position of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// An evaluator follows the search. Moves and unmakes are measured too.
    Incremental,
    /// For each position, a full refresh of the accumulator and then the layers.
    Refresh,
    /// The layers alone, with accumulators that are in the processor's cache.
    Forward,
    /// The search is read, and nothing evaluated.
    Idle,
}

impl Pass {
    /// Every pass, in the order in which they are measured.
    pub const ALL: [Pass; 4] = [Pass::Incremental, Pass::Refresh, Pass::Forward, Pass::Idle];

    fn name(self) -> &'static str {
        match self {
            Pass::Incremental => "incremental",
            Pass::Refresh => "refresh",
            Pass::Forward => "forward",
            Pass::Idle => "idle",
        }
    }
}

/// A search to evaluate. The answer is how many nanoseconds that took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The way to evaluate it.
    pub pass: Pass,
    /// Its number in the trace, from 0.
    pub search: usize,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.pass.name(), self.search)
    }
}

impl FromStr for Request {
    type Err = String;

    fn from_str(line: &str) -> Result<Request, String> {
        let unknown = || format!("found the request `{line}`, expected a pass and a number");
        let (name, search) = line.split_once(' ').ok_or_else(unknown)?;
        let pass = Pass::ALL.into_iter().find(|pass| pass.name() == name);
        Ok(Request {
            pass: pass.ok_or_else(unknown)?,
            search: search.parse().map_err(|_| unknown())?,
        })
    }
}

/// What a network's program says of it when it is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Bytes of weights in memory.
    pub weights: u64,
    /// Bytes of an accumulator, both perspectives.
    pub accumulator: u64,
    /// Rows added and removed for an evaluation along the search.
    pub rows: f64,
    /// Blocks of four inputs of the first layer that are not all zero, in a position.
    pub blocks: f64,
    /// How many of them there are.
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
        for pass in Pass::ALL {
            let request = Request { pass, search: 45 };
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
