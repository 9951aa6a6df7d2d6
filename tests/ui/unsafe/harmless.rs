//! Kernels that do no harm, for every level. Where a case defines a module of the same name, that
//! one is called.

macro_rules! modules {
    ($($kind:ident $module:ident $arch:ident $archs:tt $feature:ident $features:tt $facts:tt)+) => {
        $(pub mod $module { pub fn kernel(_: u32) {} })+
    };
}
nnue_runtime::__private::levels!(modules);
