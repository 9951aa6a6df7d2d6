//! The place from which packages of the project come, for packages that need them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::{Error as FileError, own};
use crate::nets::specs::read_text;
use serde_json::{Value, json};

use crate::measure::Error;

/// The place from which the project's packages come.
#[derive(Debug)]
pub struct Project(Place);

#[derive(Debug)]
enum Place {
    /// The folder of the project.
    Folder(PathBuf),
    /// The registry, with the packages of this program's version.
    Registry,
}

impl Project {
    /// A folder that the user names, or the folder from which this program was built. This is the
    /// project's folder, unless cargo has built a package of the registry. `needed` are packages, by
    /// their folders in the project.
    ///
    /// # Errors
    ///
    /// [`Error::NoProject`] if the folder that the user names lacks one of them.
    pub fn new(named: Option<&Path>, needed: &[&'static str]) -> Result<Project, Error> {
        let folder = match named {
            Some(folder) => folder,
            None => Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")),
        };
        let lacks = |package: &&str| !folder.join(package).join("Cargo.toml").is_file();
        match (needed.iter().copied().find(lacks), named) {
            (None, _) => match std::path::absolute(folder) {
                Ok(folder) => Ok(Project(Place::Folder(folder))),
                Err(error) => Err(FileError::unreadable(folder, error).into()),
            },
            (Some(_), None) => Ok(Project(Place::Registry)),
            (Some(package), Some(_)) => Err(Error::NoProject {
                folder: folder.into(),
                package,
            }),
        }
    }

    /// The dependency on a package, as a manifest has it.
    ///
    /// # Errors
    ///
    /// [`Error::NotText`] if the name of the folder cannot be in a manifest.
    pub fn dependency(&self, package: &str) -> Result<Value, Error> {
        let (key, place) = match &self.0 {
            Place::Folder(folder) => {
                let path = folder.join(package);
                let path = path.to_str().ok_or_else(|| not_utf8(folder))?;
                ("path", path.to_string())
            }
            Place::Registry => ("version", format!("={}", env!("CARGO_PKG_VERSION"))),
        };
        Ok(json!({ key: place }))
    }

    /// Writes the `Cargo.lock` of a workspace that needs the packages: the versions with which the
    /// project is tested, to which cargo adds packages. The file is written each time, because a
    /// killed run may have left a part of it.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if a file cannot be read or written.
    pub fn write_lock(&self, workspace: &Path) -> Result<(), Error> {
        let lock = workspace.join("Cargo.lock");
        match &self.0 {
            Place::Folder(project) if project.join("Cargo.lock").is_file() => {
                write(&lock, read_text(&project.join("Cargo.lock"))?)
            }
            // A damaged file of cargo is removed, and cargo makes another.
            _ if lock.is_file() && !is_toml(&lock) => Ok(own::remove(&lock)?),
            _ => Ok(()),
        }
    }
}

/// The error for a folder whose name is not UTF-8, which manifests of cargo are.
fn not_utf8(folder: &Path) -> Error {
    Error::NotText {
        folder: folder.into(),
    }
}

/// The most bytes of a `Cargo.lock`.
const LONGEST_LOCK: u64 = 1 << 26;

fn is_toml(path: &Path) -> bool {
    let bytes = own::read(path, LONGEST_LOCK).unwrap_or_default();
    str::from_utf8(&bytes).is_ok_and(|text| text.parse::<::toml::Table>().is_ok())
}

/// A manifest as text.
///
/// # Errors
///
/// [`Error::Manifest`] if TOML cannot hold it.
pub fn toml(manifest: &Value) -> Result<String, Error> {
    Ok(::toml::to_string(manifest)?)
}

/// Writes a file of a package, unless it has these bytes already: cargo compiles files that are
/// newer.
///
/// # Errors
///
/// [`Error::File`] if it cannot be written.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
    let longest = bytes.as_ref().len() as u64;
    if own::read(path, longest).is_ok_and(|found| found == bytes.as_ref()) {
        return Ok(());
    }
    let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
    parent.map_err(|error| FileError::unwritable(path, error))?;
    Ok(own::write(path, bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rust's own way to quote has escapes that TOML lacks.
    #[test]
    fn any_text_can_be_the_path_of_the_project() {
        for name in [
            "e\u{301}",
            "\u{202e}txt",
            "\u{7f}",
            "\u{200b}",
            "a\"b'\\c\n",
            " ",
        ] {
            let folder = Path::new("/").join(name);
            let project = Project(Place::Folder(folder.clone()));
            let dependency = project.dependency("nnue-runtime").expect("it is text");
            let text = toml(&dependency).expect("TOML can hold it");
            let read: ::toml::Table = text.parse().expect("it is TOML");
            assert_eq!(read["path"].as_str(), folder.join("nnue-runtime").to_str());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_is_refused() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let folder = Path::new(OsStr::from_bytes(b"/\xFF")).to_path_buf();
        let refused = Project(Place::Folder(folder)).dependency("nnue-runtime");
        let message = refused.expect_err("no manifest can hold it").to_string();
        assert!(message.contains("is not UTF-8"), "{message}");
    }
}
