//! The function that makes a net's proofs about sums and products from its weights.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::names::{count, ident};
use super::program::Program;
use crate::layout::{Affine, Form, Input};
use crate::network::Sums;
use crate::plan::Needed;

/// The function `proofs`, with statements about every integer layer of every stack.
pub(super) fn function(program: &Program<'_>) -> TokenStream {
    // Sums of signs cannot overflow, floating point does not wrap, and 64 bits are enough.
    let integers = program.layout.affines().filter(|affine| {
        !matches!(affine.input, Input::Floats | Input::Signs) && affine.op.sums != Sums::I64
    });
    let statements: Vec<_> = integers.map(|affine| statement(program, affine)).collect();
    if statements.is_empty() {
        return quote! {
            fn proofs(_: &Stacks) -> proof::Proofs {
                proof::Proofs::new()
            }
        };
    }
    quote! {
        fn proofs(stacks: &Stacks) -> proof::Proofs {
            let mut proofs = proof::Proofs::new();
            for stack in stacks {
                proofs.stack();
                #(#statements)*
            }
            proofs
        }
    }
}

fn statement(program: &Program<'_>, affine: &Affine<'_>) -> TokenStream {
    let name = &affine.layer.name;
    let weights = ident(&affine.fields.weights);
    let (lowest, highest) = program.network.input_range(affine.layer);
    let [lowest, highest] = [lowest, highest].map(Literal::i64_unsuffixed);
    let number = Literal::u32_unsuffixed(affine.index as u32);
    let elements = match (affine.form, affine.fields.blocks.as_ref().map(ident)) {
        (_, Some(blocks)) => quote! { proof::output_blocks(&stack.#blocks, &stack.#weights) },
        (Form::Blocks, _) => quote! { proof::blocks(&stack.#weights) },
        (Form::Columns, _) => quote! { proof::columns(&stack.#weights) },
        _ => quote! { proof::rows(&stack.#weights) },
    };
    let biases = match affine.op.to_float.is_some() {
        // The sums are converted before the biases are added.
        true => {
            let outputs = count(affine.outputs);
            quote! { &[0; #outputs] }
        }
        false => {
            let biases = ident(&affine.fields.biases);
            quote! { &stack.#biases }
        }
    };
    let products = program.plans.need_of(affine).map(|need| match need {
        Needed::Products if affine.input == Input::Roots => {
            let root = Literal::i32_unsuffixed(program.network.transformer.one as i32);
            quote! { proofs.roots(&layer, #root, stack.#weights.as_flattened()); }
        }
        Needed::Products => quote! { proofs.pairs(&layer, stack.#weights.as_flattened()); },
        Needed::Halves => quote! { proofs.halves(&layer, &stack.#weights); },
        Needed::AnyTwo => quote! { proofs.any_two(&layer, &stack.#weights); },
    });
    quote! {
        let layer = proof::Layer { name: #name, index: #number, inputs: #lowest..=#highest };
        proofs.sums(&layer, #biases, #elements);
        #products
    }
}
