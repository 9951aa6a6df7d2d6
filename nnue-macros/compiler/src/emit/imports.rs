//! The `use` declarations of generated code: the names that it needs of the runtime, and no others.
//!
//! They stand in blocks and in modules of kernels, where the user's names are not in their way.
//! Macros are called with the name of their module, as in `kernels::dispatch!`: a single name would
//! compete with macros that the user has defined.

use std::collections::HashSet;

use proc_macro2::{Ident, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

/// The public names of the runtime that generated code uses.
const PUBLIC: &[&str] = &[
    "Architecture",
    "Color",
    "Embedded",
    "Evaluated",
    "HeadValue",
    "Level",
    "Order",
    "SelectedByPieces",
    "line",
    "neurons",
];

/// The names that only generated code needs: modules of `__private`, each with the names that are
/// used without the module before them. The module without a name is `__private` itself.
const PRIVATE: &[(&str, &[&str])] = &[
    ("", &["EmbeddedNet", "Output", "Proved", "Wdl"]),
    ("activation", &[]),
    ("buffer", &["Aligned", "chunk", "chunk_mut"]),
    ("core", &["iter::zip", "option::Option"]),
    ("features", &[]),
    ("file", &[]),
    ("kernels", &[]),
    ("memory", &[]),
    ("probe", &["Probe", "Probed", "Values"]),
    ("proof", &[]),
    ("simd", &["InputWriter", "Inputs", "NonZero"]),
];

/// The names in generated code. A name that is followed by `::` is there both with and without it.
pub(super) struct Names(HashSet<String>);

impl Names {
    pub(super) fn of(code: &TokenStream) -> Names {
        let mut names = HashSet::new();
        collect(code.clone(), &mut names);
        Names(names)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Imports of those names that the module around the code defines.
    pub(super) fn of_parent(&self, names: &[&str]) -> Option<TokenStream> {
        let used = self.used(names);
        (!used.is_empty()).then(|| quote! { use super::{#(#used),*}; })
    }

    /// Imports of the runtime's names, except for names that the module around the code already
    /// has: a declaration for public names, and another for all others. In kernels, `simd` stands
    /// for the primitives of their level.
    pub(super) fn of_runtime(
        &self,
        runtime: &TokenStream,
        of_parent: &[&str],
        level: Option<&Ident>,
    ) -> TokenStream {
        let public = self.used(PUBLIC);
        let public = (!public.is_empty()).then(|| quote! { use #runtime::{#(#public),*}; });
        let private = PRIVATE.iter().flat_map(|(module, names)| {
            let names: Vec<&str> = (names.iter().copied())
                .filter(|name| !of_parent.contains(name))
                .collect();
            self.of_module(module, &names, level)
        });
        quote! {
            #public
            use #runtime::__private::{#(#private),*};
        }
    }

    /// The imports from a module of `__private`.
    fn of_module(&self, module: &str, names: &[&str], level: Option<&Ident>) -> Vec<TokenStream> {
        let mut used = self.used(names);
        if module.is_empty() {
            return used;
        }
        let module_name = format_ident!("{module}");
        if self.has(&format!("{module}::")) {
            match level.filter(|_| module == "simd") {
                Some(level) => used.push(quote! { #level as simd }),
                None if used.is_empty() => return vec![module_name.into_token_stream()],
                None => used.insert(0, quote!(self)),
            }
        }
        match used.as_slice() {
            [] => Vec::new(),
            [name] => vec![quote! { #module_name::#name }],
            _ => vec![quote! { #module_name::{#(#used),*} }],
        }
    }

    /// The paths whose last names are used in the code.
    fn used(&self, paths: &[&str]) -> Vec<TokenStream> {
        let of_path = |path: &&str| {
            let names: Vec<&str> = path.split("::").collect();
            let is_used = names.last().is_some_and(|name| self.has(name));
            let names = names.iter().map(|name| format_ident!("{name}"));
            is_used.then(|| quote! { #(#names)::* })
        };
        paths.iter().filter_map(of_path).collect()
    }
}

/// Collects the first names of paths: what stands behind `::` is not in scope by itself.
fn collect(tokens: TokenStream, names: &mut HashSet<String>) {
    let mut after_colons = false;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(tree) = tokens.next() {
        // The first of two colons is joined to the second.
        let colons = |tree: &TokenTree| match tree {
            TokenTree::Punct(punct) => punct.as_char() == ':' && punct.spacing() == Spacing::Joint,
            _ => false,
        };
        match &tree {
            TokenTree::Group(group) => collect(group.stream(), names),
            TokenTree::Ident(name) if !after_colons => {
                names.insert(name.to_string());
                if tokens.peek().is_some_and(colons) {
                    names.insert(format!("{name}::"));
                }
            }
            _ => {}
        }
        after_colons = colons(&tree) && tokens.next().is_some();
    }
}
