//! Layers with a `one` for each output.
//!
//! A tensor of a file has a single factor between its floating point and its integers. So the
//! numbers of these layers are multiplied by their `one` before the file is read, and the factor is
//! 1.

use std::borrow::Cow;

use nnue_compiler::description::ones::of_outputs;
use nnue_compiler::file_layout;
use nnue_compiler::format;
use nnue_compiler::network::file::Role;
use nnue_compiler::network::{Network, One};

use crate::quantise::Error;

/// The integer for 1.0 in each output of a tensor; `None` if all outputs have the same.
pub(super) fn ones(network: &Network, role: Role) -> Option<Vec<f64>> {
    let layer = &network.layers[role.layer()?];
    let is_meant = matches!(layer.output.one, One::Channels(_))
        && layer.affine().is_some()
        && !matches!(role, Role::LayerFactors(_));
    is_meant.then(|| of_outputs(network, role))?
}

/// The output to which a number belongs, in a tensor with a `one` for each output.
pub(super) fn output(role: Role, row: usize, column: usize) -> usize {
    match role.matrix() {
        Some(_) => row,
        None => column,
    }
}

/// The bytes of a file of `f32` in which the numbers of these layers are multiplied by their `one`.
/// Numbers that a file of another network lacks are skipped.
pub(super) fn in_units<'f>(source: &Network, file: &'f [u8]) -> Result<Cow<'f, [u8]>, Error> {
    let has_ones = |role| ones(source, role).is_some();
    if !source.file.tensors().any(|tensor| has_ones(tensor.role)) {
        return Ok(Cow::Borrowed(file));
    }
    let layout = file_layout(source);
    let unpacked = format::unpack(&layout, file)?;
    let mut bytes = unpacked.into_owned();
    let mut start = 0;
    for (_, tensor) in layout.tensors() {
        let (role, stored) = (tensor.role, &tensor.stored);
        if let Some(ones) = ones(source, role) {
            for place in tensor.places() {
                let index = start + stored.index(place);
                let number = bytes.get_mut(4 * index..).and_then(<[u8]>::first_chunk_mut);
                let one = ones.get(output(role, place[1], place[2]));
                let (Some(number), Some(one)) = (number, one) else {
                    continue;
                };
                *number = ((f64::from(f32::from_le_bytes(*number)) * one) as f32).to_le_bytes();
            }
        }
        start += stored.values;
    }
    Ok(Cow::Owned(bytes))
}
