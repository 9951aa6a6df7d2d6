//! Why floating point does not become integers.

use std::fmt;

use nnue_compiler::format::LoadError;
use nnue_interpreter::UnroundedError;

/// Why floating point does not become integers.
pub enum Error {
    /// A file cannot be read, or a net cannot become the file of integers.
    Net(nnue_nets::Error),
    /// The network cannot be computed without rounding.
    Unrounded(UnroundedError),
    /// The spec's file is none of integers, and no spec of such a file is given. It has this instead.
    NoIntegers(&'static str),
    /// Nothing says what stands for 1.0 in a tensor, which has this name.
    UnknownOne(String),
    /// Ranges cannot be calibrated: the engine tells which features of this set are active, and a
    /// position alone does not.
    ToldFeatures(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Net(error) => error.fmt(f),
            Error::Unrounded(error) => error.fmt(f),
            Error::NoIntegers(found) => write!(
                f,
                "the spec's file has {found}: give the spec of the file of integers"
            ),
            Error::UnknownOne(tensor) => write!(
                f,
                "no number stands for 1.0 in `{tensor}`, so that floating point cannot become its \
                 integers"
            ),
            Error::ToldFeatures(set) => write!(
                f,
                "ranges cannot be calibrated: the engine tells which features of `{set}` are \
                 active, and a position alone does not"
            ),
        }
    }
}

nnue_compiler::format::debug_is_message!(Error);

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Net(error) => Some(error),
            Error::Unrounded(error) => Some(error),
            _ => None,
        }
    }
}

impl From<nnue_nets::Error> for Error {
    fn from(error: nnue_nets::Error) -> Error {
        Error::Net(error)
    }
}

impl From<UnroundedError> for Error {
    fn from(error: UnroundedError) -> Error {
        Error::Unrounded(error)
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Error {
        Error::Net(error.into())
    }
}
