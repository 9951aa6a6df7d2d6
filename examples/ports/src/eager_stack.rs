//! Accumulators in a `Vec`: each move copies the last one and updates the copy, and to take a move
//! back is to drop it.

pub mod after;
pub mod before;
