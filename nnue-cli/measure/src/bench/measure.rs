//! What was measured of programs that evaluate the same searches in turns.

use std::thread;
use std::time::Duration;

use nnue_replay::Facts;
use nnue_runtime::Level;
use serde::Serialize;

use super::Program;
use super::rounds::{Quartiles, Rounds};
use crate::ProgramError;

/// What was measured of a network at a level.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The spec's file.
    pub spec: String,
    /// The network's name.
    pub network: String,
    /// The net file; none if nobody has trained its weights.
    pub net: Option<String>,
    /// The instruction set.
    pub level: &'static str,
    /// Nanoseconds per evaluation along the search, without reading the trace.
    pub incremental: f64,
    /// The first and the third quartile of that, over the rounds.
    pub incremental_quartiles: [f64; 2],
    /// Nanoseconds per evaluation along the search in an engine, without what that takes alone.
    pub in_engine: f64,
    /// The same of that.
    pub in_engine_quartiles: [f64; 2],
    /// Nanoseconds of a full refresh and the layers.
    pub refresh: f64,
    /// The same of that.
    pub refresh_quartiles: [f64; 2],
    /// Nanoseconds of the layers alone.
    pub forward: f64,
    /// The same of that.
    pub forward_quartiles: [f64; 2],
    /// Evaluations per second along the search.
    pub per_second: f64,
    /// Rows added and removed for an evaluation along the search.
    pub rows: f64,
    /// Blocks of four inputs of the first layer that are not all zero.
    pub blocks: f64,
    /// How many blocks there are.
    pub all_blocks: u64,
    /// Bytes of weights in memory.
    pub weights: u64,
    /// Bytes of an accumulator.
    pub accumulator: u64,
}

impl Row {
    /// A row of which only the times are missing.
    pub fn new(
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
            incremental_quartiles: [f64::NAN; 2],
            in_engine: f64::NAN,
            in_engine_quartiles: [f64::NAN; 2],
            refresh: f64::NAN,
            refresh_quartiles: [f64::NAN; 2],
            forward: f64::NAN,
            forward_quartiles: [f64::NAN; 2],
            per_second: f64::NAN,
            rows: facts.rows,
            blocks: facts.blocks,
            all_blocks: facts.all_blocks,
            weights: facts.weights,
            accumulator: facts.accumulator,
        }
    }
}

/// How long it waits for a quieter moment.
const PAUSE: Duration = Duration::from_millis(500);

/// What was measured of all programs.
pub struct Measured {
    /// Their rows, or why they have none.
    pub rows: Vec<Result<Row, ProgramError>>,
    /// How often the rounds were tried.
    pub tries: usize,
    /// Whether the quartiles of all times are near each other, in the try that counts.
    pub are_even: bool,
}

/// Measures programs over the searches of a trace: `evaluations` says how many each has. They take
/// turns, search by search. Of each search the median of all rounds counts, so that what disturbs
/// the machine for a moment disturbs a few of these times only. What disturbs it for longer makes
/// times uneven: then it waits, and tries again. A program that fails leaves the others' rows.
pub fn measure(
    programs: &mut [(Row, Program)],
    evaluations: &[usize],
    rounds: usize,
    progress: &mut dyn FnMut(),
) -> Measured {
    let times = Rounds {
        programs: programs.len(),
        searches: evaluations.len(),
        rounds,
        time: &mut |place, request| programs[place].1.time(request),
        pause: &mut || thread::sleep(PAUSE),
        progress,
    }
    .measure();
    let all = evaluations.iter().sum::<usize>() as f64;
    let rows = programs.iter().zip(times.programs);
    let rows = rows.map(|((row, _), passes)| {
        let per_evaluation =
            |Quartiles(times): Quartiles| times.map(|time| time.as_nanos() as f64 / all);
        let [along, refresh, forward, in_engine, [_, idle, _]] = passes?.map(per_evaluation);
        let along = along.map(|time| time - idle);
        let outer = |[low, _, high]: [f64; 3]| [low, high];
        Ok(Row {
            incremental: along[1],
            incremental_quartiles: outer(along),
            in_engine: in_engine[1],
            in_engine_quartiles: outer(in_engine),
            refresh: refresh[1],
            refresh_quartiles: outer(refresh),
            forward: forward[1],
            forward_quartiles: outer(forward),
            per_second: 1e9 / along[1],
            ..row.clone()
        })
    });
    Measured {
        rows: rows.collect(),
        tries: times.tries,
        are_even: times.are_even,
    }
}
