//! Why nothing can be measured.

use std::fmt;
use std::io;
use std::path::PathBuf;

use nnue_compiler::format::foreign;
use nnue_runtime::Level;

/// Why networks cannot be compiled, or not be run.
pub enum Error {
    /// A file cannot be read or written.
    File(nnue_files::Error),
    /// A spec cannot be read.
    Net(nnue_nets::Error),
    /// A folder is not that of the project.
    NoProject {
        /// The folder.
        folder: PathBuf,
        /// A package of the project that it does not have.
        package: &'static str,
    },
    /// The name of the project's folder is no text, and manifests of cargo are.
    NotText {
        /// The folder.
        folder: PathBuf,
    },
    /// A manifest cannot be written as TOML.
    Manifest(toml::ser::Error),
    /// A folder for what is compiled has files of somebody else.
    OtherFiles {
        /// The folder.
        folder: PathBuf,
    },
    /// A net file is one of none of the specs.
    NoSpec {
        /// The file.
        net: PathBuf,
        /// Why it is not, of each spec.
        refusals: Vec<String>,
    },
    /// Cargo, which compiles the networks, cannot be run.
    NoCargo(io::Error),
    /// A network does not compile.
    Compiler {
        /// Its spec.
        spec: String,
        /// What the compiler says.
        words: ProgramError,
    },
    /// The program of a network fails.
    Program {
        /// The instruction set for which it was started.
        level: Level,
        /// What it says.
        words: ProgramError,
    },
}

/// What went wrong with a program, in its own words if it has said any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramError(pub(crate) String);

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProgramError {}

impl From<String> for ProgramError {
    fn from(words: String) -> ProgramError {
        ProgramError(words)
    }
}

impl From<&str> for ProgramError {
    fn from(words: &str) -> ProgramError {
        ProgramError(words.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File(error) => error.fmt(f),
            Error::Net(error) => error.fmt(f),
            Error::NoProject { folder, package } => {
                write!(f, "`{}` has no `{package}`", foreign(folder.display()))
            }
            Error::NotText { folder } => write!(
                f,
                "`{}` is not UTF-8, which manifests of cargo are: move the project, or name a link \
                 to it",
                foreign(folder.display())
            ),
            Error::Manifest(error) => error.fmt(f),
            Error::OtherFiles { folder } => write!(
                f,
                "`{}` has other files than those of `nnue`, which would be written over: name \
                 another folder",
                foreign(folder.display())
            ),
            Error::NoSpec { net, refusals } => write!(
                f,
                "`{}` is a net file of none of the specs: {}",
                foreign(net.display()),
                refusals.join("; ")
            ),
            Error::NoCargo(error) => {
                write!(f, "cannot run cargo, which compiles the networks: {error}")
            }
            Error::Compiler { spec, words } => write!(f, "cannot compile `{spec}`:\n{words}"),
            Error::Program { level, words } => write!(f, "{level}: {words}"),
        }
    }
}

nnue_compiler::format::debug_is_message!(Error);

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File(error) => Some(error),
            Error::Net(error) => Some(error),
            Error::Manifest(error) => Some(error),
            Error::NoCargo(error) => Some(error),
            Error::Compiler { words, .. } | Error::Program { words, .. } => Some(words),
            _ => None,
        }
    }
}

impl From<nnue_files::Error> for Error {
    fn from(error: nnue_files::Error) -> Error {
        Error::File(error)
    }
}

impl From<nnue_nets::Error> for Error {
    fn from(error: nnue_nets::Error) -> Error {
        Error::Net(error)
    }
}

impl From<toml::ser::Error> for Error {
    fn from(error: toml::ser::Error) -> Error {
        Error::Manifest(error)
    }
}
