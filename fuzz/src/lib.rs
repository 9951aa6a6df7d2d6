//! What several fuzz targets need. [README.md](../README.md) says what each target tries.

pub mod nets;
pub mod scratch;
pub mod specs;
