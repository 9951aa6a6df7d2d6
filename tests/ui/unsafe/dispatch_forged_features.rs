#[path = "harmless.rs"]
mod harmless;

use harmless::scalar;

mod forged {
    #[target_feature(enable = "avx2,gfni")]
    pub fn kernel(_: u32) {}
}

fn main() {
    let argument = 1;
    nnue_runtime::__private::dispatch! {
        @call nnue_runtime::Level::detect(), scalar kernel (argument);
        ["x86_64"] Avx2 ["avx2", "gfni"] forged kernel (argument);
    }
}
