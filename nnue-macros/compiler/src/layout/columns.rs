//! Columns: the places of a perspective's neurons in memory.

use super::units::{BLOCK, TRANSFORMER_UNIT, UNPOOLED_UNIT};
use crate::network::{Network, Pooling, Source};

/// The number of further entries at the end of the list of non-zero blocks, for the last store,
/// which writes beyond the list.
const LIST_SLACK: usize = 32;

/// The places of a perspective's neurons in its accumulator and in the transformer's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The number of neurons in memory, padding included.
    pub width: usize,
    /// The number of outputs that one perspective contributes to the layers' input, padding
    /// included.
    pub half: usize,
    /// The number of outputs of all perspectives, padding included.
    pub outputs: usize,
    /// The number of neurons of one perspective that are not pooled, padding included. They are the
    /// last neurons.
    pub unpooled: usize,
    /// The places of the file's neurons in memory. All other neurons are padding.
    pub runs: Vec<ColumnRun>,
}

/// Neurons that are `step` apart in the file and follow one another in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnRun {
    /// The number of the first neuron in the file.
    pub file: usize,
    /// The distance from one neuron to the next in the file.
    pub step: usize,
    /// The number of the first neuron in memory.
    pub memory: usize,
    /// The number of neurons.
    pub len: usize,
}

impl Columns {
    pub(super) fn of(network: &Network) -> Columns {
        let transformer = &network.transformer;
        let len = transformer.half();
        // A single perspective fills as many vectors as two would.
        let unit = TRANSFORMER_UNIT * 2 / transformer.perspectives.count;
        let half = len.next_multiple_of(unit);
        let run = |file, step, memory| ColumnRun {
            file,
            step,
            memory,
            len,
        };
        let (pooled, mut runs) = match (transformer.pooling, transformer.block) {
            (Pooling::None, _) => (half, vec![run(0, 1, 0)]),
            (_, 2) => (2 * half, vec![run(0, 2, 0), run(1, 2, half)]),
            (_, block) => {
                let of_blocks = |half_of_block: usize, memory: usize| {
                    (0..2 * len).step_by(block).map(move |first| ColumnRun {
                        len: block / 2,
                        ..run(first + half_of_block * block / 2, 1, memory + first / 2)
                    })
                };
                (
                    2 * half,
                    of_blocks(0, 0).chain(of_blocks(1, half)).collect(),
                )
            }
        };
        let unpooled = transformer.unpooled_half();
        if unpooled > 0 {
            runs.push(ColumnRun {
                len: unpooled,
                ..run(2 * len, 1, pooled)
            });
        }
        let unpooled = unpooled.next_multiple_of(UNPOOLED_UNIT);
        Columns {
            width: pooled + unpooled,
            half,
            outputs: transformer.perspectives.count * half,
            unpooled,
            runs: joined(runs),
        }
    }

    /// The number of values in memory, for one perspective, of a tensor that the transformer
    /// computes.
    pub fn half_of(&self, source: Source) -> usize {
        match source {
            Source::Unpooled => self.unpooled,
            _ => self.half,
        }
    }

    /// The number of blocks of four outputs.
    pub fn blocks(&self) -> usize {
        self.outputs / BLOCK
    }

    /// The length of the list of non-zero blocks: it has room for the numbers of all blocks, and
    /// for the last store, which writes beyond them.
    pub fn list_capacity(&self) -> usize {
        self.blocks() + LIST_SLACK
    }

    /// Whether neurons in memory have the order of the file, without padding.
    pub fn as_in_file(&self) -> bool {
        matches!(self.runs.as_slice(), [ColumnRun { step: 1, len, .. }] if *len == self.width)
    }
}

/// Joins runs that follow one another both in the file and in memory.
fn joined(runs: Vec<ColumnRun>) -> Vec<ColumnRun> {
    let mut joined: Vec<ColumnRun> = Vec::new();
    for run in runs {
        match joined.last_mut() {
            Some(last)
                if (last.step, run.step) == (1, 1)
                    && last.file + last.len == run.file
                    && last.memory + last.len == run.memory =>
            {
                last.len += run.len;
            }
            _ => joined.push(run),
        }
    }
    joined
}
