//! The results of a race with `nnue-rs`, as they are in JSON.

use serde::Serialize;

use super::nnue_rs::Way;
use super::{LevelResults, Results};
use crate::measure::replay::{Times, Workload};

/// The results of a race over a search. Times are nanoseconds per evaluation, without the time to
/// read the trace.
#[derive(Clone, Debug, Serialize)]
pub struct Raced<'a> {
    /// The network, the search and the processor.
    #[serde(flatten)]
    workload: &'a Workload,
    /// How many threads did the same work at the same time.
    threads: usize,
    /// The results of each of our levels.
    levels: Vec<RacedLevel>,
    /// How many values of `nnue-rs` differ from those of the engine, because `nnue-rs` rounds
    /// differently.
    rounded_otherwise: usize,
}

/// The results of a level of our crate.
#[derive(Clone, Debug, Serialize)]
struct RacedLevel {
    /// Our instruction set.
    level: &'static str,
    /// The median time to read the trace, with the work of the engine if there is an engine. It was
    /// subtracted from times along the search.
    reading: f64,
    /// The ways to evaluate.
    ways: Vec<RacedWay>,
}

/// The times of a way to evaluate.
#[derive(Clone, Debug, Serialize)]
struct RacedWay {
    /// The way, as the table names it.
    way: String,
    /// The times of `nnue-rs`.
    nnue_rs: Quartiles,
    /// Our times.
    ours: Quartiles,
    /// How many times as long `nnue-rs` takes, by the medians.
    ratio: f64,
}

/// The median and the quartiles of several times.
#[derive(Clone, Copy, Debug, Serialize)]
struct Quartiles {
    /// The median.
    median: f64,
    /// The lower quartile.
    lower_quartile: f64,
    /// The upper quartile.
    upper_quartile: f64,
}

impl Raced<'_> {
    /// The results of a race as JSON has them.
    #[must_use]
    pub fn of<'a>(workload: &'a Workload, threads: usize, results: &Results) -> Raced<'a> {
        Raced {
            workload,
            threads,
            levels: results.levels.iter().map(RacedLevel::of).collect(),
            rounded_otherwise: results.rounded_otherwise,
        }
    }
}

impl RacedLevel {
    fn of(results: &LevelResults) -> RacedLevel {
        RacedLevel {
            level: results.level.name(),
            reading: results.idle.median(),
            ways: Way::ALL.map(|way| RacedWay::of(way, results)).into(),
        }
    }
}

impl RacedWay {
    fn of(way: Way, results: &LevelResults) -> RacedWay {
        let nnue_rs = Quartiles::of(&results.peer[way as usize]);
        let ours = Quartiles::of(&results.ours[way.pass() as usize]);
        RacedWay {
            way: way.to_string(),
            nnue_rs,
            ours,
            ratio: nnue_rs.median / ours.median,
        }
    }
}

impl Quartiles {
    fn of(times: &Times) -> Quartiles {
        Quartiles {
            median: times.median(),
            lower_quartile: times.quantile(0.25),
            upper_quartile: times.quantile(0.75),
        }
    }
}
