//! The measurements of a network, as they are in JSON.

use serde::Serialize;

use super::{InEngine, LevelResults, Pass, Results, Times, Workload};

/// The results of a network over a search. Times are nanoseconds per evaluation.
#[derive(Clone, Debug, Serialize)]
pub struct Measured<'a> {
    /// The network, the search and the processor.
    #[serde(flatten)]
    workload: &'a Workload,
    /// The time to read the trace without evaluating, which is not part of `incremental`.
    reading: Summary,
    /// The time of the engine without an evaluator, which is not part of `in_engine`; `None`
    /// without an engine.
    engine_alone: Option<Summary>,
    /// The results of each level.
    levels: Vec<MeasuredLevel>,
}

/// The results of a level.
#[derive(Clone, Debug, Serialize)]
struct MeasuredLevel {
    /// The instruction set.
    level: &'static str,
    /// The time of an evaluator that follows the search.
    incremental: Summary,
    /// The time of an evaluator that follows the search in the engine; `None` without an engine.
    in_engine: Option<Summary>,
    /// The time of a full refresh and the layers.
    refresh: Summary,
    /// The time of the layers alone.
    forward: Summary,
    /// Rows that updates added and removed, in one pass over the search.
    updated_rows: u64,
    /// Rows that refreshes added and removed.
    refreshed_rows: u64,
    /// Accumulators computed from that of an earlier ply.
    updates: u64,
    /// Accumulators computed from the refresh cache.
    refreshes: u64,
    /// Refreshes that found a position with the same view in the cache.
    cache_hits: u64,
    /// Refreshes that found nothing in the cache.
    cache_misses: u64,
    /// The checksum of all values, eight hexadecimal digits.
    checksum: String,
}

/// The median of several times, with the shortest and the longest time.
#[derive(Clone, Copy, Debug, Serialize)]
struct Summary {
    /// The median.
    median: f64,
    /// The shortest time.
    min: f64,
    /// The longest time.
    max: f64,
}

impl Measured<'_> {
    /// The measurements of a workload as JSON has them.
    #[must_use]
    pub fn of<'a>(workload: &'a Workload, results: &Results) -> Measured<'a> {
        Measured {
            workload,
            reading: Summary::of(&results.idle),
            engine_alone: results.engine_alone().as_ref().map(Summary::of),
            levels: results.levels.iter().map(MeasuredLevel::of).collect(),
        }
    }
}

impl MeasuredLevel {
    fn of(results: &LevelResults) -> MeasuredLevel {
        let time = |pass: Pass| Summary::of(&results.times[pass as usize]);
        let in_engine = results.in_engine.as_ref().map(InEngine::evaluator);
        let statistics = &results.statistics;
        MeasuredLevel {
            level: results.level.name(),
            incremental: time(Pass::Incremental),
            in_engine: in_engine.as_ref().map(Summary::of),
            refresh: time(Pass::Refresh),
            forward: time(Pass::Forward),
            updated_rows: statistics.updated_rows,
            refreshed_rows: statistics.refreshed_rows,
            updates: statistics.updates,
            refreshes: statistics.refreshes,
            cache_hits: statistics.hits(),
            cache_misses: statistics.misses,
            checksum: format!("{:08x}", results.checksum),
        }
    }
}

impl Summary {
    fn of(times: &Times) -> Summary {
        Summary {
            median: times.median(),
            min: times.min(),
            max: times.max(),
        }
    }
}
