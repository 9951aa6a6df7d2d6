#[repr(C, align(64))]
pub struct Bools {
    pub bools: [bool; 64],
}
nnue_runtime::__private::plain!(Bools { bools });

fn main() {}
