mod scalar {
    pub fn kernel(_: u32) {}
}
mod avx2 {
    #[target_feature(enable = "avx2,gfni")]
    pub fn kernel(_: u32) {}
}
mod avxvnni {
    pub fn kernel(_: u32) {}
}
mod avx512 {
    pub fn kernel(_: u32) {}
}
mod avx512icl {
    pub fn kernel(_: u32) {}
}

fn main() {
    let argument = 1;
    nnue_runtime::dispatch!(nnue_runtime::Level::detect(), kernel(argument));
}
