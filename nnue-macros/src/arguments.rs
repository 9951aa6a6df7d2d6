//! The arguments of `nnue_net!`.

use nnue_compiler::Embed;
use nnue_compiler::diagnostics::{list, nearest};
use nnue_compiler::plan::Unroll;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Token, bracketed};

use crate::weights::Weights;

/// The arguments of a call of the macro.
pub(crate) struct Arguments {
    /// The path of the runtime crate.
    pub(crate) runtime: TokenStream,
    pub(crate) spec: Spec,
    /// The file with the order of the neurons.
    pub(crate) neuron_order: Option<LitStr>,
    /// The net file to check and embed.
    pub(crate) weights: Option<Weights>,
    pub(crate) embed: Embed,
    pub(crate) unroll: Unroll,
    /// The place of `unroll`, or of the first argument if the call has no `unroll`.
    pub(crate) unroll_span: Span,
}

/// The place of the spec.
pub(crate) enum Spec {
    /// A file, with its path relative to the package's manifest.
    Path(LitStr),
    /// The macro's argument `inline`. Errors are shown at the key, because they quote what they
    /// need of the text.
    Inline { key: Span, text: String },
}

impl Arguments {
    /// The files that the generated code depends on.
    pub(crate) fn files(&self) -> impl Iterator<Item = &LitStr> {
        let spec = match &self.spec {
            Spec::Path(path) => Some(path),
            Spec::Inline { .. } => None,
        };
        let weights = self.weights.iter();
        let weights = weights.filter_map(|weights| weights.path.as_ref().ok());
        spec.into_iter().chain(&self.neuron_order).chain(weights)
    }
}

const KEYS: [&str; 6] = [
    "inline",
    "neuron_order",
    "weights",
    "embed",
    "unroll",
    "crate",
];

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Arguments> {
        let runtime;
        bracketed!(runtime in input);
        let mut runtime: TokenStream = runtime.parse()?;
        let first = input.span();
        let mut spec = None;
        let (mut weights, mut embed, mut unroll) = (None, None, None);
        let mut neuron_order = None;
        while !input.is_empty() {
            if input.peek(LitStr) {
                let path: LitStr = input.parse()?;
                let span = path.span();
                set_spec(&mut spec, Spec::Path(path), span)?;
            } else if input.peek(Token![crate]) && input.peek2(Token![=]) {
                input.parse::<Token![crate]>()?;
                input.parse::<Token![=]>()?;
                runtime = TokenStream::new();
                while !input.is_empty() && !input.peek(Token![,]) {
                    runtime.extend([input.parse::<TokenTree>()?]);
                }
            } else {
                let key = key(input, spec.is_some())?;
                let twice = || syn::Error::new(key.span(), format!("`{key}` is given twice"));
                if key == "weights" {
                    match weights {
                        None => weights = Some(input.parse()?),
                        Some(_) => return Err(twice()),
                    }
                } else {
                    let value: LitStr = input.parse()?;
                    match key.to_string().as_str() {
                        "inline" => {
                            let inline = Spec::Inline {
                                key: key.span(),
                                text: value.value(),
                            };
                            set_spec(&mut spec, inline, key.span())?;
                        }
                        "neuron_order" if neuron_order.is_none() => neuron_order = Some(value),
                        "embed" if embed.is_none() => {
                            embed = Some((parse_embed(&value)?, value.span()));
                        }
                        "unroll" if unroll.is_none() => {
                            unroll = Some((parse_unroll(&value)?, value.span()));
                        }
                        _ => return Err(twice()),
                    }
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let spec = spec.ok_or_else(|| {
            let message = format!("found no spec, expected {SPEC}");
            syn::Error::new(first, message)
        })?;
        if let (None, Some((_, span))) = (&weights, embed) {
            let message = "found `embed` and nothing to embed, expected a net file as `weights = \"...\"` too";
            return Err(syn::Error::new(span, message));
        }
        let (unroll, unroll_span) = unroll.unwrap_or((Unroll::default(), first));
        Ok(Arguments {
            runtime,
            spec,
            neuron_order,
            weights,
            embed: embed.map_or(Embed::default(), |(embed, _)| embed),
            unroll,
            unroll_span,
        })
    }
}

/// The ways to give a spec, in the words of errors.
const SPEC: &str =
    "its path, as in `nnue_net!(\"specs/my-net.toml\")`, or the spec itself as `inline = \"...\"`";

fn set_spec(spec: &mut Option<Spec>, to: Spec, span: Span) -> syn::Result<()> {
    if spec.is_some() {
        let message = format!("the spec is given twice, expected either {SPEC}");
        return Err(syn::Error::new(span, message));
    }
    *spec = Some(to);
    Ok(())
}

/// Reads the name of an argument and the `=` behind it.
fn key(input: ParseStream<'_>, has_spec: bool) -> syn::Result<Ident> {
    if !(input.peek(Ident) && input.peek2(Token![=])) {
        let message = if has_spec {
            format!("expected `name = \"value\"`, names are {}", list(KEYS))
        } else {
            format!("expected the spec: {SPEC}")
        };
        return Err(input.error(message));
    }
    let key: Ident = input.parse()?;
    let name = key.to_string();
    if !KEYS.contains(&name.as_str()) {
        let near =
            nearest(&name, KEYS).map_or(String::new(), |near| format!(": did you mean `{near}`?"));
        let message = format!(
            "unknown argument `{name}`, allowed are {}{near}",
            list(KEYS)
        );
        return Err(syn::Error::new(key.span(), message));
    }
    input.parse::<Token![=]>()?;
    Ok(key)
}

fn parse_embed(value: &LitStr) -> syn::Result<Embed> {
    let values = [("file", Embed::File), ("weights", Embed::Weights)];
    one_of("embed", value, values)
}

fn parse_unroll(value: &LitStr) -> syn::Result<Unroll> {
    let values = [("auto", Unroll::Auto), ("full", Unroll::Full)];
    one_of("unroll", value, values)
}

/// Finds the value whose name is the text of an argument.
fn one_of<T>(argument: &str, value: &LitStr, values: [(&str, T); 2]) -> syn::Result<T> {
    let name = value.value();
    let message = format!(
        "`{argument}` does not know `{name}`, allowed are {}",
        list(values.each_ref().map(|(name, _)| *name))
    );
    let found = values.into_iter().find(|(own, _)| *own == name);
    let (_, found) = found.ok_or_else(|| syn::Error::new(value.span(), message))?;
    Ok(found)
}
