//! The files that a network is made of: read, named in generated code, named to cargo.

use std::fs;
use std::path::{self, Path};

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format::foreign;
use proc_macro2::TokenStream;
use quote::quote;

use crate::Error;

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| {
        let absolute = path::absolute(path);
        Error::new(format!(
            "cannot read `{}`: {error}\n  = help: paths are relative to the current folder, in a \
             build script that of `Cargo.toml`: looked for `{}`",
            path.display(),
            absolute.as_deref().unwrap_or(path).display()
        ))
    })
}

/// The text of a file, which errors in it quote.
pub(crate) fn text(path: &Path) -> Result<SourceFile, Error> {
    SourceFile::from_utf8(path.display().to_string(), read(path)?).map_err(Error::new)
}

/// An expression for a reference to the bytes of a file. The path in it is absolute, because others
/// would be relative to the file with the code.
pub(crate) fn include(path: &Path, runtime: &TokenStream) -> Result<TokenStream, Error> {
    let absolute = path::absolute(path)
        .map_err(|error| Error::new(format!("cannot find `{}`: {error}", path.display())))?;
    let absolute = as_line(&absolute)?;
    Ok(quote! { #runtime::__private::core::include_bytes!(#absolute) })
}

/// The path as one line of text, which Rust's literals and cargo's instructions need.
pub(crate) fn as_line(path: &Path) -> Result<&str, Error> {
    let text = path.to_str().filter(|text| !text.contains(['\n', '\r']));
    text.ok_or_else(|| {
        Error::new(format!(
            "the path `{}` is not one line of UTF-8, which cargo needs: rename the file or its folder",
            foreign(path.display().to_string())
        ))
    })
}
