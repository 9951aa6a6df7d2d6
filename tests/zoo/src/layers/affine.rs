//! Affine layers: weights of a type that fits the inputs, and a one that the sums can reach.

use nnue_compiler::network::{Element, One, Tensor};
use nnue_compiler::spec::{BiasType, Rounding, ScaleType, SparseBy, Sums};

use super::{Graph, Part};

/// Neurons of hidden layers.
const OUTPUTS: &[usize] = &[
    1, 2, 4, 7, 8, 10, 15, 16, 16, 17, 24, 31, 32, 32, 33, 48, 64,
];

/// Ones that activations take down to seven bits or so.
const BASES: &[u32] = &[127, 127, 127, 64, 100, 128, 255, 500, 1023];

impl Graph<'_> {
    /// An affine layer. The last one has an output or a few.
    pub(super) fn affine(&mut self, inputs: &[Part], last: bool) -> Part {
        let weights = self.weights(inputs);
        let mut outputs = if last {
            self.dice.pick(&[1, 1, 1, 2, 3, 3])
        } else {
            self.dice.pick(OUTPUTS)
        };
        let reads_all = self.values.len() == self.sources && inputs == [self.whole(0)];
        if reads_all && !last && self.dice.once_in(2) {
            outputs = self.dice.pick(&[8, 16, 16, 32, 48]);
        }
        self.layer("fc", &["affine"]);
        self.read(inputs);
        self.toml.set("outputs", outputs);
        self.toml.name("weights", weights);
        let (element, one) = match weights {
            "f32" => (Element::F32, self.float_keys()),
            _ => self.integer_keys(weights, inputs, outputs, last),
        };
        let has_shards = reads_all && self.shards(inputs[0], weights, outputs);
        if !has_shards && reads_all && outputs >= 8 && !matches!(weights, "binary" | "f32") {
            self.sparse(inputs[0], weights, outputs);
        }
        let mut aside = self.dice.aside_for("shared");
        if aside.once_in(8) {
            let shared = !aside.once_in(8) && !self.has_one_stack;
            self.toml.set("shared", shared);
        } else if weights != "binary" && !has_shards && aside.once_in(20) {
            self.toml.set("factorised", !aside.once_in(8));
        }
        // Sums of random weights stay far below what 32 bits hold; nothing that is drawn depends on
        // it.
        let range = (i64::from(i32::MIN), i64::from(i32::MAX));
        self.push(Tensor {
            len: outputs,
            element,
            one,
            range,
        })
    }

    fn weights(&mut self, inputs: &[Part]) -> &'static str {
        let all = |element| inputs.iter().all(|input| self.element(*input) == element);
        let signed = |input: &Part| self.values[input.value].tensor.range.0 < 0;
        let fitting: &[&str] = if all(Element::F32) {
            &["f32"]
        } else if all(Element::I32) {
            &["binary"]
        } else if all(Element::I16) && inputs.iter().all(signed) {
            &["i8", "i16", "binary", "binary"]
        } else {
            &["i8", "i8", "i8", "i16"]
        };
        let odds = if all(Element::I32) { 2 } else { 8 };
        let weights = self.dice.pick(fitting);
        let one = self.one(inputs[0]).shared();
        let same_one = inputs.iter().all(|input| self.one(*input).shared() == one);
        let integers = |input: &Part| {
            matches!(
                self.element(*input),
                Element::U8 | Element::I16 | Element::I32
            )
        };
        if inputs.iter().all(integers) && same_one && self.dice.aside_for("i32").once_in(odds) {
            "i32"
        } else {
            weights
        }
    }

    fn float_keys(&mut self) -> One {
        if self.dice.aside_for("biases").once_in(8) {
            self.toml.name("biases", BiasType::None);
        } else if self.dice.once_in(4) {
            self.toml.name("biases", Element::F32);
        }
        let mut aside = self.dice.aside_for("sums of f32");
        let sums = self.dice.once_in(2);
        let usual = sums.then(|| self.dice.pick(&[Sums::Columns, Sums::Lanes]));
        let other = aside.once_in(3);
        let other = other.then(|| aside.pick(&[Sums::Pairs, Sums::Products]));
        if let Some(sums) = other.or(usual) {
            self.toml.name("sums", sums);
        }
        One::Tensor(1)
    }

    /// Keys of integer weights, and what comes out.
    fn integer_keys(
        &mut self,
        weights: &str,
        inputs: &[Part],
        outputs: usize,
        last: bool,
    ) -> (Element, One) {
        let scaled = weights == "binary" && self.dice.once_in(2);
        // Trainers multiply weights by this factor.
        let factor = match weights {
            "i8" => self.dice.pick(&[16, 32, 64, 64]),
            _ => self.dice.pick(&[32, 64, 256, 512]),
        };
        let inputs_len: usize = inputs.iter().map(|input| input.len).sum();
        let mut wanted = match weights {
            "binary" if scaled => self.dice.within(500..=16_000) as u64,
            "binary" => inputs_len.div_ceil(3).max(2) as u64,
            _ => u64::from(self.shared_one(inputs[0])) * factor,
        };
        if weights == "i32" && last && self.dice.aside_for("i64").once_in(2) {
            self.toml.name("sums", Sums::I64);
            let one = self.one_near(wanted, last);
            self.toml.set("one", one);
            return (Element::I64, One::Tensor(one));
        }
        if weights == "i32" && self.dice.aside_for("sums").once_in(4) {
            self.toml.name("sums", Sums::I32);
        }
        if scaled {
            let shift = self.dice.within(0..=12);
            let scales = match self.dice.within(0..=2) {
                0 => format!("{{ shift = {shift} }}"),
                1 => format!("{{ shift = {shift}, inputs = false }}"),
                _ => format!("{{ shift = {shift}, inputs = true }}"),
            };
            self.toml.set("scales", scales);
        }
        let mut divisor = 1;
        if weights != "binary" && self.dice.once_in(5) {
            divisor = self.divisor();
            wanted /= divisor;
        }
        let one = self.one_near(wanted, last);
        let mut aside = self.dice.aside_for("scales");
        if weights != "binary" && aside.once_in(24) {
            self.toml.name("scales", ScaleType::F32);
            match aside.within(0..=2) {
                0 => self.toml.name("biases", BiasType::None),
                1 => self.toml.name("biases", BiasType::F32),
                _ => {}
            }
            return (Element::F32, One::Tensor(1));
        }
        if self.dice.once_in(6) {
            self.toml.name("biases", Element::F32);
            match self.dice.within(0..=2) {
                0 => self.toml.set("one", one),
                1 => self.toml.set("scale", format_args!("\"2 / ({one} * 3)\"")),
                _ => self
                    .toml
                    .set("scale", format_args!("{:e}", 0.8 / f64::from(one))),
            }
            return (Element::F32, One::Tensor(1));
        }
        if self.dice.aside_for("biases").once_in(8) {
            self.toml.name("biases", BiasType::None);
        } else if self.dice.once_in(6) {
            self.toml.name("biases", BiasType::I32);
        }
        if (2..=8).contains(&outputs) && self.dice.once_in(3) {
            let ones: Vec<u32> = (0..outputs)
                .map(|_| {
                    self.dice
                        .pick(&[one, 2 * one, one + one / 2 + 1, one.div_ceil(2)])
                })
                .collect();
            self.toml.set("one", format_args!("{ones:?}"));
            return (Element::I32, One::of(ones));
        }
        let sums = u64::from(one) * divisor;
        let inputs_one = u64::from(self.shared_one(inputs[0]));
        let exact = weights != "binary" && sums.is_multiple_of(inputs_one) && sums >= inputs_one;
        if exact && self.dice.aside_for("weights_one").once_in(3) {
            self.toml.set("weights_one", sums / inputs_one)
        } else {
            self.toml.set("one", one)
        }
        (Element::I32, One::Tensor(one))
    }

    /// The divisor of sums, and how they are rounded.
    fn divisor(&mut self) -> u64 {
        let divisor = self.dice.pick(&[1, 2, 3, 16, 64, 100, 127, 255]);
        self.toml.set("divide", divisor);
        if self.dice.once_in(2) {
            self.toml.name("rounding", self.dice.name::<Rounding>());
        }
        divisor
    }

    /// A one that a shift takes to that of an activation; for the last layer, any one.
    pub(super) fn one_near(&mut self, wanted: u64, last: bool) -> u32 {
        let wanted = wanted.clamp(1, 1 << 26) as u32;
        if last && self.dice.once_in(3) {
            return self.dice.pick(&[9600, wanted, wanted.div_ceil(3)]);
        }
        let base = self.dice.pick(BASES);
        let shift = (wanted / base).checked_ilog2().unwrap_or(0);
        base << shift
    }

    /// Which zeros of the transformer's output are skipped.
    fn sparse(&mut self, input: Part, weights: &str, outputs: usize) {
        let element = self.element(input);
        if element == Element::U16 || self.dice.once_in(3) {
            return;
        }
        let by = match self.dice.within(0..=3) {
            0 => SparseBy::Auto,
            1 if element == Element::U8 && weights == "i8" => SparseBy::Blocks,
            2 => SparseBy::Inputs,
            _ => {
                let sparse = !self.dice.once_in(6);
                self.toml.set("sparse", sparse);
                if !sparse {
                    return;
                }
                SparseBy::Auto
            }
        };
        if !self.toml.0.ends_with("sparse = true\n") {
            self.toml.name("sparse", by);
        }
        if self.dice.once_in(3) {
            self.toml
                .set("density", self.dice.pick(&["0.02", "0.1", "0.5"]));
        }
        if by != SparseBy::Blocks && outputs.is_multiple_of(16) && self.dice.once_in(2) {
            self.toml
                .set("output_blocks", self.dice.within(1..=outputs / 16));
        }
    }
}
