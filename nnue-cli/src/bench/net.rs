//! The net file that a network is measured with.

use std::fs;
use std::path::{Path, PathBuf};

use nnue_compiler::network::{Network, Pooling};
use nnue_dummy::trained::trained;
use nnue_runtime::Board;
use nnue_trace::Trace;

use super::Spec;
use super::package::hash;
use crate::Failure;
use crate::inputs::unwritable;

/// On how many positions the activity of neurons is chosen.
const POSITIONS: usize = 128;

/// A file with weights that nobody has trained, in the spec's folder. Made once for each spec and
/// density.
pub(crate) fn net_file(
    folder: &Path,
    spec: &Spec,
    density: f64,
    trace: &Trace,
) -> Result<PathBuf, Failure> {
    let key = hash(format!("{density}\n{}", spec.text).as_bytes());
    let path = folder.join(format!("dummy_{key:016x}.net"));
    if path.is_file() {
        return Ok(path);
    }
    // Those of what the spec said before.
    if let Ok(entries) = fs::read_dir(folder) {
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with("dummy_") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
    let step = trace.evaluations().div_ceil(POSITIONS).max(1);
    let positions: Vec<Board> = trace.evaluated().step_by(step).cloned().collect();
    let file = trained(&spec.network, density, &positions);
    // Whoever is interrupted leaves no half of a file under its name.
    let part = path.with_extension("part");
    fs::write(&part, file)
        .and_then(|()| fs::rename(&part, &path))
        .map_err(|error| unwritable(&path, &error))?;
    Ok(path)
}

/// The share of blocks that are not zero in a trained network of this kind, as the released nets of
/// Stockfish have it: 0.63 to 0.22 for SFNNv1 to SFNNv3, 0.5 to 0.25 for SFNNv5 to SFNNv9, whose
/// neurons are multiplied in pairs. Wider transformers have fewer.
pub(crate) fn density_of_trained(network: &Network) -> f64 {
    let blocks = (network.transformer.output.len as f64 / 4.0).max(1.0);
    let active = match network.transformer.pooling {
        Pooling::Product { .. } => (0.5 * blocks).min(92.0 + 0.133 * blocks),
        Pooling::None | Pooling::Average | Pooling::Max => {
            (0.63 * blocks).min(75.0 + 0.07 * blocks)
        }
    };
    active / blocks
}
