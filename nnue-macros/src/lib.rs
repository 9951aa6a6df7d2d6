//! The macro `nnue_net!`. It reads files and passes their text to the compiler; use it through
//! `nnue-runtime`, which documents it.

mod arguments;
mod files;
mod place;
#[cfg(test)]
mod same_as_build;
mod tokens;
mod weights;

use nnue_compiler::diagnostics::{Errors, SourceFile};
use nnue_compiler::network::Network;
use nnue_compiler::{Levels, NetFile, Refused, Request, analyse, reorder, skeleton};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;

use crate::arguments::{Arguments, Spec};
use crate::place::Place;
use crate::tokens::{Error, Text};
use crate::weights::Weights;

/// Compiles a spec for x86-64. The first token, in brackets, is the path of the runtime crate.
///
/// A macro cannot ask for which architecture its caller is compiled. The runtime can: it exports
/// the macro of its architecture.
#[doc(hidden)]
#[proc_macro]
pub fn nnue_net_x86_64(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    nnue_net(input, Levels::Of("x86_64"))
}

/// Compiles a spec for 64-bit Arm.
#[doc(hidden)]
#[proc_macro]
pub fn nnue_net_aarch64(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    nnue_net(input, Levels::Of("aarch64"))
}

/// Compiles a spec for WebAssembly.
#[doc(hidden)]
#[proc_macro]
pub fn nnue_net_wasm32(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    nnue_net(input, Levels::Of("wasm32"))
}

/// Compiles a spec for architectures without levels of their own.
#[doc(hidden)]
#[proc_macro]
pub fn nnue_net_portable(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    nnue_net(input, Levels::Portable)
}

fn nnue_net(input: proc_macro::TokenStream, levels: Levels) -> proc_macro::TokenStream {
    let input = TokenStream::from(input);
    if let Some(error) = misplaced(&input) {
        return error.to_compile_error().into();
    }
    let expansion = match Arguments::parse(input.clone()) {
        Ok(arguments) => expand(&arguments, levels),
        Err(error) => {
            let runtime = match input.into_iter().next() {
                Some(TokenTree::Group(runtime)) => runtime.stream(),
                _ => TokenStream::new(),
            };
            refuse(&runtime, &[error])
        }
    };
    expansion.into()
}

/// The error of a call that is not the first call in a module, at its first argument.
fn misplaced(input: &TokenStream) -> Option<Error> {
    let argument = input.clone().into_iter().nth(1)?.span();
    let message = match place::place_of(argument)? {
        Place::Module => return None,
        // There is no skeleton, because the first call has defined the names.
        Place::TakenModule => {
            "found a second `nnue_net!` in one module, whose names are those of the first: put each \
             into a module of its own, as in `mod sfnnv5 { nnue_net!(\"specs/sfnnv5.toml\"); }`"
        }
        Place::Body => {
            "found `nnue_net!` in the body of a function or of a constant, where the modules of the \
             network would not find its names: put it into a module, as in \
             `mod sfnnv5 { nnue_net!(\"specs/sfnnv5.toml\"); }`, which can be in the body"
        }
    };
    Some(Error::new(argument, message))
}

fn expand(arguments: &Arguments, levels: Levels) -> TokenStream {
    let tracked = arguments
        .files()
        .filter(|path| files::exists(path))
        .map(|path| files::track(path, &arguments.runtime));
    let variable = arguments.weights.as_ref();
    let variable = variable.and_then(|weights| weights.track(&arguments.runtime));
    let generated =
        compile(arguments, levels).unwrap_or_else(|errors| refuse(&arguments.runtime, &errors));
    quote! { #variable #(#tracked)* #generated }
}

/// Code that reports each error as an error of the Rust compiler at the macro's argument, and a
/// skeleton that keeps the code around from failing too.
fn refuse(runtime: &TokenStream, errors: &[Error]) -> TokenStream {
    let skeleton = skeleton(runtime);
    let errors = errors.iter().map(Error::to_compile_error);
    quote! { #(#errors)* #skeleton }
}

/// The code of the network's module, or everything that is wrong with its spec and its files.
fn compile(arguments: &Arguments, levels: Levels) -> Result<TokenStream, Vec<Error>> {
    let spec = spec(arguments);
    let file = arguments.weights.as_ref().map(net_file).transpose();
    let ((network, text), file) = match (spec, file) {
        (Ok(spec), Ok(file)) => (spec, file),
        (spec, file) => {
            let errors = spec.err().unwrap_or_default();
            return Err(errors.into_iter().chain(file.err()).collect());
        }
    };
    let path = file.as_ref().map(|(path, _)| path.span());
    let request = Request {
        runtime: arguments.runtime.clone(),
        unroll: arguments.unroll,
        levels,
        weights: file.map(|(path, bytes)| NetFile {
            path: path.value().to_owned(),
            bytes,
            embed: arguments.embed,
            included: files::include(path, &arguments.runtime),
        }),
        checked: arguments.is_checked.then_some(text),
    };
    nnue_compiler::compile(&network, &request).map_err(|refused| {
        let place = match (&refused, path) {
            (Refused::NetFile(_), Some(path)) => path,
            _ => arguments.unroll_span,
        };
        vec![Error::new(place, refused)]
    })
}

/// The path and the bytes of the net file to embed.
fn net_file(weights: &Weights) -> Result<(&Text, Vec<u8>), Error> {
    let path = weights.path.as_ref().map_err(Error::clone)?;
    let file = files::read(path)?;
    Ok((path, file))
}

/// The network, and the text of its spec.
fn spec(arguments: &Arguments) -> Result<(Network, String), Vec<Error>> {
    let (source, span) = match &arguments.spec {
        Spec::Path(path) => (text(path)?, path.span()),
        Spec::Inline { key, text } => (SourceFile::new("inline spec", text), *key),
    };
    let mut network = analyse(&source).map_err(|errors| at(span, &errors))?;
    if let Some(path) = &arguments.neuron_order {
        let order = text(path)?;
        reorder(&mut network, &order).map_err(|errors| at(path.span(), &errors))?;
    }
    Ok((network, source.text))
}

fn text(path: &Text) -> Result<SourceFile, Vec<Error>> {
    files::text(path).map_err(|error| vec![error])
}

/// Errors of a text at the argument that names it.
fn at(span: Span, errors: &Errors) -> Vec<Error> {
    let rendered = errors.rendered();
    rendered.map(|error| Error::new(span, error)).collect()
}
