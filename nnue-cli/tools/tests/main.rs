//! Tests of the tool's modules from outside, which are one program because each program links all
//! of the tool.

#![allow(
    clippy::disallowed_methods,
    reason = "tests make the files that the program reads, and read what it writes"
)]

mod adopt;
mod c;
mod data;
mod files;
