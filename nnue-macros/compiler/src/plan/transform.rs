//! How accumulators become the layers' inputs: groups of vectors, and shifts that make 16-bit
//! products do.

use nnue_levels::Isa;

use super::Unroll;
use crate::layout::{BLOCK, Layout};
use crate::network::{Element, Pooling, TransformerActivation};

/// The activation, the pooling, and the order in which their results are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transform {
    /// For products: how far the factors are shifted left, so that the high half of their product
    /// is the result.
    pub factor_shifts: (u32, u32),
    /// For a `screlu`: how its squares are made.
    pub squares: Squares,
    /// The form in which the transformer's output is stored.
    pub outputs: Outputs,
}

/// What the layers read of the transformer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// Values that fit in a byte.
    Bytes(Bytes),
    /// Accumulator values, larger activations, roots of squares: 16 bits each.
    Words {
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
}

/// How a value of up to eight bits is squared and shifted to the right, in 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Squares {
    /// By the high half of a product, as for [`Transform::factor_shifts`].
    High(u32, u32),
    /// By the low half, which is then shifted: 16 bits hold the square.
    Low,
    /// By the product of both halves of the value: the square has one bit too many, and is shifted
    /// by one.
    Halved,
}

impl Transform {
    pub(super) fn of(
        layout: &Layout<'_>,
        isa: &Isa,
        unroll: Unroll,
        lists_nonzero: bool,
    ) -> Transform {
        let transformer = &layout.network.transformer;
        let factor_shifts = match transformer.pooling {
            Pooling::Product { shift } => {
                factor_shifts(transformer.activated.range.1 as u32, shift)
            }
            _ => (0, 0),
        };
        let squares = match transformer.activation {
            TransformerActivation::Screlu { shift } => squares(transformer.one, shift),
            _ => Squares::Low,
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
                })
            }
            _ => Outputs::Words {
                vectors: half / isa.lanes(2),
            },
        };
        Transform {
            factor_shifts,
            squares,
            outputs,
        }
    }

    /// Whether a list of non-zero blocks is made.
    pub fn lists_nonzero(&self) -> bool {
        matches!(&self.outputs, Outputs::Bytes(bytes) if bytes.lists_nonzero)
    }
}

/// How far two factors up to `largest` are shifted left for the high 16 bits of their product to be
/// the product shifted right by `shift`: the first as far as 16 bits allow.
fn factor_shifts(largest: u32, shift: u32) -> (u32, u32) {
    let total = i16::BITS - shift;
    let first = (i16::MAX as u32 / largest).ilog2().min(total);
    (first, total - first)
}

/// How values up to `largest` are squared and shifted by `shift`.
fn squares(largest: u32, shift: u32) -> Squares {
    const MOST: u32 = i16::MAX as u32;
    let (first, second) = factor_shifts(largest, shift);
    if largest << second <= MOST {
        Squares::High(first, second)
    } else if largest * largest <= MOST {
        Squares::Low
    } else {
        Squares::Halved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What vectors of 16-bit integers make of `x`.
    fn squared(x: i16, squares: Squares, shift: u32) -> i16 {
        match squares {
            Squares::High(first, second) => {
                let (a, b) = (x << first, x << second);
                assert!(
                    a >> first == x && b >> second == x,
                    "{x} is shifted too far"
                );
                ((i32::from(a) * i32::from(b)) >> 16) as i16
            }
            Squares::Low => x.wrapping_mul(x) >> shift,
            Squares::Halved => {
                let half = x >> 1;
                (half << 1).wrapping_mul(x - half)
            }
        }
    }

    #[test]
    fn squares_fit_in_16_bits_whatever_the_shift() {
        for largest in 1..=255u32 {
            // Larger squares are kept as roots.
            let shifts = (0..=15).filter(|shift| (largest * largest) >> shift <= i16::MAX as u32);
            for shift in shifts {
                let squares = squares(largest, shift);
                for x in 0..=largest {
                    let expected = ((x * x) >> shift) as i16;
                    let found = squared(x as i16, squares, shift);
                    assert_eq!(found, expected, "{x}^2 >> {shift}, {squares:?}");
                }
            }
        }
    }
}
