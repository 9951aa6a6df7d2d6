//! Specs that come with a net file: [behind](format::attached) its weights, or in a file of the
//! same name beside it.

use std::path::{Path, PathBuf};

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format;
use nnue_compiler::network::Network;
use nnue_compiler::recognise::is_spec;

use crate::nets::Error;
use crate::nets::specs::read_text;

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
        let text = std::str::from_utf8(spec).map_err(|error| Error::NoText {
            path: name.clone().into(),
            offset: error.valid_up_to(),
        })?;
        let network = analyse(&SourceFile::new(name, text.to_string()))?;
        return Ok(Some((text.into(), network, Origin::Behind)));
    }
    let beside = path.with_extension("toml");
    if beside == path || !beside.is_file() {
        return Ok(None);
    }
    let text = read_text(&beside)?;
    if !is_spec(&text) {
        return Ok(None);
    }
    let network = analyse(&SourceFile::new(beside.display().to_string(), text.clone()))?;
    Ok(Some((text, network, Origin::Beside(beside))))
}

/// A net file with the text of a spec behind it.
///
/// # Errors
///
/// [`Error::LongSpec`] for a spec that is too long to stand there.
pub fn with_spec(net: &[u8], spec: &str) -> Result<Vec<u8>, Error> {
    format::attached::attach(net, spec).ok_or(Error::LongSpec { len: spec.len() })
}
