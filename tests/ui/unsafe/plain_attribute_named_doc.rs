//! `doc::...` may be any attribute macro, and change the struct after the checks.

mod doc {
    pub use std::prelude::v1::derive;
}

nnue_runtime::__private::plain! {
    #[doc::derive(Debug)]
    pub struct Bytes {
        pub bytes: [u8; 64],
    }
}

fn main() {}
