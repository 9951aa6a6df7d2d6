//! Why there is no picture.

use std::fmt;

use png::EncodingError;

/// Why there is no picture.
#[derive(Debug)]
pub enum Error {
    /// It has more rows or columns than a PNG can have.
    TooLarge,
    /// Its pixels cannot be encoded.
    Encoding(EncodingError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::TooLarge => f.write_str("the picture is too large"),
            Error::Encoding(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::TooLarge => None,
            Error::Encoding(error) => Some(error),
        }
    }
}

impl From<EncodingError> for Error {
    fn from(error: EncodingError) -> Error {
        Error::Encoding(error)
    }
}
