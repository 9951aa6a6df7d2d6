mod scalar {
    pub fn kernel(_: u32) {}
}
mod avx2 {
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

static mut SHARED: u32 = 1;

fn main() {
    nnue_runtime::dispatch!(nnue_runtime::Level::detect(), kernel(SHARED));
}
