//! Why networks cannot be measured.

use std::io;
use std::path::PathBuf;

use nnue_compiler::format::foreign;
use nnue_runtime::Level;

/// Why networks cannot be compiled or run.
#[derive(thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{0}")]
    File(#[from] crate::files::Error),
    /// A spec cannot be read.
    #[error("{0}")]
    Net(#[from] crate::nets::Error),
    /// A folder is not the project's folder.
    #[error("`{}` has no `{package}`", foreign(.folder.display()))]
    NoProject {
        /// The folder.
        folder: PathBuf,
        /// A package of the project that the folder lacks.
        package: &'static str,
    },
    /// The name of the project's folder is not UTF-8, which manifests of cargo are.
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
    /// A folder for compiled networks has other files.
    #[error(
        "`{}` has other files than those of `nnue`, which would be written over: name another \
         folder",
        foreign(.folder.display())
    )]
    OtherFiles {
        /// The folder.
        folder: PathBuf,
    },
    /// A net file fits none of the specs.
    #[error(
        "`{}` is a net file of none of the specs: {}",
        foreign(.net.display()),
        .refusals.join("; ")
    )]
    NoSpec {
        /// The file.
        net: PathBuf,
        /// For each spec, why the file does not fit.
        refusals: Vec<String>,
    },
    /// Cargo, which compiles the networks, cannot be run.
    #[error("cannot run cargo, which compiles networks: {0}")]
    NoCargo(#[source] io::Error),
    /// A network does not compile.
    #[error("cannot compile `{spec}`:\n{words}")]
    Compiler {
        /// The spec of the network, or the folder of its package.
        spec: String,
        /// The messages of the compiler.
        #[source]
        words: ProgramError,
    },
    /// The program that checks a network's code cannot be run.
    #[error("cannot run the program that checks a network: {0}")]
    NoCheck(#[source] io::Error),
    /// The program that checks a network's code fails.
    #[error("check of `{spec}`: {words}")]
    Check {
        /// The spec of the network.
        spec: String,
        /// The message of the program.
        #[source]
        words: ProgramError,
    },
    /// The program of a network fails.
    #[error("{level}: {words}")]
    Program {
        /// The instruction set for which it was started.
        level: Level,
        /// The message of the program.
        #[source]
        words: ProgramError,
    },
}

/// The error of a program, in its own words if it has written any.
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
