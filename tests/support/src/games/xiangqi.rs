//! Xiangqi: a board with moves that are legal enough for random games, and features of the shape of
//! Pikafish's.
//!
//! Pikafish publishes how many rows its sets have, and of what kind. It does not publish the order
//! of the rows in words, so the order here is our own: [`features`] says what stands in for what.

mod board;
mod features;

pub use board::{Kind, Piece, Xiangqi};
pub use features::{PIECE_ROWS, THREAT_ROWS, features, stack};
