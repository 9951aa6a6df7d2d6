//! The net file that a network is measured with.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::{Error as FileError, own};
use crate::nets::net_file::LONGEST_NET;
use crate::nets::specs::Spec;
use nnue_compiler::network::{Network, Pooling};
use nnue_compiler::{file_layout, format};
use nnue_interpreter::dummy::trained::trained;
use nnue_runtime::Board;
use nnue_trace::Trace;

use super::package::hash;
use crate::measure::Error;

/// The number of positions on which the activity of neurons is chosen.
const POSITIONS: usize = 128;

/// A file with weights that nobody has trained, in the spec's folder. It is made once for each spec
/// and density.
pub fn net_file(folder: &Path, spec: &Spec, density: f64, trace: &Trace) -> Result<PathBuf, Error> {
    let version = env!("CARGO_PKG_VERSION");
    let key = hash(format!("{version}\n{}", spec.text).as_bytes());
    let of_spec = format!("dummy_{key:016x}_");
    let path = folder.join(format!("{of_spec}{:016x}.net", density.to_bits()));
    let layout = file_layout(&spec.network);
    if own::read(&path, LONGEST_NET).is_ok_and(|file| format::check(&layout, &file).is_ok()) {
        return Ok(path);
    }
    fs::create_dir_all(folder).map_err(|error| FileError::unwritable(folder, error))?;
    // Files for an earlier text of the spec are removed; another run may need another density.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("dummy_") && !name.starts_with(&of_spec) {
            let _ = own::remove(&entry.path());
        }
    }
    let step = trace.evaluations().div_ceil(POSITIONS).max(1);
    let positions: Vec<Board> = trace.evaluated().step_by(step).cloned().collect();
    let file = trained(&spec.network, density, &positions);
    own::write(&path, file)?;
    Ok(path)
}

/// The number of blocks of four inputs in the first layer of Stockfish's released nets, and the
/// share of them that is not zero, on average over the positions of the trace. The nets are
/// small128, SFNNv5, SFNNv6 and SFNNv9, whose neurons are multiplied in pairs.
const ACTIVE_PRODUCTS: [(f64, f64); 4] =
    [(32.0, 0.69), (256.0, 0.49), (384.0, 0.327), (768.0, 0.253)];

/// The blocks of SFNNv1 to SFNNv3 with the share that is not zero. Their neurons are only clipped.
const ACTIVE_NEURONS: [(f64, f64); 3] = [(128.0, 0.633), (256.0, 0.333), (512.0, 0.217)];

/// The share of blocks that are not zero in a trained network of this kind. It is interpolated
/// between Stockfish's released nets by the logarithm of the width; beyond them it is that of the
/// nearest net.
pub fn density_of_trained(network: &Network) -> f64 {
    let released: &[(f64, f64)] = match network.transformer.pooling {
        Pooling::Product { .. } => &ACTIVE_PRODUCTS,
        Pooling::None | Pooling::Average | Pooling::Max => &ACTIVE_NEURONS,
    };
    let blocks = network.transformer.output.len as f64 / 4.0;
    let mut share = released[0].1;
    for pair in released.windows(2) {
        let ((narrow, more), (wide, less)) = (pair[0], pair[1]);
        let way = (blocks / narrow).ln() / (wide / narrow).ln();
        share += way.clamp(0.0, 1.0) * (less - more);
    }
    share
}

#[cfg(test)]
mod tests {
    use nnue_compiler::analyse;
    use nnue_compiler::diagnostics::SourceFile;

    use super::*;
    use crate::nets::specs::SpecChoice;

    #[test]
    fn a_net_of_another_density_is_kept_and_a_damaged_one_is_made_anew() {
        let folder = std::env::temp_dir().join(format!("nnue-dummies-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let text = include_str!("../../../../../specs/bullet/simple.toml").to_string();
        let spec = Spec {
            choice: SpecChoice::File("simple.toml".into()),
            network: analyse(&SourceFile::new("simple.toml", text.clone())).unwrap(),
            text,
        };
        let trace = Trace::bundled().unwrap();
        let net = |density| net_file(&folder, &spec, density, &trace).unwrap();
        let (sparse, dense) = (net(0.25), net(0.75));
        assert_ne!(sparse, dense);
        let whole = fs::read(&sparse).unwrap();
        fs::write(&sparse, &whole[..100]).unwrap();
        assert_eq!(net(0.25), sparse);
        assert!(fs::read(&sparse).unwrap() == whole && dense.is_file());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn released_nets_have_the_share_that_was_measured() {
        for (like, width, share) in [
            ("small128", 128, 0.69),
            ("small128", 64, 0.69),
            // Half-way from 32 to 256 blocks, by the logarithm, is the square root of their
            // product.
            ("small128", 362, (0.69 + 0.49) / 2.0),
            ("sfnnv5", 1024, 0.49),
            ("sfnnv9", 3072, 0.253),
            ("sfnnv9", 4096, 0.253),
            ("sfnnv1", 256, 0.633),
            ("sfnnv3", 1024, 0.217),
        ] {
            let text = format!("name = \"N\"\nlike = \"{like}\"\ntransformer.width = {width}\n");
            let network = analyse(&SourceFile::new("spec", text)).expect("a spec");
            let found = density_of_trained(&network);
            assert!((found - share).abs() < 0.002, "{like} {width}: {found}");
        }
    }
}
