nnue_runtime::plain! {
    pub struct Bools {
        pub bools: [bool; 64],
    }
}

fn main() {}
