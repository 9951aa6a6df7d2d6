//! Affine layers: sparse, dense, row by row, fused with the transformer, or by a function of the
//! runtime.
//!
//! Layers of bytes with many outputs, and layers that take the transformer's words from registers,
//! are written out over the primitives of an instruction set, because their speed depends on the
//! number of sums and on the loads that these share, which no optimiser chooses well. For all other
//! layers a plain loop over arrays of known sizes becomes good code by itself: they are functions
//! of the runtime.

mod fused;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::names::{count, ident, linear, values, variable};
use super::program::Program;
use super::transform::Sums;
use crate::layout::{Affine, BLOCK, Input};
use crate::network::{self, Element, Rounding, Scale, Source};
use crate::plan::{BlockOrder, Blocks, Kernel, Plan, Products};

const _: () = assert!(BLOCK == 4, "generated code spells blocks as `[u8; 4]`");

/// Statements that leave the layer's outputs in a variable of its name.
pub(super) fn statements(
    program: &Program<'_>,
    affine: &Affine<'_>,
    kernel: &Kernel,
    sums: Sums,
) -> TokenStream {
    let (prepare, input) = input(program, affine, kernel);
    let writer = Writer {
        program,
        affine,
        biases: ident(&affine.fields.biases),
        weights: ident(&affine.fields.weights),
        input,
        sums,
    };
    let sums = writer.sums(kernel);
    let outputs = if affine.op.starts_at_biases() {
        sums
    } else {
        writer.finished(sums)
    };
    let name = variable(affine.layer);
    quote! { #prepare let #name = { #outputs }; }
}

/// The function for one step, for modules with a kernel whose steps are [`BlockOrder::Calls`].
pub(super) fn called_step(plan: &Plan<'_>) -> Option<TokenStream> {
    let calls = |kernel: &Kernel| {
        matches!(
            kernel,
            Kernel::Dense {
                steps: BlockOrder::Calls,
                ..
            }
        )
    };
    plan.kernels().any(|(_, kernel)| calls(kernel)).then(|| {
        quote! {
            /// Adds the products of a block to a vector of sums.
            #[inline(never)]
            fn step(sum: simd::Dots, inputs: simd::Blocks, weights: simd::I8) -> simd::Dots {
                simd::dot(sum, inputs, weights)
            }
        }
    })
}

/// A reference to a layer's inputs, and the statements before it. These copy the inputs into a
/// single array if they come from several places.
fn input(
    program: &Program<'_>,
    affine: &Affine<'_>,
    kernel: &Kernel,
) -> (TokenStream, TokenStream) {
    match affine.in_place {
        Some(Source::Transformer) => return (TokenStream::new(), quote! { transformer }),
        Some(Source::Unpooled) => return (TokenStream::new(), quote! { unpooled }),
        Some(Source::Psqt) => return (TokenStream::new(), quote! { &psqt_sums.0 }),
        Some(Source::Layer(index)) => {
            let name = variable(&program.network.layers[index]);
            return (TokenStream::new(), quote! { &#name.0 });
        }
        None => {}
    }
    let name = format_ident!("{}_input", affine.layer.name);
    let (slots, blocks, words) = (
        count(affine.slots),
        count(affine.blocks()),
        count(affine.words()),
    );
    let buffer = match affine.input {
        Input::Bytes => quote! { [[0u8; 4]; #blocks] },
        Input::Words | Input::Roots | Input::Unsigned => quote! { [0i16; #slots] },
        Input::Longs => quote! { [0i32; #slots] },
        Input::Floats => quote! { [0f32; #slots] },
        Input::Signs => quote! { [0u64; #words] },
    };
    let flat = match affine.input {
        Input::Bytes => quote! { #name.0.as_flattened_mut() },
        _ => quote! { &mut #name.0 },
    };
    let parts = affine.parts.iter().map(|part| {
        let values = values(program, part.source);
        let [slot, start, end] = [part.slot, part.start, part.start + part.lanes].map(count);
        let place = match (affine.input, program.network.tensor(part.source).element) {
            (Input::Signs, _) => quote! { place_signs },
            (Input::Words | Input::Roots, Element::U8)
            | (Input::Longs, Element::U8 | Element::I16) => quote! { place_wide },
            _ => quote! { place },
        };
        quote! { buffer::#place(#flat, #slot, &#values[#start..#end]); }
    });
    let aligned = match kernel {
        Kernel::Dense {
            hides_inputs: true, ..
        } => quote! { buffer::hidden(&#name) },
        _ => quote! { #name },
    };
    let prepare = quote! {
        let mut #name = Aligned(#buffer);
        #(#parts)*
        let #name = &#aligned.0;
    };
    (prepare, quote! { #name })
}

/// Writes an affine layer.
struct Writer<'a> {
    program: &'a Program<'a>,
    affine: &'a Affine<'a>,
    biases: Ident,
    weights: Ident,
    input: TokenStream,
    /// Where the accumulators are, for layers that are fused with the transformer.
    sums: Sums,
}

impl Writer<'_> {
    /// An expression for the sums of products. They start at the biases, unless the sums are
    /// changed before the biases are added.
    fn sums(&self, kernel: &Kernel) -> TokenStream {
        match kernel {
            Kernel::Function {
                name,
                unless_proved,
                ..
            } => match unless_proved {
                None => self.function(name),
                Some(exact) => self.if_proved(&self.function(name), &self.function(exact)),
            },
            Kernel::Rows { products } => {
                self.multiplied(*products, "dot_row", "dot_row_wide", |dot_row| {
                    self.rows(dot_row)
                })
            }
            Kernel::Fused(fused) => self.fused(fused),
            Kernel::Columns { vectors, tile } => self.columns(*vectors, *tile),
            Kernel::Sparse(blocks) => {
                let one_at_once = self.multiplied(blocks.products, "dot", "dot_wide", |dot| {
                    let sums = BlockSums::new(blocks, quote! { simd:: }, dot);
                    self.sums_around(&sums, self.sparse(&sums))
                });
                self.two_at_once(blocks, |sums| self.sparse_twos(sums), one_at_once)
            }
            Kernel::Dense { blocks, steps, .. } => {
                let one_at_once = self.multiplied(blocks.products, "dot", "dot_wide", |dot| {
                    let sums = match (steps, dot) {
                        (BlockOrder::Calls, "dot") => {
                            BlockSums::new(blocks, TokenStream::new(), "step")
                        }
                        _ => BlockSums::new(blocks, quote! { simd:: }, dot),
                    };
                    self.sums_around(&sums, self.dense(&sums, *steps))
                });
                self.two_at_once(blocks, |sums| self.dense_twos(sums), one_at_once)
            }
        }
    }

    /// The code that `write` makes of two blocks at once and, for weights that do not prove it
    /// exact, that of one at once; or the latter alone, where that is the plan.
    fn two_at_once(
        &self,
        blocks: &Blocks,
        write: impl Fn(&BlockSums) -> TokenStream,
        one_at_once: TokenStream,
    ) -> TokenStream {
        if !blocks.two_at_once {
            return one_at_once;
        }
        let sums = BlockSums::new(blocks, quote! { simd:: }, "dot");
        let two_at_once = self.sums_around(&sums, write(&sums));
        self.if_proved(&two_at_once, &one_at_once)
    }

    /// The code that `write` makes with the fast primitive, with the exact primitive, or with both.
    fn multiplied(
        &self,
        products: Products,
        fast: &str,
        exact: &str,
        write: impl Fn(&str) -> TokenStream,
    ) -> TokenStream {
        match products {
            Products::Fast => write(fast),
            Products::Exact => write(exact),
            Products::FastIfProved => self.if_proved(&write(fast), &write(exact)),
        }
    }

    /// Code that chooses between fast and exact code when the network runs, for weights that may
    /// prove that the fast code is exact.
    fn if_proved(&self, fast: &TokenStream, exact: &TokenStream) -> TokenStream {
        let layer = Literal::u32_unsuffixed(self.affine.index as u32);
        quote! { if proved.layer(#layer) { #fast } else { #exact } }
    }

    /// An expression for a reference to all inputs that are bytes. Those of a layer that are read in
    /// place are an array, all others are blocks.
    fn bytes(&self) -> TokenStream {
        let input = &self.input;
        match self.affine.in_place {
            Some(Source::Layer(_)) => input.clone(),
            _ => quote! { chunk(#input.as_flattened(), 0) },
        }
    }

    /// An expression for a horizontal sum for each output, along the row of its weights.
    fn rows(&self, dot_row: &str) -> TokenStream {
        let (biases, input) = (&self.biases, &self.input);
        let dot_row = format_ident!("{dot_row}");
        let outputs = (0..self.affine.outputs).map(|output| {
            let sums = self.row(&dot_row, output);
            let output = count(output);
            let (first, rest) = if self.affine.op.starts_at_biases() {
                (quote! { stack.#biases[#output] }, sums.as_slice())
            } else {
                (sums[0].clone(), &sums[1..])
            };
            quote! { #first #(.wrapping_add(#rest))* }
        });
        let inputs = match self.affine.op.shards {
            None => self.bytes(),
            Some(_) => quote! { #input.as_flattened() },
        };
        quote! {
            let inputs = #inputs;
            Aligned([#(#outputs),*])
        }
    }

    /// Expressions for the sums of an output's row: one, or those of the inputs that all outputs
    /// read, if there are any, and of the shard.
    fn row(&self, dot_row: &Ident, output: usize) -> Vec<TokenStream> {
        let weights = &self.weights;
        let row = count(output);
        let Some(shards) = self.affine.op.shards else {
            return vec![quote! { simd::#dot_row(inputs, &stack.#weights[#row]) }];
        };
        let (inputs, common) = (self.affine.slots, shards.common);
        let start = shards.start([self.affine.outputs, inputs], output);
        let runs = [(0, 0, common), (start, common, shards.shard(inputs))];
        let runs = runs.into_iter().filter(|(_, _, len)| *len > 0);
        runs.map(|run| {
            let (start, of_row, len) = run;
            let [start, of_row, len] = [start, of_row, len].map(count);
            quote! {
                simd::#dot_row::<#len>(
                    buffer::run(inputs, #start),
                    buffer::run(&stack.#weights[#row], #of_row),
                )
            }
        })
        .collect()
    }

    /// An expression for the sums of one tile of vectors after the other. Each input adds its
    /// products to a tile.
    ///
    /// LLVM would turn such a loop into vectors of inputs, not of outputs, and would gather their
    /// weights.
    fn columns(&self, vectors: usize, tile: usize) -> TokenStream {
        let (weights, input) = (&self.weights, &self.input);
        let (slots, outputs) = (count(self.affine.slots), count(self.affine.outputs));
        let tiles = (0..vectors).step_by(tile).map(|first| {
            let tile = first..vectors.min(first + tile);
            let names = tile.clone().map(|vector| format_ident!("sum_{vector}"));
            let names: Vec<Ident> = names.collect();
            let tile: Vec<_> = tile.map(count).collect();
            let starts = tile.iter().map(|vector| self.start(vector));
            quote! {
                #(let mut #names = #starts;)*
                for index in 0..#slots {
                    let x = simd::splat_i32(inputs[index]);
                    let weights = &stack.#weights[index];
                    #(#names = simd::add_i32(
                        #names,
                        simd::mul_i32(x, simd::load_i32(chunk(weights, #tile))),
                    );)*
                }
                #(simd::store_i32(#names, chunk_mut(&mut sums.0, #tile));)*
            }
        });
        quote! {
            let inputs = #input;
            let mut sums = Aligned([0i32; #outputs]);
            #(#tiles)*
            sums
        }
    }

    /// An expression for the start of the sums of a vector of outputs.
    fn start(&self, vector: &Literal) -> TokenStream {
        let biases = &self.biases;
        if self.affine.op.starts_at_biases() {
            quote! { simd::load_i32(chunk(&stack.#biases, #vector)) }
        } else {
            quote! { simd::zero_i32() }
        }
    }

    /// A call of a kernel of the runtime.
    fn function(&self, name: &str) -> TokenStream {
        let (affine, biases, weights) = (self.affine, &self.biases, &self.weights);
        let name = format_ident!("{name}");
        let input = match affine.input {
            Input::Bytes => self.bytes(),
            _ => self.input.clone(),
        };
        let biases = if affine.op.starts_at_biases() {
            quote! { &stack.#biases }
        } else {
            let outputs = count(affine.outputs);
            quote! { &[0; #outputs] }
        };
        let more = match affine.input {
            Input::Signs => {
                let inputs = count(affine.layer.input_len());
                quote! { , #inputs }
            }
            Input::Floats if affine.op.sums == network::Sums::Products => TokenStream::new(),
            Input::Floats => quote! { , |a, b, c| simd::fma_f32(a, b, c) },
            _ => TokenStream::new(),
        };
        let blocks = affine.fields.blocks.as_ref().map(|blocks| {
            let blocks = ident(blocks);
            quote! { &stack.#blocks, }
        });
        quote! { Aligned(kernels::#name(#input, #blocks &stack.#weights, #biases #more)) }
    }

    /// Code that starts the sums, runs over the blocks, and adds the sums up.
    fn sums_around(&self, sums: &BlockSums, blocks: TokenStream) -> TokenStream {
        let starts = (0..sums.sets).flat_map(|set| {
            (0..sums.vectors).map(move |vector| {
                let name = sums.name(set, vector);
                let start = match set {
                    0 => self.start(&count(vector)),
                    _ => quote! { simd::zero_i32() },
                };
                quote! { let mut #name = simd::dots(#start); }
            })
        });
        let results = (0..sums.vectors).map(|vector| {
            let (index, total) = (count(vector), sums.total(vector));
            quote! { simd::store_i32(#total, chunk_mut(&mut sums.0, #index)); }
        });
        let outputs = count(self.affine.outputs);
        quote! {
            #(#starts)*
            #blocks
            let mut sums = Aligned([0i32; #outputs]);
            #(#results)*
            sums
        }
    }

    /// Code for a loop over the list of blocks that are not zero.
    fn sparse(&self, sums: &BlockSums) -> TokenStream {
        let Writer { weights, input, .. } = self;
        if sums.sets == 1 {
            let one = sums.add(
                0,
                &quote! { simd::splat_block(block.of(#input)) },
                &quote! { block.of(&stack.#weights) },
            );
            return quote! { for block in nonzero.as_slice() { #one } };
        }
        let sets = (0..sums.sets).map(|set| {
            let (inputs, weights) = self.listed(set);
            sums.add(set, &quote! { simd::splat_block(#inputs) }, &weights)
        });
        self.groups(sums, sums.sets, sets.collect(), sums.sets)
    }

    /// The same with two blocks at once. The one that may be left is added alone.
    fn sparse_twos(&self, sums: &BlockSums) -> TokenStream {
        let twos = (0..sums.sets).map(|set| {
            let (first, second) = (self.listed(2 * set), self.listed(2 * set + 1));
            let add = sums.add_two(set, [first.0, second.0], [first.1, second.1]);
            quote! {{ #add }}
        });
        self.groups(sums, 2 * sums.sets, twos.collect(), 2 * sums.sets - 1)
    }

    /// Expressions for a block of a group of the list, and for its weights.
    fn listed(&self, index: usize) -> (TokenStream, TokenStream) {
        let (Writer { weights, input, .. }, index) = (self, count(index));
        (
            quote! { blocks[#index].of(#input) },
            quote! { blocks[#index].of(&stack.#weights) },
        )
    }

    /// Code for a loop over groups of the list, and for `left` blocks behind it.
    fn groups(
        &self,
        sums: &BlockSums,
        len: usize,
        group: Vec<TokenStream>,
        left: usize,
    ) -> TokenStream {
        let Writer { weights, input, .. } = self;
        let len = count(len);
        let rest = (0..left).map(|place| {
            let index = count(place);
            sums.add(
                place % sums.sets,
                &quote! { simd::splat_block(&rest.inputs(#index, #input)) },
                &quote! { rest.block(#index).of(&stack.#weights) },
            )
        });
        quote! {
            let (groups, rest) = nonzero.groups::<#len>();
            for blocks in groups { #(#group)* }
            #({ #rest })*
        }
    }

    /// Code for all blocks without a loop, two at once: each with the one that is half of all blocks
    /// behind it.
    fn dense_twos(&self, sums: &BlockSums) -> TokenStream {
        let Writer { weights, input, .. } = self;
        let half = sums.blocks / 2;
        let twos = (0..half).map(|block| {
            let both = &[block, block + half].map(count);
            let inputs = both.each_ref().map(|index| quote! { &#input[#index] });
            let weights = both
                .each_ref()
                .map(|index| quote! { &stack.#weights[#index] });
            sums.add_two(block % sums.sets, inputs, weights)
        });
        quote! { #(#twos)* }
    }

    /// Code for all blocks: the rounds of a loop, if there is any, and then the blocks that follow
    /// it.
    fn dense(&self, sums: &BlockSums, steps: BlockOrder) -> TokenStream {
        let Writer { weights, input, .. } = self;
        let add = |set: usize, index: TokenStream| {
            let inputs = quote! { simd::splat_block(&#input[#index]) };
            sums.add(set, &inputs, &quote! { &stack.#weights[#index] })
        };
        let (rounds, first) = match steps {
            BlockOrder::StraightLine | BlockOrder::Calls => (None, 0),
            BlockOrder::Loop { rest, .. } if sums.sets == 1 => {
                let products = sums.products(0);
                let all = quote! {
                    for (block, weights) in zip(#input, &stack.#weights) {
                        let inputs = simd::splat_block(block);
                        #products
                    }
                };
                (Some(all), rest)
            }
            BlockOrder::Loop { rounds, rest } => {
                let rounds = count(rounds);
                let sets =
                    (0..sums.sets).map(|set| add(set, linear(sums.sets, &quote!(round), set)));
                (Some(quote! { for round in 0..#rounds { #(#sets)* } }), rest)
            }
        };
        let rest = (first..sums.blocks).map(|block| {
            let (set, index) = (block % sums.sets, count(block));
            // Some levels take a block from its place in a vector of four.
            if block / 4 == sums.blocks / 4 {
                return add(set, quote! { #index });
            }
            let (four, place) = (count(block / 4), count(block % 4));
            let inputs = quote! { simd::splat_block_of::<#place>(chunk(#input, #four)) };
            sums.add(set, &inputs, &quote! { &stack.#weights[#index] })
        });
        quote! { #rounds #(#rest)* }
    }

    /// Code that divides sums without biases, or converts them to floating point, and then adds the
    /// biases.
    fn finished(&self, sums: TokenStream) -> TokenStream {
        let Writer { affine, biases, .. } = self;
        let divided = affine.op.divide.map(|divide| {
            let function = match divide.rounding {
                Rounding::Truncate => quote! { divide_truncating },
                Rounding::Floor => quote! { divide_rounding_down },
            };
            let by = Literal::i32_unsuffixed(divide.by);
            quote! { let sums = activation::#function(&sums, #by); }
        });
        let factors = affine.fields.factors.as_ref().map(ident);
        let scaled = affine.op.scales.map(|scales| {
            let shift = Literal::u32_unsuffixed(scales.shift);
            let beta = if scales.inputs {
                self.magnitude()
            } else {
                quote! { 1 }
            };
            quote! { let sums = kernels::scaled(&sums, &stack.#factors, #beta, #shift); }
        });
        let end = match affine.op.to_float {
            Some(scale) => {
                let scale = match (scale, factors) {
                    (Scale::Shared(scale), _) => {
                        let scale = Literal::f32_unsuffixed(scale);
                        quote! { |_| #scale }
                    }
                    (Scale::OfFile, scales) => quote! { |output| stack.#scales[output] },
                };
                quote! {
                    kernels::to_float(&sums, #scale, &stack.#biases, |a, b, c| simd::fma_f32(a, b, c))
                }
            }
            None => quote! { activation::add_biases(&sums, &stack.#biases) },
        };
        quote! {
            let sums = { #sums }.0;
            #scaled
            #divided
            Aligned(#end)
        }
    }

    /// An expression for the mean magnitude of the layer's inputs, rounded down.
    fn magnitude(&self) -> TokenStream {
        let sums = self.affine.parts.iter().map(|part| {
            let [start, end] = [part.start, part.start + part.lanes].map(count);
            let values = values(self.program, part.source);
            quote! { kernels::magnitude(&#values[#start..#end]) }
        });
        let inputs = Literal::i64_unsuffixed(self.affine.layer.input_len() as i64);
        quote! { (#(#sums)+*) / #inputs }
    }
}

/// An expression for the sum of vectors, in which as few additions as possible wait for others.
fn total(vectors: &[TokenStream]) -> TokenStream {
    match vectors {
        [vector] => vector.clone(),
        _ => {
            let (first, second) = vectors.split_at(vectors.len().div_ceil(2));
            let (first, second) = (total(first), total(second));
            quote! { simd::add_i32(#first, #second) }
        }
    }
}

/// The sums of a layer that takes its inputs in blocks: vectors of outputs, in several sets that
/// need not wait for one another.
struct BlockSums {
    blocks: usize,
    vectors: usize,
    sets: usize,
    /// The function that adds a block's products.
    dot: TokenStream,
}

impl BlockSums {
    fn new(blocks: &Blocks, module: TokenStream, dot: &str) -> BlockSums {
        let dot = format_ident!("{dot}");
        BlockSums {
            blocks: blocks.count,
            vectors: blocks.vectors,
            sets: blocks.side_by_side,
            dot: quote! { #module #dot },
        }
    }

    /// The name of the sum of a vector in a set, with numbers where there are several.
    fn name(&self, set: usize, vector: usize) -> Ident {
        match (self.sets, self.vectors) {
            (1, 1) => format_ident!("sum"),
            (1, _) => format_ident!("sum_{vector}"),
            (_, 1) => format_ident!("sum_{set}"),
            _ => format_ident!("sum_{set}_{vector}"),
        }
    }

    /// An expression for the sum of the same vector of all sets.
    fn total(&self, vector: usize) -> TokenStream {
        let names = (0..self.sets).map(|set| self.name(set, vector));
        let sums: Vec<TokenStream> = names.map(|name| quote! { simd::sum_dots(#name) }).collect();
        total(&sums)
    }

    /// Code that adds a block to a set.
    fn add(&self, set: usize, inputs: &TokenStream, weights: &TokenStream) -> TokenStream {
        let products = self.products(set);
        quote! {
            let inputs = #inputs;
            let weights = #weights;
            #products
        }
    }

    /// Code that adds two blocks to a set, for weights whose sums of both fit in 16 bits.
    fn add_two(
        &self,
        set: usize,
        [a, b]: [TokenStream; 2],
        [weights_a, weights_b]: [TokenStream; 2],
    ) -> TokenStream {
        let sums = (0..self.vectors).map(|vector| {
            let (sum, vector) = (self.name(set, vector), count(vector));
            quote! {
                #sum = simd::dot_two(#sum, inputs, [
                    simd::load_i8(chunk(a, #vector)),
                    simd::load_i8(chunk(b, #vector)),
                ]);
            }
        });
        quote! {
            let inputs = [simd::splat_block(#a), simd::splat_block(#b)];
            let [a, b] = [#weights_a, #weights_b];
            #(#sums)*
        }
    }

    /// Code that adds the products of the vector `inputs` with the vectors of `weights` to a set.
    fn products(&self, set: usize) -> TokenStream {
        let sums: Vec<_> = (0..self.vectors)
            .map(|vector| self.name(set, vector))
            .collect();
        let vectors = (0..self.vectors).map(count);
        let dot = &self.dot;
        quote! {
            #(#sums = #dot(#sums, inputs, simd::load_i8(chunk(weights, #vectors)));)*
        }
    }
}
