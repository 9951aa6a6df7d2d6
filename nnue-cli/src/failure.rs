//! Why a subcommand cannot do its work.

use std::fmt;
use std::io;

/// Why there is nothing more to write.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Standard output takes nothing more.
    Output(io::Error),
    /// The work cannot be done.
    Work(String),
    /// The same, said by the compiler, whose messages show the spec and need no introduction.
    Spec(String),
}

impl Failure {
    /// The work cannot be done, for a reason that is an error of its own.
    pub(crate) fn work(error: impl fmt::Display) -> Failure {
        Failure::Work(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The red of clap's own errors.
        const ERROR: &str = "\x1b[1;31merror:\x1b[0m";
        match self {
            Failure::Output(error) => {
                write!(f, "{ERROR} cannot write to standard output: {error}")
            }
            Failure::Work(message) => write!(f, "{ERROR} {message}"),
            Failure::Spec(messages) => f.write_str(messages),
        }
    }
}
