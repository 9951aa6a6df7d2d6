//! Affine layers: sparse, dense, or row by row.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::memory::{count, linear};
use super::{Program, propagate};
use crate::layout::{Affine, BLOCK};
use crate::network::{Layer, Source};
use crate::plan::{LayerPlan, Plan};

/// Statements that leave the layer's sums in a variable of its name.
pub(super) fn statements(program: &Program<'_>, plan: &Plan, index: usize) -> TokenStream {
    let layer = &program.network.layers[index];
    let Some(affine) = program.layout.affine(index) else {
        return TokenStream::new();
    };
    let names = Names::of(layer);
    let (prepare, input) = input(program, layer, affine);
    let body = match &plan.layers[index] {
        LayerPlan::Rows | LayerPlan::Elementwise => rows(affine, &names, &input),
        LayerPlan::Sparse { vectors, sums } => {
            let sums = Sums {
                vectors: *vectors,
                side_by_side: *sums,
                dot: quote! { simd::dot },
            };
            let blocks = sparse(&sums, &names, &input);
            around(affine, &sums, &names, blocks)
        }
        LayerPlan::Dense {
            vectors,
            sums,
            unrolled,
            called,
        } => {
            let sums = Sums {
                vectors: *vectors,
                side_by_side: *sums,
                dot: if *called {
                    quote! { step }
                } else {
                    quote! { simd::dot }
                },
            };
            let blocks = if *unrolled {
                dense_straight_line(affine, &sums, &names, &input)
            } else {
                dense_loop(affine, &sums, &names, &input)
            };
            around(affine, &sums, &names, blocks)
        }
    };
    let name = &names.layer;
    quote! { #prepare let #name = { #body }; }
}

/// The step that [`LayerPlan::Dense`] calls, for modules that need it.
pub(super) fn called_step(plan: &Plan) -> Option<TokenStream> {
    let needed = plan
        .layers
        .iter()
        .any(|layer| matches!(layer, LayerPlan::Dense { called: true, .. }));
    needed.then(|| {
        quote! {
            #[inline(never)]
            fn step(sum: simd::I32, inputs: simd::U8, weights: simd::I8) -> simd::I32 {
                simd::dot(sum, inputs, weights)
            }
        }
    })
}

struct Names {
    layer: Ident,
    biases: Ident,
    weights: Ident,
}

impl Names {
    fn of(layer: &Layer) -> Names {
        Names {
            layer: propagate::variable(layer),
            biases: format_ident!("{}_biases", layer.name),
            weights: format_ident!("{}_weights", layer.name),
        }
    }
}

/// The reference to a layer's blocks of inputs, and the statements that fill it when the inputs have to be
/// brought together first.
fn input(program: &Program<'_>, layer: &Layer, affine: &Affine) -> (TokenStream, TokenStream) {
    let runtime = program.runtime;
    let variable = |source: Source| match source {
        Source::Transformer => format_ident!("transformer"),
        Source::Layer(index) => propagate::variable(&program.network.layers[index]),
    };
    if let [part] = affine.parts.as_slice()
        && part.start == 0
        && part.source == Source::Transformer
        && part.lanes == affine.slots
    {
        return (TokenStream::new(), quote! { transformer });
    }
    let name = format_ident!("{}_input", layer.name);
    let blocks = count(affine.blocks());
    let parts = affine.parts.iter().map(|part| {
        let source = variable(part.source);
        let flat = match part.source {
            Source::Transformer => quote! { transformer.as_flattened() },
            Source::Layer(_) => quote! { #source.0 },
        };
        let (slot, start, end) = (
            count(part.slot),
            count(part.start),
            count(part.start + part.lanes),
        );
        quote! { buffer::place(#name.0.as_flattened_mut(), #slot, &#flat[#start..#end]); }
    });
    let prepare = quote! {
        let mut #name = #runtime::buffer::Aligned([[0u8; 4]; #blocks]);
        #(#parts)*
        let #name = &#name.0;
    };
    (prepare, quote! { #name })
}

fn rows(affine: &Affine, names: &Names, input: &TokenStream) -> TokenStream {
    let Names {
        biases, weights, ..
    } = names;
    let slots = count(affine.slots);
    let outputs = (0..affine.outputs).map(count).map(|output| {
        quote! {
            stack.#biases[#output].wrapping_add(simd::dot_row::<#slots>(
                chunk(#input.as_flattened(), 0),
                &stack.#weights[#output],
            ))
        }
    });
    quote! { buffer::Aligned([#(#outputs),*]) }
}

/// The sums of a blocked layer: a vector of outputs each, several sets of them so that one need not wait for
/// another.
struct Sums {
    vectors: usize,
    side_by_side: usize,
    /// The function that adds a block's products.
    dot: TokenStream,
}

impl Sums {
    fn name(set: usize, vector: usize) -> Ident {
        format_ident!("sum_{set}_{vector}")
    }

    /// Adds one block to a set.
    fn add(&self, set: usize, block: &TokenStream, weights: &TokenStream) -> TokenStream {
        let sums: Vec<_> = (0..self.vectors)
            .map(|vector| Sums::name(set, vector))
            .collect();
        let vectors = (0..self.vectors).map(count);
        let dot = &self.dot;
        quote! {
            let inputs = simd::splat_block(#block);
            let weights = #weights;
            #(#sums = #dot(#sums, inputs, simd::load_i8(chunk(weights, #vectors)));)*
        }
    }
}

/// Starts the sums at the biases, runs over the blocks, and brings the sums together.
fn around(affine: &Affine, sums: &Sums, names: &Names, blocks: TokenStream) -> TokenStream {
    let biases = &names.biases;
    let starts = (0..sums.side_by_side).flat_map(|set| {
        (0..sums.vectors).map(move |vector| {
            let (name, vector_index) = (Sums::name(set, vector), count(vector));
            let start = if set == 0 {
                quote! { simd::load_i32(chunk(&stack.#biases, #vector_index)) }
            } else {
                quote! { simd::zero_i32() }
            };
            quote! { let mut #name = #start; }
        })
    });
    let results = (0..sums.vectors).map(|vector| {
        let index = count(vector);
        let total = (1..sums.side_by_side).fold(
            {
                let name = Sums::name(0, vector);
                quote! { #name }
            },
            |total, set| {
                let name = Sums::name(set, vector);
                quote! { simd::add_i32(#total, #name) }
            },
        );
        quote! { simd::store_i32(#total, chunk_mut(&mut sums.0, #index)); }
    });
    let outputs = count(affine.outputs);
    quote! {
        #(#starts)*
        #blocks
        let mut sums = buffer::Aligned([0i32; #outputs]);
        #(#results)*
        sums
    }
}

fn sparse(sums: &Sums, names: &Names, input: &TokenStream) -> TokenStream {
    let weights = &names.weights;
    let one = sums.add(
        0,
        &quote! { block.of(#input) },
        &quote! { block.of(&stack.#weights) },
    );
    if sums.side_by_side == 1 {
        return quote! { for block in nonzero.as_slice() { #one } };
    }
    let side_by_side = count(sums.side_by_side);
    let sets = (0..sums.side_by_side).map(|set| {
        let index = count(set);
        let add = sums.add(
            set,
            &quote! { blocks[#index].of(#input) },
            &quote! { blocks[#index].of(&stack.#weights) },
        );
        quote! { { #add } }
    });
    quote! {
        let (groups, rest) = nonzero.as_slice().as_chunks::<#side_by_side>();
        for blocks in groups { #(#sets)* }
        for block in rest { #one }
    }
}

fn dense_straight_line(
    affine: &Affine,
    sums: &Sums,
    names: &Names,
    input: &TokenStream,
) -> TokenStream {
    let weights = &names.weights;
    let blocks = (0..affine.blocks()).map(|index| {
        let block = count(index);
        let add = sums.add(
            index % sums.side_by_side,
            &quote! { &#input[#block] },
            &quote! { &stack.#weights[#block] },
        );
        quote! { { #add } }
    });
    quote! { #(#blocks)* }
}

fn dense_loop(affine: &Affine, sums: &Sums, names: &Names, input: &TokenStream) -> TokenStream {
    let weights = &names.weights;
    let rounds = count(affine.blocks() / sums.side_by_side);
    let add = |set: usize, index: TokenStream| {
        let add = sums.add(
            set,
            &quote! { &#input[#index] },
            &quote! { &stack.#weights[#index] },
        );
        quote! { { #add } }
    };
    let sets =
        (0..sums.side_by_side).map(|set| add(set, linear(sums.side_by_side, &quote!(round), set)));
    let done = affine.blocks() / sums.side_by_side * sums.side_by_side;
    let rest = (done..affine.blocks()).map(|index| {
        let block = count(index);
        add(index - done, quote! { #block })
    });
    quote! {
        for round in 0..#rounds { #(#sets)* }
        #(#rest)*
    }
}

const _: () = assert!(BLOCK == 4, "generated code spells blocks as `[u8; 4]`");
