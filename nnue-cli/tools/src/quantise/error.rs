//! Why floating point cannot become integers.

use nnue_compiler::format::LoadError;
use nnue_interpreter::UnroundedError;

/// Why floating point cannot become integers.
#[derive(thiserror::Error)]
pub enum Error {
    /// A file cannot be read, or a net cannot become the file of integers.
    #[error("{0}")]
    Net(#[from] crate::nets::Error),
    /// The network cannot be computed without rounding.
    #[error("{0}")]
    Unrounded(#[from] UnroundedError),
    /// The file of the spec has these numbers and no integers, and there is no spec of a file of
    /// integers.
    #[error("the spec's file has {0}: give the spec of the file of integers")]
    NoIntegers(&'static str),
    /// Nothing says which integer stands for 1.0 in the tensor of this name.
    #[error("no number stands for 1.0 in `{0}`, so that floating point cannot become its integers")]
    UnknownOne(String),
    /// Ranges cannot be calibrated: the engine tells which features of this set are active, and a
    /// position alone does not.
    #[error(
        "ranges cannot be calibrated: the engine tells which features of `{0}` are active, and a \
         position alone does not"
    )]
    ToldFeatures(String),
}

nnue_compiler::format::debug_is_message!(Error);

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Error {
        Error::Net(error.into())
    }
}
