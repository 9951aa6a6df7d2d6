#[path = "harmless.rs"]
mod harmless;

use harmless::scalar;
use nnue_runtime::Level;

/// A path that means a safe function where nothing is known of the lifetime, and an unsafe one
/// where it is.
mod both {
    pub struct Of<T>(T);

    pub trait Unsafe {
        unsafe fn kernel(_: u32) {}
    }

    impl<T> Unsafe for Of<T> {}

    pub trait Hidden<'a> {
        type Output;
    }

    impl<'a> Hidden<'a> for u8 {
        type Output = u16;
    }

    impl<'a, T: Hidden<'a, Output = u16>> Of<T> {
        pub fn kernel(_: u32) {}
    }
}

use both::Unsafe as _;

type Both = both::Of<u8>;

fn call<'a>(argument: u32)
where
    u8: both::Hidden<'a>,
{
    nnue_runtime::__private::dispatch! {
        @call Level::detect(), scalar kernel (argument);
        ["x86_64"] Avx2 ["avx2"] Both kernel (argument);
    }
}

fn main() {
    call(1);
}
