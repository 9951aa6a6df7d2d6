//! The files of the players: their programs, and all files that the programs read.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::files::is_standard;
use crate::matches::Error;
use crate::matches::player::Player;

/// The most bytes of a player's file.
const LONGEST: u64 = 1 << 32;

/// The path of a program. A name without a folder is searched in the working folder, and then in
/// those of the system. The path must be known, because the program must not be overwritten, and an
/// interrupted match can continue only with the same program.
#[must_use]
pub fn find_program(path: &Path) -> PathBuf {
    if path.components().count() != 1 {
        return path.into();
    }
    if path.is_file() {
        return Path::new(".").join(path);
    }
    let mut name = OsString::from(path);
    if path.extension().is_none() {
        name.push(env::consts::EXE_SUFFIX);
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&folders).map(|folder| folder.join(&name));
    let found = places.find(|place| is_program(place));
    found.unwrap_or_else(|| path.into())
}

fn is_program(place: &Path) -> bool {
    fs::metadata(place).is_ok_and(|metadata| {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;

            metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
        }
        #[cfg(not(unix))]
        metadata.is_file()
    })
}

/// Hashes of the players' files. Each file is read once.
#[derive(Clone, Debug, Default)]
pub struct Fingerprints(BTreeMap<PathBuf, String>);

impl Fingerprints {
    /// Remembers the content of a file that was read, and returns the path with a hash of the
    /// content.
    pub fn add(&mut self, path: &Path, bytes: &[u8]) -> String {
        let hash = Sha256::digest(bytes);
        let hash: String = hash[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        let fingerprint = format!("`{}` ({hash})", path.display());
        self.0.insert(path.into(), fingerprint.clone());
        fingerprint
    }

    /// The path of a file, with a hash of its content.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if the file was not read before, and cannot be read.
    pub fn of(&mut self, path: &Path) -> Result<String, Error> {
        match self.0.get(path) {
            Some(known) => Ok(known.clone()),
            None => Ok(self.add(path, &crate::files::read(path, LONGEST)?)),
        }
    }

    /// The arguments and options of a player that are files, with their paths and hashes, except
    /// the files to which the player logs.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if a file cannot be read.
    pub fn of_player(&mut self, player: &Player) -> Result<Vec<(String, String)>, Error> {
        let arguments = player.arguments.iter();
        let arguments = arguments.map(|argument| (format!("the argument {argument}"), argument));
        let options = player.options.iter();
        let options = options
            .filter(|(name, _)| !name.to_ascii_lowercase().contains("log"))
            .map(|(name, value)| (format!("the file {name}"), value));
        let files = arguments
            .chain(options)
            .filter(|(_, value)| !is_standard(value.as_ref()) && Path::new(value).is_file());
        files
            .map(|(name, value)| Ok((name, self.of(value.as_ref())?)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_once() {
        let mut fingerprints = Fingerprints::default();
        let net = Path::new("no/such/net");
        let found = fingerprints.add(net, b"a net");
        assert_eq!(fingerprints.of(net).expect("it is known"), found);
        assert!(fingerprints.of("no/other/net".as_ref()).is_err());
    }
}
