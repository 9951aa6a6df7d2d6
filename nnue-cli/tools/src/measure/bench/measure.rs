//! Measurements of programs that take turns at evaluating the same searches.

use std::thread;
use std::time::Duration;

use nnue_replay::Facts;
use nnue_runtime::Level;
use serde::Serialize;

use super::Program;
use super::rounds::{Quartiles, Rounds};
use crate::measure::ProgramError;

/// The measurements of a network at a level.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The file of the spec.
    pub spec: String,
    /// The name of the network.
    pub network: String,
    /// The net file; `None` for weights that nobody has trained.
    pub net: Option<String>,
    /// The instruction set.
    pub level: &'static str,
    /// Nanoseconds per evaluation along the search, without reading the trace.
    pub incremental: f64,
    /// The first and the third quartile of [`Row::incremental`], over the rounds.
    pub incremental_quartiles: [f64; 2],
    /// Nanoseconds per evaluation along the search in an engine, without the time of the engine
    /// alone.
    pub in_engine: f64,
    /// The first and the third quartile of [`Row::in_engine`].
    pub in_engine_quartiles: [f64; 2],
    /// Nanoseconds of a full refresh and the layers.
    pub refresh: f64,
    /// The first and the third quartile of [`Row::refresh`].
    pub refresh_quartiles: [f64; 2],
    /// Nanoseconds of the layers alone.
    pub forward: f64,
    /// The first and the third quartile of [`Row::forward`].
    pub forward_quartiles: [f64; 2],
    /// Evaluations per second along the search.
    pub per_second: f64,
    /// Rows added and removed for an evaluation along the search.
    pub rows: f64,
    /// Blocks of four inputs of the first layer that are not all zero.
    pub blocks: f64,
    /// How many blocks of four inputs the first layer has.
    pub all_blocks: u64,
    /// Bytes of weights in memory.
    pub weights: u64,
    /// Bytes of an accumulator.
    pub accumulator: u64,
}

impl Row {
    /// A row without times.
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

/// The pause before a next try.
const PAUSE: Duration = Duration::from_millis(500);

/// The measurements of all programs.
pub struct Measured {
    /// The row of each program, or why it has none.
    pub rows: Vec<Result<Row, ProgramError>>,
    /// How often the rounds were tried.
    pub tries: usize,
    /// Whether the quartiles of all times are near each other in the try that counts.
    pub are_even: bool,
}

/// Measures programs over the searches of a trace; `evaluations` has the number for each search.
/// The programs take turns after each search. For each search the median of all rounds counts, so
/// that a short disturbance of the machine affects only a few times. A longer disturbance makes
/// times uneven: then there is a pause and another try. A program that fails leaves the rows of all
/// others.
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
