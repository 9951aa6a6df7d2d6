//! What is around the engine: tests of its speed and its evaluations, openings, games for data.

pub(crate) mod bench;
pub(crate) mod genfens;
pub(crate) mod selfplay;
pub(crate) mod verify;
