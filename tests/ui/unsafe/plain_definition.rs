//! The macro takes no definition. Attributes and types in one may be macros themselves, and these
//! could make another struct than the one that is checked.

nnue_runtime::__private::plain! {
    /// Sixty-four bytes.
    pub struct Bytes {
        /// All of them.
        pub bytes: [u8; 64],
    }
}

fn main() {}
