//! Weights that tell where they are.
//!
//! Every number of a network has a number of its own, its *code*. A network is filled several
//! times, and each time every weight is another digit of its code. Two weights that change places
//! differ in at least one digit, so they are noticed in at least one filling.

use nnue_format::Element;

/// What the weights of a filling are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
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
pub(super) struct Tensor {
    /// The type of its values; `u64` stands for signs.
    pub(super) element: Element,
    /// The code of its first value.
    pub(super) first: u32,
    /// The numbers of rows and columns.
    pub(super) shape: [usize; 2],
    /// Whether it has biases.
    pub(super) biases: bool,
    /// How many runs of 16 outputs each input reaches; 0 if it reaches all.
    pub(super) output_blocks: usize,
    /// How many columns all rows reach, and how many shards the others are.
    pub(super) shards: Option<(usize, usize)>,
}

/// How many outputs are a run.
pub(super) const RUN: usize = 16;

/// How many fillings show all bits of a code.
pub(super) fn fillings(element: Element) -> u32 {
    match element {
        Element::U64 => 32,
        Element::I8 => 4,
        _ => 2,
    }
}

impl Tensor {
    /// The value of a place: bucket, row and column.
    pub(super) fn value(&self, fill: Fill, [bucket, row, column]: [usize; 3]) -> f64 {
        let [rows, columns] = self.shape;
        if self.output_blocks > 0 {
            // The runs from the input's own number on; another number in each filling.
            let runs = rows / RUN;
            let first = match fill {
                Fill::Digits(digit) | Fill::SmallDigits(digit) => column + digit as usize,
                Fill::Extremes | Fill::SmallExtremes => column,
            };
            if (row / RUN + runs - first % runs) % runs >= self.output_blocks {
                return 0.0;
            }
        }
        if let Some((common, shards)) = self.shards {
            let shard = (columns - common) / shards;
            if column >= common && (column - common) / shard != row / (rows / shards) {
                return 0.0;
            }
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
pub(super) fn mixed(code: u32) -> u32 {
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
pub(super) struct Random(u32);

impl Random {
    pub(super) fn new(seed: usize) -> Random {
        Random(seed as u32)
    }

    pub(super) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9);
        mixed(self.0)
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }

    /// A number of a range.
    pub(super) fn within(&mut self, (low, high): (i64, i64)) -> i64 {
        let span = (high - low + 1) as u64;
        let bits = u64::from(self.next()) << 32 | u64::from(self.next());
        low + (bits % span) as i64
    }

    /// A number of `f32` of either sign, from 2^-4 to 2^4.
    pub(super) fn float(&mut self) -> f32 {
        let bits = self.next();
        f32::from_bits((bits & 0x807F_FFFF) | (123 + (bits >> 23 & 7)) << 23)
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn no_two_weights_have_the_same_digits() {
        for element in [Element::I8, Element::I16, Element::U64, Element::F32] {
            let tensor = Tensor {
                element,
                first: 12345,
                shape: [300, 400],
                biases: false,
                output_blocks: 0,
                shards: None,
            };
            let mut seen = BTreeSet::new();
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
