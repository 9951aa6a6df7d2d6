//! The packages that are published: what their manifests say, what they hold, and that they are
//! all that a user needs.
//!
//! What compiles the packages takes minutes and is ignored by default:
//! `cargo test -p nnue-further-tests --test packages -- --ignored`.

mod built;
mod contents;
mod published;
mod quick_start;
mod registry;
mod requirements;
