//! A file of finished pairs, with which an interrupted match goes on.
//!
//! The first line has the settings that decide how games are played, and each further line a pair,
//! as JSON. A line that was cut off when the program was killed is dropped.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use nnue_compiler::format::foreign;
use serde::{Deserialize, Serialize};

use super::results::Pair;
use crate::Failure;
use crate::inputs::unwritable;

/// Names of options, and what they were.
pub(crate) type Settings = BTreeMap<String, String>;

#[derive(Serialize, Deserialize)]
struct Header {
    /// What kind of file it is, and the version of its form.
    nnue_match: u32,
    settings: Settings,
}

const VERSION: u32 = 1;

/// An open file of finished pairs.
pub(crate) struct State {
    path: PathBuf,
    file: File,
}

impl State {
    /// Opens a file, or begins it, and returns the pairs that it has.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it is not such a file, or of a match with other settings, or in use.
    pub(crate) fn open(
        path: &Path,
        settings: &Settings,
    ) -> Result<(State, BTreeMap<usize, Pair>), Failure> {
        let name = foreign(path.display());
        let failed = |error: std::io::Error| Failure::Work(format!("cannot use `{name}`: {error}"));
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = options.open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Work(format!(
                    "`{name}` is in use by another match"
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let mut state = State {
            path: path.into(),
            file,
        };
        let whole = bytes.iter().rposition(|byte| *byte == b'\n');
        let whole = whole.map_or(0, |end| end + 1);
        // What would be cut off must be ours.
        if whole == 0 && !bytes.is_empty() {
            return Err(Failure::Work(format!("`{name}` is no state of a match")));
        }
        let mut lines = bytes[..whole].split(|byte| *byte == b'\n');
        let finished = match lines.next().filter(|_| !bytes.is_empty()) {
            None => {
                state.append(&Header {
                    nnue_match: VERSION,
                    settings: settings.clone(),
                })?;
                BTreeMap::new()
            }
            Some(header) => {
                check(path, header, settings)?;
                let finished = pairs(path, lines)?;
                state.file.set_len(whole as u64).map_err(failed)?;
                state.file.seek(SeekFrom::End(0)).map_err(failed)?;
                finished
            }
        };
        Ok((state, finished))
    }

    /// Adds a finished pair.
    pub(crate) fn add(&mut self, pair: &Pair) -> Result<(), Failure> {
        self.append(pair)
    }

    fn append(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let unwritable = |error| unwritable(&self.path, &error);
        let mut line = serde_json::to_vec(value).map_err(|error| unwritable(error.into()))?;
        line.push(b'\n');
        // In one piece, which a signal does not cut, and kept if the machine crashes.
        let written = self.file.write_all(&line);
        written
            .and_then(|()| self.file.sync_data())
            .map_err(unwritable)
    }
}

fn check(path: &Path, header: &[u8], settings: &Settings) -> Result<(), Failure> {
    let name = foreign(path.display());
    let header: Header = serde_json::from_slice(header)
        .map_err(|_| Failure::Work(format!("`{name}` is no state of a match")))?;
    if header.nnue_match != VERSION {
        return Err(Failure::Work(format!(
            "`{name}` has version {} of its form, and this program reads {VERSION}",
            header.nnue_match
        )));
    }
    let nothing = String::from("nothing");
    let names = header.settings.keys().chain(settings.keys());
    let mut differences: Vec<String> = names
        .filter(|name| header.settings.get(*name) != settings.get(*name))
        .map(|name| {
            let before = header.settings.get(name).unwrap_or(&nothing);
            let now = settings.get(name).unwrap_or(&nothing);
            format!(
                "{} was {} and is {}",
                foreign(name),
                foreign(before),
                foreign(now)
            )
        })
        .collect();
    differences.sort();
    differences.dedup();
    match differences.is_empty() {
        true => Ok(()),
        false => Err(Failure::Work(format!(
            "`{name}` is the state of another match: {}",
            differences.join("; ")
        ))),
    }
}

fn pairs<'l>(
    path: &Path,
    lines: impl Iterator<Item = &'l [u8]>,
) -> Result<BTreeMap<usize, Pair>, Failure> {
    let mut finished = BTreeMap::new();
    for (number, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
        let pair: Pair = serde_json::from_slice(line).map_err(|error| {
            let name = foreign(path.display());
            Failure::Work(format!(
                "line {} of `{name}` is no pair: {}",
                number + 2,
                foreign(error)
            ))
        })?;
        finished.insert(pair.index, pair);
    }
    Ok(finished)
}
