//! From a net file to a file of its weights as they lie in memory.

use nnue_compiler::format::split;
use nnue_compiler::layout::Layout;
use nnue_runtime::__private::laid_out::{LaidOut, weights_hash};
use nnue_runtime::Level;

use super::{ConversionError, Converted};
use crate::nets::Error;
use crate::nets::net_file::NetFile;

/// Makes a net file a file of laid-out weights, which `Network::map` maps.
///
/// # Errors
///
/// The net file has more content besides its weights than a header has room for.
pub fn lay_out(file: &NetFile, level: Level) -> Result<Converted, Error> {
    let mut weights = vec![0; Layout::of(&file.network).weights.size];
    let parts = split(&file.layout, &file.bytes)?;
    let loaded = parts.load(level.packed(), &mut weights);
    let laid_out = LaidOut {
        level: level.name().into(),
        packed: level.packed().to_vec(),
        loaded: loaded?,
        hash: Some(weights_hash(&weights)),
    };
    let mut bytes = Vec::new();
    let written = laid_out.write(&file.layout, &weights, &mut bytes);
    written.map_err(ConversionError::Header)?;
    Ok(Converted {
        bytes,
        lost: Vec::new(),
    })
}
