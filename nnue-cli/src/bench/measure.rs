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

/// Measures programs over the searches of a trace: `evaluations` says how many each has. What
/// disturbs the machine for a moment disturbs all of them. Times are medians of the rounds, after
/// one that is not counted. A program that fails leaves the others' rows.
pub(crate) fn measure(
    programs: &mut [(Row, Program)],
    evaluations: &[usize],
    rounds: usize,
    progress: &mut dyn FnMut(),
) -> Vec<Result<Row, String>> {
    let all: usize = evaluations.iter().sum();
    let mut failures: Vec<Option<String>> = vec![None; programs.len()];
    let mut times = vec![[const { Vec::new() }; PASSES.len()]; programs.len()];
    for round in 0..=rounds {
        for (index, pass) in PASSES.into_iter().enumerate() {
            let mut sums = vec![Duration::ZERO; programs.len()];
            for search in 0..evaluations.len() {
                for turn in 0..programs.len() {
                    let place = (turn + round) % programs.len();
                    if failures[place].is_some() {
                        continue;
                    }
                    match programs[place].1.time(Request { pass, search }) {
                        Ok(time) => sums[place] += time,
                        Err(failure) => failures[place] = Some(failure),
                    }
                }
            }
            if round > 0 {
                for (times, sum) in times.iter_mut().zip(sums) {
                    times[index].push(sum.as_nanos() as f64 / all as f64);
                }
            }
            progress();
        }
    }
    let rows = programs.iter().zip(times).zip(failures);
    let rows = rows.map(|(((row, _), times), failure)| match failure {
        Some(failure) => Err(failure),
        None => {
            let [incremental, refresh, forward, idle] = times.map(median);
            let incremental = incremental - idle;
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

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
