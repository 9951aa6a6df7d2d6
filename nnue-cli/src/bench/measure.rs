//! Rounds in which all programs evaluate the same searches in turns.

use std::time::Duration;

use nnue_replay::{Facts, Pass, Request};
use nnue_runtime::Level;
use serde::Serialize;

use super::Program;

/// What was measured of a network at a level.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    /// The spec's file.
    pub(crate) spec: String,
    /// The network's name.
    pub(crate) network: String,
    /// The net file; none if nobody has trained its weights.
    pub(crate) net: Option<String>,
    /// The instruction set.
    pub(crate) level: &'static str,
    /// Nanoseconds per evaluation along the search, without reading the trace.
    pub(crate) incremental: f64,
    /// Nanoseconds of a full refresh and the layers.
    pub(crate) refresh: f64,
    /// Nanoseconds of the layers alone.
    pub(crate) forward: f64,
    /// Evaluations per second along the search.
    pub(crate) per_second: f64,
    /// Rows added and removed for an evaluation along the search.
    pub(crate) rows: f64,
    /// Blocks of four inputs of the first layer that are not all zero.
    pub(crate) blocks: f64,
    /// How many blocks there are.
    pub(crate) all_blocks: u64,
    /// Bytes of weights in memory.
    pub(crate) weights: u64,
    /// Bytes of an accumulator.
    pub(crate) accumulator: u64,
}

impl Row {
    /// A row of which only the times are missing.
    pub(crate) fn new(
        [spec, network]: [String; 2],
        net: Option<String>,
        level: Level,
        facts: Facts,
    ) -> Row {
        Row {
            spec,
            network,
            net,
            level: level.name(),
            incremental: f64::NAN,
            refresh: f64::NAN,
            forward: f64::NAN,
            per_second: f64::NAN,
            rows: facts.rows,
            blocks: facts.blocks,
            all_blocks: facts.all_blocks,
            weights: facts.weights,
            accumulator: facts.accumulator,
        }
    }
}

/// What is measured: each pass, and reading the trace.
const PASSES: [Option<Pass>; 4] = [
    Some(Pass::Incremental),
    Some(Pass::Refresh),
    Some(Pass::Forward),
    None,
];

/// How often [`measure`] tells of its progress.
pub(crate) fn steps(rounds: usize) -> usize {
    PASSES.len() * (1 + rounds)
}

/// Measures programs over the searches of a trace: `evaluations` says how many each has. They take
/// turns, search by search. Of each search the median of all rounds counts, after a round that does
/// not, so that what disturbs the machine for a moment disturbs a few of these times only. A program
/// that fails leaves the others' rows.
pub(crate) fn measure(
    programs: &mut [(Row, Program)],
    evaluations: &[usize],
    rounds: usize,
    progress: &mut dyn FnMut(),
) -> Vec<Result<Row, String>> {
    let mut failures: Vec<Option<String>> = vec![None; programs.len()];
    // By program, pass, search and round.
    let untimed = PASSES.map(|_| vec![Vec::with_capacity(rounds); evaluations.len()]);
    let mut times = vec![untimed; programs.len()];
    let searches = 0..evaluations.len();
    for round in 0..=rounds {
        for (index, pass) in PASSES.into_iter().enumerate() {
            for search in searches.clone() {
                for turn in 0..programs.len() {
                    let place = (turn + round) % programs.len();
                    if failures[place].is_some() {
                        continue;
                    }
                    match programs[place].1.time(Request { pass, search }) {
                        Ok(time) if round > 0 => times[place][index][search].push(time),
                        Ok(_) => {}
                        Err(failure) => failures[place] = Some(failure),
                    }
                }
            }
            progress();
        }
    }
    let all: usize = evaluations.iter().sum();
    let rows = programs.iter().zip(times).zip(failures);
    let rows = rows.map(|(((row, _), times), failure)| match failure {
        Some(failure) => Err(failure),
        None => {
            let [along, refresh, forward, idle] = times.map(|searches| {
                let sum: Duration = searches.into_iter().map(median).sum();
                sum.as_nanos() as f64 / all as f64
            });
            let incremental = along - idle;
            Ok(Row {
                incremental,
                refresh,
                forward,
                per_second: 1e9 / incremental,
                ..row.clone()
            })
        }
    });
    rows.collect()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_disturbs_fewer_than_half_of_the_rounds_does_not_count() {
        let times = [3, 900, 1, 2, 800].map(Duration::from_nanos);
        assert_eq!(median(times.to_vec()), Duration::from_nanos(3));
    }
}
