//! The output of a network: terms, alignment, the engine's units.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use super::memory::count;
use super::propagate::variable;
use crate::network::{Align, Head, Ratio, Rounding, Units};

/// The type of an evaluation.
pub(super) fn output_type(program: &Program<'_>) -> TokenStream {
    let (runtime, name) = (program.runtime, output_name(program));
    quote! { #runtime::#name }
}

/// The name of that type in the runtime.
pub(super) fn output_name(program: &Program<'_>) -> Ident {
    match program.network.output.heads.len() {
        1 => format_ident!("Output"),
        _ => format_ident!("Wdl"),
    }
}

/// Statements that end with an expression of that type.
pub(super) fn expression(program: &Program<'_>) -> TokenStream {
    let network = program.network;
    let psqt = match (
        network.transformer.psqt,
        network.transformer.perspectives.count,
    ) {
        (0, _) => quote! { 0i32 },
        (_, 1) => quote! { *buffer::row(&first.psqt, bucket as u32) },
        _ => quote! {
            buffer::row(&first.psqt, bucket as u32)
                .wrapping_sub(*buffer::row(&second.psqt, bucket as u32)) / 2
        },
    };
    let heads = network.output.heads.iter().map(|head| {
        let sum = sum(program, head);
        let positional = match network.output.units {
            Units::Float { factor } => {
                let factor = Literal::f32_suffixed(factor);
                quote! { (sum * #factor) as i32 }
            }
            _ => quote! { sum as i32 },
        };
        let value = match network.output.units {
            Units::Integer(ratio) => value(ratio),
            Units::Wide(ratio) => wide_value(ratio),
            Units::Float { .. } => quote! { positional },
        };
        quote! {
            {
                let sum = #sum;
                let positional = #positional;
                let value = #value;
                Output { psqt, positional, value }
            }
        }
    });
    let heads: Vec<_> = heads.collect();
    let result = match heads.as_slice() {
        [head] => quote! { #head },
        // `check` allows one head or these three, in this order.
        heads => {
            let names = ["win", "draw", "loss"].map(|name| format_ident!("{name}"));
            quote! { Wdl { #(#names: #heads),* } }
        }
    };
    quote! {
        let psqt = #psqt;
        #result
    }
}

/// The sum of a head's terms, aligned.
fn sum(program: &Program<'_>, head: &Head) -> TokenStream {
    let units = program.network.output.units;
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

/// The sum of a head's terms, none of which is aligned, modulo 2^64.
fn wide_sum(program: &Program<'_>, head: &Head) -> TokenStream {
    let terms = head.terms.iter().map(|term| {
        let layer = variable(&program.network.layers[term.layer]);
        let index = count(term.index);
        match term.negative {
            true => quote! { .wrapping_sub(#layer.0[#index] as i64) },
            false => quote! { .wrapping_add(#layer.0[#index] as i64) },
        }
    });
    quote! { 0i64 #(#terms)* }
}

/// An expression for `value` aligned to the output's one, in 64 bits. `value` binds at least as
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

/// `value * numerator / denominator`, truncating, in 64 bits.
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

/// `sum`, which has 64 bits, in the engine's units.
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

/// `psqt` and `positional` in the engine's units.
fn value(ratio: Ratio) -> TokenStream {
    let (n, d) = (
        Literal::i64_unsuffixed(ratio.numerator),
        Literal::i64_unsuffixed(ratio.denominator),
    );
    let same = (ratio.numerator, ratio.denominator) == (1, 1);
    let scaled = |value: TokenStream| match (ratio.numerator, ratio.denominator, ratio.rounding) {
        (1, 1, _) => value,
        (1, _, Rounding::Truncate) => quote! { #value / #d },
        (1, _, Rounding::Floor) => quote! { #value.div_euclid(#d) },
        (_, 1, _) => quote! { (i64::from(#value) * #n) as i32 },
        (_, _, Rounding::Truncate) => quote! { (i64::from(#value) * #n / #d) as i32 },
        (_, _, Rounding::Floor) => quote! { (i64::from(#value) * #n).div_euclid(#d) as i32 },
    };
    if ratio.each && !same {
        let [psqt, positional] = [quote!(psqt), quote!(positional)].map(scaled);
        quote! { (#psqt).wrapping_add(#positional) }
    } else {
        scaled(quote! { psqt.wrapping_add(positional) })
    }
}
