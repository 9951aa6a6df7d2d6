//! Evaluations of positions, and the forms in which they are written.

pub mod json;
pub mod position;
pub mod raw;
pub mod show;
