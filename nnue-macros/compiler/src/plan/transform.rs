//! How accumulators become the layers' inputs: groups of vectors, and shifts that make 16-bit
//! products do.

use nnue_levels::Isa;

use super::{Kernel, Planned, Unroll};
use crate::layout::{BLOCK, Layout};
use crate::network::{Element, Pooling, ProductRounding, Transformer, TransformerActivation};

/// The activation, the pooling, and the order in which their results are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transform {
    /// For a pooling by products: how these are made.
    pub products: Multiply,
    /// For a `screlu`: how its squares are made.
    pub squares: Multiply,
    /// The form in which the transformer's output is stored.
    pub outputs: Outputs,
}

/// What the layers read of the transformer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// Values that fit in a byte.
    Bytes(Bytes),
    /// Accumulator values, larger activations and products, roots of squares: 16 bits each.
    Words {
        /// Vectors of one perspective.
        vectors: usize,
    },
    /// The same values, which the only layer that reads them makes itself.
    Registers {
        /// Vectors of one perspective.
        vectors: usize,
    },
}

/// Packed vectors are clipped, pooled, stored and searched for non-zero blocks one group after the
/// other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Packed vectors of one perspective.
    pub vectors: usize,
    /// Packed vectors of a group.
    pub group: usize,
    /// Whole groups of one perspective.
    pub groups: usize,
    /// Blocks of four outputs in a packed vector.
    pub blocks: usize,
    /// Whether the groups follow one another without a loop; a group may then span both
    /// perspectives.
    pub unrolled: bool,
    /// Whether a list of non-zero blocks is made.
    pub lists_nonzero: bool,
    /// Whether neurons are packed before they are multiplied, not afterwards: packing clips them as
    /// the activation does, and a vector has twice as many.
    pub products_of_packed: bool,
}

/// How two values of up to eight bits are multiplied, and their product shifted to the right, in 16
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiply {
    /// The factors are shifted left, so that the upper bits of their product are the result.
    High {
        /// By how many bits the first factor is shifted, and the second.
        shifts: (u32, u32),
        /// Whether 16 bits of the product of 32 are dropped, or 15 of them with rounding.
        rounding: ProductRounding,
    },
    /// The low half of the product, which is then shifted: 16 bits hold it. A product that is not
    /// shifted may use all of them, without a sign.
    Low,
    /// Half of a factor times the other one: the product has one bit too many, and is shifted by
    /// one.
    Halved,
}

impl Transform {
    pub(super) fn of(
        layout: &Layout<'_>,
        isa: &Isa,
        unroll: Unroll,
        layers: &[Planned<'_>],
    ) -> Transform {
        let has = |is: fn(&Kernel) -> bool| super::kernels(layers).any(|(_, kernel)| is(kernel));
        let lists_nonzero = has(|kernel| matches!(kernel, Kernel::Sparse(_)));
        let stay_in_registers = has(|kernel| matches!(kernel, Kernel::Fused(_)));
        let transformer = &layout.network.transformer;
        let products = match transformer.pooling {
            Pooling::Product { shift, rounding } => {
                Multiply::of(transformer.activated.range.1 as u32, shift, rounding)
            }
            _ => Multiply::Low,
        };
        let squares = match transformer.activation {
            TransformerActivation::Screlu { shift } => {
                Multiply::of(transformer.one, shift, ProductRounding::Floor)
            }
            _ => Multiply::Low,
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
                Outputs::Bytes(Bytes {
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
                match stay_in_registers {
                    true => Outputs::Registers { vectors },
                    false => Outputs::Words { vectors },
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
        matches!(&self.outputs, Outputs::Bytes(bytes) if bytes.lists_nonzero)
    }
}

/// Whether neurons become products whose factors packing clips as the activation does, and which
/// fit in bytes as the runtime's primitives make them: rounded down.
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

impl Multiply {
    /// How factors up to `largest` are multiplied, and the product shifted by `shift`. The result
    /// fits in 16 bits, with a sign if it is shifted.
    fn of(largest: u32, shift: u32, rounding: ProductRounding) -> Multiply {
        const MOST: u32 = i16::MAX as u32;
        // Both shifts together make the upper bits the result; the first is as far as 16 bits
        // allow.
        // Rounded products are shifted by one bit at least, so they always fit: 255 is shifted by
        // seven bits.
        let total = match rounding {
            ProductRounding::Floor => i16::BITS - shift,
            ProductRounding::Nearest => i16::BITS - 1 - shift,
        };
        let first = (MOST / largest).ilog2().min(total);
        let second = total - first;
        if largest << second <= MOST {
            let shifts = (first, second);
            Multiply::High { shifts, rounding }
        } else if shift == 0 || largest * largest <= MOST {
            Multiply::Low
        } else {
            Multiply::Halved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What vectors of 16-bit integers make of two values.
    fn multiplied(a: i16, b: i16, multiply: Multiply, shift: u32) -> i16 {
        match multiply {
            Multiply::High {
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
            Multiply::Low if shift == 0 => a.wrapping_mul(b),
            Multiply::Low => a.wrapping_mul(b) >> shift,
            Multiply::Halved => {
                let half = a >> 1;
                let rest = a - 2 * half;
                half.wrapping_mul(b).wrapping_add(rest.wrapping_mul(b >> 1))
            }
        }
    }

    /// Compares products of factors up to `largest` with those of 32 bits.
    fn check(largest: u32, shift: u32, rounding: ProductRounding) {
        let multiply = Multiply::of(largest, shift, rounding);
        let halved_by_one = shift == 1 && rounding == ProductRounding::Floor;
        assert!(
            multiply != Multiply::Halved || halved_by_one,
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
