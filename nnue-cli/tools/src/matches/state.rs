//! A file of finished pairs, from which an interrupted match continues.
//!
//! The file is JSON, line by line. The first line has the settings that decide how games are
//! played, and each further line has a pair. The first line is written together with the file. So
//! only the last line can be cut off, if the program was killed or the disk was full; such a line
//! is dropped.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::changes::changed_settings;
use crate::files::{is_standard, own};
use crate::matches::error::Error;
use crate::matches::results::Pair;

/// Everything that decides how the games of a match are played, by names.
pub type Settings = BTreeMap<String, String>;

#[derive(Serialize, Deserialize)]
struct Header {
    /// The version of the file's form, whose key also tells what the file is.
    nnue_match: u32,
    settings: Settings,
}

const VERSION: u32 = 1;

/// The most bytes of a line. The longest games need less than a tenth.
const LONGEST: u64 = 1 << 24;

/// An open file of finished pairs. A file that this match has begun is removed if it gets no pairs:
/// otherwise the settings of a match that could not be played would forbid corrected settings.
#[derive(Debug)]
pub struct State {
    path: PathBuf,
    file: File,
    is_useless: bool,
}

impl State {
    /// Opens a file, or begins it, and returns the pairs that it has.
    ///
    /// # Errors
    ///
    /// [`Error`] if the file is no state, belongs to a match with other settings, or is in use.
    pub fn open(path: &Path, settings: &Settings) -> Result<(State, BTreeMap<usize, Pair>), Error> {
        if is_standard(path) {
            return Err(Error::NoState {
                path: path.into(),
                expected: Some("a file, with which later runs go on"),
            });
        }
        let is_new = is_missing(path)?;
        if is_new || is_empty(path)? {
            begin(path, settings)?;
        }
        let file = locked(path)?;
        let mut state = State {
            path: path.into(),
            file,
            is_useless: false,
        };
        let finished = state.read(settings)?;
        state.is_useless = is_new && finished.is_empty();
        Ok((state, finished))
    }

    /// Reads the pairs, after a check of the settings. The rest of an unfinished line is cut off.
    fn read(&mut self, settings: &Settings) -> Result<BTreeMap<usize, Pair>, Error> {
        let path = &*self.path;
        let failed = |error| failed(path, error);
        let mut lines = BufReader::new(own::open(path)?);
        let mut line = Vec::new();
        let mut next = |line: &mut Vec<u8>| {
            line.clear();
            lines.by_ref().take(LONGEST).read_until(b'\n', line)
        };
        let mut whole = next(&mut line).map_err(failed)?;
        // Only a file that is a state is cut.
        if !line.ends_with(b"\n") {
            return Err(no_state(path));
        }
        check(path, &line, settings)?;
        let mut finished = BTreeMap::new();
        for number in 2.. {
            let len = next(&mut line).map_err(failed)?;
            if len < LONGEST as usize && !line.ends_with(b"\n") {
                break;
            }
            let pair: Pair = serde_json::from_slice(&line).map_err(|error| Error::NoPair {
                path: path.into(),
                line: number,
                error,
            })?;
            finished.insert(pair.index, pair);
            whole += len;
        }
        self.file.set_len(whole as u64).map_err(failed)?;
        Ok(finished)
    }

    /// Adds a finished pair.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if the system does not let the pair be written.
    pub fn add(&mut self, pair: &Pair) -> Result<(), Error> {
        let unwritable = |error| unwritable(&self.path, error);
        // The line is written in one piece, so that no signal cuts it, and synchronised with the
        // disk.
        let line = line(pair).map_err(unwritable)?;
        let written = self.file.write_all(&line);
        written
            .and_then(|()| self.file.sync_data())
            .map_err(unwritable)?;
        self.is_useless = false;
        Ok(())
    }
}

impl Drop for State {
    fn drop(&mut self) {
        if self.is_useless {
            let _ = own::remove(&self.path);
        }
    }
}

fn failed(path: &Path, error: io::Error) -> Error {
    let path = path.into();
    Error::Unusable { path, error }
}

fn unwritable(path: &Path, error: io::Error) -> Error {
    crate::files::Error::unwritable(path, error).into()
}

/// The error for a file that is no state.
fn no_state(path: &Path) -> Error {
    Error::NoState {
        path: path.into(),
        expected: None,
    }
}

/// Whether a path does not exist. An existing path must be a file: a device may have no end, and
/// opening a pipe waits for a program that writes to it.
fn is_missing(path: &Path) -> Result<bool, Error> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(false),
        Ok(_) => Err(Error::NoState {
            path: path.into(),
            expected: Some("a file, or a name that is not taken"),
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(failed(path, error)),
    }
}

fn is_empty(path: &Path) -> Result<bool, Error> {
    let metadata = fs::metadata(path).map_err(|error| failed(path, error))?;
    Ok(metadata.len() == 0)
}

/// Writes the settings to a file that does not exist or is empty. If another match is faster, the
/// file has the settings of that match.
fn begin(path: &Path, settings: &Settings) -> Result<(), Error> {
    let header = Header {
        nnue_match: VERSION,
        settings: settings.clone(),
    };
    let header = line(&header).map_err(|error| unwritable(path, error))?;
    let begun = own::create_new(path).and_then(|mut output| {
        output.add(&header)?;
        output.finish()
    });
    match begun {
        Err(crate::files::Error::Exists { .. }) => {}
        begun => return Ok(begun?),
    }
    // Only the match that has locked the empty file replaces it.
    let _empty = locked(path)?;
    if is_empty(path)? {
        Ok(own::write(path, header)?)
    } else {
        Ok(())
    }
}

/// Opens a file that no other match has open.
fn locked(path: &Path) -> Result<File, Error> {
    let file = own::append(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::InUse { path: path.into() }),
        Err(TryLockError::Error(error)) => Err(failed(path, error)),
    }
}

fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// Refuses the settings of another match.
fn check(path: &Path, header: &[u8], settings: &Settings) -> Result<(), Error> {
    let header: Header = serde_json::from_slice(header).map_err(|_| no_state(path))?;
    if header.nnue_match != VERSION {
        return Err(Error::Version {
            path: path.into(),
            found: header.nnue_match,
            read: VERSION,
        });
    }
    let differences = changed_settings(&header.settings, settings);
    if differences.is_empty() {
        Ok(())
    } else {
        Err(Error::OtherMatch {
            path: path.into(),
            differences,
        })
    }
}
