//! One module of kernels per instruction set: the same functions over other primitives.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{Program, accumulate, affine, propagate, transform};
use crate::plan::{Kernel, Plan};

pub(super) fn module(program: &Program<'_>, plan: &Plan<'_>) -> TokenStream {
    let runtime = program.runtime;
    let isa = plan.isa;
    let (module, kind) = (format_ident!("{}", isa.name), format_ident!("{}", isa.kind));
    let features = isa.features;
    let doc = format!(" Kernels for the level `{}`.", isa.name);
    let (cfg, attribute, check) = if isa.is_portable() {
        (None, None, None)
    } else {
        (
            Some(quote! { #[cfg(target_arch = "x86_64")] }),
            Some(quote! { #[target_feature(enable = #features)] }),
            // The dispatch calls these functions after detecting what the runtime's table lists.
            Some(quote! {
                const _: () = #runtime::__private::core::assert!(
                    #runtime::level::enables(#runtime::level::Kind::#kind, #features)
                );
            }),
        )
    };
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
            #check
            #accumulate
            #transform
            #propagate
            #step
        }
    }
}
