#[path = "harmless.rs"]
mod harmless;

use harmless::*;

unsafe fn argument() -> u32 {
    1
}

fn main() {
    nnue_runtime::__private::dispatch!(nnue_runtime::Level::detect(), kernel(argument()));
}
