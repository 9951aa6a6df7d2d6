//! The function that asks a net's weights what they prove.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use crate::layout::{Affine, Form};
use crate::network::{self, Element, Layer, WeightType};

/// The body of `proofs`: statements about every integer layer of every stack.
pub(super) fn body(program: &Program<'_>) -> TokenStream {
    let runtime = program.runtime;
    let layers = program.network.layers.iter().enumerate();
    let statements = layers.filter_map(|(index, layer)| {
        let (op, affine) = (layer.affine()?, program.layout.affine(index)?);
        statement(program, index, layer, op, affine)
    });
    let statements: Vec<_> = statements.collect();
    if statements.is_empty() {
        return quote! { let _ = weights; #runtime::proof::Proofs::new() };
    }
    quote! {
        let mut proofs = #runtime::proof::Proofs::new();
        for stack in &weights.stacks { #(#statements)* }
        proofs
    }
}

fn statement(
    program: &Program<'_>,
    index: usize,
    layer: &Layer,
    op: &network::Affine,
    affine: &Affine,
) -> Option<TokenStream> {
    let runtime = program.runtime;
    let proof = quote! { #runtime::proof };
    // Signs cannot take sums far, and floating point does not wrap.
    if matches!(op.weights, WeightType::F32 | WeightType::Binary) {
        return None;
    }
    let [name, biases, weights, blocks] =
        ["", "_biases", "_weights", "_blocks"].map(|part| format!("{}{part}", layer.name));
    let [biases, weights, blocks] = [biases, weights, blocks].map(|name| format_ident!("{name}"));
    let ranges = layer
        .inputs
        .iter()
        .map(|slice| program.network.tensor(slice.source).range);
    let (lowest, highest) = ranges.fold((0, 0), |sum, range| {
        (sum.0.min(range.0), sum.1.max(range.1))
    });
    let [lowest, highest] = [lowest, highest].map(Literal::i64_unsuffixed);
    let number = Literal::u32_unsuffixed(index as u32);
    let elements = match affine.form {
        Form::Blocks => quote! { #proof::blocks(&stack.#weights) },
        Form::Columns => quote! { #proof::columns(&stack.#weights) },
        Form::OutputBlocks(_) => quote! { #proof::output_blocks(&stack.#blocks, &stack.#weights) },
        _ => quote! { #proof::rows(&stack.#weights) },
    };
    let biases = match op.to_float.is_some() {
        // The sums are converted before the biases are added.
        true => {
            let outputs = super::memory::count(affine.outputs);
            quote! { &[0; #outputs] }
        }
        false => quote! { &stack.#biases },
    };
    let products = if affine.squares {
        let root = Literal::i32_unsuffixed(program.network.transformer.one as i32);
        quote! { proofs.roots(&layer, #root, stack.#weights.as_flattened()); }
    } else if affine.input == Element::U8
        && matches!(affine.form, Form::Blocks | Form::Rows)
        && wide(program, layer)
    {
        quote! { proofs.pairs(&layer, stack.#weights.as_flattened()); }
    } else {
        TokenStream::new()
    };
    Some(quote! {
        {
            let layer = #proof::Layer { name: #name, index: #number, inputs: #lowest..=#highest };
            proofs.sums(&layer, #biases, #elements);
            #products
        }
    })
}

/// Whether inputs are larger than what bytes can always be multiplied with.
fn wide(program: &Program<'_>, layer: &Layer) -> bool {
    let largest = layer
        .inputs
        .iter()
        .map(|slice| program.network.tensor(slice.source).range.1);
    largest
        .max()
        .is_some_and(|largest| largest > crate::plan::LARGEST_FAST_INPUT)
}
