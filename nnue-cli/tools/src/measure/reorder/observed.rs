//! What a net makes of the positions of a trace: its values, and which outputs are zero.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::nets::parallel;
use nnue_compiler::format::foreign;
use nnue_compiler::network::Order;
use nnue_interpreter::{Evaluation, Net, Values};
use nnue_runtime::{Board, HeadValue, Output, Position};
use nnue_trace::Trace;

use super::{Activity, BLOCK, Neurons};

/// How much of the transformer's output is not zero, on average over the positions of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counts {
    /// Outputs that are not zero, of all perspectives.
    pub outputs: f64,
    /// Blocks of [`BLOCK`] outputs that are not all zero.
    pub blocks: f64,
}

/// What was observed of a net.
pub(super) struct Observed {
    pub(super) counts: Counts,
    /// When outputs were not zero, in some positions.
    pub(super) activity: Activity,
    /// The values of each position: of the bucket that the position chooses, or of all buckets where
    /// the engine chooses one.
    values: Vec<Vec<(Evaluation, Vec<HeadValue>)>>,
}

/// What was observed of a position.
struct Seen {
    outputs: usize,
    blocks: usize,
    is_active: Vec<bool>,
    values: Vec<(Evaluation, Vec<HeadValue>)>,
}

impl Observed {
    /// Evaluates all positions of a trace, on all cores. The activity has the positions `0`, `step`,
    /// `2 * step`, ..., if there is a step. `progress` is called with the share that is done.
    pub(super) fn of(
        net: &Net,
        neurons: &Neurons,
        trace: &Trace,
        step: Option<usize>,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Observed {
        let boards: Vec<(usize, &Board)> = trace.evaluated().enumerate().collect();
        let done = AtomicUsize::new(0);
        let all = boards.len().max(1) as f64;
        let seen = parallel::map(&boards, |(index, board)| {
            let mut seen = Seen::of(net, neurons, board);
            if step.is_none_or(|step| index % step != 0) {
                seen.is_active = Vec::new();
            }
            progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / all);
            seen
        });
        let mean = |count: fn(&Seen) -> usize| seen.iter().map(count).sum::<usize>() as f64 / all;
        let counts = Counts {
            outputs: mean(|seen| seen.outputs),
            blocks: mean(|seen| seen.blocks),
        };
        let mut activity = Activity::new(neurons.outputs);
        for seen in &seen {
            activity.record(&seen.is_active);
        }
        Observed {
            counts,
            activity,
            values: seen.into_iter().map(|seen| seen.values).collect(),
        }
    }
}

impl Seen {
    fn of(net: &Net, neurons: &Neurons, board: &Board) -> Seen {
        let accumulators = net.accumulate(&net.active_rows(board));
        let buckets = match net.bucket(board.occupied().len()) {
            Some(bucket) => bucket..bucket + 1,
            None => 0..net.network().stacks.count,
        };
        let mut is_active = Vec::new();
        let values = buckets.map(|bucket| {
            let traced = net.trace(&accumulators, board.side_to_move(), bucket);
            // The transformer's outputs are the same in every bucket.
            is_active = in_memory(net, neurons, &traced.transformer);
            (traced.evaluation, traced.heads)
        });
        let values = values.collect();
        let halves = is_active.chunks(neurons.outputs.max(1));
        let blocks = halves.flat_map(|half| half.chunks(BLOCK));
        Seen {
            outputs: is_active.iter().filter(|is_active| **is_active).count(),
            blocks: blocks.filter(|block| block.contains(&true)).count(),
            is_active,
            values,
        }
    }
}

/// Whether each output is not zero, as outputs lie in memory: those of one perspective after those
/// of the other.
fn in_memory(net: &Net, neurons: &Neurons, outputs: &Values) -> Vec<bool> {
    let perspectives = net.network().transformer.perspectives;
    let is_active = |perspective: usize, output: usize| {
        let index = match (perspectives.count, perspectives.order) {
            (2, Order::Interleaved) => 2 * output + perspective,
            _ => perspective * neurons.outputs + output,
        };
        match outputs {
            Values::Integers(outputs) => outputs[index] != 0,
            Values::Floats(outputs) => outputs[index] != 0.0,
        }
    };
    let perspectives = 0..perspectives.count;
    perspectives
        .flat_map(|perspective| {
            let places = neurons.order.iter();
            places.map(move |output| is_active(perspective, *output))
        })
        .collect()
}

/// An evaluation that differs from that of the net in its old order.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "line {line} of the trace, evaluation {number}, `{}`: found {}, expected {}",
    foreign(.position),
    parts(.found),
    parts(.expected)
)]
pub struct Difference {
    /// The line of the search in the trace.
    pub line: usize,
    /// The number of the evaluation in the search, counted from 1.
    pub number: usize,
    /// The position as the first two fields of its FEN.
    pub position: String,
    /// The evaluation that was found.
    pub found: Evaluation,
    /// The evaluation in the old order.
    pub expected: Evaluation,
}

/// The parts of an evaluation, as the message shows them.
fn parts(evaluation: &Evaluation) -> String {
    let outputs = evaluation.outputs().into_iter().map(|output| {
        let Output {
            psqt,
            positional,
            value,
        } = output;
        format!("{value} (psqt {psqt}, positional {positional})")
    });
    outputs.collect::<Vec<_>>().join(", ")
}

/// Compares the values of two nets over a trace.
pub(super) fn difference(
    trace: &Trace,
    expected: &Observed,
    found: &Observed,
) -> Result<(), Difference> {
    let mut pairs = found.values.iter().zip(&expected.values).enumerate();
    let Some((evaluation, (found, expected))) =
        pairs.find(|(_, (found, expected))| found != expected)
    else {
        return Ok(());
    };
    let mut buckets = found.iter().zip(expected);
    let differing = buckets.find(|(found, expected)| found != expected);
    let ((found, _), (expected, _)) = differing.unwrap_or((&found[0], &expected[0]));
    let (line, number, position) = match trace.locate(evaluation) {
        Some((search, index)) => (search.line, index + 1, search.evaluated[index].to_string()),
        None => (0, 0, String::new()),
    };
    Err(Difference {
        line,
        number,
        position,
        found: *found,
        expected: *expected,
    })
}
