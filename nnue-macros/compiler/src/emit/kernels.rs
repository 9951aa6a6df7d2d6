//! One module of kernels for each level: the same functions over other primitives.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{Program, accumulate, affine, propagate, transform};
use crate::plan::{Kernel, Plan};

pub(super) fn module(program: &Program<'_>, plan: &Plan<'_>) -> TokenStream {
    let runtime = program.runtime;
    let isa = plan.isa;
    let module = format_ident!("{}", isa.name);
    let doc = format!(" Kernels for the level `{}`.", isa.name);
    let cfg = isa
        .target_arch
        .map(|arch| quote! { #[cfg(target_arch = #arch)] });
    let features = isa.features.join(",");
    let attribute =
        (!features.is_empty()).then(|| quote! { #[target_feature(enable = #features)] });
    let accumulate = accumulate::functions(program, plan, attribute.as_ref());
    let transform = transform::functions(program, plan, attribute.as_ref());
    let propagate = propagate::function(program, plan, attribute.as_ref());
    let step = affine::called_step(plan);
    let calls_kernels = plan.kernels().any(|(affine, kernel)| {
        affine.op.to_float.is_some() || matches!(kernel, Kernel::Function { .. })
    });
    let kernels = calls_kernels.then(|| quote! { use #runtime::kernels; });
    quote! {
        #[doc = #doc]
        #cfg
        mod #module {
            use super::{Half, Weights};
            use #runtime::simd::#module as simd;
            #kernels
            use #runtime::buffer::{self, chunk, chunk_mut};
            #accumulate
            #transform
            #propagate
            #step
        }
    }
}
