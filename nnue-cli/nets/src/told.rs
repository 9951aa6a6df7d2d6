//! Specs that come with a net file: [behind](format::attached) its weights, or in a file of the
//! same name beside it.

use std::path::{Path, PathBuf};

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format;
use nnue_compiler::network::Network;

use crate::Error;
use crate::specs::read_spec;

/// Where the spec of a net file was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Behind the weights.
    Behind,
    /// In this file beside the net.
    Beside(PathBuf),
    /// Among the known specs, possibly with another encoding.
    Known,
    /// In the file's header and its sizes, from which a spec was written.
    Shape,
}

/// The text of the spec that comes with a net file, its network, and where it was found. The spec
/// behind the file is read first, then the one beside it: `net.toml` of `net.nnue`.
///
/// # Errors
///
/// The spec is wrong, or cannot be read.
pub fn told_spec(path: &Path, bytes: &[u8]) -> Result<Option<(String, Network, Origin)>, Error> {
    if let (_, Some(spec)) = format::attached::detach(bytes) {
        let name = format!("the spec behind {}", path.display());
        let network = analyse(&SourceFile::new(name, spec.to_string()))?;
        return Ok(Some((spec.into(), network, Origin::Behind)));
    }
    let beside = path.with_extension("toml");
    match std::fs::read_to_string(&beside) {
        Ok(text) if beside != path && is_spec(&text) => {
            let (spec, network) = read_spec(&beside)?;
            Ok(Some((spec, network, Origin::Beside(beside))))
        }
        _ => Ok(None),
    }
}

/// Whether a text of TOML is meant as a spec. Others stand beside nets too, such as what they were
/// trained with.
fn is_spec(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    lines.any(|line| {
        ["[[features]]", "[transformer]", "like"]
            .iter()
            .any(|start| line.starts_with(start))
    })
}

/// A net file with the text of a spec behind it.
///
/// # Errors
///
/// [`Error::LongSpec`] for a spec that is too long to stand there.
pub fn with_spec(net: &[u8], spec: &str) -> Result<Vec<u8>, Error> {
    format::attached::attach(net, spec).ok_or(Error::LongSpec { len: spec.len() })
}
