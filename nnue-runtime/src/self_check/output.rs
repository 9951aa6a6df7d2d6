//! The output: terms, alignments and units of all heads, and the PSQT part.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::graph::{Op, Source, Sums, Units};
use super::layers::{At, Layers};
use super::oracle::{self, Value};
use super::stimulus::is_float;
use super::weights::Random;
use super::{Mismatch, Progress};
use crate::architecture::{Architecture, Evaluated, HeadValue};

impl<A: Architecture> Layers<A> {
    /// Every term alone, with values of all sizes, and all of them at random.
    pub(super) fn output(&mut self, at: At, progress: &mut Progress) -> Result<(), Mismatch> {
        let graph = &A::GRAPH;
        let heads = graph.heads.iter().chain(graph.further);
        let mut terms: Vec<(usize, usize)> = heads
            .flat_map(|head| head.terms)
            .map(|(layer, index, ..)| (*layer, *index))
            .collect();
        terms.sort_unstable();
        terms.dedup();
        self.inputs.clear();
        for (layer, _) in &terms {
            self.inputs.give(*layer);
        }
        let wide = graph
            .heads
            .iter()
            .any(|head| matches!(head.units, Units::Wide(_)));
        let values: Vec<i64> = [0, 1, -1, 15, -15, 16, -16, 8191, 1 << 20, -(1 << 20) - 1]
            .into_iter()
            .chain([i32::MAX.into(), i32::MIN.into()])
            .chain(
                wide.then_some([1 << 40, -(1 << 45) + 12345])
                    .into_iter()
                    .flatten(),
            )
            .collect();
        for term in &terms {
            for value in &values {
                let value = self.within(*term, *value);
                self.set_term(*term, value);
                self.compare_output(at, [0, 0], progress, || format!("{value} in {term:?}"))?;
            }
            self.set_term(*term, 0);
        }
        let mut random = Random::new(at.bucket);
        for step in 0..64 {
            let bits = 1 + step % 31;
            let end = 1i64 << bits;
            for term in &terms {
                let value = random.within((-end, end - 1));
                self.set_term(*term, self.within(*term, value));
            }
            let psqt = [0, 1].map(|_| random.within((-end, end - 1)) as i32);
            self.compare_output(at, psqt, progress, || {
                format!("random terms of {bits} bits")
            })?;
        }
        progress.unproved(
            "heads: all values of their terms, of which extremes and random ones are compared"
                .into(),
        );
        Ok(())
    }

    /// The nearest value that a layer can have.
    fn within(&self, (layer, _): (usize, usize), value: i64) -> i64 {
        let (low, high) = self.inputs.range(Source::Layer(layer));
        match A::GRAPH.layers[layer].op {
            Op::Affine(own) if own.sums == Sums::I64 => value,
            _ => value.clamp(low, high),
        }
    }

    fn set_term(&mut self, (layer, index): (usize, usize), value: i64) {
        if is_float(&A::GRAPH.layers[layer]) {
            self.inputs.set_float(layer, index, value as f32 / 64.0)
        } else {
            self.inputs.set(Source::Layer(layer), index, value)
        }
    }

    fn compare_output(
        &mut self,
        at: At,
        sums: [i32; 2],
        progress: &mut Progress,
        input: impl Fn() -> String,
    ) -> Result<(), Mismatch> {
        let graph = &A::GRAPH;
        let mut psqt = 0;
        if graph.psqt_values > 0 && !graph.psqt_is_read {
            let own = if graph.psqt_values == 1 { 0 } else { at.bucket };
            for index in 0..graph.psqt_values {
                // The sums of other buckets are others.
                let other = (index as i32 - own as i32).wrapping_mul(1_000_003);
                self.inputs
                    .set_psqt(index, sums.map(|sum| sum.wrapping_add(other)));
            }
            self.inputs.set_psqt(own, sums);
            psqt = match A::NEURONS.perspectives {
                1 => sums[0],
                _ => sums[0].wrapping_sub(sums[1]) / 2,
            };
        }
        let (_, found) = self
            .inputs
            .run(at.level, self.stacks(), at.bucket, at.proved, None);
        progress.comparisons += 1;
        let wrong = |part: &str, output, found: f64, expected: f64| Mismatch {
            network: A::NAME,
            level: at.level,
            part: format!("output {part}"),
            bucket: at.bucket,
            output,
            input: input(),
            found,
            expected,
        };
        for (head, found) in graph.heads.iter().zip(found.outputs()) {
            let (positional, value) = oracle::head(head, psqt, |layer| self.inputs.given(layer));
            let value = match value {
                Value::Integer(value) => value,
                Value::Float(value) => value as i32,
            };
            let found = found.unwrap_or_default();
            let expected = [psqt, positional, value];
            let found = [found.psqt, found.positional, found.value];
            for (output, (found, expected)) in found.into_iter().zip(expected).enumerate() {
                if found != expected {
                    return Err(wrong(head.name, output, found.into(), expected.into()));
                }
            }
        }
        for (index, head) in graph.further.iter().enumerate() {
            let (_, value) = oracle::head(head, 0, |layer| self.inputs.given(layer));
            let expected = match value {
                Value::Float(value) => f64::from(value),
                Value::Integer(value) => f64::from(value),
            };
            let found = match found.head(index) {
                Some(HeadValue::Integer(value)) => f64::from(value),
                Some(HeadValue::Float(value)) => f64::from(value),
                None => f64::NAN,
            };
            if found != expected {
                return Err(wrong(head.name, 0, found, expected));
            }
        }
        Ok(())
    }
}
