#[path = "harmless.rs"]
mod harmless;

use harmless::*;

static mut SHARED: u32 = 1;

fn main() {
    nnue_runtime::__private::dispatch!(nnue_runtime::Level::detect(), kernel(SHARED));
}
