#[path = "harmless.rs"]
mod harmless;

use harmless::{avx2, scalar};

static mut SHARED: u32 = 1;

fn main() {
    let argument = 1;
    nnue_runtime::__private::dispatch! {
        @call nnue_runtime::Level::detect(), scalar kernel (argument);
        ["x86_64"] Avx2 ["avx2"] avx2 kernel (SHARED);
    }
}
