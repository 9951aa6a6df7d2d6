#[path = "harmless.rs"]
mod harmless;

use harmless::*;

mod avx2 {
    pub unsafe fn kernel(_: u32) {}
}

fn main() {
    let argument = 1;
    nnue_runtime::__private::dispatch!(nnue_runtime::Level::detect(), kernel(argument));
}
