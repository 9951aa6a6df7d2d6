//! The record of a stage's inputs and results. It tells a later run that the stage is finished.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use nnue_compiler::format::foreign;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::changes::{changed_settings, keys};
use crate::files::{self, own};
use crate::loops::error::Error;

/// The length and the hash of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    bytes: u64,
    /// The SHA-256 of the file, in hexadecimal digits.
    sha256: String,
}

impl Content {
    /// Reads a file, which may be larger than the memory.
    ///
    /// # Errors
    ///
    /// The system does not let the file be read, or it is no regular file and may have no end.
    fn of(path: &Path) -> Result<Content, files::Error> {
        // Some are written by later stages, and those of the user are known from the beginning.
        let file = BufReader::with_capacity(1 << 16, own::open(path)?);
        Content::read(file).map_err(|error| files::Error::unreadable(path, error))
    }

    fn read(mut file: impl BufRead) -> io::Result<Content> {
        let mut hash = Sha256::new();
        let mut bytes = 0;
        loop {
            let part = file.fill_buf()?;
            if part.is_empty() {
                let sha256 = hash.finalize();
                let sha256 = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
                return Ok(Content { bytes, sha256 });
            }
            hash.update(part);
            let read = part.len();
            bytes += read as u64;
            file.consume(read);
        }
    }

    /// A description of how other content differs; `None` if it is the same.
    fn differs(&self, found: &Content) -> Option<String> {
        if found.bytes != self.bytes {
            let (found, written) = (found.bytes, self.bytes);
            return Some(format!("has {found} bytes, and {written} were written"));
        }
        (found != self).then(|| "is not what was written".into())
    }
}

/// The present contents of files, by their paths.
///
/// # Errors
///
/// [`Error::File`], which names the file that cannot be read.
pub(crate) fn contents(paths: &[PathBuf]) -> Result<BTreeMap<String, Content>, Error> {
    let each = paths.iter().map(|path| {
        let content = Content::of(path)?;
        Ok((path.to_string_lossy().into_owned(), content))
    });
    each.collect()
}

/// Everything on which the result of a stage depends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Basis {
    /// Arguments, variables of the environment and keys of the run file, by their names.
    pub(crate) words: BTreeMap<String, String>,
    /// The files that the stage reads, by their paths.
    pub(crate) files: BTreeMap<String, Content>,
}

impl Basis {
    /// The differences from an earlier basis, as words of a message.
    fn changes_since(&self, before: &Basis) -> Vec<String> {
        let mut changes = changed_settings(&before.words, &self.words);
        for path in keys(&before.files, &self.files) {
            let found = [before, self].map(|basis| basis.files.get(path));
            let path = foreign(path);
            match found {
                [Some(was), Some(is)] if was == is => {}
                [Some(_), Some(_)] => changes.push(format!("`{path}` has changed")),
                [None, _] => changes.push(format!("`{path}` is read now")),
                [_, None] => changes.push(format!("`{path}` is not read any more")),
            }
        }
        changes
    }
}

/// The record of a finished stage. It is written after all results of the stage.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finished {
    /// The name of the stage, such as `training`.
    pub name: String,
    /// The command in the form that a shell takes.
    pub command: String,
    /// The time that the stage took, in seconds.
    pub seconds: f64,
    /// The text that the stage wrote to standard output.
    pub(crate) printed: String,
    pub(crate) basis: Basis,
    /// The files that the stage wrote, by their paths.
    pub(crate) products: BTreeMap<String, Content>,
}

impl Finished {
    /// The reasons for which the stage must be run again; empty if it is finished.
    pub(crate) fn stale(&self, basis: &Basis, products: &[PathBuf]) -> Vec<String> {
        let mut reasons = basis.changes_since(&self.basis);
        for path in products {
            let recorded = self.products.get(&*path.to_string_lossy());
            let (found, path) = (Content::of(path), foreign(path.display()));
            reasons.extend(match (recorded, found) {
                (None, _) => Some(format!("it did not write `{path}`")),
                (_, Err(error)) => Some(error.to_string()),
                (Some(recorded), Ok(found)) => recorded
                    .differs(&found)
                    .map(|how| format!("`{path}` {how}")),
            });
        }
        reasons
    }
}
