//! Files named in the macro's arguments: relative to the manifest of the package that calls it.

use std::path::{Path, PathBuf};

use nnue_compiler::diagnostics::SourceFile;
use proc_macro2::TokenStream;
use quote::quote;

use crate::tokens::{Error, Text};

/// The bytes of a file.
pub(crate) fn read(path: &Text) -> Result<Vec<u8>, Error> {
    let absolute = absolute(path)?;
    std::fs::read(&absolute).map_err(|error| {
        let message = format!(
            "cannot read `{}`: {error}\n  = help: paths are relative to the package's `Cargo.toml`: looked for `{}`",
            path.value(),
            absolute.display()
        );
        Error::new(path.span(), message)
    })
}

/// The spec, or the order of neurons, in a file.
pub(crate) fn text(path: &Text) -> Result<SourceFile, Error> {
    let content = read(path)?;
    SourceFile::from_utf8(path.value(), content).map_err(|message| Error::new(path.span(), message))
}

/// Whether the file exists. A file that does not exist cannot be [tracked](track), and need not be:
/// cargo tries again whenever a build has failed.
pub(crate) fn exists(path: &Text) -> bool {
    absolute(path).is_ok_and(|path| path.is_file())
}

fn absolute(path: &Text) -> Result<PathBuf, Error> {
    match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(manifest) => Ok(PathBuf::from(manifest).join(path.value())),
        None => Err(Error::new(
            path.span(),
            "`CARGO_MANIFEST_DIR` is not set: cargo sets it to the folder that paths are relative to",
        )),
    }
}

/// An expression for a reference to the bytes of a file. It has no absolute path unless the user
/// wrote an absolute path.
pub(crate) fn include(path: &Text, runtime: &TokenStream) -> TokenStream {
    let core = quote!(#runtime::__private::core);
    if Path::new(path.value()).is_absolute() {
        return quote! { #core::include_bytes!(#path) };
    }
    quote! {
        #core::include_bytes!(#core::concat!(#core::env!("CARGO_MANIFEST_DIR"), "/", #path))
    }
}

/// A constant that makes cargo compile the crate anew when the file changes.
pub(crate) fn track(path: &Text, runtime: &TokenStream) -> TokenStream {
    let bytes = include(path, runtime);
    quote! { const _: &[u8] = #bytes; }
}
