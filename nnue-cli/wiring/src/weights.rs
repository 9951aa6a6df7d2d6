//! Weights that tell where they are.
//!
//! Every number of a network has a number of its own, its *code*. A network is filled several
//! times, and each time every weight is another digit of its code. Two weights that change places
//! differ in at least one digit, so they are noticed in at least one filling.

use nnue_compiler::network::{Element, OUTPUT_RUN, Shards};
use nnue_interpreter::Values;

/// What the weights of a filling are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Digits of codes, over the whole range of their type. Biases in `f32` are 0 in every second
    /// filling, so that nothing of a weight is lost in a sum with them.
    Digits(u32),
    /// Digits of seven bits: weights for which the faster kernels of bytes and squares are proved
    /// to be exact.
    SmallDigits(u32),
    /// The smallest or the largest number of the type.
    Extremes,
    /// The smallest or the largest number for which faster kernels are exact.
    SmallExtremes,
}

/// What a tensor is, as far as its values depend on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensor {
    /// The type of its values; `u64` stands for signs.
    pub(crate) element: Element,
    /// The code of its first value.
    pub(crate) first: u32,
    /// The numbers of rows and columns.
    pub(crate) shape: [usize; 2],
    /// Whether it has biases.
    pub(crate) biases: bool,
    /// How many runs of outputs each input reaches; `None` if it reaches all.
    pub(crate) output_blocks: Option<usize>,
    /// The inputs that each output reads; `None` if it reads all.
    pub(crate) shards: Option<Shards>,
}

/// How many fillings show all bits of a code.
pub(crate) fn fillings(element: Element) -> u32 {
    match element {
        Element::U64 => 32,
        Element::I8 => 4,
        _ => 2,
    }
}

impl Tensor {
    /// The values of a bucket, row after row.
    pub(crate) fn values(&self, fill: Fill, bucket: usize) -> Values {
        let [rows, columns] = self.shape;
        let places =
            (0..rows).flat_map(|row| (0..columns).map(move |column| [bucket, row, column]));
        let values = places.map(|place| self.value(fill, place));
        if self.element == Element::F32 {
            Values::Floats(values.map(|x| x as f32).collect())
        } else {
            Values::Integers(values.map(|x| x as i64).collect())
        }
    }

    /// The value of a place: bucket, row and column.
    pub(crate) fn value(&self, fill: Fill, [bucket, row, column]: [usize; 3]) -> f64 {
        let [rows, columns] = self.shape;
        if let Some(blocks) = self.output_blocks {
            // The runs from the input's own number on; another number in each filling.
            let runs = rows / OUTPUT_RUN;
            let first = match fill {
                Fill::Digits(digit) | Fill::SmallDigits(digit) => column + digit as usize,
                Fill::Extremes | Fill::SmallExtremes => column,
            };
            if (row / OUTPUT_RUN + runs - first % runs) % runs >= blocks {
                return 0.0;
            }
        }
        let is_read = |shards: Shards| shards.reads(self.shape, row, column);
        if !self.shards.is_none_or(is_read) {
            return 0.0;
        }
        let index = (bucket * rows + row) * columns + column;
        let code = self.first.wrapping_add(index as u32);
        let mixed = mixed(code);
        let digits = |bits: u32, digit: u32| {
            let shifted = mixed.rotate_right(bits * digit % 32);
            f64::from((shifted << (32 - bits)).cast_signed() >> (32 - bits))
        };
        match (self.element, fill) {
            (Element::F32, Fill::Digits(digit)) if self.biases && digit % 2 == 1 => 0.0,
            (Element::F32, _) => f64::from(float(code)),
            (Element::U64, Fill::Digits(digit)) => sign(mixed >> (digit % 32) & 1),
            (Element::U64, _) => sign(mixed & 1),
            (Element::I8, Fill::Digits(digit)) => digits(8, digit),
            (Element::I16, Fill::Digits(digit)) => digits(16, digit),
            // Biases and factors are no products.
            (Element::I32, Fill::Digits(digit) | Fill::SmallDigits(digit)) => {
                f64::from(mixed.rotate_right(8 * digit % 32).cast_signed())
            }
            (Element::I32, _) => f64::from(mixed.cast_signed()),
            (_, Fill::SmallDigits(digit)) => digits(7, digit),
            (Element::I8, Fill::Extremes) => [-128.0, 127.0][mixed as usize & 1],
            (_, Fill::Extremes) => [-32768.0, 32767.0][mixed as usize & 1],
            (Element::I8, _) => [-64.0, 64.0][mixed as usize & 1],
            _ => [-128.0, 128.0][mixed as usize & 1],
        }
    }
}

fn sign(bit: u32) -> f64 {
    if bit == 0 { 1.0 } else { -1.0 }
}

/// A permutation of all numbers of 32 bits, in which no bit follows from few others.
pub(crate) fn mixed(code: u32) -> u32 {
    let mut x = code;
    x = (x ^ (x >> 16)).wrapping_mul(0x85EB_CA6B);
    x = (x ^ (x >> 13)).wrapping_mul(0xC2B2_AE35);
    x ^ (x >> 16)
}

/// A number between 1/8 and 16 in size: another one for each code below 2^27.
fn float(code: u32) -> f32 {
    let x = code.wrapping_mul(0x05A5_F1ED) & ((1 << 27) - 1);
    let (mantissa, exponent, sign) = (x & 0x7F_FFFF, x >> 23 & 7, x >> 26);
    f32::from_bits(sign << 31 | (exponent + 124) << 23 | mantissa)
}

/// Random numbers, the same in every run.
pub(crate) struct Random(u32);

impl Random {
    pub(crate) fn new(seed: usize) -> Random {
        Random(seed as u32)
    }

    pub(crate) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9);
        mixed(self.0)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }

    /// A number of a range.
    pub(crate) fn within(&mut self, (low, high): (i64, i64)) -> i64 {
        let span = (high - low + 1) as u64;
        let bits = u64::from(self.next()) << 32 | u64::from(self.next());
        low + (bits % span) as i64
    }

    /// A number of `f32` of either sign, from 2^-4 to 2^4.
    pub(crate) fn float(&mut self) -> f32 {
        let bits = self.next();
        f32::from_bits((bits & 0x807F_FFFF) | (123 + (bits >> 23 & 7)) << 23)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_weights_have_the_same_digits() {
        for element in [Element::I8, Element::I16, Element::U64, Element::F32] {
            let tensor = Tensor {
                element,
                first: 12345,
                shape: [300, 400],
                biases: false,
                output_blocks: None,
                shards: None,
            };
            let mut seen = HashSet::new();
            for row in 0..300 {
                for column in 0..400 {
                    let fills = 0..fillings(element);
                    let value = |digit| tensor.value(Fill::Digits(digit), [0, row, column]);
                    let digits: Vec<u64> = fills.map(|digit| value(digit).to_bits()).collect();
                    assert!(seen.insert(digits), "{element} {row} {column}");
                }
            }
        }
    }
}
