//! The arguments of `nnue_net!`.

use nnue_compiler::Embed;
use nnue_compiler::diagnostics::{list, nearest};
use nnue_compiler::plan::Unroll;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};

use crate::tokens::{Error, Text, Tokens};
use crate::weights::Weights;

/// The arguments of a call of the macro.
pub(crate) struct Arguments {
    /// The path of the runtime crate.
    pub(crate) runtime: TokenStream,
    pub(crate) spec: Spec,
    /// The file with the order of the neurons.
    pub(crate) neuron_order: Option<Text>,
    /// The net file to check and embed.
    pub(crate) weights: Option<Weights>,
    pub(crate) embed: Embed,
    pub(crate) unroll: Unroll,
    /// Whether the code is compiled to be checked.
    pub(crate) is_checked: bool,
    /// The place of `unroll`, or of the first argument if the call has no `unroll`.
    pub(crate) unroll_span: Span,
}

/// The place of the spec.
pub(crate) enum Spec {
    /// A file, with its path relative to the package's manifest.
    Path(Text),
    /// The macro's argument `inline`. Errors are shown at the key, because they quote what they
    /// need of the text.
    Inline { key: Span, text: String },
}

impl Arguments {
    /// The files that the generated code depends on.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Text> {
        let spec = match &self.spec {
            Spec::Path(path) => Some(path),
            Spec::Inline { .. } => None,
        };
        let weights = self.weights.iter();
        let weights = weights.filter_map(|weights| weights.path.as_ref().ok());
        spec.into_iter().chain(&self.neuron_order).chain(weights)
    }
}

const KEYS: [&str; 7] = [
    "inline",
    "neuron_order",
    "weights",
    "embed",
    "unroll",
    "check",
    "crate",
];

impl Arguments {
    /// Reads the arguments of a call. The first token, in brackets, is the path of the runtime.
    pub(crate) fn parse(input: TokenStream) -> Result<Arguments, Error> {
        let mut input = Tokens::new(input);
        let mut runtime = match input.next() {
            Some(TokenTree::Group(runtime)) => runtime.stream(),
            _ => return Err(input.error("expected the path of the runtime in brackets")),
        };
        let first = input.place();
        let mut spec = None;
        let (mut weights, mut embed, mut unroll) = (None, None, None);
        let (mut neuron_order, mut check) = (None, None);
        while !input.is_empty() {
            if let Some(path) = input.text() {
                let place = path.span();
                set_spec(&mut spec, Spec::Path(path), place)?;
            } else {
                let key = key(&mut input, spec.is_some())?;
                let twice = || Error::new(key.span(), format_args!("`{key}` is given twice"));
                match key.to_string().as_str() {
                    "crate" => {
                        runtime = TokenStream::new();
                        while !input.ends() {
                            runtime.extend(input.next());
                        }
                    }
                    "weights" if weights.is_none() => weights = Some(Weights::parse(&mut input)?),
                    "weights" => return Err(twice()),
                    name => {
                        let value = input.expect_text()?;
                        match name {
                            "inline" => {
                                let inline = Spec::Inline {
                                    key: key.span(),
                                    text: value.value().to_owned(),
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
                            "check" if check.is_none() => {
                                check = Some(one_of("check", &value, [("wiring", ())])?);
                            }
                            _ => return Err(twice()),
                        }
                    }
                }
            }
            if !input.is_empty() && !input.mark(',') {
                return Err(input.error("expected `,`"));
            }
        }
        let spec = spec.ok_or_else(|| {
            let message = format!("found no spec, expected {SPEC}");
            Error::new(first, message)
        })?;
        if let (None, Some((_, span))) = (&weights, embed) {
            let message = "found `embed` and nothing to embed, expected a net file as `weights = \"...\"` too";
            return Err(Error::new(span, message));
        }
        let (unroll, unroll_span) = unroll.unwrap_or((Unroll::default(), first));
        Ok(Arguments {
            runtime,
            spec,
            neuron_order,
            weights,
            embed: embed.map_or(Embed::default(), |(embed, _)| embed),
            unroll,
            is_checked: check.is_some(),
            unroll_span,
        })
    }
}

/// The ways to give a spec, in the words of errors.
const SPEC: &str =
    "its path, as in `nnue_net!(\"specs/my-net.toml\")`, or the spec itself as `inline = \"...\"`";

fn set_spec(spec: &mut Option<Spec>, to: Spec, span: Span) -> Result<(), Error> {
    if spec.is_some() {
        let message = format!("the spec is given twice, expected either {SPEC}");
        return Err(Error::new(span, message));
    }
    *spec = Some(to);
    Ok(())
}

/// Reads the name of an argument and the `=` behind it.
fn key(input: &mut Tokens, has_spec: bool) -> Result<Ident, Error> {
    let Some(key) = input.key() else {
        return Err(input.error(if has_spec {
            format!("expected `name = \"value\"`, names are {}", list(KEYS))
        } else {
            format!("expected the spec: {SPEC}")
        }));
    };
    let name = key.to_string();
    if !KEYS.contains(&name.as_str()) {
        let near =
            nearest(&name, KEYS).map_or(String::new(), |near| format!(": did you mean `{near}`?"));
        let message = format!(
            "unknown argument `{name}`, allowed are {}{near}",
            list(KEYS)
        );
        return Err(Error::new(key.span(), message));
    }
    Ok(key)
}

fn parse_embed(value: &Text) -> Result<Embed, Error> {
    let values = [("file", Embed::File), ("weights", Embed::Weights)];
    one_of("embed", value, values)
}

fn parse_unroll(value: &Text) -> Result<Unroll, Error> {
    let values = [("auto", Unroll::Auto), ("full", Unroll::Full)];
    one_of("unroll", value, values)
}

/// Finds the value whose name is the text of an argument.
fn one_of<T, const N: usize>(
    argument: &str,
    value: &Text,
    values: [(&str, T); N],
) -> Result<T, Error> {
    let name = value.value();
    let message = format!(
        "`{argument}` does not know `{name}`, allowed are {}",
        list(values.each_ref().map(|(name, _)| *name))
    );
    let found = values.into_iter().find(|(own, _)| *own == name);
    let (_, found) = found.ok_or_else(|| Error::new(value.span(), message))?;
    Ok(found)
}
