//! Weights are a mapped file, whose pages all processes of the engine share. Moves are recorded; a
//! hint says that a position is worth its accumulator, and an evaluation then needs no `&mut`.

pub mod after;
pub mod before;
