nnue_runtime::__private::plain! {
    pub struct Bools {
        pub bools: [bool; 64],
    }
}

fn main() {}
