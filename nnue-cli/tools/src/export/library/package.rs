//! The package of a library, which cargo compiles, and the header beside it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use nnue_capi::header::Header;
use nnue_compiler::network::{Network, Order};
use serde_json::json;

use super::Error;
use crate::files::{Error as FileError, own};
use crate::measure::project::{Project, write};
use crate::measure::workspace::{Package, profile};

/// The packages of the project that the library needs, by their folders.
pub const NEEDED: [&str; 2] = ["nnue-runtime", "nnue-runtime/capi"];

/// The manifest of the package, and its first line, which tells the command's packages.
const MANIFEST: &str = "Cargo.toml";
const MARK: &str = "# `nnue capi` has made this package, and writes its files anew.\n";

/// The code of the package, and its first line.
const CODE: &str = "src/lib.rs";
const CODE_MARK: &str = "//! `nnue capi` has made this file, and writes it anew.";

/// The most bytes of a file that may be replaced.
const LONGEST: u64 = 1 << 32;

/// Refuses to replace a file that is there and is not of this kind.
///
/// # Errors
///
/// [`Error::OtherFile`] for another file, [`Error::File`] if it cannot be read.
pub(super) fn check(path: &Path, is_own: impl FnOnce(&[u8]) -> bool) -> Result<(), Error> {
    match own::read(path, LONGEST) {
        Err(error) if error.is_missing() => Ok(()),
        Err(FileError::NoFile { .. } | FileError::TooLong { .. }) => {
            Err(Error::OtherFile { path: path.into() })
        }
        Err(error) => Err(error.into()),
        Ok(bytes) if is_own(&bytes) => Ok(()),
        Ok(_) => Err(Error::OtherFile { path: path.into() }),
    }
}

/// How weights become part of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Embed {
    /// As the net file, which is decoded when the network is made.
    File,
    /// As they lie in memory, used where they are.
    Weights,
}

/// Weights that become part of a library.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The net file.
    pub file: Vec<u8>,
    /// How they become part of it.
    pub embed: Embed,
}

/// A network that becomes a library.
#[derive(Debug)]
pub struct Library<'n> {
    text: &'n str,
    network: &'n Network,
    name: String,
    weights: Option<Weights>,
}

impl<'n> Library<'n> {
    /// The library of a network whose spec has that text. `name` is the beginning of all its names in
    /// C, and the name of its files.
    ///
    /// # Errors
    ///
    /// [`Error::Custom`] for a network with custom feature sets, [`Error::Name`] and
    /// [`Error::Taken`] for a name that cannot be.
    pub fn new(
        text: &'n str,
        network: &'n Network,
        name: &str,
        weights: Option<Weights>,
    ) -> Result<Library<'n>, Error> {
        if let Some(set) = network.features.iter().find(|set| set.is_supplied()) {
            return Err(Error::Custom {
                network: network.name.clone(),
                set: set.name.clone(),
            });
        }
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let is_first = |letter: char| letter.is_ascii_alphabetic();
        let name = name.to_string();
        if !name.starts_with(is_first) || !name.chars().all(is_letter) {
            return Err(Error::Name { name });
        }
        if Header::is_taken(&name) {
            return Err(Error::Taken { name });
        }
        if Header::is_reserved(&name) {
            return Err(Error::Reserved { name });
        }
        Ok(Library {
            text,
            network,
            name,
            weights,
        })
    }

    /// The name for a spec's file: `nnue_` and what of the file's name can be part of an identifier.
    #[must_use]
    pub fn name_for(spec: &Path) -> String {
        let stem = spec.file_stem().unwrap_or_default().to_string_lossy();
        let letters = |letter: char| {
            if letter.is_ascii_alphanumeric() {
                letter.to_ascii_lowercase()
            } else {
                '_'
            }
        };
        let stem: String = stem.chars().map(letters).collect();
        format!("nnue_{stem}")
    }

    /// The beginning of all names.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the crate.
    pub(super) fn crate_name(&self) -> String {
        format!("{}_for_c", self.name)
    }

    fn sees_clock(&self) -> bool {
        self.network.features.iter().any(|set| set.is_clock())
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> String {
        let header = Header {
            network: &self.network.name,
            prefix: &self.name,
            embedded: self.weights.is_some(),
            by_pieces: self.network.stacks.by_pieces.is_some(),
            clock: self.sees_clock(),
            wdl: self.network.output.heads.len() > 1,
            white_first: self.network.transformer.perspectives.order == Order::WhiteFirst,
        };
        header.text()
    }

    /// Refuses a folder for the package that has files of something else. Hidden files do not
    /// count, as those of a version control.
    ///
    /// # Errors
    ///
    /// [`Error::OtherFiles`] for a folder that is neither empty nor a package of this command,
    /// [`Error::OtherFile`] for a file in such a package that somebody else has made,
    /// [`Error::File`] if the folder cannot be read.
    pub fn check_folder(&self, folder: &Path) -> Result<(), Error> {
        let mut entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(FileError::unreadable(folder, error).into()),
            Ok(entries) => entries.flatten(),
        };
        let is_hidden = |entry: &fs::DirEntry| {
            let name = entry.file_name();
            name.as_encoded_bytes().starts_with(b".")
        };
        if entries.all(|entry| is_hidden(&entry)) {
            return Ok(());
        }
        if !folder.join(MANIFEST).is_file() {
            let folder = folder.into();
            return Err(Error::OtherFiles { folder });
        }
        self.check_header(folder)?;
        let marked = [(MANIFEST, MARK), (CODE, CODE_MARK)];
        marked.into_iter().try_for_each(|(name, mark)| {
            check(&folder.join(name), |bytes| {
                bytes.starts_with(mark.as_bytes())
            })
        })
    }

    /// Refuses a folder for the header that has another file of its name.
    ///
    /// # Errors
    ///
    /// [`Error::OtherFile`] for such a file, [`Error::File`] if it cannot be read.
    pub(super) fn check_header(&self, folder: &Path) -> Result<(), Error> {
        check(&self.header_in(folder), Header::is_one)
    }

    /// The path of the header in a folder.
    pub(super) fn header_in(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.h", self.name))
    }

    /// Writes the package, as `kinds` of libraries, and the header beside its manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Package`] if a file cannot be written.
    pub fn write(&self, folder: &Path, project: &Project, kinds: &[&str]) -> Result<(), Error> {
        let mut runtime = project.dependency(NEEDED[0])?;
        runtime["features"] = json!(["zstd"]);
        let capi = project.dependency(NEEDED[1])?;
        // What is measured is what an engine gets. Panics end the process in any case; without
        // unwinding the library is smaller.
        let mut release = profile();
        (release["panic"], release["strip"]) = ("abort".into(), "debuginfo".into());
        let more = json!({
            "lib": { "crate-type": kinds },
            "profile": { "release": release },
            "workspace": {},
        });
        let package = Package {
            name: &self.crate_name(),
            dependencies: json!({ "nnue-runtime": runtime, "nnue-capi": capi }),
            spec: self.text,
            code: (CODE, self.code()),
        };
        package.write(folder, MARK, more)?;
        if let Some(weights) = &self.weights {
            write(&folder.join("net.nnue"), &weights.file)?;
        }
        write(&self.header_in(folder), self.header())?;
        Ok(project.write_lock(folder)?)
    }

    /// The code of the package.
    fn code(&self) -> String {
        let embedded = self
            .weights
            .as_ref()
            .map_or("", |weights| match weights.embed {
                Embed::File => ", weights = \"net.nnue\"",
                Embed::Weights => ", weights = \"net.nnue\", embed = \"weights\"",
            });
        let extras = [
            (self.network.stacks.by_pieces.is_some(), ", by_pieces"),
            (self.weights.is_some(), ", embedded"),
            (self.sees_clock(), ", clock"),
        ];
        let extras = extras.into_iter().filter(|(has, _)| *has);
        let extras: String = extras.map(|(_, extra)| extra).collect();
        format!(
            "{CODE_MARK}\n//!\n//! The functions that `{name}.h` declares.\n\n\
             mod net {{\n    nnue_runtime::nnue_net!(\"spec.toml\"{embedded});\n}}\n\n\
             mod exported {{\n    nnue_capi::export!(super::net, \"{name}\"{extras});\n}}\n",
            name = self.name
        )
    }
}
