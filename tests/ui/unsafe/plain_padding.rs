#[repr(C, align(64))]
pub struct Hollow {
    pub byte: u8,
    pub word: u16,
    pub rest: [u8; 60],
}
nnue_runtime::__private::plain!(Hollow { byte, word, rest });

fn main() {}
