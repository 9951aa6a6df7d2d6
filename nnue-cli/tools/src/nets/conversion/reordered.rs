//! From a net file to the file of the same network with its neurons in another order.

use nnue_compiler::format::{reorder, split};

use super::{ConversionError, rewritten::store};
use crate::nets::Error;
use crate::nets::net_file::NetFile;

/// The net file with the transformer's outputs in another order: `order[place]` is the number of the
/// output that takes the place. Outputs are numbered as in the file, whatever order the spec has for
/// memory. Evaluations stay the same. Bytes of the file that loading skips are not reordered, even
/// if they are a copy of a tensor.
///
/// # Errors
///
/// The order does not have each output once, or it exchanges two outputs and some layer reads only
/// one of them.
pub fn reorder_outputs(file: &NetFile, order: &[usize]) -> Result<Vec<u8>, Error> {
    let outputs = file.network.outputs();
    let checked = outputs.check(order);
    checked.map_err(|error| ConversionError::Order(error.to_string()))?;
    let mut weights = vec![0; file.layout.memory_len()];
    let loaded = split(&file.layout, &file.bytes)?.load(&[0], &mut weights)?;
    let moves = |tensor| outputs.moves(tensor, order);
    reorder(&file.layout, &[0], &mut weights, moves);
    Ok(store(&file.layout, &weights, &loaded))
}
