//! The macro `nnue_net!`. It reads files and passes their text to the compiler; use it through `nnue-runtime`, which
//! documents it.

mod arguments;
mod files;

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::{Options, analyse, emit, file, skeleton};
use proc_macro2::TokenStream;
use quote::quote;

use crate::arguments::{Arguments, Spec};

/// Compiles a spec. The first token, in brackets, is the path of the runtime crate.
#[doc(hidden)]
#[proc_macro]
pub fn nnue_net(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse::<Arguments>(input) {
        Ok(arguments) => expand(&arguments).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

/// The network's module; or the errors, each as one compiler error at the macro's argument, and a skeleton that keeps
/// the code around from failing too.
fn expand(arguments: &Arguments) -> TokenStream {
    let tracked = arguments
        .files()
        .map(|path| files::track(path, &arguments.runtime));
    let generated = match compile(arguments) {
        Ok(generated) => generated,
        Err(errors) => {
            let skeleton = skeleton(&arguments.runtime);
            let errors = errors.iter().map(syn::Error::to_compile_error);
            quote! { #(#errors)* #skeleton }
        }
    };
    quote! { #(#tracked)* #generated }
}

fn compile(arguments: &Arguments) -> Result<TokenStream, Vec<syn::Error>> {
    let (source, span) = match &arguments.spec {
        Spec::Path(path) => {
            let text = files::read(path)
                .and_then(|bytes| files::text(path, bytes))
                .map_err(|error| vec![error])?;
            (SourceFile::new(path.value(), text), path.span())
        }
        Spec::Inline(text) => (SourceFile::new("inline spec", text.value()), text.span()),
    };
    let network = analyse(&source).map_err(|errors| {
        errors
            .rendered()
            .map(|error| syn::Error::new(span, error))
            .collect::<Vec<_>>()
    })?;
    let embedded = match &arguments.weights {
        Some(path) => {
            let bytes = files::read(path).map_err(|error| vec![error])?;
            file::verify::verify(&network, &bytes).map_err(|problem| {
                let message = format!(
                    "{} is no net file for {}: {problem}",
                    path.value(),
                    network.name
                );
                vec![syn::Error::new(path.span(), message)]
            })?;
            Some(files::include(path, &arguments.runtime))
        }
        None => None,
    };
    let options = Options {
        runtime: arguments.runtime.clone(),
        unroll: arguments.unroll,
        embedded,
    };
    Ok(emit(&network, &options))
}
