//! Evaluations of positions, and the forms in which they are written.

pub mod json;
pub mod raw;
pub mod show;
