//! The macro's argument `weights`: the path of a net file, or the variable of the environment that
//! has the path.
//!
//! rustc expands no other macro in the arguments of a macro, so `env!` and `option_env!` are read
//! here, in the form that they have in Rust.

use std::env::{self, VarError};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Ident, LitStr, Token};

/// The value of the argument `weights`.
pub(crate) struct Weights {
    /// The path of the net file, with the place of the argument; or why the variable has none.
    pub(crate) path: syn::Result<LitStr>,
    /// The variable that has the path.
    variable: Option<LitStr>,
}

/// What is allowed, in the words of errors.
const ALLOWED: &str = "a path as in `\"nets/my-net.nnue\"`, `env!(\"EVALFILE\")` or \
    `option_env!(\"EVALFILE\").unwrap_or(\"nets/my-net.nnue\")`";

impl Parse for Weights {
    fn parse(input: ParseStream<'_>) -> syn::Result<Weights> {
        if input.peek(LitStr) {
            let path: LitStr = input.parse()?;
            // Anything behind the path would be part of an expression.
            if !input.is_empty() && !input.peek(Token![,]) {
                return Err(refused(input));
            }
            return Ok(Weights {
                path: Ok(path),
                variable: None,
            });
        }
        // Nothing is consumed before it is clear what it is, so that errors are at its beginning.
        let ahead = input.fork();
        let Ok((variable, default)) = variable(&ahead) else {
            return Err(refused(input));
        };
        input.advance_to(&ahead);
        Ok(Weights {
            path: path_in(&variable, default),
            variable: Some(variable),
        })
    }
}

impl Weights {
    /// A constant that makes rustc compile the crate anew when the variable changes.
    pub(crate) fn track(&self, runtime: &TokenStream) -> Option<TokenStream> {
        let variable = self.variable.as_ref()?;
        // Of a value that is not UTF-8, `option_env!` is a second error. Cargo builds again anyway
        // after an error.
        if let Err(VarError::NotUnicode(_)) = env::var(variable.value()) {
            return None;
        }
        let core = quote!(#runtime::__private::core);
        Some(quote! {
            const _: #core::option::Option<&#core::primitive::str> = #core::option_env!(#variable);
        })
    }
}

/// Reads `env!("NAME")` or `option_env!("NAME").unwrap_or("path")`, up to the end of the argument:
/// the name and the default.
fn variable(input: ParseStream<'_>) -> syn::Result<(LitStr, Option<LitStr>)> {
    // `std::env!` and `core::env!` are the same.
    if input.peek(Token![::]) {
        input.parse::<Token![::]>()?;
    }
    let mut name: Ident = input.parse()?;
    if name == "std" || name == "core" {
        input.parse::<Token![::]>()?;
        name = input.parse()?;
    }
    input.parse::<Token![!]>()?;
    let variable = string_in_parentheses(input)?;
    let default = match name.to_string().as_str() {
        "env" => None,
        "option_env" => {
            input.parse::<Token![.]>()?;
            let method: Ident = input.parse()?;
            if method != "unwrap_or" {
                return Err(input.error("another method"));
            }
            Some(string_in_parentheses(input)?)
        }
        _ => return Err(input.error("another macro")),
    };
    if !(input.is_empty() || input.peek(Token![,])) {
        return Err(input.error("more of an expression"));
    }
    Ok((variable, default))
}

fn string_in_parentheses(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let content = match input.parse::<TokenTree>()? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => group.stream(),
        _ => return Err(input.error("no parentheses")),
    };
    let string = |input: ParseStream<'_>| {
        let string = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(string)
    };
    string.parse2(content)
}

fn refused(input: ParseStream<'_>) -> syn::Error {
    input.error(format!(
        "found an expression whose value is not known here, expected {ALLOWED}"
    ))
}

/// The path that the variable has, at the place of its name.
fn path_in(variable: &LitStr, default: Option<LitStr>) -> syn::Result<LitStr> {
    let name = variable.value();
    let wrong = |found: &str| {
        let message =
            format!("the environment variable `{name}` {found}, expected the path of a net file");
        syn::Error::new(variable.span(), message)
    };
    match env::var(&name) {
        Ok(path) if path.is_empty() => Err(wrong("is empty")),
        Ok(path) => Ok(LitStr::new(&path, variable.span())),
        Err(VarError::NotPresent) => default.ok_or_else(|| {
            let help = "\n  = help: `option_env!(...).unwrap_or(\"nets/my-net.nnue\")` has a path for builds without it";
            let error = wrong("is not set");
            syn::Error::new(variable.span(), format!("{error}{help}"))
        }),
        Err(VarError::NotUnicode(value)) => {
            let value = value.to_string_lossy();
            Err(wrong(&format!("is `{value}`, which is not UTF-8 text")))
        }
    }
}
