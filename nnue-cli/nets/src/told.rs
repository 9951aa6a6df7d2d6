//! Specs that come with a net file: [behind](format::attached) its weights, or in a file of the
//! same name beside it.

use std::path::Path;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format;
use nnue_compiler::network::Network;

use crate::Error;
use crate::specs::read_spec;

/// The text of the spec that comes with a net file, and its network. The spec behind the file is
/// read first, then the one beside it: `net.toml` of `net.nnue`.
///
/// # Errors
///
/// The spec is wrong, or cannot be read.
pub fn told_spec(path: &Path, bytes: &[u8]) -> Result<Option<(String, Network)>, Error> {
    if let (_, Some(spec)) = format::attached::detach(bytes) {
        let name = format!("the spec behind {}", path.display());
        let network = analyse(&SourceFile::new(name, spec.to_string()))?;
        return Ok(Some((spec.into(), network)));
    }
    let beside = path.with_extension("toml");
    match std::fs::read_to_string(&beside) {
        Ok(text) if beside != path && is_spec(&text) => read_spec(&beside).map(Some),
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
