//! Affine layers: sparse, dense, or row by row.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::memory::{count, linear};
use super::{Program, propagate, transform};
use crate::layout::{Affine, BLOCK, Form};
use crate::network::{self, Element, Layer, Rounding, Source};
use crate::plan::{LayerPlan, Plan, Products};

/// Statements that leave the layer's outputs in a variable of its name.
pub(super) fn statements(
    program: &Program<'_>,
    plan: &Plan,
    index: usize,
    op: &network::Affine,
) -> TokenStream {
    let layer = &program.network.layers[index];
    let Some(affine) = program.layout.affine(index) else {
        return TokenStream::new();
    };
    let names = Names::of(layer);
    let (prepare, input) = input(program, layer, affine);
    let carried_out = CarriedOut {
        affine,
        names: &names,
        input: &input,
        // What happens to the sum of products comes before the bias.
        biases_first: op.divide.is_none() && op.to_float.is_none() && op.scales.is_none(),
    };
    let body = carried_out.body(&plan.layers[index], index);
    let body = finished(program, op, &carried_out, body);
    let name = &names.layer;
    quote! { #prepare let #name = { #body }; }
}

/// Whether a layer's kernels ask what the weights prove.
pub(super) fn needs_proofs(plans: &[Plan]) -> bool {
    plans
        .iter()
        .flat_map(|plan| &plan.layers)
        .any(|layer| match layer {
            LayerPlan::Sparse { products, .. }
            | LayerPlan::Dense { products, .. }
            | LayerPlan::Rows { products } => *products == Products::FastIfProved,
            LayerPlan::Kernel { unless_proved, .. } => unless_proved.is_some(),
            LayerPlan::Elementwise => false,
        })
}

/// What an affine layer's code is made of.
struct CarriedOut<'a> {
    affine: &'a Affine,
    names: &'a Names,
    input: &'a TokenStream,
    biases_first: bool,
}

impl CarriedOut<'_> {
    /// An expression for the sums: with the biases, if those come first.
    fn body(&self, plan: &LayerPlan, index: usize) -> TokenStream {
        let proved = |fast: TokenStream, exact: TokenStream| {
            let layer = Literal::u32_unsuffixed(index as u32);
            quote! { if proved.layer(#layer) { #fast } else { #exact } }
        };
        match plan {
            LayerPlan::Elementwise => TokenStream::new(),
            LayerPlan::Kernel {
                name,
                unless_proved: None,
                ..
            } => self.kernel(name),
            LayerPlan::Kernel {
                name,
                unless_proved: Some(exact),
                ..
            } => proved(self.kernel(name), self.kernel(exact)),
            LayerPlan::Rows {
                products: Products::Fast,
            } => self.rows("dot_row"),
            LayerPlan::Rows {
                products: Products::FastIfProved,
            } => proved(self.rows("dot_row"), self.rows("dot_row_wide")),
            LayerPlan::Sparse {
                products: Products::Fast,
                ..
            } => self.blocks(plan, "dot"),
            LayerPlan::Dense {
                products: Products::Fast,
                called,
                ..
            } => self.blocks(plan, if *called { "step" } else { "dot" }),
            LayerPlan::Sparse { .. } | LayerPlan::Dense { .. } => {
                proved(self.blocks(plan, "dot"), self.blocks(plan, "dot_wide"))
            }
        }
    }

    fn blocks(&self, plan: &LayerPlan, dot: &str) -> TokenStream {
        let CarriedOut {
            affine,
            names,
            input,
            ..
        } = self;
        let dot = match dot {
            "step" => quote! { step },
            dot => {
                let dot = format_ident!("{dot}");
                quote! { simd::#dot }
            }
        };
        match plan {
            LayerPlan::Sparse { vectors, sums, .. } => {
                let sums = Sums {
                    vectors: *vectors,
                    side_by_side: *sums,
                    dot,
                };
                let blocks = sparse(&sums, names, input);
                self.around(&sums, blocks)
            }
            LayerPlan::Dense {
                vectors,
                sums,
                unrolled,
                ..
            } => {
                let sums = Sums {
                    vectors: *vectors,
                    side_by_side: *sums,
                    dot,
                };
                let blocks = if *unrolled {
                    dense_straight_line(affine, &sums, names, input)
                } else {
                    dense_loop(affine, &sums, names, input)
                };
                self.around(&sums, blocks)
            }
            _ => TokenStream::new(),
        }
    }

    fn rows(&self, dot_row: &str) -> TokenStream {
        let Names {
            biases, weights, ..
        } = self.names;
        let (input, dot_row) = (self.input, format_ident!("{dot_row}"));
        let slots = count(self.affine.slots);
        let outputs = (0..self.affine.outputs).map(count).map(|output| {
            let sum = quote! {
                simd::#dot_row::<#slots>(
                    chunk(#input.as_flattened(), 0),
                    &stack.#weights[#output],
                )
            };
            if self.biases_first {
                quote! { stack.#biases[#output].wrapping_add(#sum) }
            } else {
                sum
            }
        });
        quote! { buffer::Aligned([#(#outputs),*]) }
    }

    /// A call of one of the runtime's kernels.
    fn kernel(&self, name: &str) -> TokenStream {
        let Names {
            biases, weights, ..
        } = self.names;
        let name = format_ident!("{name}");
        let input = match self.affine.input {
            Element::U8 => {
                let input = self.input;
                quote! { chunk(#input.as_flattened(), 0) }
            }
            _ => self.input.clone(),
        };
        let outputs = count(self.affine.outputs);
        let biases = if self.biases_first {
            quote! { &stack.#biases }
        } else {
            quote! { &[0; #outputs] }
        };
        let more = match (self.affine.form, self.affine.input) {
            (Form::Bits, _) => {
                let inputs = count(input_count(self.affine));
                quote! { , #inputs }
            }
            (_, Element::F32) => quote! { , |a, b, c| simd::fma_f32(a, b, c) },
            _ => TokenStream::new(),
        };
        let blocks = matches!(self.affine.form, Form::OutputBlocks(_)).then(|| {
            let blocks = &self.names.blocks;
            quote! { &stack.#blocks, }
        });
        quote! { buffer::Aligned(kernels::#name(#input, #blocks &stack.#weights, #biases #more)) }
    }

    /// Starts the sums at the biases, runs over the blocks, and brings the sums together.
    fn around(&self, sums: &Sums, blocks: TokenStream) -> TokenStream {
        let (affine, biases, biases_first) = (self.affine, &self.names.biases, self.biases_first);
        let starts = (0..sums.side_by_side).flat_map(|set| {
            (0..sums.vectors).map(move |vector| {
                let (name, vector_index) = (Sums::name(set, vector), count(vector));
                let start = if set == 0 && biases_first {
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
}

/// What is done to sums without biases: a division, a conversion to floating point; then the bias is added.
fn finished(
    program: &Program<'_>,
    op: &network::Affine,
    carried_out: &CarriedOut<'_>,
    body: TokenStream,
) -> TokenStream {
    if carried_out.biases_first {
        return body;
    }
    let (runtime, biases) = (program.runtime, &carried_out.names.biases);
    let divided = op.divide.map(|divide| {
        let function = match divide.rounding {
            Rounding::Truncate => quote! { divide_truncating },
            Rounding::Floor => quote! { divide_rounding_down },
        };
        let by = Literal::i32_unsuffixed(divide.by);
        quote! { let sums = #runtime::activation::#function(&sums, #by); }
    });
    let scaled = op.scales.map(|scales| {
        let (alpha, shift) = (
            &carried_out.names.alpha,
            Literal::u32_unsuffixed(scales.shift),
        );
        let beta = if scales.inputs {
            magnitude(program, carried_out.affine)
        } else {
            quote! { 1 }
        };
        quote! { let sums = kernels::scaled(&sums, &stack.#alpha, #beta, #shift); }
    });
    let end = match op.to_float {
        Some(scale) => {
            let scale = Literal::f32_unsuffixed(scale);
            quote! {
                kernels::to_float(&sums, #scale, &stack.#biases, |a, b, c| simd::fma_f32(a, b, c))
            }
        }
        None => quote! { #runtime::activation::add_biases(&sums, &stack.#biases) },
    };
    quote! {
        let sums = { #body }.0;
        #scaled
        #divided
        buffer::Aligned(#end)
    }
}

/// The mean magnitude of a layer's inputs, rounded down.
fn magnitude(program: &Program<'_>, affine: &Affine) -> TokenStream {
    let sums = affine.parts.iter().map(|part| {
        let (start, end) = (count(part.start), count(part.start + part.lanes));
        let values = propagate::values(program, part.source);
        quote! { kernels::magnitude(&#values[#start..#end]) }
    });
    let inputs = Literal::i64_unsuffixed(input_count(affine) as i64);
    quote! { (#(#sums)+*) / #inputs }
}

/// How many inputs a layer has, gaps left out.
fn input_count(affine: &Affine) -> usize {
    affine.segments.iter().map(|segment| segment.len).sum()
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
    blocks: Ident,
    alpha: Ident,
}

impl Names {
    fn of(layer: &Layer) -> Names {
        Names {
            layer: propagate::variable(layer),
            biases: format_ident!("{}_biases", layer.name),
            weights: format_ident!("{}_weights", layer.name),
            blocks: format_ident!("{}_blocks", layer.name),
            alpha: format_ident!("{}_alpha", layer.name),
        }
    }
}

/// The reference to a layer's inputs, and the statements that fill it when the inputs have to be brought together first.
fn input(program: &Program<'_>, layer: &Layer, affine: &Affine) -> (TokenStream, TokenStream) {
    let runtime = program.runtime;
    if let Some(input) = as_it_is(program, affine) {
        return (TokenStream::new(), input);
    }
    let name = format_ident!("{}_input", layer.name);
    let slots = count(affine.slots);
    let (buffer, flat) = match (affine.form, affine.input) {
        (Form::Bits, _) => {
            let words = count(affine.slots / 64);
            (quote! { [0u64; #words] }, quote! { #name.0 })
        }
        (_, Element::U8) => {
            let blocks = count(affine.blocks());
            (
                quote! { [[0u8; 4]; #blocks] },
                quote! { #name.0.as_flattened_mut() },
            )
        }
        (_, Element::F32) => (quote! { [0f32; #slots] }, quote! { #name.0 }),
        _ => (quote! { [0i16; #slots] }, quote! { #name.0 }),
    };
    let parts = affine.parts.iter().map(|part| {
        let values = propagate::values(program, part.source);
        let (slot, start, end) = (
            count(part.slot),
            count(part.start),
            count(part.start + part.lanes),
        );
        let place = match (affine.form, affine.input, element(program, part.source)) {
            (Form::Bits, _, _) => quote! { place_signs },
            (_, Element::I16, Element::U8) => quote! { place_wide },
            _ => quote! { place },
        };
        quote! { buffer::#place(&mut #flat[..], #slot, &#values[#start..#end]); }
    });
    let prepare = quote! {
        let mut #name = #runtime::buffer::Aligned(#buffer);
        #(#parts)*
        let #name = &#name.0;
    };
    (prepare, quote! { #name })
}

/// A layer's input, if it lies where it was computed as the layer reads it.
fn as_it_is(program: &Program<'_>, affine: &Affine) -> Option<TokenStream> {
    let [part] = affine.parts.as_slice() else {
        return None;
    };
    let (lanes, element) = (lanes(program, part.source), element(program, part.source));
    let same_type = match affine.input {
        Element::I16 => matches!(element, Element::I16 | Element::U16),
        input => input == element,
    };
    let whole = part.start == 0 && part.lanes == lanes && lanes == affine.slots;
    if !whole || !same_type || affine.form == Form::Bits {
        return None;
    }
    match part.source {
        Source::Transformer => Some(quote! { transformer }),
        // Bytes of layers are not in blocks.
        Source::Layer(_) if affine.input == Element::U8 => None,
        Source::Layer(index) => {
            let name = propagate::variable(&program.network.layers[index]);
            Some(quote! { &#name.0 })
        }
    }
}

/// Values that a source has in memory.
fn lanes(program: &Program<'_>, source: Source) -> usize {
    match source {
        Source::Transformer => transform::outputs(program),
        Source::Layer(index) => program.layout.layers[index].lanes(),
    }
}

fn element(program: &Program<'_>, source: Source) -> Element {
    program.network.tensor(source).element
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
