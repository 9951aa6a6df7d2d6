nnue_runtime::__private::plain! {
    pub struct Hollow {
        pub byte: u8,
        #[cfg(any())]
        pub padding: [u8; 63],
    }
}

fn main() {}
