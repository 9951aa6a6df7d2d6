//! One module of kernels for each level: the same functions over other primitives.

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::{Program, accumulate, affine, propagate, transform};
use crate::plan::Plan;

pub(super) fn module(program: &Program<'_>, plan: &Plan<'_>) -> TokenStream {
    let runtime = program.runtime;
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
            let sum = accumulate::has_sum(program).then(|| quote! { , sum });
            let moves = accumulate::has_moves(program).then(|| quote! { , quiet, capture });
            quote! { pub(super) use super::#module::{accumulate #sum #moves}; }
        }
        None => accumulate::functions(program, plan, attribute.as_ref()),
    };
    let transform = transform::functions(program, plan, attribute.as_ref());
    let propagate = propagate::function(program, plan, attribute.as_ref());
    let step = affine::called_step(plan);
    let functions = quote! { #accumulate #transform #propagate #step };
    let imports = imports(runtime, &functions);
    quote! {
        #[doc = #doc]
        #[doc(hidden)]
        #cfg
        mod #module {
            #(#imports)*
            use #runtime::__private::simd::#module as simd;
            #functions
        }
    }
}

/// Imports of those names of the network and of the runtime that the functions use.
fn imports(runtime: &TokenStream, functions: &TokenStream) -> Vec<TokenStream> {
    let mut used = HashSet::new();
    collect_names(functions.clone(), &mut used);
    let modules: [(Option<&str>, &[&str]); 3] = [
        (
            None,
            &["Output", "Proved", "Wdl", "activation", "buffer", "kernels"],
        ),
        (Some("buffer"), &["Aligned", "chunk", "chunk_mut"]),
        (
            Some("simd"),
            &["InputWriter", "Inputs", "NonZero", "prefetch_part"],
        ),
    ];
    let of_those = |names: &[&str]| -> Option<TokenStream> {
        let names = names.iter().filter(|name| used.contains(**name));
        let names: Vec<_> = names.map(|name| format_ident!("{name}")).collect();
        (!names.is_empty()).then(|| quote! { {#(#names),*} })
    };
    let own = of_those(&["Half", "Outputs", "Stacks", "Weights"]);
    let own = own.map(|names| quote! { use super::#names; });
    let imports = modules.iter().filter_map(|(module, names)| {
        let names = of_those(names)?;
        let module = module.map(|module| {
            let module = format_ident!("{module}");
            quote! { ::#module }
        });
        Some(quote! { use #runtime::__private #module::#names; })
    });
    own.into_iter().chain(imports).collect()
}

fn collect_names(tokens: TokenStream, names: &mut HashSet<String>) {
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => collect_names(group.stream(), names),
            TokenTree::Ident(name) => {
                names.insert(name.to_string());
            }
            _ => {}
        }
    }
}
