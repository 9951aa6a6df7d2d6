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
pub use crate::output::{Output, write};
pub use crate::read::{open, read};

use std::path::Path;

/// Whether a path is `-`, which is standard input where files are read, and standard output where
/// they are written. A file of that name is `./-`.
#[must_use]
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}
