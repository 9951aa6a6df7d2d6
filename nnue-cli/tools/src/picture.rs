//! NNUE networks as pictures.
//!
//! | module | has |
//! |---|---|
//! | [`drawing`] | a network as SVG: a box for each operation, an arrow for each tensor that it reads |
//! | [`activity`] | what the neurons of a net are in a position, as SVG |
//! | [`weights`] | the weights of a net as PNG: boards of neurons, histograms of tensors |
//! | [`page`] | all facts about a net, on an HTML page that needs no other files |
//! | [`playground`] | the address of the page in the web that shows a spec |

pub mod activity;
pub mod drawing;
mod error;
pub(crate) mod markup;
pub mod page;
pub mod playground;
pub mod weights;

pub use crate::picture::error::Error;
