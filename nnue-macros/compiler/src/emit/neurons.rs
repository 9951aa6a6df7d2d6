//! The table by which the runtime puts neurons into another order: it has the pooling, and the
//! columns of a net file that belong to neurons.

use nnue_format::Section;
use proc_macro2::TokenStream;
use quote::quote;

use super::names::count;
use super::program::Program;
use crate::layout::{Affine, Form};
use crate::network::Source;
use crate::network::file::{Role, Tensor};

/// The table as a constant of the runtime's type `Neurons`.
pub(super) fn table(program: &Program<'_>) -> TokenStream {
    let network = program.network;
    let transformer = &network.transformer;
    let [outputs, perspectives, block, unpooled] = [
        transformer.half(),
        transformer.perspectives.count,
        transformer.block,
        program.layout.columns.unpooled,
    ]
    .map(count);
    let activation = transformer.activation.constant(transformer.one);
    let pooling = transformer.pooling.constant();
    let skipped = skipped(program);
    let sections = network.file.sections_once();
    let tensors: Vec<&Tensor> = sections.filter_map(Section::as_tensor).collect();
    let names = tensors
        .iter()
        .filter(|tensor| matches!(tensor.role, Role::Weights(_) | Role::Biases(_)))
        .map(|tensor| &tensor.name);
    let readers = tensors
        .iter()
        .filter_map(|tensor| reader(program, tensor.role.matrix()?, &tensor.name));
    let kept = network.layers.iter().enumerate();
    let kept = kept.filter(|(_, layer)| layer.affine().is_none());
    let kept = kept.filter_map(|(index, layer)| reader(program, index, &layer.name));
    quote! {
        neurons::Neurons {
            outputs: #outputs,
            perspectives: #perspectives,
            activation: #activation,
            pooling: #pooling,
            block: #block,
            unpooled: #unpooled,
            skipped: neurons::Skipped::#skipped,
            tensors: &[#(#names),*],
            readers: &[#(#readers),*],
            kept: &[#(#kept),*],
        }
    }
}

/// An expression for the kind of zeros that kernels skip, at the level whose kernels skip the most.
fn skipped(program: &Program<'_>) -> TokenStream {
    let by_outputs = |affine: &Affine<'_>| {
        affine.op.sparse.is_some() && matches!(affine.form, Form::Columns | Form::OutputBlocks(_))
    };
    let mut levels = program.plans.levels.iter();
    if levels.any(|plan| plan.transform.lists_nonzero()) {
        quote!(Blocks)
    } else if program.layout.affines().any(by_outputs) {
        quote!(Outputs)
    } else {
        quote!(Nothing)
    }
}

/// An expression for the inputs of a layer that are outputs of the transformer.
fn reader(program: &Program<'_>, layer: usize, name: &str) -> Option<TokenStream> {
    let network = program.network;
    let slices = network.layers[layer].slices();
    let runs: Vec<_> = slices
        .filter(|(_, slice)| slice.source == Source::Transformer)
        .flat_map(|(first_input, slice)| network.transformer_runs(first_input, slice))
        .collect();
    (!runs.is_empty()).then(|| {
        let runs = runs.iter().map(|run| {
            let [column, step, output, len] = [run.input, run.step, run.output, run.len].map(count);
            quote! {
                neurons::Run { column: #column, step: #step, output: #output, len: #len }
            }
        });
        quote! { neurons::Reader { name: #name, runs: &[#(#runs),*] } }
    })
}
