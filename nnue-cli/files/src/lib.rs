#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod inputs;
mod lock;
mod output;
mod read;
mod standard;

pub use crate::error::Error;
pub use crate::inputs::Inputs;
pub use crate::lock::Lock;
pub use crate::output::{Output, folder, write};
pub use crate::read::{open, read};

use std::path::Path;

/// Whether an output at this path comes out where standard output does, so that nothing else may be
/// printed. The path is then `-`, `/dev/stdout`, or the file to which standard output was
/// redirected.
#[must_use]
pub fn is_standard_output(path: &Path) -> bool {
    standard::is_output(path)
}

/// Whether a path is `-`, which means standard input for reading, and standard output for writing.
/// The path of a file named `-` is `./-`.
#[must_use]
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}
