//! Values in memory that are sums of several values of the file.

use crate::{Element, Factors, FileLayout, Tensor};

/// Values in memory that are sums of several values of the file.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a network has some dozens of them at most"
)]
pub enum Coalesced {
    /// Rows of a feature set, to which its virtual rows are added.
    Set(CoalescedSet),
    /// The tensors of a layer, one for each stack, and a tensor that is added to each of them.
    Stacks {
        /// The offset of the first stack's tensor, in bytes from the start of the weights.
        own: usize,
        /// The offset of the tensor that is added. Memory has it with the numbers of the file.
        shared: usize,
    },
}

/// Rows of a set in memory, and its virtual rows in the same matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct CoalescedSet {
    /// The type of the values, which has 16 or 32 bits.
    pub element: Element,
    /// The offset of the matrix, in bytes from the start of the weights.
    pub offset: usize,
    /// The number of values of a row in memory.
    pub columns: usize,
    /// The number of the set's first row in the matrix.
    pub row: usize,
    /// The number of the set's first virtual row in the matrix, where virtual rows follow all real
    /// rows.
    pub virtual_row: usize,
    /// The virtual rows of each real row.
    pub factors: Factors,
}

impl FileLayout {
    /// Whether a tensor only has summands of another tensor's values: virtual rows, or what all
    /// stacks share.
    #[must_use]
    pub fn is_summand(&self, tensor: &Tensor) -> bool {
        self.coalesced.iter().any(|coalesced| {
            let summands = match coalesced {
                Coalesced::Set(set) => set.row_offset(set.virtual_row),
                Coalesced::Stacks { shared, .. } => *shared,
            };
            summands == tensor.placed.offset
        })
    }
}

impl Coalesced {
    /// The end of the virtual values, in bytes from the start of the weights, unless a tensor of
    /// the file says it.
    pub(crate) fn end(&self) -> usize {
        match self {
            Coalesced::Set(set) => set.row_offset(set.virtual_row + set.factors.rows()),
            Coalesced::Stacks { .. } => 0,
        }
    }
}

impl CoalescedSet {
    /// The offset of a row of the matrix, in bytes from the start of the weights.
    pub(crate) fn row_offset(&self, row: usize) -> usize {
        self.offset + row * self.columns * self.element.size()
    }
}
