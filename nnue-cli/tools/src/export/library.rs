//! A network as a library for C and C++: a package that calls `nnue_net!` and exports its functions,
//! what cargo makes of it, and the header.

mod build;
mod error;
mod package;

pub use self::build::{Built, Kinds, libraries};
pub use self::error::Error;
pub use self::package::{Embed, Library, NEEDED, Weights};
