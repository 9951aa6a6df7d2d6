//! What the example programs share: every network of `specs/` behind one trait, and positions shown as text.

pub mod any_network;
pub mod colour;
pub mod raw;
pub mod show;
pub mod specs;
