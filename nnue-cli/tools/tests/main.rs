//! Tests of the tool's modules from outside, which are one program because each program links all
//! of the tool.

mod adopt;
mod data;
mod files;
