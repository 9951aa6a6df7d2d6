//! The units to whose multiples everything is padded, so that kernels handle whole vectors.

use crate::network::OUTPUT_RUN;

/// Tensors start at multiples of this number of bytes.
pub const ALIGNMENT: usize = 64;

/// The outputs of a perspective are padded to a multiple of this number: a vector of bytes of the
/// widest instruction set.
pub const TRANSFORMER_UNIT: usize = 64;

/// The unpooled sums of a perspective are padded to a multiple of this number: a vector of words of
/// the widest instruction set.
pub(super) const UNPOOLED_UNIT: usize = 32;

/// A layer's outputs, where they are the lanes of vectors, are padded to a multiple of this number:
/// a vector of the widest instruction set.
pub const OUTPUT_UNIT: usize = 16;

/// Rows of weights are padded to a multiple of this number: a horizontal sum takes this many
/// weights in a step.
pub(super) const ROW_UNIT: usize = 32;

/// The number of inputs in a block, which a dot product of bytes takes at once.
pub const BLOCK: usize = 4;

const _: () = assert!(
    OUTPUT_RUN == OUTPUT_UNIT,
    "runs of outputs are whole vectors of every instruction set"
);
