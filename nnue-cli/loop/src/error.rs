//! Why a loop ends before its report.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use nnue_format::foreign;

/// Why a loop ends before its report.
pub enum Error {
    /// A file or a folder cannot be read or written, or would be written over.
    File(nnue_files::Error),
    /// A run file is wrong.
    RunFile {
        /// The run file.
        path: PathBuf,
        /// What was found, and what is allowed.
        wrong: String,
    },
    /// The program that trains networks cannot be started.
    NoTrainer {
        /// The program.
        program: String,
        /// What the system says.
        error: io::Error,
    },
    /// The program that trains networks does not say what its options are.
    Trainer {
        /// The program.
        program: String,
        /// The last lines that it wrote to standard error.
        words: String,
    },
    /// The folder of a loop is not empty, and no loop has made what is in it.
    NotEmpty {
        /// The folder.
        folder: PathBuf,
    },
    /// A file or a folder that is read lies in one that a stage makes.
    ReadAndWritten {
        /// What is read.
        path: PathBuf,
        /// What a stage makes.
        folder: PathBuf,
    },
    /// Another loop works in the folder.
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// What an interrupted loop has started still runs.
    Running {
        /// The program that runs, and the number of its process.
        what: String,
        /// The folder in which it works.
        folder: PathBuf,
    },
    /// A stage has failed.
    Stage {
        /// The name of the stage.
        name: String,
        /// How the stage failed.
        reason: String,
        /// The command of the stage.
        command: String,
    },
    /// A file or an output that a stage has left is not the JSON that it should be.
    Json {
        /// The file or the stage that it comes from.
        source: String,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// A guard cannot run its command.
    Guarded {
        /// The program of the command.
        program: OsString,
        /// What the system says.
        error: io::Error,
    },
    /// The observer of events has failed.
    Observer(io::Error),
}

impl Error {
    pub(crate) fn unreadable(path: &Path, error: io::Error) -> Error {
        nnue_files::Error::unreadable(path, error).into()
    }

    pub(crate) fn unwritable(path: &Path, error: io::Error) -> Error {
        nnue_files::Error::unwritable(path, error).into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File(error) => error.fmt(f),
            Error::RunFile { path, wrong } => write!(f, "`{}`: {wrong}", foreign(path.display())),
            Error::NoTrainer { program, error } => write!(
                f,
                "cannot run `{}`, which trains networks: {error}; in the project's folder, \
                 `pip install ./trainer` installs it, and `command` in `[trainer]` names another \
                 program",
                foreign(program)
            ),
            Error::Trainer { program, words } => {
                write!(f, "`{} --help` failed: {words}", foreign(program))
            }
            Error::NotEmpty { folder } => write!(
                f,
                "`{}` is no folder of a loop, and not empty: name another",
                foreign(folder.display())
            ),
            Error::ReadAndWritten { path, folder } => write!(
                f,
                "`{}` is read, and `{}`, which it is in, is written: copy it out of that folder, or \
                 name another folder of the loop",
                foreign(path.display()),
                foreign(folder.display())
            ),
            Error::Locked { folder } => write!(
                f,
                "another `nnue loop` works in `{}`: wait until it ends, or name another folder",
                foreign(folder.display())
            ),
            Error::Running { what, folder } => write!(
                f,
                "{}, which an interrupted loop has left, still runs in `{}`: end it, or wait until \
                 it ends",
                foreign(what),
                foreign(folder.display())
            ),
            Error::Stage {
                name,
                reason,
                command,
            } => write!(f, "{name}: {reason}\nthe command was: {command}"),
            Error::Json { source, error } => write!(f, "{source}: {}", foreign(error)),
            Error::Guarded { program, error } => {
                write!(f, "cannot run `{}`: {error}", foreign(program.display()))
            }
            Error::Observer(error) => write!(f, "cannot tell what happens: {error}"),
        }
    }
}

nnue_format::debug_is_message!(Error);

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File(error) => Some(error),
            Error::Json { error, .. } => Some(error),
            Error::NoTrainer { error, .. }
            | Error::Guarded { error, .. }
            | Error::Observer(error) => Some(error),
            _ => None,
        }
    }
}

impl From<nnue_files::Error> for Error {
    fn from(error: nnue_files::Error) -> Error {
        Error::File(error)
    }
}
