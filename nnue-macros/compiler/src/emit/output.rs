//! The output of a network: terms, alignment, the engine's units.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::names::{count, variable};
use super::{Program, doc};
use crate::check::EVALUATION;
use crate::network::{Align, Head, Ratio, Rounding, Units};

/// The name of the type of an evaluation.
pub(super) fn output_name(program: &Program<'_>) -> Ident {
    match program.network.output.further.as_slice() {
        [] => evaluation_name(program),
        _ => format_ident!("Outputs"),
    }
}

/// The name of the runtime's type of an evaluation without further heads.
pub(super) fn evaluation_name(program: &Program<'_>) -> Ident {
    match program.network.output.heads.len() {
        1 => format_ident!("Output"),
        _ => format_ident!("Wdl"),
    }
}

/// The type of an evaluation and of the values of further heads, where there are any.
pub(super) fn definition(program: &Program<'_>) -> Option<TokenStream> {
    let (network, runtime) = (program.network, program.runtime);
    let further = &network.output.further;
    if further.is_empty() {
        return None;
    }
    let core = quote!(#runtime::__private::core);
    let (evaluation, name) = (format_ident!("{EVALUATION}"), evaluation_name(program));
    let docs = doc::heads(network);
    let fields = further.iter().map(|head| format_ident!("{}", head.name));
    let types = further.iter().map(|head| match head.units {
        Units::Integer(_) | Units::Wide(_) => quote!(i32),
        Units::Float { .. } => quote!(f32),
    });
    Some(quote! {
        /// An evaluation, and what the network says besides.
        #[derive(#core::clone::Clone, #core::marker::Copy, #core::fmt::Debug, #core::cmp::PartialEq)]
        pub struct Outputs {
            /// The evaluation.
            pub #evaluation: #name,
            #(#[doc = #docs] pub #fields: #types,)*
        }
    })
}

/// The implementation of the runtime's trait for the type that `definition` writes.
pub(super) fn implementation(program: &Program<'_>) -> Option<TokenStream> {
    let further = &program.network.output.further;
    if further.is_empty() {
        return None;
    }
    let (evaluation, name) = (format_ident!("{EVALUATION}"), evaluation_name(program));
    let names = further.iter().map(|head| &head.name);
    let heads = further.iter().enumerate().map(|(index, head)| {
        let (index, field) = (count(index), format_ident!("{}", head.name));
        let variant = match head.units {
            Units::Integer(_) | Units::Wide(_) => quote!(Integer),
            Units::Float { .. } => quote!(Float),
        };
        quote! { #index => Option::Some(HeadValue::#variant(self.#field)), }
    });
    Some(quote! {
        #[automatically_derived]
        impl Evaluated for Outputs {
            type Evaluation = #name;

            const HEADS: &'static [&'static str] = &[#(#names),*];

            fn evaluation(&self) -> #name {
                self.#evaluation
            }

            fn head(&self, index: usize) -> Option<HeadValue> {
                match index {
                    #(#heads)*
                    _ => Option::None,
                }
            }
        }
    })
}

/// Statements that compute an evaluation, and at the end an expression for it.
pub(super) fn expression(program: &Program<'_>) -> TokenStream {
    let network = program.network;
    let psqt = match (
        network.transformer.psqt_of_output(),
        network.transformer.perspectives.count,
    ) {
        (0, _) => quote! { 0i32 },
        (_, 1) => quote! { *buffer::row(&first.psqt, bucket as u32) },
        _ => quote! {
            buffer::row(&first.psqt, bucket as u32)
                .wrapping_sub(*buffer::row(&second.psqt, bucket as u32)) / 2
        },
    };
    let units = network.output.units;
    let heads = network.output.heads.iter().map(|head| {
        let sum = sum(program, head, units);
        let positional = match units {
            Units::Float { factor } => {
                let factor = Literal::f32_suffixed(factor);
                quote! { (sum * #factor) as i32 }
            }
            Units::Integer(_) | Units::Wide(_) => quote! { sum as i32 },
        };
        let value = match units {
            Units::Integer(ratio) => value(ratio),
            Units::Wide(ratio) => wide_value(ratio),
            Units::Float { .. } => quote! { positional },
        };
        quote! {
            let sum = #sum;
            let positional = #positional;
            let value = #value;
            Output { psqt, positional, value }
        }
    });
    let heads: Vec<_> = heads.collect();
    let evaluation = match heads.as_slice() {
        // Without further heads, the evaluation is the end of the function.
        [head] if network.output.further.is_empty() => head.clone(),
        [head] => quote! { { #head } },
        // `check` allows a single head or these three, in this order.
        heads => {
            let names = ["win", "draw", "loss"].map(|name| format_ident!("{name}"));
            quote! { Wdl { #(#names: { #heads }),* } }
        }
    };
    let further = network.output.further.iter().map(|further| {
        let name = format_ident!("{}", further.name);
        let sum = sum(program, &further.head, further.units);
        let value = match further.units {
            Units::Float { factor } => {
                let factor = Literal::f32_suffixed(factor);
                quote! { (#sum) * #factor }
            }
            Units::Integer(ratio) => {
                let value = scaled_by(ratio, &quote!(sum));
                quote! { { let sum = (#sum) as i32; #value } }
            }
            Units::Wide(ratio) => {
                let value = wide_value(ratio);
                quote! { { let sum = #sum; #value } }
            }
        };
        quote! { #name: #value }
    });
    let further: Vec<_> = further.collect();
    let result = if further.is_empty() {
        evaluation
    } else {
        let name = format_ident!("{EVALUATION}");
        quote! { Outputs { #name: #evaluation, #(#further),* } }
    };
    quote! {
        let psqt = #psqt;
        #result
    }
}

/// An expression for the sum of a head's terms, which are aligned.
fn sum(program: &Program<'_>, head: &Head, units: Units) -> TokenStream {
    if let Units::Wide(_) = units {
        return wide_sum(program, head);
    }
    let is_float = matches!(units, Units::Float { .. });
    let terms = head.terms.iter().enumerate().map(|(position, term)| {
        let layer = variable(&program.network.layers[term.layer]);
        let index = count(term.index);
        let value = if is_float {
            quote! { #layer.0[#index] }
        } else {
            aligned(quote! { #layer.0[#index] as i64 }, &term.align)
        };
        match (position, term.negative) {
            (0, false) => value,
            (0, true) => quote! { -(#value) },
            (_, false) => quote! { + #value },
            (_, true) => quote! { - #value },
        }
    });
    let terms = quote! { #(#terms)* };
    match &head.align {
        Align::None => terms,
        align => {
            let aligned = aligned(quote!(sum), align);
            quote! { { let sum = #terms; #aligned } }
        }
    }
}

/// An expression for the sum of a head's terms, modulo 2^64. No term is aligned.
fn wide_sum(program: &Program<'_>, head: &Head) -> TokenStream {
    let terms = head.terms.iter().map(|term| {
        let layer = variable(&program.network.layers[term.layer]);
        let index = count(term.index);
        if term.negative {
            quote! { .wrapping_sub(#layer.0[#index] as i64) }
        } else {
            quote! { .wrapping_add(#layer.0[#index] as i64) }
        }
    });
    quote! { 0i64 #(#terms)* }
}

/// An expression for `value` aligned to the output's `one`, in 64 bits. `value` binds at least as
/// tightly as a product.
fn aligned(value: TokenStream, align: &Align) -> TokenStream {
    match align {
        Align::None => value,
        Align::Exact(factors) => scaled(value, factors[0]),
        Align::Shift { multipliers, shift } => {
            let multiplier = Literal::i64_unsuffixed(multipliers[0]);
            let shift = Literal::u32_unsuffixed(*shift);
            quote! { ((#value * #multiplier) >> #shift) }
        }
    }
}

/// An expression for `value * numerator / denominator`, truncating, in 64 bits.
fn scaled(value: TokenStream, (numerator, denominator): (i64, i64)) -> TokenStream {
    let (n, d) = (
        Literal::i64_unsuffixed(numerator),
        Literal::i64_unsuffixed(denominator),
    );
    match (numerator, denominator) {
        (1, 1) => value,
        (_, 1) => quote! { #value * #n },
        (1, _) => quote! { #value / #d },
        _ => quote! { #value * #n / #d },
    }
}

/// An expression for `sum`, which has 64 bits, in the engine's units.
fn wide_value(ratio: Ratio) -> TokenStream {
    let (n, d) = (
        Literal::i64_unsuffixed(ratio.numerator),
        Literal::i64_unsuffixed(ratio.denominator),
    );
    match ratio.rounding {
        Rounding::Truncate => quote! { (sum.wrapping_mul(#n) / #d) as i32 },
        Rounding::Floor => quote! { sum.wrapping_mul(#n).div_euclid(#d) as i32 },
    }
}

/// An expression for the sum of `psqt` and `positional` in the engine's units.
fn value(ratio: Ratio) -> TokenStream {
    let same = (ratio.numerator, ratio.denominator) == (1, 1);
    if ratio.each && !same {
        let [psqt, positional] =
            [quote!(psqt), quote!(positional)].map(|part| scaled_by(ratio, &part));
        quote! { (#psqt).wrapping_add(#positional) }
    } else {
        scaled_by(ratio, &quote! { psqt.wrapping_add(positional) })
    }
}

/// An expression for an `i32` in the engine's units.
fn scaled_by(ratio: Ratio, value: &TokenStream) -> TokenStream {
    let (n, d) = (
        Literal::i64_unsuffixed(ratio.numerator),
        Literal::i64_unsuffixed(ratio.denominator),
    );
    match (ratio.numerator, ratio.denominator, ratio.rounding) {
        (1, 1, _) => value.clone(),
        (1, _, Rounding::Truncate) => quote! { #value / #d },
        (1, _, Rounding::Floor) => quote! { #value.div_euclid(#d) },
        // `i64::from` needs a trait, which is in scope only where there is a prelude.
        (_, 1, _) => quote! { (#value as i64 * #n) as i32 },
        (_, _, Rounding::Truncate) => quote! { (#value as i64 * #n / #d) as i32 },
        (_, _, Rounding::Floor) => quote! { (#value as i64 * #n).div_euclid(#d) as i32 },
    }
}
