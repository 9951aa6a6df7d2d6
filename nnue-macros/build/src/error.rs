//! The errors of a build, as build scripts show them.

use std::fmt;

use nnue_compiler::diagnostics::Errors;

/// Why a network was not compiled: a report of everything that is wrong, mistakes in the spec with
/// their lines.
///
/// `Debug` shows the same report as `Display`, because it is what a `main` prints that returns the
/// error, and with it the exit code is 1.
#[derive(Clone)]
pub struct Error {
    report: String,
}

impl Error {
    pub(crate) fn new(message: impl fmt::Display) -> Error {
        Error {
            report: format!("error: {message}"),
        }
    }

    pub(crate) fn of_spec(errors: &Errors) -> Error {
        Error {
            report: errors.to_string(),
        }
    }

    /// Several errors as one.
    pub(crate) fn all(errors: impl Iterator<Item = Error>) -> Error {
        let reports: Vec<String> = errors.map(|error| error.report).collect();
        Error {
            report: reports.join("\n\n"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot compile the network\n\n{}", self.report)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
