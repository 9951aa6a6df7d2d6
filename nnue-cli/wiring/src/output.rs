//! The output: terms, alignments and units of all heads, and the PSQT part.

use nnue_compiler::network::{Source, Sums, Units};
use nnue_interpreter::parts::{evaluate, further, of_perspectives};
use nnue_runtime::__private::probe::Probed;
use nnue_runtime::{Evaluated, HeadValue};

use crate::inputs::is_float;
use crate::layers::{At, Layers};
use crate::weights::Random;
use crate::{Mismatch, Progress};

impl<A: Probed> Layers<'_, A> {
    /// Every term alone, with values of all sizes, and all of them at random.
    pub(crate) fn output(&mut self, at: At, progress: &mut Progress) -> Result<(), Mismatch> {
        let output = &self.network.output;
        let further = output.further.iter().map(|further| &further.head);
        let heads = output.heads.iter().chain(further);
        let mut terms: Vec<(usize, usize)> = heads
            .flat_map(|head| &head.terms)
            .map(|term| (term.layer, term.index))
            .collect();
        terms.sort_unstable();
        terms.dedup();
        self.inputs.clear();
        for (layer, _) in &terms {
            self.inputs.give(*layer);
        }
        let wide = matches!(output.units, Units::Wide(_));
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
        match self.network.layers[layer].affine() {
            Some(own) if own.sums == Sums::I64 => value,
            _ => value.clamp(low, high),
        }
    }

    fn set_term(&mut self, (layer, index): (usize, usize), value: i64) {
        if is_float(&self.network.layers[layer]) {
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
        let transformer = &self.network.transformer;
        let mut psqt = 0;
        if transformer.psqt_of_output() > 0 {
            let own = if transformer.psqt == 1 { 0 } else { at.bucket };
            for index in 0..transformer.psqt {
                // The sums of other buckets are others.
                let other = (index as i32 - own as i32).wrapping_mul(1_000_003);
                let sums = sums.map(|sum| sum.wrapping_add(other));
                self.inputs.set_psqt(index, sums);
            }
            psqt = of_perspectives(transformer, sums);
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
        let layers = &self.inputs.tensors.layers;
        let evaluation = evaluate(self.network, layers, psqt).outputs();
        for (head, (found, expected)) in found.outputs().into_iter().zip(evaluation).enumerate() {
            let found = found.unwrap_or_default();
            let expected = [expected.psqt, expected.positional, expected.value];
            let found = [found.psqt, found.positional, found.value];
            for (output, (found, expected)) in found.into_iter().zip(expected).enumerate() {
                if found != expected {
                    let head = head.to_string();
                    return Err(wrong(&head, output, found.into(), expected.into()));
                }
            }
        }
        let number = |value| match value {
            HeadValue::Integer(value) => f64::from(value),
            HeadValue::Float(value) => f64::from(value),
        };
        let heads = further(self.network, layers).into_iter().enumerate();
        for (index, expected) in heads {
            let found = found.head(index).map_or(f64::NAN, number);
            let expected = number(expected);
            if found != expected {
                let head = &self.network.output.further[index].name;
                return Err(wrong(head, 0, found, expected));
            }
        }
        Ok(())
    }
}
