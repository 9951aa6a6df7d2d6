//! Training data: formats, choices among positions, and the stream of batches.

mod binpack;
mod damaged;
mod formats;
mod reading;
mod rows;
mod sampling;
mod selection;
mod stream;
