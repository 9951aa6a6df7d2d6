//! The transformer's outputs, as far as their order is concerned: which columns of the net file
//! belong to each of them, and which layers read it.

use std::borrow::Cow;

use nnue_format::{Outputs, Reader, Run};

use super::file::Role;
use super::{Network, Pooling, Source};

/// The parts of a run that lie in different shards, for a layer with these numbers of inputs in
/// common and in each shard: other outputs read each part.
fn divided(run: Run, shards: Option<(usize, usize)>) -> Vec<Run> {
    let Some((common, shard)) = shards else {
        return vec![run];
    };
    let (mut parts, mut start) = (Vec::new(), run.column);
    let end = run.column + run.len;
    while start < end {
        let border = if start < common {
            common
        } else {
            common + ((start - common) / shard + 1) * shard
        };
        let next = border.min(end);
        parts.push(Run {
            column: start,
            output: run.output + start - run.column,
            len: next - start,
            ..run
        });
        start = next;
    }
    parts
}

impl Network {
    /// The outputs of a perspective, and who reads them.
    pub fn outputs(&self) -> Outputs<'_> {
        let transformer = &self.transformer;
        let readers = self.file.tensors().filter_map(|tensor| match tensor.role {
            Role::LayerWeights(layer) => self.reader(layer, &tensor.name),
            _ => None,
        });
        let kept = self.layers.iter().enumerate();
        let kept = kept.filter(|(_, layer)| layer.affine().is_none());
        let kept = kept.filter_map(|(index, layer)| self.reader(index, &layer.name));
        Outputs {
            count: transformer.half(),
            block: (transformer.pooling != Pooling::None).then_some(transformer.block),
            readers: readers.collect(),
            kept: kept.collect(),
        }
    }

    /// The inputs of a layer that are outputs of the transformer; `None` if there are none.
    fn reader<'n>(&'n self, layer: usize, name: &'n str) -> Option<Reader<'n>> {
        let slices = self.layers[layer].slices();
        let runs = slices
            .filter(|(_, slice)| slice.source == Source::Transformer)
            .flat_map(|(first_input, slice)| self.transformer_runs(first_input, slice));
        let shards = self.layers[layer].affine().and_then(|affine| affine.shards);
        let shards =
            shards.map(|shards| (shards.common, shards.shard(self.layers[layer].input_len())));
        let runs: Cow<'_, [Run]> = runs
            .map(|run| Run {
                column: run.input,
                step: run.step,
                output: run.output,
                len: run.len,
            })
            .flat_map(|run| divided(run, shards))
            .collect();
        (!runs.is_empty()).then_some(Reader { layer, name, runs })
    }
}
