//! The macro's argument `weights`: the path of a net file, or the variable of the environment that
//! has the path.
//!
//! rustc expands no other macro in the arguments of a macro, so `env!` and `option_env!` are read
//! here, in the form that they have in Rust.

use std::env::{self, VarError};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;

use crate::tokens::{Error, Text, Tokens};

/// The value of the argument `weights`.
pub(crate) struct Weights {
    /// The path of the net file, with the place of the argument; or why the variable has none.
    pub(crate) path: Result<Text, Error>,
    /// The variable that has the path.
    variable: Option<Text>,
}

/// The allowed values, in the words of errors.
const ALLOWED: &str = "a path as in `\"nets/my-net.nnue\"`, `env!(\"EVALFILE\")` or \
    `option_env!(\"EVALFILE\").unwrap_or(\"nets/my-net.nnue\")`";

impl Weights {
    pub(crate) fn parse(input: &mut Tokens) -> Result<Weights, Error> {
        if let Some(path) = input.text() {
            // Anything behind the path would be part of an expression.
            if !input.ends() {
                return Err(refused(input));
            }
            return Ok(Weights {
                path: Ok(path),
                variable: None,
            });
        }
        let before = input.read;
        let Some((variable, default)) = variable(input) else {
            // The error is at the beginning of the expression.
            input.read = before;
            return Err(refused(input));
        };
        Ok(Weights {
            path: path_in(&variable, default),
            variable: Some(variable),
        })
    }

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
/// the name and the default. `None` for anything else.
fn variable(input: &mut Tokens) -> Option<(Text, Option<Text>)> {
    // `std::env!` and `core::env!` are the same.
    if input.is_mark(':') {
        path_separator(input)?;
    }
    let mut name = input.name()?;
    if name == "std" || name == "core" {
        path_separator(input)?;
        name = input.name()?;
    }
    if !input.mark('!') {
        return None;
    }
    let variable = string_in_parentheses(input)?;
    let default = match name.to_string().as_str() {
        "env" => None,
        "option_env" => {
            if !input.mark('.') || input.name()? != "unwrap_or" {
                return None;
            }
            Some(string_in_parentheses(input)?)
        }
        _ => return None,
    };
    input.ends().then_some((variable, default))
}

fn path_separator(input: &mut Tokens) -> Option<()> {
    (input.mark(':') && input.mark(':')).then_some(())
}

fn string_in_parentheses(input: &mut Tokens) -> Option<Text> {
    let Some(TokenTree::Group(group)) = input.next() else {
        return None;
    };
    let mut content = Tokens::new(group.stream());
    let string = content.text()?;
    content.mark(',');
    let is_alone = group.delimiter() == Delimiter::Parenthesis && content.is_empty();
    is_alone.then_some(string)
}

fn refused(input: &Tokens) -> Error {
    input.error(format!(
        "found an expression whose value is not known here, expected {ALLOWED}"
    ))
}

/// The path that the variable has, at the place of its name. An empty variable is as one that is not
/// set: a Makefile with `EVALFILE=$(EVALFILE) cargo build` sets it where its user names no net.
fn path_in(variable: &Text, default: Option<Text>) -> Result<Text, Error> {
    let name = variable.value();
    let wrong = |found: &str| {
        let message =
            format!("the environment variable `{name}` {found}, expected the path of a net file");
        Error::new(variable.span(), message)
    };
    let without = |found: &str| {
        let help = "\n  = help: `option_env!(...).unwrap_or(\"nets/my-net.nnue\")` has a path for builds without it";
        let error = wrong(found);
        default.ok_or_else(|| Error::new(variable.span(), format!("{error}{help}")))
    };
    match env::var(name) {
        Ok(path) if path.is_empty() => without("is empty"),
        Ok(path) => Ok(Text::new(&path, variable.span())),
        Err(VarError::NotPresent) => without("is not set"),
        Err(VarError::NotUnicode(value)) => {
            let value = value.to_string_lossy();
            Err(wrong(&format!("is `{value}`, which is not UTF-8 text")))
        }
    }
}
