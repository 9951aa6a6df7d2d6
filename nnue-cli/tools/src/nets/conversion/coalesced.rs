//! From a network whose file has virtual rows, or weights that stacks share, to the file of the
//! same network without them. The new file has the sums that loading makes.

use nnue_compiler::file_layout;
use nnue_compiler::format::{self, Element, FileLayout, Format, Section, Tail};
use nnue_compiler::network::Network;
use nnue_compiler::network::file::{AxisPart, Tensor};
use nnue_interpreter::Weights;

use super::ConversionError;
use crate::nets::tensors;

/// Whether files of a network have summands of its weights: virtual rows, or weights that stacks
/// share.
pub fn is_factorised(network: &Network) -> bool {
    network.virtual_row_count() > 0 || network.layers.iter().any(|layer| layer.factorised)
}

/// The network with files that have the sums in place of the summands.
pub(super) fn without_summands(network: &Network) -> Network {
    let mut network = network.clone();
    for set in &mut network.features {
        set.factors = None;
    }
    for layer in &mut network.layers {
        layer.factorised = false;
    }
    network
}

/// The weights of a network in the memory of `target`, which is the layout of a network without
/// summands.
///
/// # Errors
///
/// A sum is too large for its type in the other network.
pub(super) fn memory(
    to: &Network,
    target: &FileLayout,
    weights: &Weights,
) -> Result<Vec<u8>, ConversionError> {
    // A file whose types hold every number. Loading it puts all numbers in their places.
    let plain = plain(to);
    let mut file = Vec::new();
    for tensor in plain.file.tensors() {
        push(&plain, tensor, weights, &mut file);
    }
    let layout = file_layout(&plain);
    let mut memory = vec![0; target.memory_len()];
    let parts = format::split(&layout, &file).map_err(ConversionError::Sums)?;
    let loaded = parts.load(&[0], &mut memory);
    loaded.map_err(ConversionError::Sums)?;
    Ok(memory)
}

/// The network with a file of all its tensors one after the other, axis by axis, as `i32` or `f32`.
fn plain(network: &Network) -> Network {
    let mut plain = network.clone();
    let sections = network.file.tensors().map(|tensor| {
        let element = if tensors::are_integers(network, tensor.role) {
            Element::I32
        } else {
            Element::F32
        };
        let axes = tensor.role.axes().into_iter().map(AxisPart::from);
        let axes: Vec<_> = axes.zip(tensors::shape(network, tensor)).collect();
        let (role, name) = (tensor.role, tensor.name.clone());
        Section::Tensor(Tensor::of(role, name, element, &axes, 1))
    });
    plain.file.sections = sections.collect();
    plain.file.stack_groups = Vec::new();
    plain.file.format = Format::Sequence;
    plain.file.tail = Tail::NONE;
    plain
}

/// Appends the numbers of a tensor.
fn push(network: &Network, tensor: &Tensor, weights: &Weights, file: &mut Vec<u8>) {
    let first = file.len();
    file.resize(first + tensor.stored.raw_len(), 0);
    for (index, place) in tensors::places(network, tensor).enumerate() {
        // Without summands, the network has a number at every place.
        let number = weights.number(network, place).unwrap_or_default();
        tensor
            .stored
            .element
            .write_little_endian(&mut file[first..], index, number);
    }
}
