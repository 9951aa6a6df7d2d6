//! Files named in the macro's arguments: relative to the manifest of the package that calls it.

use std::path::PathBuf;

use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

/// The bytes of a file.
pub(crate) fn read(path: &LitStr) -> syn::Result<Vec<u8>> {
    let absolute = absolute(path)?;
    std::fs::read(&absolute).map_err(|error| {
        let message = format!(
            "cannot read `{}`: {error}\n  = help: paths are relative to the package's Cargo.toml: looked for {}",
            path.value(),
            absolute.display()
        );
        syn::Error::new(path.span(), message)
    })
}

/// The bytes as text.
pub(crate) fn text(path: &LitStr, bytes: Vec<u8>) -> syn::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let message = format!(
            "`{}` is not UTF-8 text: the byte at offset {offset} is no character's",
            path.value()
        );
        syn::Error::new(path.span(), message)
    })
}

fn absolute(path: &LitStr) -> syn::Result<PathBuf> {
    match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(manifest) => Ok(PathBuf::from(manifest).join(path.value())),
        None => Err(syn::Error::new(
            path.span(),
            "CARGO_MANIFEST_DIR is not set: is this not a cargo build?",
        )),
    }
}

/// A reference to the bytes of a file, without an absolute path in the expansion.
pub(crate) fn include(path: &LitStr, runtime: &TokenStream) -> TokenStream {
    let core = quote!(#runtime::__private::core);
    quote! {
        #core::include_bytes!(#core::concat!(#core::env!("CARGO_MANIFEST_DIR"), "/", #path))
    }
}

/// What makes cargo compile the crate anew when a file changes.
pub(crate) fn track(path: &LitStr, runtime: &TokenStream) -> TokenStream {
    let bytes = include(path, runtime);
    quote! { const _: &[u8] = #bytes; }
}
