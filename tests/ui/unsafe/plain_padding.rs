nnue_runtime::__private::plain! {
    pub struct Hollow {
        pub byte: u8,
        pub word: u16,
        pub rest: [u8; 60],
    }
}

fn main() {}
