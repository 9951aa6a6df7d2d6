//! The C interface of compiled networks.
//!
//! [`export!`] gives the functions of a network names in C, and [`Header`](header::Header) writes
//! the header that declares them. The command `nnue capi SPEC --out DIR` does both, and compiles a
//! library. All functions are generic over the network's
//! [`Architecture`](nnue_runtime::Architecture): a library has the functions of its network and
//! nothing else.
//!
//! The contract of all functions is that of C: a null pointer is an error, and any other pointer
//! must be what the header says. What a caller can get wrong without undefined behaviour is an
//! error, too, with a [`Status`] and a text.

mod evaluator;
mod export;
pub mod header;
mod network;
mod status;
mod types;

pub use crate::evaluator::{EvaluationOf, Evaluator, Line};
pub use crate::status::Status;
pub use crate::types::{CMove, COutput, CPosition, CWdl, Checked, Exported};

/// The items that [`export!`] needs.
#[doc(hidden)]
pub mod __private {
    pub use std::ffi::c_char;

    pub use crate::export::terminated;
    pub use crate::{CMove, CPosition, Status};

    pub mod evaluator {
        pub use crate::evaluator::*;
    }
    pub mod network {
        pub use crate::network::{embedded, free, from_bytes, level, level_name, open};
    }
    pub mod status {
        pub use crate::status::last_error;
    }
}
