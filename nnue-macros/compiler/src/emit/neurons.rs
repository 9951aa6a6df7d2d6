//! The table by which the runtime puts neurons into another order: it has the pooling, and the
//! columns of a net file that belong to neurons.

use nnue_format::Reader;
use proc_macro2::TokenStream;
use quote::quote;

use super::names::count;
use super::program::Program;
use crate::plan::Skipped;

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
    let skipped = match program.plans.skipped(program.layout) {
        Skipped::Nothing => quote!(Nothing),
        Skipped::Outputs => quote!(Outputs),
        Skipped::Blocks => quote!(Blocks),
    };
    let order = transformer.neuron_order.iter().copied().map(count);
    let wired = network.outputs();
    let [readers, kept] = [&wired.readers, &wired.kept]
        .map(|readers| readers.iter().map(reader).collect::<Vec<TokenStream>>());
    quote! {
        neurons::Neurons {
            outputs: #outputs,
            perspectives: #perspectives,
            activation: #activation,
            pooling: #pooling,
            block: #block,
            unpooled: #unpooled,
            order: &[#(#order),*],
            skipped: neurons::Skipped::#skipped,
            readers: &[#(#readers),*],
            kept: &[#(#kept),*],
        }
    }
}

/// An expression for the inputs of a layer that are outputs of the transformer.
fn reader(reader: &Reader<'_>) -> TokenStream {
    let Reader { layer, name, runs } = reader;
    let layer = count(*layer);
    let runs = runs.iter().map(|run| {
        let [column, step, output, len] = [run.column, run.step, run.output, run.len].map(count);
        quote! {
            neurons::Run { column: #column, step: #step, output: #output, len: #len }
        }
    });
    quote! { neurons::Reader { layer: #layer, name: #name, runs: file::list(&[#(#runs),*]) } }
}
