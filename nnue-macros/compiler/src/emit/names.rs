//! How generated code writes numbers, and the names that it gives to fields and values.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::program::Program;
use crate::layout::Field;
use crate::network::{Element, Layer, Source};

/// A number without a suffix, as a person would write it.
pub(super) fn count(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

/// `scale * index + offset`, as a person would write it: without factors of 1 and summands of 0.
pub(super) fn linear(scale: usize, index: &TokenStream, offset: usize) -> TokenStream {
    let scaled = if scale == 1 {
        index.clone()
    } else {
        let scale = count(scale);
        quote! { #scale * #index }
    };
    if offset == 0 {
        return scaled;
    }
    let offset = count(offset);
    quote! { #scaled + #offset }
}

/// The name of a field.
pub(super) fn ident(field: &Field) -> Ident {
    format_ident!("{}", field.name)
}

/// The names of the perspectives' accumulators in kernels, in the order in which the layers see
/// them.
pub(super) fn halves(program: &Program<'_>) -> Vec<Ident> {
    perspectives(program.network.transformer.perspectives.count)
}

/// The names of the accumulators of the first perspectives, whether layers see them or not.
pub(super) fn perspectives(count: usize) -> Vec<Ident> {
    ["first", "second"][..count]
        .iter()
        .map(|name| format_ident!("{name}"))
        .collect()
}

/// The variable that holds a layer's output. The ending keeps a layer's name apart from Rust's
/// keywords and from the names that kernels use for themselves.
pub(super) fn variable(layer: &Layer) -> Ident {
    format_ident!("{}_out", layer.name)
}

/// A slice of all values that a source has in memory.
pub(super) fn values(program: &Program<'_>, source: Source) -> TokenStream {
    match source {
        Source::Transformer => match program.network.transformer.output.element {
            Element::U8 => quote! { transformer.as_flattened() },
            _ => quote! { transformer },
        },
        Source::Unpooled => quote! { unpooled },
        Source::Psqt => quote! { psqt_sums.0 },
        Source::Layer(index) => {
            let name = variable(&program.network.layers[index]);
            quote! { #name.0 }
        }
    }
}
