//! How accumulators become the layers' inputs: groups of vectors, and shifts that make products fit
//! in 16 bits.

use nnue_format::levels::Isa;

use super::affine::Kernel;
use super::planned::{PlannedLayer, kernels};
use super::unroll::Unroll;
use crate::layout::{BLOCK, Layout};
use crate::network::{Element, Pooling, ProductRounding, Transformer, TransformerActivation};

/// How an accumulator is activated and pooled, and in which form the results are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "description", derive(serde::Serialize), serde(transparent))]
pub struct Transform {
    /// How the products of a pooling are made. It has no meaning for other poolings.
    #[cfg_attr(feature = "description", serde(skip))]
    pub products: Multiplication,
    /// How the squares of a `screlu` are made. It has no meaning for other activations.
    #[cfg_attr(feature = "description", serde(skip))]
    pub squares: Multiplication,
    /// The form in which the transformer's output is stored.
    pub outputs: TransformOutputs,
}

/// The form of the transformer's output, which the layers read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "description", derive(serde::Serialize))]
#[cfg_attr(
    feature = "description",
    serde(tag = "outputs", rename_all = "snake_case")
)]
pub enum TransformOutputs {
    /// Values that fit in a byte.
    Bytes(Bytes),
    /// Values of 16 bits: accumulator values, larger activations and products, roots of squares.
    Words {
        /// The number of vectors of one perspective.
        vectors: usize,
    },
    /// Values of 16 bits, which the only layer that reads them makes by itself, in registers.
    Registers {
        /// The number of vectors of one perspective.
        vectors: usize,
    },
}

/// The transformer's output in bytes. Packed vectors are clipped, pooled, stored and searched for
/// non-zero blocks, group by group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "description", derive(serde::Serialize))]
pub struct Bytes {
    /// The number of packed vectors of one perspective.
    pub vectors: usize,
    /// The number of packed vectors of a group.
    pub group: usize,
    /// The number of whole groups of one perspective.
    pub groups: usize,
    /// The number of blocks of four outputs in a packed vector.
    pub blocks: usize,
    /// Whether the groups follow one another without a loop; a group may then span both
    /// perspectives.
    pub unrolled: bool,
    /// Whether a list of non-zero blocks is made.
    pub lists_nonzero: bool,
    /// Whether neurons are packed before they are multiplied, not afterwards: packing clips them as
    /// the activation does, and a vector has twice as many packed neurons.
    pub products_of_packed: bool,
}

/// How two values of up to eight bits are multiplied in 16 bits, with their product shifted to the
/// right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiplication {
    /// The factors are shifted left, so that the upper bits of their product are the result.
    High {
        /// How many bits the first and the second factor are shifted.
        shifts: (u32, u32),
        /// Whether the lowest 16 of the product's 32 bits are dropped, or the lowest 15 with
        /// rounding.
        rounding: ProductRounding,
    },
    /// The low half of the product is shifted, because 16 bits hold the whole product. A product
    /// that is not shifted may use all 16 bits, without a sign.
    Low,
    /// Half of the first factor is multiplied with the second factor: the whole product has one bit
    /// too many, and is shifted by one bit.
    Halved,
}

impl Transform {
    pub(super) fn of(
        layout: &Layout<'_>,
        isa: &Isa,
        unroll: Unroll,
        layers: &[PlannedLayer<'_>],
    ) -> Transform {
        let has = |is: fn(&Kernel) -> bool| kernels(layers).any(|(_, kernel)| is(kernel));
        let lists_nonzero = has(|kernel| matches!(kernel, Kernel::Sparse(_)));
        let stay_in_registers = has(|kernel| matches!(kernel, Kernel::Fused(_)));
        let transformer = &layout.network.transformer;
        let products = match transformer.pooling {
            Pooling::Product { shift, rounding } => {
                Multiplication::of(transformer.activated.range.1 as u32, shift, rounding)
            }
            _ => Multiplication::Low,
        };
        let squares = match transformer.activation {
            TransformerActivation::Screlu { shift, rounding } => {
                Multiplication::of(transformer.one, shift, rounding)
            }
            _ => Multiplication::Low,
        };
        let half = layout.columns.half;
        let outputs = match transformer.output.element {
            Element::U8 => {
                let vectors = half / isa.vector_bytes;
                let group = if lists_nonzero {
                    isa.nonzero_vectors
                } else {
                    1
                };
                let whole_groups = vectors.is_multiple_of(group);
                TransformOutputs::Bytes(Bytes {
                    vectors,
                    group,
                    groups: vectors / group,
                    blocks: isa.vector_bytes / BLOCK,
                    unrolled: unroll == Unroll::Full || !whole_groups || vectors <= 2,
                    lists_nonzero,
                    products_of_packed: products_of_packed(transformer),
                })
            }
            _ => {
                let vectors = half / isa.lanes(2);
                if stay_in_registers {
                    TransformOutputs::Registers { vectors }
                } else {
                    TransformOutputs::Words { vectors }
                }
            }
        };
        Transform {
            products,
            squares,
            outputs,
        }
    }

    /// Whether a list of non-zero blocks is made.
    pub fn lists_nonzero(&self) -> bool {
        matches!(&self.outputs, TransformOutputs::Bytes(bytes) if bytes.lists_nonzero)
    }
}

/// Whether neurons can be packed before they are multiplied: packing must clip factors as the
/// activation does, and products must fit in bytes as the runtime's primitives make them, rounded
/// down.
fn products_of_packed(transformer: &Transformer) -> bool {
    let Pooling::Product {
        shift,
        rounding: ProductRounding::Floor,
    } = transformer.pooling
    else {
        return false;
    };
    match transformer.activation {
        TransformerActivation::Crelu { limit: 127 } => (6..=8).contains(&shift),
        TransformerActivation::Crelu { limit: 255 } => (8..=15).contains(&shift),
        _ => false,
    }
}

impl Multiplication {
    /// The way to multiply factors up to `largest` and to shift the product by `shift`. The result
    /// fits in 16 bits, with a sign if it is shifted.
    fn of(largest: u32, shift: u32, rounding: ProductRounding) -> Multiplication {
        const MOST: u32 = i16::MAX as u32;
        // Both shifts together move the result to the upper bits. The first factor is shifted as
        // far as 16 bits allow. Rounded products are shifted by at least one bit, so they always
        // fit: 255 is shifted by seven bits.
        let total = match rounding {
            ProductRounding::Floor => i16::BITS - shift,
            ProductRounding::Nearest => i16::BITS - 1 - shift,
        };
        let first = (MOST / largest).ilog2().min(total);
        let second = total - first;
        if largest << second <= MOST {
            let shifts = (first, second);
            Multiplication::High { shifts, rounding }
        } else if shift == 0 || largest * largest <= MOST {
            Multiplication::Low
        } else {
            Multiplication::Halved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product of two values as vectors of 16-bit integers compute it.
    fn multiplied(a: i16, b: i16, multiply: Multiplication, shift: u32) -> i16 {
        match multiply {
            Multiplication::High {
                shifts: (first, second),
                rounding,
            } => {
                let shifted = (a << first, b << second);
                assert!(
                    shifted.0 >> first == a && shifted.1 >> second == b,
                    "{a} or {b} is shifted too far"
                );
                let product = i32::from(shifted.0) * i32::from(shifted.1);
                match rounding {
                    ProductRounding::Floor => (product >> 16) as i16,
                    ProductRounding::Nearest => ((product + (1 << 14)) >> 15) as i16,
                }
            }
            Multiplication::Low if shift == 0 => a.wrapping_mul(b),
            Multiplication::Low => a.wrapping_mul(b) >> shift,
            Multiplication::Halved => {
                let half = a >> 1;
                let rest = a - 2 * half;
                half.wrapping_mul(b).wrapping_add(rest.wrapping_mul(b >> 1))
            }
        }
    }

    /// Compares products of factors up to `largest` with those of 32 bits.
    fn check(largest: u32, shift: u32, rounding: ProductRounding) {
        let multiply = Multiplication::of(largest, shift, rounding);
        let halved_by_one = shift == 1 && rounding == ProductRounding::Floor;
        assert!(
            multiply != Multiplication::Halved || halved_by_one,
            "{largest}, {shift}, {rounding}"
        );
        for a in 0..=largest {
            for b in [0, 1, largest / 3, largest / 2, a, largest - 1, largest] {
                let expected = match rounding {
                    ProductRounding::Floor => (a * b) >> shift,
                    ProductRounding::Nearest => {
                        (f64::from(a * b) / 2f64.powi(shift as i32)).round() as u32
                    }
                };
                let found = multiplied(a as i16, b as i16, multiply, shift);
                assert_eq!(
                    found as u16, expected as u16,
                    "{a} * {b} >> {shift}, {multiply:?}, {rounding}"
                );
            }
        }
    }

    #[test]
    fn products_fit_in_16_bits_whatever_the_shift() {
        for largest in 1..=255 {
            for shift in 0..=15 {
                check(largest, shift, ProductRounding::Floor);
            }
            for shift in 1..=15 {
                check(largest, shift, ProductRounding::Nearest);
            }
        }
    }
}
