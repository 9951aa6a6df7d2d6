//! The networks of `specs/`, which are compiled in, and which of them a net file is for.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::{SourceFile, nearest};
use nnue_known_networks as networks;
use nnue_runtime::file::{Identity, identify_file};
use nnue_runtime::{Architecture, Level, LoadError, Network, Output, SelectedByPieces};

use crate::any_network::AnyNetwork;

/// Lists the specs by the names of their files.
macro_rules! specs {
    ($($name:ident)*) => {
        /// Every network of `specs/`.
        pub static SPECS: &[Spec] = &[$(Spec {
            name: stringify!($name),
            title: <networks::$name::Net as Architecture>::NAME,
            open: open::<networks::$name::Net>,
        }),*];
    };
}

specs! {
    sfnnv1 sfnnv2 sfnnv3 sfnnv4 sfnnv5 sfnnv6 sfnnv7 sfnnv8 sfnnv9 sfnnv10 sfnnv11 sfnnv12 sfnnv13 sfnnv14 sfnnv14b
    sfnnv15 sfnnv16 small128
}

/// The name of the spec that [`built_in`] is a net of.
pub const BUILT_IN_SPEC: &str = "small128";

/// The name of the file that [`built_in`] was made from.
pub const BUILT_IN_FILE: &str = "nn-37f18f62d772.nnue";

/// The net that is part of the program.
pub fn built_in(level: Level) -> Box<dyn AnyNetwork> {
    Box::new(networks::small128::Network::embedded().with_level(level))
}

/// The file of [`built_in`].
#[cfg(feature = "beside")]
pub fn built_in_file() -> &'static [u8] {
    <networks::small128::Net as nnue_runtime::Embedded>::FILE
}

/// A spec that was compiled into the program.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The name of its file in `specs/`, without the extension.
    pub name: &'static str,
    /// The name that the spec gives the network.
    title: &'static str,
    open: Open,
}

/// Loads a net file for an instruction set.
type Open = fn(&Path, Level) -> Result<Box<dyn AnyNetwork>, LoadError>;

fn open<A: SelectedByPieces<Output = Output>>(
    path: &Path,
    level: Level,
) -> Result<Box<dyn AnyNetwork>, LoadError> {
    Ok(Box::new(Network::<A>::open(path)?.with_level(level)))
}

impl Spec {
    /// The spec of that name, in any mixture of cases.
    ///
    /// # Errors
    ///
    /// [`UnknownSpec`] if there is none.
    pub fn named(name: &str) -> Result<&'static Spec, UnknownSpec> {
        let same = |spec: &&Spec| spec.name.eq_ignore_ascii_case(name);
        SPECS
            .iter()
            .find(same)
            .ok_or_else(|| UnknownSpec { name: name.into() })
    }

    /// The spec of a network that is compiled in, whatever file the network was read from.
    #[must_use]
    pub fn of_network(network: &nnue_compiler::network::Network) -> Option<&'static Spec> {
        SPECS.iter().find(|spec| {
            let Spec { name, title, .. } = spec;
            // All of it, where nothing is said that differs.
            let text = format!("like = \"{name}\"\nname = \"{title}\"\n");
            *title == network.name
                && analyse(&SourceFile::new(*name, text)).is_ok_and(|known| known == *network)
        })
    }

    /// The spec that a net file is for. For a damaged file, it may be any of several specs whose
    /// files begin in the same way.
    ///
    /// # Errors
    ///
    /// [`NetError`] if the file cannot be read or fits no spec.
    pub fn of_file(path: &Path) -> Result<&'static Spec, NetError> {
        let identity = identify_file(path).map_err(|error| NetError::Unreadable {
            path: path.into(),
            message: error.to_string(),
        })?;
        let spec = identity.specs().find_map(|name| Spec::named(name).ok());
        spec.ok_or_else(|| NetError::NoSpec {
            path: path.into(),
            identity,
        })
    }

    /// Loads a net file of this spec.
    ///
    /// # Errors
    ///
    /// [`NetError::Refused`] if the file cannot be read or does not fit.
    pub fn open(&self, path: &Path, level: Level) -> Result<Box<dyn AnyNetwork>, NetError> {
        (self.open)(path, level).map_err(|error| NetError::Refused {
            path: path.into(),
            error: Box::new(error),
        })
    }
}

/// A name that no spec has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSpec {
    /// The name that no spec has.
    pub name: String,
}

impl fmt::Display for UnknownSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown spec `{}`, allowed are {}",
            self.name,
            list(SPECS.iter().map(|spec| spec.name))
        )?;
        match nearest(&self.name, SPECS.iter().map(|spec| spec.name)) {
            Some(near) => write!(f, ": did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}

impl Error for UnknownSpec {}

/// Why there is no network from a file.
#[derive(Clone, Debug, PartialEq)]
pub enum NetError {
    /// The file cannot be read.
    Unreadable {
        /// The path of the net file.
        path: PathBuf,
        /// What the operating system says.
        message: String,
    },
    /// The file fits no spec.
    NoSpec {
        /// The path of the net file.
        path: PathBuf,
        /// What the file is instead.
        identity: Identity,
    },
    /// The file is not one of the spec's.
    Refused {
        /// The path of the net file.
        path: PathBuf,
        /// The reason for which the loader refuses it.
        error: Box<LoadError>,
    },
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetError::Unreadable { path, message } => {
                write!(f, "cannot read `{}`: {message}", path.display())
            }
            NetError::NoSpec { path, identity } => {
                write!(f, "`{}` is {identity}; ", path.display())?;
                match identity {
                    Identity::Relative(_) => f.write_str("`nnue eval --net FILE` writes one"),
                    _ => write!(
                        f,
                        "expected a net of {}",
                        list(SPECS.iter().map(|spec| spec.name))
                    ),
                }
            }
            NetError::Refused { path, error } => match **error {
                // The loader's message already names the file that cannot be read.
                LoadError::Io { .. } => error.fmt(f),
                _ => write!(f, "`{}`: {error}", path.display()),
            },
        }
    }
}

impl Error for NetError {}

fn list(names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spec_is_in_the_table() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs");
        let paths = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut names: Vec<String> = paths
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "toml")
            })
            .map(|path| path.file_stem().unwrap().to_str().unwrap().into())
            .collect();
        names.sort();
        let mut listed: Vec<&str> = SPECS.iter().map(|spec| spec.name).collect();
        listed.sort_unstable();
        assert_eq!(listed, names);
    }

    #[test]
    fn every_spec_is_found_by_its_network() {
        for spec in SPECS {
            let path = format!("{}/../specs/{}.toml", env!("CARGO_MANIFEST_DIR"), spec.name);
            let text = std::fs::read_to_string(&path).unwrap();
            let network = analyse(&SourceFile::new(&path, text)).unwrap();
            assert_eq!(Spec::of_network(&network).unwrap().name, spec.name);
            let mut other = network.clone();
            other.output.one += 1;
            assert!(Spec::of_network(&other).is_none());
            other = network;
            other.name += "b";
            assert!(Spec::of_network(&other).is_none());
        }
    }

    #[test]
    fn the_built_in_net_is_of_its_spec() {
        let spec = Spec::named(BUILT_IN_SPEC).unwrap();
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../examples/nets")
            .join(BUILT_IN_FILE);
        let file = spec.open(&path, Level::detect()).unwrap();
        let built_in = built_in(Level::detect());
        assert_eq!(built_in.name(), file.name());
        assert_eq!(built_in.description(), file.description());
    }

    #[test]
    fn names_may_be_written_in_any_case() {
        assert_eq!(Spec::named("SFNNv5").unwrap().name, "sfnnv5");
        assert!(Spec::named("").is_err());
    }

    #[test]
    fn the_nearest_name_is_suggested_if_there_is_one() {
        let message = |name| Spec::named(name).unwrap_err().to_string();
        assert!(message("smal128").ends_with(": did you mean `small128`?"));
        assert!(message("SFNv9").ends_with(": did you mean `sfnnv9`?"));
        assert!(!message("halfkp").contains("did you mean"));
    }
}
