//! The forward pass of one instruction set: transform, layers, output.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::memory::count;
use super::{Program, affine, transform};
use crate::layout::{BLOCK, LayerLayout};
use crate::network::{DivideOf, Layer, Op, Source};
use crate::plan::Plan;

pub(super) fn function(
    program: &Program<'_>,
    plan: &Plan,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let (network, runtime) = (program.network, program.runtime);
    let blocks = count(network.transformer.output.len / BLOCK);
    let (list, pass_list) = if plan.transform.lists_nonzero {
        let list = transform::list_type(program);
        (
            quote! { let mut nonzero = <#list>::new(); },
            quote! { , &mut nonzero },
        )
    } else {
        (TokenStream::new(), TokenStream::new())
    };
    let layers = network
        .layers
        .iter()
        .enumerate()
        .map(|(index, layer)| match layer.op {
            Op::Affine { .. } => affine::statements(program, plan, index),
            Op::Crelu { shift } => activation(program, layer, index, "crelu", shift),
            Op::SqrCrelu { shift } => activation(program, layer, index, "sqr_crelu", shift),
        });
    let output = output(program);
    quote! {
        #attribute
        pub(super) fn propagate(
            weights: &Weights,
            stm: &Half,
            opponent: &Half,
            bucket: usize,
        ) -> #runtime::Output {
            let stack = buffer::row(&weights.stacks, bucket as u32);
            let mut inputs = #runtime::simd::Inputs::<#blocks>::new();
            let mut output = inputs.writer();
            #list
            transform(stm, opponent, &mut output #pass_list);
            let transformer = output.finish();
            #(#layers)*
            #output
        }
    }
}

/// The variable that holds a layer's output. The ending keeps a layer's name apart from Rust's keywords and from the
/// names that kernels use for themselves.
pub(super) fn variable(layer: &Layer) -> Ident {
    format_ident!("{}_out", layer.name)
}

fn activation(
    program: &Program<'_>,
    layer: &Layer,
    index: usize,
    function: &str,
    shift: u32,
) -> TokenStream {
    let runtime = program.runtime;
    let LayerLayout::Activation { lanes } = program.layout.layers[index] else {
        return TokenStream::new();
    };
    let slice = layer.inputs[0];
    let Source::Layer(source) = slice.source else {
        return TokenStream::new();
    };
    let (name, function) = (variable(layer), format_ident!("{function}"));
    let source = variable(&program.network.layers[source]);
    let (lanes, start) = (count(lanes), count(slice.start));
    let (shift, one) = (
        Literal::u32_unsuffixed(shift),
        Literal::u32_unsuffixed(layer.output.one),
    );
    quote! {
        let #name = buffer::Aligned(
            #runtime::activation::#function::<#lanes>(buffer::run(&#source.0, #start), #shift, #one),
        );
    }
}

fn output(program: &Program<'_>) -> TokenStream {
    let (network, runtime) = (program.network, program.runtime);
    let output = &network.output;
    let terms = output.terms.iter().enumerate().map(|(position, term)| {
        let layer = variable(&network.layers[term.layer]);
        let index = count(term.index);
        let value = scaled(quote! { #layer.0[#index] as i64 }, term.scale);
        match (position, term.negative) {
            (0, false) => value,
            (0, true) => quote! { -(#value) },
            (_, false) => quote! { + #value },
            (_, true) => quote! { - #value },
        }
    });
    let rescale = (output.scale != (1, 1)).then(|| {
        let scaled = scaled(quote!(sum), output.scale);
        quote! { let sum = #scaled; }
    });
    let psqt = if network.transformer.psqt == 0 {
        quote! { 0i32 }
    } else {
        quote! {
            buffer::row(&stm.psqt, bucket as u32)
                .wrapping_sub(*buffer::row(&opponent.psqt, bucket as u32)) / 2
        }
    };
    let by = Literal::i32_unsuffixed(output.divide);
    let value = match (output.divide_of, output.divide) {
        (_, 1) => quote! { psqt.wrapping_add(positional) },
        (DivideOf::Sum, _) => quote! { psqt.wrapping_add(positional) / #by },
        (DivideOf::Each, _) => quote! { (psqt / #by).wrapping_add(positional / #by) },
    };
    quote! {
        let psqt = #psqt;
        let sum = #(#terms)*;
        #rescale
        let positional = sum as i32;
        let value = #value;
        #runtime::Output { psqt, positional, value }
    }
}

/// `value * numerator / denominator`, truncating, in 64 bits. `value` binds as tightly as a product.
fn scaled(value: TokenStream, (numerator, denominator): (i64, i64)) -> TokenStream {
    let (numerator, denominator) = (
        Literal::i64_unsuffixed(numerator),
        Literal::i64_unsuffixed(denominator),
    );
    match (
        numerator.to_string().as_str(),
        denominator.to_string().as_str(),
    ) {
        ("1", "1") => value,
        (_, "1") => quote! { #value * #numerator },
        ("1", _) => quote! { #value / #denominator },
        _ => quote! { #value * #numerator / #denominator },
    }
}
