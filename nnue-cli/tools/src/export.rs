//! NNUE networks for other programs.
//!
//! | module | has |
//! |---|---|
//! | [`onnx`] | a network with its weights as an ONNX model |
//! | [`bullet`] | a program that trains a network with bullet |
//! | [`library`] | a library for C and C++, and its header |
//! | [`rust`] | the Rust that the macro generates, to be read |

pub mod bullet;
pub mod library;
pub mod onnx;
pub mod rust;
