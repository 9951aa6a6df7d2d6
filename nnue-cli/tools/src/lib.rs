//! The work of the command `nnue`, a module for each subject.
//!
//! | module | has |
//! |---|---|
//! | [`files`] | files that are written as a whole or not at all, and never over an input |
//! | [`data`] | positions to train on: formats, filters, shuffling, rows |
//! | [`nets`] | net files of any network: shown, compared, evaluated, converted |
//! | [`adopt`] | specs for files without a header |
//! | [`quantise`] | from floating point to integers, and its cost |
//! | [`matches`](mod@matches) | matches of two UCI engines, with Elo and SPRT |
//! | [`loops`] | from a spec to a net whose strength is known |
//! | [`picture`] | networks and weights as pictures and pages |
//! | [`measure`] | how fast networks are |
//! | [`export`] | networks for other programs: C, ONNX, bullet |
//!
//! Others may use the public items of a module. All types for results derive serde's `Serialize`;
//! the caller makes tables and colours.
//!
//! [`adopt`], [`picture`], [`export::rust`] and what [`nets`] does with bytes also run in a web page,
//! where there are no threads, clocks and files.

#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests make the files that the code reads, and read what it writes"
    )
)]

pub mod adopt;
pub mod changes;
mod compression;
pub mod data;
pub mod export;
mod fen;
pub mod files;
pub mod loops;
pub mod matches;
pub mod measure;
pub mod nets;
pub mod picture;
pub mod quantise;
