//! What several tests need: goldens of the original engines, nets that a test makes itself,
//! released nets, and crates that use the macro.

pub mod differential;
pub mod fixtures;
pub mod generations;
pub mod goldens;
pub mod net_file;
pub mod nets;
pub mod random;
pub mod random_weights;
pub mod synthetic;
pub mod wasm;
