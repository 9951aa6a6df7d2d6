//! The lines of text that `nnue bench` and a network's program exchange while it measures.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use nnue_runtime::__private::file::foreign;

use crate::pass::Work;

/// A request to evaluate a search. The answer is what it [`Took`].
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

/// The times of a search, which are written as nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Took {
    /// The time of what an evaluator has no part in: of reading the trace, or of the engine alone.
    /// Where each position is evaluated by itself, that is nothing.
    pub alone: Duration,
    /// The time with the evaluator.
    pub all: Duration,
}

impl fmt::Display for Took {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.alone.as_nanos(), self.all.as_nanos())
    }
}

impl FromStr for Took {
    type Err = String;

    fn from_str(line: &str) -> Result<Took, String> {
        let nanoseconds = |word: &str| word.parse().map(Duration::from_nanos).ok();
        let took = || {
            let (alone, all) = line.split_once(' ')?;
            Some(Took {
                alone: nanoseconds(alone)?,
                all: nanoseconds(all)?,
            })
        };
        took().ok_or_else(|| {
            format!(
                "found `{}`, expected nanoseconds alone and in all",
                foreign(line)
            )
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
        for wrong in ["", "engine", "engine x", "refesh 1"] {
            assert!(wrong.parse::<Request>().is_err(), "{wrong}");
        }
        let took = Took {
            alone: Duration::from_nanos(7),
            all: Duration::from_secs(8),
        };
        assert_eq!(took.to_string().parse(), Ok(took));
        for wrong in ["", "1", "1 2 3", "1 -2"] {
            assert!(wrong.parse::<Took>().is_err(), "{wrong}");
        }
    }
}
