//! A module of kernels for each level: the same functions, made of the level's primitives.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::imports::Names;
use super::{Program, accumulate, affine, moves, probe, propagate, transform};
use crate::plan::Plan;

pub(super) fn module(program: &Program<'_>, plan: &Plan<'_>) -> TokenStream {
    let isa = plan.isa;
    let module = format_ident!("{}", isa.name);
    let doc = format!(" Kernels for the level `{}`.", isa.name);
    let cfg = isa.target_arch.map(|arch| match isa.build {
        None => quote! { #[cfg(target_arch = #arch)] },
        Some(build) => {
            let build: TokenStream = build.parse().expect("the table of levels has tokens");
            quote! { #[cfg(all(target_arch = #arch, #build))] }
        }
    });
    let features = isa.features.join(",");
    let attribute =
        (!features.is_empty()).then(|| quote! { #[target_feature(enable = #features)] });
    let accumulate = match plan.accumulate_of {
        Some(isa) => {
            let module = format_ident!("{}", isa.name);
            let updates = moves::updates(program, plan);
            quote! {
                pub(super) use super::#module::{accumulate, refresh};
                #(use super::#module::#updates;)*
            }
        }
        None => accumulate::functions(program, plan, attribute.as_ref()),
    };
    let transform = transform::functions(program, plan, attribute.as_ref());
    let propagate = propagate::functions(program, plan, attribute.as_ref());
    let probed = probe::function(program, plan, attribute.as_ref());
    let moves = moves::functions(program, plan, attribute.as_ref());
    let step = affine::called_step(plan);
    let functions = quote! { #accumulate #transform #propagate #probed #moves #step };
    let names = Names::of(&functions);
    let of_network = names.of_parent(&["Half", "Outputs", "Stacks", "Weights"]);
    let of_runtime = names.of_runtime(program.runtime, &[], Some(&module));
    quote! {
        #[doc = #doc]
        #[doc(hidden)]
        #cfg
        mod #module {
            #of_network
            #of_runtime
            #functions
        }
    }
}
