//! How a command writes files without losing any, and reads them without trusting their size:
//!
//! * A file is written as a whole or not at all. What is written goes to a temporary file in the
//!   same folder, is brought to the disk, and then takes the place of the old file. If the disk is
//!   full, or the program is killed, the old file is as it was.
//! * What exists and is no regular file (a device, a pipe) is written directly, and so is standard
//!   output, by the name `-` or another. Symbolic links are followed.
//! * An output that is one of the inputs is refused: by another path, through a link of either kind,
//!   as standard input, or because standard output or standard error goes there. What this run has
//!   read is known here, so no command has to think of it; [`Inputs::check`] refuses before long
//!   work. A file that a command both reads and writes is [`own`], by that word.
//! * What a killed run has left beside a file is removed when the file is written again.
//! * A file is read up to a limit, and what is no regular file is refused, unless it comes as `-`,
//!   which is standard input.
//! * A folder has a lock, for programs that must not work in it at the same time.

#![allow(
    clippy::disallowed_methods,
    reason = "all others open and remove files by this module"
)]

mod error;
mod inputs;
mod lock;
mod output;
pub mod own;
mod part;
mod read;
mod registry;
mod standard;

pub use crate::files::error::Error;
pub use crate::files::inputs::Inputs;
pub use crate::files::lock::Lock;
pub use crate::files::output::{Output, folder, write};
pub use crate::files::read::{open, read};
pub use crate::files::registry::protect_inputs;

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
