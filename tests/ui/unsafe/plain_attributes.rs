//! A field that an attribute takes away cannot fill the place of padding.

#[repr(C, align(64))]
pub struct Hollow {
    pub byte: u8,
    #[cfg(any())]
    pub padding: [u8; 63],
}
nnue_runtime::__private::plain!(Hollow { byte, padding });

fn main() {}
