//! The forward pass of one instruction set: transform, layers, output.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::names::{count, halves, variable};
use super::{Program, affine, elementwise, output};
use crate::network::Layer;
use crate::plan::{Plan, PlannedLayer, TransformOutputs};

pub(super) fn function(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let transformed = transformed(program, plan);
    let halves = halves(program);
    let layers = plan.layers.iter().enumerate().map(|(index, layer)| {
        let (statements, layer, stride) = match layer {
            PlannedLayer::Affine(affine, kernel) => (
                affine::statements(program, affine, kernel),
                affine.layer,
                affine.outputs,
            ),
            PlannedLayer::Elementwise(elementwise) => (
                elementwise::statement(program, elementwise),
                elementwise.layer,
                elementwise.stride,
            ),
        };
        let probe = probe(index, layer, stride);
        quote! { #statements #probe }
    });
    let (output, output_type) = (output::expression(program), output::output_name(program));
    let proved = program.plans.need_proofs().then(|| {
        let name = if plan.needs_proofs() {
            quote! { proved }
        } else {
            quote! { _proved }
        };
        quote! { #name: Proved, }
    });
    let (passed, pass) = program
        .plans
        .need_proofs()
        .then(|| (quote! { proved: Proved, }, quote! { proved, }))
        .unzip();
    quote! {
        #attribute
        pub(super) fn propagate(
            stacks: &Stacks,
            #(#halves: &Half,)*
            bucket: usize,
            #passed
        ) -> #output_type {
            propagate_probed(stacks, #(#halves,)* bucket, #pass &mut ())
        }

        #[inline]
        #attribute
        pub(super) fn propagate_probed<P: Probe>(
            stacks: &Stacks,
            #(#halves: &Half,)*
            bucket: usize,
            #proved
            probe: &mut P,
        ) -> #output_type {
            let stack = buffer::row(stacks, bucket as u32);
            #transformed
            #(#layers)*
            #output
        }
    }
}

/// A statement that shows a layer's values to the probe. Each of the layer's functions begins
/// `stride` values behind the one before it.
fn probe(index: usize, layer: &Layer, stride: usize) -> TokenStream {
    let ([index, stride], name) = ([index, stride].map(count), variable(layer));
    let variant = format_ident!("{}", layer.output.element.name().to_uppercase());
    quote! { probe.layer(#index, #stride, Probed::#variant(&mut #name.0)); }
}

/// Statements that leave the transformer's output in `transformer`, unless a layer computes it
/// itself, and the list of its non-zero blocks, if there is any, in `nonzero`.
fn transformed(program: &Program<'_>, plan: &Plan<'_>) -> TokenStream {
    let columns = &program.layout.columns;
    let halves = halves(program);
    let (unpooled, psqt_sums) = (unpooled(program), psqt_sums(program));
    let transformed = match &plan.transform.outputs {
        TransformOutputs::Words { .. } => {
            let outputs = count(columns.outputs);
            quote! {
                let mut inputs = Aligned([0i16; #outputs]);
                transform(#(#halves,)* &mut inputs.0);
                let transformer = &inputs.0;
            }
        }
        TransformOutputs::Registers { .. } => TokenStream::new(),
        TransformOutputs::Bytes(bytes) => {
            let blocks = count(columns.blocks());
            let (list, pass_list) = bytes
                .lists_nonzero
                .then(|| {
                    (
                        quote! { let mut nonzero = NonZero::new(); },
                        quote! { , &mut nonzero },
                    )
                })
                .unzip();
            quote! {
                let mut inputs = Inputs::<#blocks>::new();
                let mut output = inputs.writer();
                #list
                transform(#(#halves,)* &mut output #pass_list);
                let transformer = output.finish();
            }
        }
    };
    quote! { #transformed #unpooled #psqt_sums }
}

/// Statements that leave the sums of the neurons that are not pooled in `unpooled`, if there are
/// any.
fn unpooled(program: &Program<'_>) -> Option<TokenStream> {
    program.network.transformer.unpooled.as_ref()?;
    let columns = &program.layout.columns;
    let halves = halves(program);
    let [sums, len] = [halves.len() * columns.unpooled, columns.unpooled].map(count);
    let first = count(columns.width - columns.unpooled);
    let copies = halves.iter().enumerate().map(|(index, half)| {
        let start = count(index * columns.unpooled);
        quote! {
            buffer::place(&mut sums.0, #start, buffer::run::<i16, #len>(&#half.values, #first));
        }
    });
    Some(quote! {
        let mut sums = Aligned([0i16; #sums]);
        #(#copies)*
        let unpooled = &sums.0;
    })
}

/// Statements that leave the PSQT sums in `psqt_sums`, if layers read them.
fn psqt_sums(program: &Program<'_>) -> Option<TokenStream> {
    let transformer = &program.network.transformer;
    let len = count(transformer.psqt_sums.as_ref()?.len);
    Some(match transformer.perspectives.count {
        1 => quote! { let psqt_sums = Aligned(first.psqt); },
        _ => quote! {
            let mut psqt_sums = Aligned(first.psqt);
            for index in 0..#len {
                psqt_sums.0[index] = psqt_sums.0[index].wrapping_sub(second.psqt[index]) / 2;
            }
        },
    })
}
