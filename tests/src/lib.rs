//! What the tests stand on: goldens of the original engines, nets that a test makes itself, and
//! released nets.

pub mod generations;
pub mod golden;
pub mod nets;
pub mod networks;
pub mod synthetic;
pub mod wasm;
