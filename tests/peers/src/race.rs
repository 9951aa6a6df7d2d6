//! Rounds in which both crates do the same work, one after the other, and all values are compared.

use std::error::Error;
use std::fmt;

use nnue_examples::replay::{Pass, Replay, Times};
use nnue_runtime::{Level, Output};
use nnue_trace::{Idle, Trace};

use crate::nnue_rs::{Peer, Way};

/// What was measured with one net.
#[derive(Clone, Debug)]
pub struct Results {
    /// Reading the trace without evaluating anything, which both are measured with along a search.
    pub idle: Times,
    /// The times of `nnue-rs` for each [`Way`], in the order of [`Way::ALL`].
    pub peer: [Times; 4],
    /// Our times on each level.
    pub levels: Vec<LevelResults>,
    /// How many of the peer's values are not those of the net's engine, because it rounds
    /// otherwise.
    pub rounded_otherwise: usize,
}

/// What was measured with one net on one of our levels.
#[derive(Clone, Debug)]
pub struct LevelResults {
    /// The instruction set that was used.
    pub level: Level,
    /// The times of each [`Pass`], in the order of [`Pass::ALL`].
    pub times: [Times; 3],
}

/// A value that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The crate and the way that computed it.
    pub by: String,
    /// Its search, as the line of the trace.
    pub line: usize,
    /// Which evaluation of that search it is, counted from 1.
    pub number: usize,
    /// The position as the first two fields of its FEN.
    pub position: String,
    /// The value that was found, in the engine's units.
    pub found: i32,
    /// The value of our full refresh on the first level, rounded in the same way.
    pub expected: i32,
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
            "line {line} of the trace, evaluation {number}, `{position}`: found {found} by {by}, expected {expected}"
        )
    }
}

impl Error for Difference {}

/// Measures one net over a trace. What disturbs the machine for a while then disturbs all of them.
/// Calls `progress` before each round with the number of rounds done, the first of which is not
/// counted: it fills caches.
///
/// # Errors
///
/// [`Difference`] for the first value of the first pass that has one: ours must be the same by all
/// passes and on all levels, the peer's the same as ours after [`Peer::value_of`].
pub fn race(
    mut ours: Box<dyn Replay>,
    peer: &Peer,
    levels: &[Level],
    trace: &Trace,
    rounds: usize,
    progress: &mut dyn FnMut(usize),
) -> Result<Results, Difference> {
    let evaluations = trace.evaluations();
    let mut outputs = vec![Output::default(); evaluations];
    let mut values = vec![0; evaluations];
    if let Some(level) = levels.first() {
        ours = ours.at_level(*level);
    }
    ours.time(Pass::Refresh, trace, &mut outputs);
    let expected = outputs.clone();
    let expected_values: Vec<i32> = (expected.iter())
        .map(|output| peer.value_of(*output))
        .collect();
    let mut results = Results {
        idle: Times::default(),
        peer: Default::default(),
        levels: (levels.iter())
            .map(|&level| LevelResults {
                level,
                times: Default::default(),
            })
            .collect(),
        rounded_otherwise: (expected.iter().zip(&expected_values))
            .filter(|(output, value)| output.value != **value)
            .count(),
    };
    for round in 0..=rounds {
        progress(round);
        let duration = trace.replay(&mut Idle, &mut []);
        if round > 0 {
            results.idle.push(duration, evaluations);
        }
        for (way, peer_times) in Way::ALL.into_iter().zip(&mut results.peer) {
            let duration = peer.time(way, trace, &mut values);
            check(
                trace,
                &values,
                &expected_values,
                |value| *value,
                || format!("nnue-rs, {way}"),
            )?;
            if round > 0 {
                peer_times.push(duration, evaluations);
            }
            // Our crate has only one way along a search.
            if way == Way::EachMove {
                continue;
            }
            let pass = way.pass();
            for LevelResults { level, times } in &mut results.levels {
                ours = ours.at_level(*level);
                let duration = ours.time(pass, trace, &mut outputs);
                check(
                    trace,
                    &outputs,
                    &expected,
                    |output| output.value,
                    || format!("{pass} on `{level}`"),
                )?;
                if round > 0 {
                    times[pass as usize].push(duration, evaluations);
                }
            }
        }
    }
    Ok(results)
}

/// Compares the values of a pass. `value` is the number that a message shows.
fn check<V: PartialEq>(
    trace: &Trace,
    found: &[V],
    expected: &[V],
    value: impl Fn(&V) -> i32,
    by: impl Fn() -> String,
) -> Result<(), Difference> {
    let mut pairs = found.iter().zip(expected).enumerate();
    let Some((evaluation, (found, expected))) =
        pairs.find(|(_, (found, expected))| found != expected)
    else {
        return Ok(());
    };
    let (line, number, position) = match trace.locate(evaluation) {
        Some((search, index)) => (search.line, index + 1, search.evaluated[index].to_string()),
        None => (0, 0, String::new()),
    };
    Err(Difference {
        by: by(),
        line,
        number,
        position,
        found: value(found),
        expected: value(expected),
    })
}
