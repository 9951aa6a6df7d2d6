//! Why a picture cannot be made.

use png::EncodingError;

/// Why a picture cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The picture has more rows or columns than a PNG can have.
    #[error("the picture is too large")]
    TooLarge,
    /// The pixels cannot be encoded as PNG.
    #[error("{0}")]
    Encoding(#[from] EncodingError),
}
