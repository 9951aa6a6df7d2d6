//! Products of layers: gates, squares of the transformer's words, and products of bytes and words,
//! which are as narrow as their results.

use nnue_compiler::network::{Element, One, ProductRounding, Tensor};
use nnue_compiler::spec::Named;

use super::{Graph, Part};

/// What the weights of the next layer read.
const LARGEST_WORD: i64 = i16::MAX as i64;

impl Graph<'_> {
    /// The product of these with earlier values, if some have the same length and one one.
    pub(super) fn gated(&mut self, sums: Part) -> Part {
        let earlier = self.residual(sums);
        let [gate, ..] = earlier[..] else {
            return sums;
        };
        let is_float = self.element(sums) == Element::F32;
        let one = match (self.one(sums), self.one(gate)) {
            (One::Tensor(a), One::Tensor(b)) => u64::from(a) * u64::from(b),
            _ => return sums,
        };
        self.layer("gated", &["product"]);
        self.read(&[sums, gate]);
        if is_float {
            return self.push(Tensor {
                len: sums.len,
                element: Element::F32,
                one: One::Tensor(1),
                range: (0, 0),
            });
        }
        // About as many bits as the sums had.
        let shift = self.shared_one(gate).ilog2();
        self.toml.set("shift", shift);
        self.rounding(shift);
        let one = (one >> shift) as u32;
        if self.dice.once_in(3) {
            self.toml.set("one", one);
        }
        self.push(Tensor {
            len: sums.len,
            element: Element::I32,
            one: One::Tensor(one),
            range: (i64::from(i32::MIN), i64::from(i32::MAX)),
        })
    }

    /// The product of some words with themselves.
    pub(super) fn squares(&mut self, of: Part) -> Part {
        let one = u64::from(self.shared_one(of));
        self.layer("squares", &["product"]);
        self.read(&[of, of]);
        // What 1.0 is has 16 bits at most.
        let shift = (one * one).ilog2().saturating_sub(16);
        self.toml.set("shift", shift);
        self.rounding(shift);
        self.push(Tensor {
            len: of.len,
            element: Element::I32,
            one: One::Tensor(((one * one) >> shift) as u32),
            range: (i64::from(i32::MIN), i64::from(i32::MAX)),
        })
    }

    /// Multiplies activated values by each other, or by earlier ones. The product stands beside
    /// them for the next layer if it has their one, and else in their place.
    pub(super) fn add_product(&mut self, activated: &mut Vec<Part>) {
        let Some([first, second]) = self.factors(activated[0]) else {
            return;
        };
        let one = u64::from(self.shared_one(first)) * u64::from(self.shared_one(second));
        let [a, b] = [first, second].map(|part| self.values[part.value].tensor.range);
        let largest = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
        let largest = largest.map(i64::abs).into_iter().max().unwrap_or(0);
        // Between a byte and what a word holds; the compiler finds the type.
        let most = one.ilog2().saturating_sub(5);
        let least = (0..31).find(|shift| largest >> shift <= LARGEST_WORD);
        let Some(least) = least.filter(|least| *least <= most) else {
            return;
        };
        let to_byte = (least..=most).find(|shift| largest >> shift <= 255);
        let shift = match to_byte {
            Some(shift) if !self.dice.once_in(3) => shift,
            _ => self.dice.within(least as usize..=most as usize) as u32,
        };
        let mut result = (one >> shift) as u32;
        self.layer("narrow", &["product"]);
        self.read(&[first, second]);
        self.toml.set("shift", shift);
        // 126 stands for 127, as in all known nets.
        if result == 126 {
            result = 127;
        }
        if u64::from(result) != one >> shift || self.dice.once_in(3) {
            self.toml.set("one", result);
        }
        let summand = match (largest >> shift) < LARGEST_WORD {
            true => self.rounding(shift).summand(shift),
            false => 0,
        };
        let extremes = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1]
            .map(|value| (value + i64::from(summand)) >> shift);
        let range = extremes.into_iter().fold((0, 0), |(low, high), value| {
            (value.min(low), value.max(high))
        });
        let mut product = self.push(Tensor {
            len: first.len,
            element: match range {
                (0, ..=255) => Element::U8,
                _ => Element::I16,
            },
            one: One::Tensor(result),
            range,
        });
        if self.dice.once_in(4) {
            let functions = self.integer_activations(product);
            product = functions[0];
        }
        let own = self.one(activated[0]);
        if self.one(product) != own || self.dice.once_in(2) {
            activated.clear();
        }
        activated.push(product);
    }

    /// How the shift of a product or a square rounds, which is sometimes written.
    pub(super) fn rounding(&mut self, shift: u32) -> ProductRounding {
        let mut aside = self.dice.aside_for("rounding");
        if shift == 0 || !aside.once_in(3) {
            return ProductRounding::Floor;
        }
        let (name, rounding) = aside.pick(ProductRounding::NAMES);
        self.toml.name("rounding", name);
        rounding
    }

    /// Two runs of bytes or words with as many values: the halves of a part, or a part and as many
    /// earlier values.
    fn factors(&mut self, part: Part) -> Option<[Part; 2]> {
        let half = part.len / 2;
        if half > 0 && self.dice.once_in(2) {
            let halves = [0, half].map(|start| Part {
                start: part.start + start,
                len: half,
                ..part
            });
            return self.is_narrow(part).then_some(halves);
        }
        let fitting: Vec<usize> = (self.sources..self.values.len())
            .filter(|value| {
                let whole = self.whole(*value);
                whole.len >= part.len && self.is_narrow(whole)
            })
            .collect();
        if !self.is_narrow(part) || fitting.is_empty() {
            return None;
        }
        let value = self.dice.pick(&fitting);
        let room = self.values[value].tensor.len - part.len;
        let other = Part {
            value,
            start: self.dice.within(0..=room),
            len: part.len,
        };
        Some([part, other])
    }

    fn is_narrow(&self, part: Part) -> bool {
        matches!(self.element(part), Element::U8 | Element::I16)
            && self.one(part).shared().is_some()
    }
}
