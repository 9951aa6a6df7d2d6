//! Files that must not be written, because they are read.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::files::registry::{self, FileNumber, Identity, file, place};
use crate::files::{Error, is_standard, standard};

/// The files that a program reads. The system identifies them, and not their names: hard links and
/// symbolic links lead to the same file. A file from which standard input was redirected is among
/// them.
///
/// Only regular files count: nothing is lost if a terminal is read and written.
#[derive(Debug)]
pub struct Inputs {
    files: HashMap<FileNumber, PathBuf>,
}

impl Inputs {
    /// The inputs at these paths; `-` is standard input. Files that do not exist are left out,
    /// because they cannot be overwritten.
    pub fn of<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Inputs {
        let named = paths.into_iter().filter_map(|path| {
            let path = path.as_ref();
            Some((file(path).filter(|_| !is_standard(path))?, path.into()))
        });
        let mut files: HashMap<FileNumber, PathBuf> = named.collect();
        if let Some(standard) = standard::input() {
            files.entry(standard).or_insert_with(|| "-".into());
        }
        Inputs { files }
    }

    /// Refuses outputs that are inputs, and outputs that are named twice, before long work is done.
    /// Nothing is opened. Standard output and standard error are outputs too, but may be the same
    /// file. No output that is begun later can be one of these inputs.
    ///
    /// # Errors
    ///
    /// [`Error::Overwritten`] for an output that is an input, [`Error::WrittenTwice`] for two names
    /// of a file.
    pub fn check<P: AsRef<Path>>(&self, outputs: impl IntoIterator<Item = P>) -> Result<(), Error> {
        for (stream, path) in standard::outputs() {
            // Only the caller knows whether standard input is read.
            if let Some(input) = self.files.get(&stream)
                && !is_standard(input)
            {
                let (path, input) = (path.into(), input.clone());
                return Err(Error::Overwritten { path, input });
            }
        }
        let mut written = HashMap::new();
        for output in outputs {
            let path = output.as_ref();
            let Some(identity) = of_output(path) else {
                continue;
            };
            if let Identity::File(file) = &identity
                && let Some(input) = self.files.get(file)
            {
                let (path, input) = (path.into(), input.clone());
                return Err(Error::Overwritten { path, input });
            }
            if let Some(first) = written.insert(identity, path.to_path_buf()) {
                let second = path.into();
                return Err(Error::WrittenTwice { first, second });
            }
        }
        // Whether standard input is read is known when it is opened.
        let mut named = self.files.values().filter(|input| !is_standard(input));
        named.try_for_each(|input| registry::read(input))
    }
}

/// Refuses to read the file to which standard output or standard error was redirected, as by `>>`.
/// Printed text would be added to the file, and be read again.
///
/// # Errors
///
/// [`Error::Overwritten`] for such a file.
pub(crate) fn check_printed(read: &Path) -> Result<(), Error> {
    let found = if is_standard(read) {
        standard::input()
    } else {
        file(read)
    };
    let mut outputs = standard::outputs();
    match outputs.find(|(stream, _)| found == Some(*stream)) {
        Some((_, path)) => Err(Error::Overwritten {
            path: path.into(),
            input: read.into(),
        }),
        None => Ok(()),
    }
}

/// The identity of an output, unless it can be written without loss, as a terminal can.
fn of_output(path: &Path) -> Option<Identity> {
    if is_standard(path) {
        return standard::output().map(Identity::File);
    }
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => None,
        Ok(_) => file(path).map(Identity::File),
        Err(_) => Some(Identity::Place(place(path))),
    }
}
