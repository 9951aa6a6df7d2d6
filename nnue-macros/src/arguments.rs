//! The arguments of `nnue_net!`.

use nnue_compiler::diagnostics::{list, nearest};
use nnue_compiler::plan::Unroll;
use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Token, bracketed};

/// What the macro was called with.
pub(crate) struct Arguments {
    /// Path of the runtime crate.
    pub(crate) runtime: TokenStream,
    pub(crate) spec: Spec,
    /// A net file to check and embed.
    pub(crate) weights: Option<LitStr>,
    pub(crate) unroll: Unroll,
}

/// Where the spec is.
pub(crate) enum Spec {
    /// In a file, relative to the package's manifest.
    Path(LitStr),
    /// In the macro's argument.
    Inline(LitStr),
}

impl Arguments {
    /// The files that the generated code depends on.
    pub(crate) fn files(&self) -> impl Iterator<Item = &LitStr> {
        let spec = match &self.spec {
            Spec::Path(path) => Some(path),
            Spec::Inline(_) => None,
        };
        spec.into_iter().chain(&self.weights)
    }
}

const KEYS: [&str; 4] = ["inline", "weights", "unroll", "crate"];

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Arguments> {
        let runtime;
        bracketed!(runtime in input);
        let mut runtime: TokenStream = runtime.parse()?;
        let mut spec = None;
        let (mut weights, mut unroll) = (None, None);
        if input.peek(LitStr) {
            spec = Some(Spec::Path(input.parse()?));
            comma(input)?;
        }
        while !input.is_empty() {
            if input.peek(Token![crate]) {
                input.parse::<Token![crate]>()?;
                input.parse::<Token![=]>()?;
                runtime = TokenStream::new();
                while !input.is_empty() && !input.peek(Token![,]) {
                    runtime.extend([input.parse::<TokenTree>()?]);
                }
                comma(input)?;
                continue;
            }
            let key: Ident = input.parse().map_err(|error| {
                let expected = "expected the path of a spec such as \"specs/my-net.toml\"";
                syn::Error::new(
                    error.span(),
                    format!("{expected}, or one of {}", list(KEYS)),
                )
            })?;
            input.parse::<Token![=]>()?;
            let value: LitStr = input.parse()?;
            match key.to_string().as_str() {
                "inline" if spec.is_none() => spec = Some(Spec::Inline(value)),
                "inline" => {
                    return Err(syn::Error::new(
                        key.span(),
                        "the spec is given twice: by path and `inline`",
                    ));
                }
                "weights" if weights.is_none() => weights = Some(value),
                "unroll" if unroll.is_none() => unroll = Some(parse_unroll(&value)?),
                "weights" | "unroll" => {
                    return Err(syn::Error::new(
                        key.span(),
                        format!("`{key}` is given twice"),
                    ));
                }
                unknown => {
                    let near = nearest(unknown, KEYS)
                        .map_or(String::new(), |near| format!(": did you mean `{near}`?"));
                    let message = format!(
                        "unknown argument `{unknown}`, allowed are {}{near}",
                        list(KEYS)
                    );
                    return Err(syn::Error::new(key.span(), message));
                }
            }
            comma(input)?;
        }
        let spec = spec.ok_or_else(|| {
            input.error("expected the path of a spec: `nnue_net!(\"specs/my-net.toml\")`, or `inline = \"...\"`")
        })?;
        Ok(Arguments {
            runtime,
            spec,
            weights,
            unroll: unroll.unwrap_or_default(),
        })
    }
}

/// The comma between arguments; the last one is optional.
fn comma(input: ParseStream<'_>) -> syn::Result<()> {
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}

fn parse_unroll(value: &LitStr) -> syn::Result<Unroll> {
    match value.value().as_str() {
        "auto" => Ok(Unroll::Auto),
        "full" => Ok(Unroll::Full),
        other => Err(syn::Error::new(
            value.span(),
            format!(
                "`unroll` does not know `{other}`, allowed are {}",
                list(["auto", "full"])
            ),
        )),
    }
}
