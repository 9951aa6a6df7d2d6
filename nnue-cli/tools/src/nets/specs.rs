//! The specs that are part of the compiler, and specs in files.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use nnue_compiler::diagnostics::{SourceFile, nearest};
use nnue_compiler::format::foreign;
use nnue_compiler::network::Network;
use nnue_compiler::{analyse, known_specs};

use crate::nets::Error;

/// The most bytes of a spec, or of another text that people write.
const LONGEST_TEXT: u64 = 1 << 26;

/// A spec that is part of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownSpec {
    /// The path of the spec's file in `specs/`, without the extension.
    pub name: &'static str,
    /// The text of the spec.
    pub text: &'static str,
}

/// Specs of another game's networks, whose files have a header with words of their own.
const OF_OTHER_GAMES: [KnownSpec; 2] = [
    KnownSpec {
        name: "games/xiangqi",
        text: include_str!("../../field/xiangqi.toml"),
    },
    KnownSpec {
        name: "games/xiangqi_no_psqt",
        text: include_str!("../../field/xiangqi_no_psqt.toml"),
    },
];

impl KnownSpec {
    /// The specs of other games whose networks a header tells.
    pub(super) fn of_other_games() -> impl Iterator<Item = KnownSpec> {
        OF_OTHER_GAMES.into_iter()
    }

    /// All known specs, the oldest network first.
    pub fn all() -> impl Iterator<Item = KnownSpec> {
        known_specs().map(|(name, text)| KnownSpec { name, text })
    }

    /// The known spec of this name, in upper or lower case.
    ///
    /// # Errors
    ///
    /// [`UnknownSpec`] if no known spec has the name.
    pub fn named(name: &str) -> Result<KnownSpec, UnknownSpec> {
        KnownSpec::all()
            .find(|known| known.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownSpec(name.into()))
    }

    /// The network that the spec describes.
    ///
    /// # Errors
    ///
    /// There are no errors: all specs of the compiler are right.
    pub fn network(self) -> Result<Network, Error> {
        Ok(analyse(&SourceFile::new(self.name, self.text.to_string()))?)
    }
}

/// The choice of a spec: a known spec by its name, or the path of a file.
#[derive(Clone, Debug)]
pub enum SpecChoice {
    /// A spec that is part of the compiler.
    Known(KnownSpec),
    /// A file with a spec.
    File(PathBuf),
}

impl SpecChoice {
    /// Reads a choice from an argument: an argument with an extension or a folder is a path.
    ///
    /// # Errors
    ///
    /// [`UnknownSpec`] if the argument is neither a file nor the name of a known spec.
    pub fn of(argument: OsString) -> Result<SpecChoice, UnknownSpec> {
        let path = Path::new(&argument);
        match KnownSpec::named(&argument.to_string_lossy()) {
            Ok(known) => Ok(SpecChoice::Known(known)),
            Err(_) if path.extension().is_some() || path.components().count() > 1 => {
                Ok(SpecChoice::File(argument.into()))
            }
            Err(error) => Err(error),
        }
    }

    /// Reads a choice from the text of a file. Its paths are relative to the folder of that file.
    ///
    /// # Errors
    ///
    /// The errors of [`SpecChoice::of`].
    pub fn within(folder: &Path, text: &str) -> Result<SpecChoice, UnknownSpec> {
        Ok(match SpecChoice::of(text.into())? {
            SpecChoice::File(path) => SpecChoice::File(folder.join(path)),
            known => known,
        })
    }

    /// The path of the spec, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            SpecChoice::Known(_) => None,
            SpecChoice::File(path) => Some(path),
        }
    }

    /// Reads the spec.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the spec is wrong.
    pub fn read(&self) -> Result<Spec, Error> {
        let text = match self {
            SpecChoice::Known(known) => known.text.into(),
            SpecChoice::File(path) => read_text(path)?,
        };
        let network = analyse(&SourceFile::new(self.to_string(), &*text))?;
        Ok(Spec {
            choice: self.clone(),
            text,
            network,
        })
    }

    /// The network that the spec describes.
    ///
    /// # Errors
    ///
    /// The errors of [`SpecChoice::read`].
    pub fn network(&self) -> Result<Network, Error> {
        Ok(self.read()?.network)
    }
}

/// A spec that was read.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The spec as the user named it.
    pub choice: SpecChoice,
    /// The text of the spec.
    pub text: String,
    /// The network that the spec describes.
    pub network: Network,
}

/// Reads a file of text.
///
/// # Errors
///
/// [`Error::File`] if the file cannot be read, and [`Error::NoText`] if it is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, Error> {
    String::from_utf8(crate::files::read(path, LONGEST_TEXT)?).map_err(|error| Error::NoText {
        path: path.into(),
        offset: error.utf8_error().valid_up_to(),
    })
}

impl fmt::Display for SpecChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecChoice::Known(known) => f.write_str(known.name),
            SpecChoice::File(path) => path.display().fmt(f),
        }
    }
}

/// The error for a name that no known spec has.
///
/// The message proposes the file with this name and `.toml`, or a known spec with a similar name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSpec(String);

impl fmt::Display for UnknownSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = || KnownSpec::all().map(|known| known.name);
        let all: Vec<String> = names().map(|name| format!("`{name}`")).collect();
        let UnknownSpec(name) = self;
        write!(
            f,
            "unknown spec `{}`, allowed are a TOML file and {}",
            foreign(name),
            all.join(", ")
        )?;
        let file = format!("{name}.toml");
        match nearest(name, names()) {
            _ if Path::new(&file).is_file() => write!(f, ": did you mean `{}`?", foreign(&file)),
            Some(near) => write!(f, ": did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownSpec {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_written_in_any_case() {
        assert_eq!(KnownSpec::named("SFNNv5").unwrap().name, "sfnnv5");
        assert!(KnownSpec::named("").is_err());
    }

    #[test]
    fn the_nearest_name_is_suggested_if_there_is_one() {
        let message = |name| KnownSpec::named(name).unwrap_err().to_string();
        assert!(message("smal128").ends_with(": did you mean `small128`?"));
        assert!(message("SFNv9").ends_with(": did you mean `sfnnv9`?"));
        assert!(!message("halfkp").contains("did you mean"));
    }

    #[test]
    fn what_looks_like_a_file_is_one() {
        let choice = |text: &str| SpecChoice::of(text.into()).map(|choice| choice.to_string());
        for file in ["my-net.toml", "specs/mine", "./mine"] {
            assert_eq!(choice(file).unwrap(), file);
        }
        assert_eq!(choice("Small128").unwrap(), "small128");
        assert!(choice("mine").is_err());
    }
}
