//! The units to whose multiples everything is padded, so that kernels handle whole vectors.

use crate::network::OUTPUT_RUN;

/// The number of bytes at whose multiples tensors start.
pub const ALIGNMENT: usize = 64;

/// The number to a multiple of which the outputs of one perspective are padded: whole vectors of
/// bytes of the widest instruction set.
pub const TRANSFORMER_UNIT: usize = 64;

/// The number to a multiple of which the unpooled sums of a perspective are padded: whole vectors
/// of words of the widest instruction set.
pub(super) const UNPOOLED_UNIT: usize = 32;

/// The number to a multiple of which a layer's outputs are padded, where they are the lanes of
/// vectors: whole vectors of the widest instruction set.
pub const OUTPUT_UNIT: usize = 16;

/// The number of weights to a multiple of which rows are padded: a horizontal sum takes this many
/// in a step.
pub(super) const ROW_UNIT: usize = 32;

/// The number of inputs in a block, which a dot product of bytes takes at once.
pub const BLOCK: usize = 4;

const _: () = assert!(
    OUTPUT_RUN == OUTPUT_UNIT,
    "runs of outputs are whole vectors of every instruction set"
);
