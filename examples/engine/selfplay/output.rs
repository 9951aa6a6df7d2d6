//! A file of positions that is written as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

/// A file that is being written. Its path keeps the old file, or none, until
/// [`finish`](Output::finish).
pub(crate) struct Output {
    path: PathBuf,
    /// The file beside it that will take its place; `None` for a pipe or a device.
    part: Option<PathBuf>,
    file: BufWriter<File>,
}

impl Output {
    /// Begins a file, which must not be one that is read.
    pub(crate) fn create(path: &Path, input: &Path) -> Result<Output, String> {
        let identity = |path: &Path| file_id::get_file_id(path).ok();
        if identity(path).is_some_and(|file| identity(input) == Some(file)) {
            let (path, input) = (path.display(), input.display());
            return Err(format!(
                "cannot write `{path}`: it is the same file as `{input}`, which is read"
            ));
        }
        let is_file = fs::metadata(path).map_or(true, |found| found.is_file());
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let part = is_file.then(|| {
            let mut name = target.clone().into_os_string();
            name.push(format!(".{}.part", process::id()));
            PathBuf::from(name)
        });
        let file = File::create(part.as_ref().unwrap_or(&target));
        Ok(Output {
            file: BufWriter::new(file.map_err(|error| unwritable(path, error))?),
            path: target,
            part,
        })
    }

    /// Adds a line.
    pub(crate) fn add(&mut self, line: &str) -> Result<(), String> {
        writeln!(self.file, "{line}").map_err(|error| unwritable(&self.path, error))
    }

    /// Brings all lines to the disk, and then the file to its place.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        self.put().map_err(|error| unwritable(&self.path, error))
    }

    fn put(&mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some(part) = &self.part {
            self.file.get_ref().sync_all()?;
            fs::rename(part, &self.path)?;
            self.part = None;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            let _ = fs::remove_file(part);
        }
    }
}

fn unwritable(path: &Path, error: io::Error) -> String {
    format!("cannot write `{}`: {error}", path.display())
}
