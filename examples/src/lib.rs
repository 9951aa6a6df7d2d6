//! What the example programs share: every network of `specs/` behind one trait, positions shown as
//! text, and measurements over the trace of a search.

pub mod any_network;
pub mod colour;
pub mod command_line;
pub mod processor;
pub mod raw;
pub mod reorder;
pub mod replay;
pub mod show;
pub mod specs;
