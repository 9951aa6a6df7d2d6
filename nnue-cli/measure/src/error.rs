//! Why nothing can be measured.

use std::io;
use std::path::PathBuf;

use nnue_compiler::format::foreign;
use nnue_runtime::Level;

/// Why networks cannot be compiled, or not be run.
#[derive(thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{0}")]
    File(#[from] nnue_files::Error),
    /// A spec cannot be read.
    #[error("{0}")]
    Net(#[from] nnue_nets::Error),
    /// A folder is not that of the project.
    #[error("`{}` has no `{package}`", foreign(.folder.display()))]
    NoProject {
        /// The folder.
        folder: PathBuf,
        /// A package of the project that it does not have.
        package: &'static str,
    },
    /// The name of the project's folder is no text, and manifests of cargo are.
    #[error(
        "`{}` is not UTF-8, which manifests of cargo are: move the project, or name a link to it",
        foreign(.folder.display())
    )]
    NotText {
        /// The folder.
        folder: PathBuf,
    },
    /// A manifest cannot be written as TOML.
    #[error("{0}")]
    Manifest(#[from] toml::ser::Error),
    /// A folder for what is compiled has files of somebody else.
    #[error(
        "`{}` has other files than those of `nnue`, which would be written over: name another \
         folder",
        foreign(.folder.display())
    )]
    OtherFiles {
        /// The folder.
        folder: PathBuf,
    },
    /// A net file is one of none of the specs.
    #[error(
        "`{}` is a net file of none of the specs: {}",
        foreign(.net.display()),
        .refusals.join("; ")
    )]
    NoSpec {
        /// The file.
        net: PathBuf,
        /// Why it is not, of each spec.
        refusals: Vec<String>,
    },
    /// Cargo, which compiles the networks, cannot be run.
    #[error("cannot run cargo, which compiles the networks: {0}")]
    NoCargo(#[source] io::Error),
    /// A network does not compile.
    #[error("cannot compile `{spec}`:\n{words}")]
    Compiler {
        /// Its spec.
        spec: String,
        /// What the compiler says.
        #[source]
        words: ProgramError,
    },
    /// The program of a network fails.
    #[error("{level}: {words}")]
    Program {
        /// The instruction set for which it was started.
        level: Level,
        /// What it says.
        #[source]
        words: ProgramError,
    },
}

/// What went wrong with a program, in its own words if it has said any.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProgramError(pub(crate) String);

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

nnue_compiler::format::debug_is_message!(Error);
