//! Which values in memory are sums of several values of the file.

use crate::{Element, Factors};

/// Values in memory, each of which is a sum of several values of the file.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a network has some dozens of them at most"
)]
pub enum Coalesced {
    /// Rows of a feature set, to which its virtual rows are added.
    Set(CoalescedSet),
    /// Tensors of layers, of which each stack has its own, and a tensor that is added to all of
    /// them.
    Stacks {
        /// Where the first stack's tensor begins, in bytes from the start of the weights.
        own: usize,
        /// Where the tensor begins that is added. Memory has it with the numbers of the file.
        shared: usize,
    },
}

/// Rows of a set in memory, and its virtual rows in the same matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct CoalescedSet {
    /// The type of values: 16 or 32 bits.
    pub element: Element,
    /// Where the matrix begins, in bytes from the start of the weights.
    pub offset: usize,
    /// How many values a row has in memory.
    pub columns: usize,
    /// The set's first row in the matrix.
    pub row: usize,
    /// The set's first virtual row in the matrix, where virtual rows come behind all real rows.
    pub virtual_row: usize,
    /// The virtual rows of each real row.
    pub factors: Factors,
}

impl Coalesced {
    /// Where the virtual values end, in bytes from the start of the weights, unless a tensor of the
    /// file says it.
    pub(crate) fn end(&self) -> usize {
        match self {
            Coalesced::Set(set) => set.row_offset(set.virtual_row + set.factors.rows()),
            Coalesced::Stacks { .. } => 0,
        }
    }
}

impl CoalescedSet {
    /// Where a row of the matrix begins, in bytes from the start of the weights.
    pub(crate) fn row_offset(&self, row: usize) -> usize {
        self.offset + row * self.columns * self.element.size()
    }
}
