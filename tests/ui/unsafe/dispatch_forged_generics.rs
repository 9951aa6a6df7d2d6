// What is checked instead of the function that is called.
mod scalar {
    pub fn kernel(_: u32) {}
}
mod avx2 {
    pub unsafe fn kernel(_: u32) {}
}

fn main() {
    let argument = 1;
    nnue_runtime::__private::dispatch! {
        @call nnue_runtime::Level::detect(), scalar kernel (argument);
        ["x86_64"] Avx2 ["avx2"] avx2 kernel [; super::scalar::kernel] (argument);
    }
}
