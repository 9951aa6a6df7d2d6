//! Rounds in which both crates do the same work in turns, and all values are compared.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use nnue_runtime::{Level, Output};
use nnue_trace::{Contender, Engine, Following, Idle, Pass, Trace};

use super::ours::Ours;
use super::peer::{Peer, Way};
use super::times::Times;
use super::turns::{Runner, take_turns};

/// The conditions of a race.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions<'e> {
    /// How often each search is evaluated in each way, besides a first time that is not counted.
    pub(crate) rounds: usize,
    /// How many threads do the same work at the same time, each with evaluators of its own.
    pub(crate) threads: usize,
    /// The engines in which searches are followed, an engine for each thread; empty for no engines.
    pub(crate) engines: &'e [Engine],
}

impl Conditions<'_> {
    /// The number of rounds in a race with `levels` levels.
    #[must_use]
    pub(crate) fn rounds_of(self, levels: usize) -> usize {
        levels * Pass::ALL.len() * (1 + self.rounds)
    }
}

/// The measurements with a net.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    /// The results of each of our levels, each in a race of its own against `nnue-rs`.
    pub(crate) levels: Vec<LevelResults>,
    /// How many values of `nnue-rs` differ from those of the net's engine, because `nnue-rs` rounds
    /// differently.
    pub(crate) rounded_otherwise: usize,
}

/// The times of a level of our crate, and those of `nnue-rs` in the same race.
#[derive(Clone, Debug)]
pub(crate) struct LevelResults {
    /// The instruction set that our crate used.
    pub(crate) level: Level,
    /// The times to follow the trace without evaluating anything, in the engine if there is an
    /// engine. They were subtracted from the times along the search.
    pub(crate) idle: Times,
    /// The times of `nnue-rs` for each [`Way`], in the order of [`Way::ALL`].
    pub(crate) peer: [Times; 4],
    /// Our times of each [`Pass`], in the order of [`Pass::ALL`].
    pub(crate) ours: [Times; 3],
}

/// A value that differs from the expected value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The crate and the way of the wrong value.
    pub(crate) by: String,
    /// The line of the search in the trace.
    pub(crate) line: usize,
    /// The number of the evaluation in the search, counted from 1.
    pub(crate) number: usize,
    /// The position as the first two fields of its FEN.
    pub(crate) position: String,
    /// The value that was found, in the engine's units.
    pub(crate) found: i32,
    /// The value of our full refresh on the first level, rounded in the same way.
    pub(crate) expected: i32,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference {
            by,
            line,
            number,
            position,
            found,
            expected,
        } = self;
        write!(
            f,
            "line {line} of the trace, evaluation {number}, `{position}`: found {found} by {by}, \
             expected {expected}"
        )
    }
}

impl Error for Difference {}

/// The place of an evaluation in a trace: the line of its search, its number in the search, counted
/// from 1, and its position.
fn place(trace: &Trace, evaluation: usize) -> (usize, usize, String) {
    match trace.locate(evaluation) {
        Some((search, index)) => (search.line, index + 1, search.evaluated[index].to_string()),
        None => (0, 0, String::new()),
    }
}

/// Races a net over a trace, once for each level. Calls `progress` before each round with the
/// number of rounds done, and once at the end.
///
/// # Errors
///
/// A [`Difference`] for the first wrong value. Our values must be the same in all passes and on all
/// levels; those of `nnue-rs` must equal ours after [`Peer::value_of`].
pub(crate) fn race(
    mut ours: Box<dyn Ours>,
    peer: &Peer,
    levels: &[Level],
    trace: &Trace,
    conditions: Conditions<'_>,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Results, Difference> {
    let mut outputs = vec![Output::default(); trace.evaluations()];
    if let Some(level) = levels.first() {
        ours = ours.at_level(*level);
    }
    ours.time(Pass::Refresh, trace, &mut outputs);
    let values: Vec<i32> = outputs
        .iter()
        .map(|output| peer.value_of(*output))
        .collect();
    let rounded_otherwise = outputs
        .iter()
        .zip(&values)
        .filter(|(output, value)| output.value != **value)
        .count();
    let searches: Vec<Search> = split(trace, &outputs, &values);
    let mut results = Results {
        levels: Vec::new(),
        rounded_otherwise,
    };
    let mut done = 0;
    for &level in levels {
        ours = ours.at_level(level);
        let mut race = Race {
            ours: &*ours,
            level,
            peer,
            searches: &searches,
            conditions,
        };
        let mut of_level = LevelResults {
            level,
            idle: Times::default(),
            peer: Default::default(),
            ours: Default::default(),
        };
        for pass in Pass::ALL {
            let before = done;
            let round = |round| progress(before + round);
            race.run(pass, &mut of_level, &round)?;
            done += 1 + conditions.rounds;
        }
        results.levels.push(of_level);
    }
    progress(done);
    Ok(results)
}

/// A search with the expected evaluations.
struct Search {
    trace: Trace,
    outputs: Vec<Output>,
    values: Vec<i32>,
}

fn split(trace: &Trace, outputs: &[Output], values: &[i32]) -> Vec<Search> {
    let mut first = 0;
    let searches = trace.by_search().into_iter().map(|trace| {
        let evaluations = first..first + trace.evaluations();
        first = evaluations.end;
        Search {
            trace,
            outputs: outputs[evaluations.clone()].to_vec(),
            values: values[evaluations].to_vec(),
        }
    });
    searches.collect()
}

struct Race<'r> {
    ours: &'r dyn Ours,
    level: Level,
    peer: &'r Peer,
    searches: &'r [Search],
    conditions: Conditions<'r>,
}

impl Race<'_> {
    /// Measures a pass of our crate, and the ways of `nnue-rs` that do the same work.
    fn run(
        &mut self,
        pass: Pass,
        results: &mut LevelResults,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<(), Difference> {
        let ways = || Way::ALL.into_iter().filter(|way| way.pass() == pass);
        let teams = (0..self.conditions.threads).map(|thread| {
            let engine = self.conditions.engines.get(thread);
            let mut team = vec![self.idle(engine), self.ours(pass, engine)];
            team.extend(ways().map(|way| self.peer(way, engine)));
            team
        });
        let evaluations = self.searches.iter().map(|search| search.outputs.len());
        let mut times = take_turns(
            teams.collect(),
            self.searches.len(),
            evaluations.sum(),
            self.conditions.rounds,
            progress,
        )?
        .into_iter();
        let idle = times.next().unwrap_or_default();
        let mut next = || {
            let times = times.next().unwrap_or_default();
            match pass {
                Pass::Incremental => times.minus(&idle),
                Pass::Refresh | Pass::Forward => times,
            }
        };
        results.ours[pass as usize] = next();
        for way in ways() {
            results.peer[way as usize] = next();
        }
        if pass == Pass::Incremental {
            results.idle = idle;
        }
        Ok(())
    }

    fn idle<'r>(&'r self, engine: Option<&'r Engine>) -> Runner<'r, Difference> {
        let mut idle = Following::new(Idle, engine);
        Box::new(move |search| Ok(idle.time(&self.searches[search].trace, &mut [])))
    }

    fn ours<'r>(&'r self, pass: Pass, engine: Option<&'r Engine>) -> Runner<'r, Difference> {
        let level = self.level;
        self.checked(
            self.ours.contender(pass, engine),
            |search| &search.outputs,
            |output| output.value,
            move || format!("{pass} on `{level}`"),
        )
    }

    fn peer<'r>(&'r self, way: Way, engine: Option<&'r Engine>) -> Runner<'r, Difference> {
        self.checked(
            self.peer.contender(way, engine),
            |search| &search.values,
            |value| *value,
            move || format!("nnue-rs, {way}"),
        )
    }

    /// Compares the values of a contender with the expected values, and then overwrites them, so
    /// that the next search cannot succeed without writing. `number` returns the number that a
    /// message shows.
    fn checked<'r, V: Clone + Default + PartialEq + Send + 'r>(
        &'r self,
        mut contender: Box<dyn Contender<Value = V> + Send + 'r>,
        expected: fn(&Search) -> &Vec<V>,
        number: fn(&V) -> i32,
        by: impl Fn() -> String + Send + 'r,
    ) -> Runner<'r, Difference> {
        let mut found = Vec::new();
        Box::new(move |search| -> Result<Duration, Difference> {
            let search = &self.searches[search];
            let expected = expected(search);
            found.clear();
            found.resize(expected.len(), V::default());
            let duration = contender.time(&search.trace, &mut found);
            let mut pairs = found.iter().zip(expected).enumerate();
            let Some((evaluation, (found, expected))) =
                pairs.find(|(_, (found, expected))| found != expected)
            else {
                return Ok(duration);
            };
            let (line, number_in_search, position) = place(&search.trace, evaluation);
            Err(Difference {
                by: by(),
                line,
                number: number_in_search,
                position,
                found: number(found),
                expected: number(expected),
            })
        })
    }
}
