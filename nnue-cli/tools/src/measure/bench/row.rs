//! The measurements of a network at a level.

use nnue_runtime::Level;
use nnue_trace::{Facts, Pass, Work};
use serde::Serialize;

use super::rounds::{Time, Times};

/// The measurements of a network at a level. Times are not numbers before they are measured, which
/// is `null` in JSON.
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
    /// Nanoseconds per evaluation along the search, without reading the trace: the sum of the
    /// shortest times of the searches.
    pub incremental: f64,
    /// The same by the first and by the third quartile of each search's times.
    pub incremental_quartiles: [f64; 2],
    /// The same by every second round, and by the others.
    pub incremental_halves: [f64; 2],
    /// Nanoseconds per evaluation along the search in an engine, without the time of the engine
    /// alone.
    pub in_engine: f64,
    /// The quartiles of [`Row::in_engine`].
    pub in_engine_quartiles: [f64; 2],
    /// The halves of [`Row::in_engine`].
    pub in_engine_halves: [f64; 2],
    /// Nanoseconds of a full refresh and the layers.
    pub refresh: f64,
    /// The quartiles of [`Row::refresh`].
    pub refresh_quartiles: [f64; 2],
    /// The halves of [`Row::refresh`].
    pub refresh_halves: [f64; 2],
    /// Nanoseconds of the layers alone.
    pub forward: f64,
    /// The quartiles of [`Row::forward`].
    pub forward_quartiles: [f64; 2],
    /// The halves of [`Row::forward`].
    pub forward_halves: [f64; 2],
    /// Evaluations per second along the search.
    pub per_second: f64,
    /// Nanoseconds per evaluation to read the trace, which are no part of [`Row::incremental`].
    pub reading: f64,
    /// Nanoseconds per evaluation of the engine alone, which are no part of [`Row::in_engine`].
    pub engine_alone: f64,
    /// Rows added and removed for an evaluation along the search.
    pub rows: f64,
    /// Rows that updates added and removed, in one pass over the search.
    pub updated_rows: u64,
    /// Rows that refreshes added and removed.
    pub refreshed_rows: u64,
    /// Accumulators computed from that of an earlier ply.
    pub updates: u64,
    /// Accumulators computed from the refresh cache.
    pub refreshes: u64,
    /// Refreshes that found a position with the same view in the cache.
    pub cache_hits: u64,
    /// Refreshes that found nothing in the cache.
    pub cache_misses: u64,
    /// Blocks of four inputs of the first layer that are not all zero.
    pub blocks: f64,
    /// How many blocks of four inputs the first layer has.
    pub all_blocks: u64,
    /// Bytes of weights in memory.
    pub weights: u64,
    /// Bytes of an accumulator.
    pub accumulator: u64,
    /// The checksum of all values, eight hexadecimal digits.
    pub checksum: String,
    /// The instruction set that the network's program was built for.
    pub baseline: &'static str,
}

impl Row {
    /// The row of a network at a level, with the times that were measured so far.
    pub(super) fn of(
        [spec, network]: [String; 2],
        net: Option<String>,
        level: Level,
        facts: Facts,
        times: &Times,
        evaluations: usize,
    ) -> Row {
        let evaluations = evaluations as f64;
        let time = |work| {
            let Time {
                least,
                quartiles,
                halves,
                alone,
            } = times.of(work);
            Time {
                least: least / evaluations,
                quartiles: quartiles.map(|time| time / evaluations),
                halves: halves.map(|time| time / evaluations),
                alone: alone / evaluations,
            }
        };
        let [along, refresh, forward] = Pass::ALL.map(|pass| time(Work::Pass(pass)));
        let in_engine = time(Work::InEngine);
        let statistics = facts.statistics;
        Row {
            spec,
            network,
            net,
            level: level.name(),
            incremental: along.least,
            incremental_quartiles: along.quartiles,
            incremental_halves: along.halves,
            in_engine: in_engine.least,
            in_engine_quartiles: in_engine.quartiles,
            in_engine_halves: in_engine.halves,
            refresh: refresh.least,
            refresh_quartiles: refresh.quartiles,
            refresh_halves: refresh.halves,
            forward: forward.least,
            forward_quartiles: forward.quartiles,
            forward_halves: forward.halves,
            per_second: 1e9 / along.least,
            reading: along.alone,
            engine_alone: in_engine.alone,
            rows: statistics.rows() as f64 / evaluations,
            updated_rows: statistics.updated_rows,
            refreshed_rows: statistics.refreshed_rows,
            updates: statistics.updates,
            refreshes: statistics.refreshes,
            cache_hits: statistics.hits(),
            cache_misses: statistics.misses,
            blocks: facts.blocks,
            all_blocks: facts.all_blocks,
            weights: facts.weights,
            accumulator: facts.accumulator,
            checksum: format!("{:08x}", facts.checksum),
            baseline: facts.baseline.name(),
        }
    }
}
