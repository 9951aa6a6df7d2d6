//! Net files of any NNUE network: recognition of the network, contents, evaluations, and conversion
//! to other files of the same network.
//!
//! | module | has |
//! |---|---|
//! | [`specs`] | the specs that are part of the compiler, and specs in files |
//! | [`net_file`] | a net file that fits a network, and the recognition of a file's network |
//! | [`summary`] | a network as text, and the memory that it needs |
//! | [`told`] | specs that come with a net file |
//! | [`tensors`] | the tensors of a net file as plain numbers |
//! | [`info`] | facts about a net file: statistics, and bounds that its weights prove |
//! | [`difference`] | the differences between two net files |
//! | [`conversion`] | a net file in the form that another spec of its network has |
//! | [`positions`] | FEN and EPD, a single position or a list |
//! | [`given`] | positions with what only an engine knows of them |
//! | [`evaluation`] | evaluations of positions, by compiled and interpreted networks |
//! | [`golden`], [`verification`] | the expected values of a network, and the comparison with them |
//! | `parallel` | work on all cores |

pub mod conversion;
pub mod difference;
mod error;
pub mod evaluation;
pub mod given;
pub mod golden;
pub mod info;
pub mod net_file;
pub(crate) mod parallel;
pub mod positions;
pub mod specs;
pub mod summary;
pub mod tensors;
pub mod told;
pub mod verification;

pub use crate::nets::error::Error;
