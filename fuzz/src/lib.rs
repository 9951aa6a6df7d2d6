//! What several fuzz targets need. [README.md](../README.md) says what each target tries.

pub mod nets;
pub mod scratch;
pub mod small128;
pub mod specs;

#[path = "../../nnue-macros/compiler/tests/examine.rs"]
mod examine;
#[path = "../../nnue-macros/compiler/tests/net_under_test.rs"]
mod net_under_test;
