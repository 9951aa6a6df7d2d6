//! What several tests need: goldens of the original engines, nets that a test makes itself,
//! released nets, and crates that use the macro.

pub mod coverage;
pub mod differential;
pub mod engine_nets;
pub mod fixtures;
pub mod games;
pub mod generations;
pub mod goldens;
pub mod nets;
pub mod play;
pub mod random_weights;
pub mod seed;
pub mod specs;
pub mod synthetic;

pub use nnue_interpreter::dummy::net_file;
