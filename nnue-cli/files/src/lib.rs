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

/// Whether what is written to a path comes out where standard output does, so that nothing else may
/// be printed: the path is `-`, `/dev/stdout`, or that of what standard output was redirected to.
#[must_use]
pub fn is_standard_output(path: &Path) -> bool {
    standard::is_output(path)
}

/// Whether a path is `-`, which is standard input where files are read, and standard output where
/// they are written. A file of that name is `./-`.
#[must_use]
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}
