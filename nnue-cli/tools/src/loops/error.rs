//! Why a loop ends before its report.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use nnue_compiler::format::foreign;

/// Why a loop ends before its report.
#[derive(thiserror::Error)]
pub enum Error {
    /// A file or a folder cannot be read or written, or would be written over.
    #[error("{0}")]
    File(#[from] crate::files::Error),
    /// A run file is wrong.
    #[error("`{}`: {wrong}", foreign(.path.display()))]
    RunFile {
        /// The run file.
        path: PathBuf,
        /// The message, which says what was found and what is allowed.
        wrong: String,
    },
    /// The program that trains networks cannot be started.
    #[error(
        "cannot run `{}`, which trains networks: {error}; in the project's folder, `pip install \
         ./trainer` installs it, and `command` in `[trainer]` names another program",
        foreign(.program)
    )]
    NoTrainer {
        /// The program.
        program: String,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// The program that trains networks does not say what its options are.
    #[error("`{} --help` failed: {words}", foreign(.program))]
    Trainer {
        /// The program.
        program: String,
        /// The last lines that it wrote to standard error.
        words: String,
    },
    /// The folder for a loop is not empty, and was not made by a loop.
    #[error(
        "`{}` is no folder of a loop, and not empty: name another",
        foreign(.folder.display())
    )]
    NotEmpty {
        /// The folder.
        folder: PathBuf,
    },
    /// A file or a folder that is read lies in a folder that a stage makes.
    #[error(
        "`{}` is read, and `{}`, which it is in, is written: copy it out of that folder, or name \
         another folder of the loop",
        foreign(.path.display()),
        foreign(.folder.display())
    )]
    ReadAndWritten {
        /// The path that is read.
        path: PathBuf,
        /// The folder that a stage makes.
        folder: PathBuf,
    },
    /// Another loop works in the folder.
    #[error(
        "another `nnue loop` works in `{}`: wait until it ends, or name another folder",
        foreign(.folder.display())
    )]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// A command that an interrupted loop has started still runs.
    #[error(
        "{}, which an interrupted loop has left, still runs in `{}`: end it, or wait until it ends",
        foreign(.what),
        foreign(.folder.display())
    )]
    Running {
        /// The program that runs, and the number of its process.
        what: String,
        /// The folder in which it works.
        folder: PathBuf,
    },
    /// A stage has failed.
    #[error("{name}: {reason}\nthe command was: {command}")]
    Stage {
        /// The name of the stage.
        name: String,
        /// How the stage failed.
        reason: String,
        /// The command of the stage.
        command: String,
    },
    /// A file or an output of a stage is not the JSON that it should be.
    #[error("{origin}: {}", foreign(.error))]
    Json {
        /// The file or the stage from which the text comes.
        origin: String,
        /// What is wrong with the text.
        #[source]
        error: serde_json::Error,
    },
    /// A guard cannot run its command.
    #[error("cannot run `{}`: {error}", foreign(.program.display()))]
    Guarded {
        /// The program of the command.
        program: OsString,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// The observer of events has failed.
    #[error("cannot tell what happens: {0}")]
    Observer(#[source] io::Error),
}

impl Error {
    pub(crate) fn unreadable(path: &Path, error: io::Error) -> Error {
        crate::files::Error::unreadable(path, error).into()
    }

    pub(crate) fn unwritable(path: &Path, error: io::Error) -> Error {
        crate::files::Error::unwritable(path, error).into()
    }
}

nnue_compiler::format::debug_is_message!(Error);
