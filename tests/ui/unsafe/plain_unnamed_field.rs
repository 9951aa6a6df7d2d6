//! A field that nobody names might be anything.

#[repr(C, align(64))]
pub struct Bools {
    pub bytes: [u8; 64],
    pub nothing: [bool; 0],
}
nnue_runtime::__private::plain!(Bools { bytes });

fn main() {}
