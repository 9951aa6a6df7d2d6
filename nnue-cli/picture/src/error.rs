//! Why there is no picture.

use png::EncodingError;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It has more rows or columns than a PNG can have.
    #[error("the picture is too large")]
    TooLarge,
    /// Its pixels cannot be encoded.
    #[error("{0}")]
    Encoding(#[from] EncodingError),
}
