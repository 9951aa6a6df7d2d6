//! Affine layers over words that are still in the registers in which the transformer made them.
//!
//! Code for these layers goes once over both perspectives. Each vector is activated, multiplied and
//! added to sums in registers, for as many outputs as there are registers.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::{Writer, total};
use crate::emit::names::{count, halves, linear};
use crate::emit::transform;
use crate::network::Element;
use crate::plan::{FusedPlan, Products};

/// The kind of inputs, which decides how a vector `x` of them is multiplied with vectors of
/// weights.
#[derive(Clone, Copy)]
enum InputKind {
    /// Words with a sign.
    Words,
    /// Roots. The product of a root and a weight is multiplied with the root once more, so it has
    /// to fit in 16 bits.
    Roots,
    /// Words without a sign. Instructions read the top bit as -32768, but it stands for 32768. So
    /// each input with this bit lacks 65536 times its weight. The sums `tops` are these weights
    /// added up, negated.
    Unsigned,
    /// Squares of roots, which are words without a sign.
    Squares,
    /// Roots whose squares need more than 16 bits. Both halves of the product of a root and a weight
    /// are multiplied with the root. Instructions read a sign in the lower half, so that the upper
    /// half lacks 1 where that is set. The sums `tops` are those of the upper half, negated.
    LargeRoots,
}

impl Writer<'_> {
    /// An expression for horizontal sums over the transformer's words.
    pub(super) fn fused(&self, fused: &FusedPlan) -> TokenStream {
        let sums = |kind| self.fused_sums(fused, kind);
        match fused.products {
            Products::Fast => sums(InputKind::Words),
            Products::FastIfProved => {
                let exact = match self.program.network.transformer.activated.element {
                    Element::I32 => InputKind::LargeRoots,
                    _ => InputKind::Squares,
                };
                self.if_proved(&sums(InputKind::Roots), &sums(exact))
            }
            Products::Exact => sums(InputKind::Unsigned),
        }
    }

    /// An expression for the sums of one tile of outputs after the other.
    fn fused_sums(&self, fused: &FusedPlan, kind: InputKind) -> TokenStream {
        let outputs = 0..self.affine.outputs;
        let tiles = outputs.clone().step_by(fused.tile).map(|first| {
            let tile = Tile {
                writer: self,
                fused,
                kind,
                outputs: (first..outputs.end.min(first + fused.tile)).collect(),
            };
            tile.sums()
        });
        let len = count(self.affine.outputs);
        quote! {
            let mut sums = Aligned([0i32; #len]);
            #(#tiles)*
            sums
        }
    }
}

/// A tile: outputs that share the vectors of inputs.
struct Tile<'a> {
    writer: &'a Writer<'a>,
    fused: &'a FusedPlan,
    kind: InputKind,
    outputs: Vec<usize>,
}

impl Tile<'_> {
    /// Statements that leave the sums of the outputs in `sums`.
    fn sums(&self) -> TokenStream {
        let all: Vec<Ident> = (0..self.fused.sets())
            .flat_map(|set| {
                self.outputs
                    .iter()
                    .flat_map(move |output| self.names(set, *output))
            })
            .collect();
        let halves = halves(self.writer.program);
        let side_by_side = self.fused.side_by_side(halves.len());
        let rounds = count(self.fused.vectors / side_by_side);
        let clips_two = transform::clips_two(self.writer.program);
        let at_once = if clips_two { 2 } else { 1 };
        let groups = (0..side_by_side / at_once).flat_map(|group| {
            let halves = halves.iter().enumerate();
            halves.map(move |(half, name)| (group, half, name))
        });
        let steps = groups.enumerate().map(|(number, (group, half, name))| {
            let index = linear(side_by_side / at_once, &quote!(round), group);
            let inputs =
                transform::word_vector(self.writer.program, self.writer.sums, name, &index);
            let (inputs, vectors) = if clips_two {
                let pair = quote! { let [x0, x1] = #inputs; };
                (pair, vec![quote!(x0), quote!(x1)])
            } else {
                (TokenStream::new(), vec![inputs])
            };
            let steps = vectors.iter().enumerate().map(|(vector, inputs)| {
                let before = half * self.fused.vectors + group * at_once + vector;
                let weights_at = linear(side_by_side, &quote!(round), before);
                let step = number * at_once + vector;
                self.step(step % self.fused.sets(), inputs, &weights_at)
            });
            quote! { #inputs #(#steps)* }
        });
        let results = self.outputs.iter().map(|output| self.result(*output));
        quote! {
            #(let mut #all = simd::zero_i32();)*
            for round in 0..#rounds { #(#steps)* }
            #(#results)*
        }
    }

    /// The names of an output's sums in a set.
    fn names(&self, set: usize, output: usize) -> Vec<Ident> {
        let sum = format_ident!("sum_{set}_{output}");
        match self.kind {
            InputKind::Words | InputKind::Roots => vec![sum],
            InputKind::Unsigned | InputKind::Squares | InputKind::LargeRoots => {
                vec![sum, format_ident!("tops_{set}_{output}")]
            }
        }
    }

    /// Code that adds the products of a vector of inputs.
    fn step(&self, set: usize, inputs: &TokenStream, weights_at: &TokenStream) -> TokenStream {
        let inputs = match self.kind {
            InputKind::Words | InputKind::Roots | InputKind::LargeRoots => {
                quote! { let x = #inputs; }
            }
            InputKind::Unsigned => quote! {
                let x = #inputs;
                let top = simd::shift_right_i16::<15>(x);
            },
            InputKind::Squares => quote! {
                let x = #inputs;
                let x = simd::mul_low_i16(x, x);
                let top = simd::shift_right_i16::<15>(x);
            },
        };
        let weights = &self.writer.weights;
        let sums = self.outputs.iter().map(|output| {
            let names = self.names(set, *output);
            let factors = match self.kind {
                InputKind::Words => vec![(quote!(x), quote!(w))],
                InputKind::Roots => vec![(quote!(simd::mul_low_i16(x, w)), quote!(x))],
                InputKind::Unsigned | InputKind::Squares => {
                    vec![(quote!(x), quote!(w)), (quote!(top), quote!(w))]
                }
                InputKind::LargeRoots => {
                    let top = quote! {
                        simd::sub_i16(
                            simd::shift_right_i16::<15>(low),
                            simd::mul_high_i16::<0>(x, w),
                        )
                    };
                    vec![(quote!(low), quote!(x)), (top, quote!(x))]
                }
            };
            let (a, b): (Vec<_>, Vec<_>) = factors.into_iter().unzip();
            let output = count(*output);
            let low = matches!(self.kind, InputKind::LargeRoots)
                .then(|| quote! { let low = simd::mul_low_i16(x, w); });
            quote! {
                let w = simd::load_i16(chunk(&stack.#weights[#output], #weights_at));
                #low
                #(#names = simd::madd_i16(#names, #a, #b);)*
            }
        });
        quote! { #inputs #(#sums)* }
    }

    /// An expression that adds up the sums of an output.
    fn result(&self, output: usize) -> TokenStream {
        let sets = (0..self.fused.sets()).map(|set| self.names(set, output));
        let sets: Vec<Vec<Ident>> = sets.collect();
        let horizontal = |index: usize| {
            let names = sets.iter().map(|names| &names[index]);
            let names: Vec<TokenStream> = names.map(Ident::to_token_stream).collect();
            let total = total(&names);
            quote! { simd::sum_i32(#total) }
        };
        let sum = match self.kind {
            InputKind::Words | InputKind::Roots => horizontal(0),
            InputKind::Unsigned | InputKind::Squares | InputKind::LargeRoots => {
                let (sum, tops) = (horizontal(0), horizontal(1));
                quote! { #sum.wrapping_sub(#tops << 16) }
            }
        };
        let biases = &self.writer.biases;
        let output = count(output);
        let sum = if self.writer.affine.op.starts_at_biases() {
            quote! { stack.#biases[#output].wrapping_add(#sum) }
        } else {
            sum
        };
        quote! { sums.0[#output] = #sum; }
    }
}
