//! A type that is `[u8; 0]` where the struct is defined, and was `[u8; 63]` beside a function of the macro's own.

const fn size_of_value<T: Copy>(_: T) -> usize {
    std::mem::size_of::<T>()
}

const fn assert_plain<T>() -> [u8; 63] {
    [0; 63]
}

nnue_runtime::__private::plain! {
    pub struct Hollow {
        pub byte: u8,
        pub padding: [u8; 63 - size_of_value(assert_plain::<u8>())],
    }
}

fn main() {}
