//! The forward pass of one instruction set: transform, layers, output.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::memory::count;
use super::{Program, affine, elementwise, output, transform};
use crate::layout::BLOCK;
use crate::network::{Element, Layer, Op, Source};
use crate::plan::Plan;

pub(super) fn function(
    program: &Program<'_>,
    plan: &Plan,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let (network, runtime) = (program.network, program.runtime);
    let transformed = transformed(program, plan);
    let halves = transform::halves(program);
    let layers = network
        .layers
        .iter()
        .enumerate()
        .map(|(index, layer)| match &layer.op {
            Op::Affine(op) => affine::statements(program, plan, index, op),
            _ => elementwise::statement(program, index),
        });
    let (output, output_type) = (output::expression(program), output::output_type(program));
    let proved = affine::needs_proofs(program.plans).then(|| {
        let name = if affine::needs_proofs(std::slice::from_ref(plan)) {
            quote! { proved }
        } else {
            quote! { _proved }
        };
        quote! { #name: #runtime::Proved, }
    });
    quote! {
        #attribute
        pub(super) fn propagate(
            weights: &Weights,
            #(#halves: &Half,)*
            bucket: usize,
            #proved
        ) -> #output_type {
            let stack = buffer::row(&weights.stacks, bucket as u32);
            #transformed
            #(#layers)*
            #output
        }
    }
}

/// Statements that leave the transformer's output in `transformer`, and the list of its non-zero blocks, if there is one,
/// in `nonzero`.
fn transformed(program: &Program<'_>, plan: &Plan) -> TokenStream {
    let runtime = program.runtime;
    let outputs = transform::outputs(program);
    let halves = transform::halves(program);
    if program.network.transformer.output.element != Element::U8 {
        let outputs = count(outputs);
        return quote! {
            let mut inputs = buffer::Aligned([0i16; #outputs]);
            transform(#(#halves,)* &mut inputs.0);
            let transformer = &inputs.0;
        };
    }
    let blocks = count(outputs / BLOCK);
    let (list, pass_list) = if plan.transform.lists_nonzero {
        let list = transform::list_type(program);
        (
            quote! { let mut nonzero = <#list>::new(); },
            quote! { , &mut nonzero },
        )
    } else {
        (TokenStream::new(), TokenStream::new())
    };
    quote! {
        let mut inputs = #runtime::simd::Inputs::<#blocks>::new();
        let mut output = inputs.writer();
        #list
        transform(#(#halves,)* &mut output #pass_list);
        let transformer = output.finish();
    }
}

/// The variable that holds a layer's output. The ending keeps a layer's name apart from Rust's keywords and from the
/// names that kernels use for themselves.
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
        Source::Layer(index) => {
            let name = variable(&program.network.layers[index]);
            quote! { #name.0 }
        }
    }
}
