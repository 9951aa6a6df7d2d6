//! The forward pass of one instruction set: transform, layers, output.

use proc_macro2::TokenStream;
use quote::quote;

use super::imports::Names;
use super::names::{count, halves};
use super::transform::{self, Sums};
use super::{Program, affine, elementwise, output};
use crate::network::Layer;
use crate::plan::{Plan, PlannedLayer, TransformOutputs};

/// The parameter for what the weights prove, and the argument, in networks with kernels that ask.
pub(super) fn proved(program: &Program<'_>) -> (Option<TokenStream>, Option<TokenStream>) {
    let asked = program.plans.need_proofs();
    let both = asked.then(|| (quote! { proved: Proved, }, quote! { proved, }));
    both.unzip()
}

/// The parameter of the layers, whose name says whether this instruction set reads it.
pub(super) fn read_proved(program: &Program<'_>, plan: &Plan<'_>) -> Option<TokenStream> {
    let name = if plan.needs_proofs() {
        quote! { proved }
    } else {
        quote! { _proved }
    };
    let asked = program.plans.need_proofs();
    asked.then(|| quote! { #name: Proved, })
}

pub(super) fn functions(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let halves = halves(program);
    let output_type = output::output_name(program);
    let transformed = transformed(program, plan, Sums::Stored);
    let read_proved = read_proved(program, plan);
    let layers = layers(program, plan, Sums::Stored, |_, _, _| TokenStream::new());
    let layers = quote! {
        let stack = buffer::row(stacks, bucket as u32);
        #layers
    };
    let (proved, statements, shared) = match Shared::of(program, plan) {
        None => (read_proved, quote! { #transformed #layers }, None),
        Some(Shared {
            parameters,
            arguments,
        }) => (
            proved(program).0,
            quote! { #transformed layers(stacks, #arguments) },
            Some(quote! {
                /// The layers and the output, after [`propagate`] or a move has made their inputs.
                #[inline(never)]
                #attribute
                fn layers(stacks: &Stacks, #parameters #read_proved) -> #output_type {
                    #layers
                }
            }),
        ),
    };
    quote! {
        #attribute
        pub(super) fn propagate(
            stacks: &Stacks,
            #(#halves: &Half,)*
            bucket: usize,
            #proved
        ) -> #output_type {
            #statements
        }

        #shared
    }
}

/// Statements that make the layers' inputs while the rows of a move are added, and the evaluation.
/// `psqt` updates the PSQT sums.
pub(super) fn of_move(program: &Program<'_>, plan: &Plan<'_>, psqt: &TokenStream) -> TokenStream {
    let transformed = transformed(program, plan, Sums::Moved);
    match Shared::of(program, plan) {
        Some(Shared { arguments, .. }) => quote! {
            #transformed
            #psqt
            layers(stacks, #arguments)
        },
        None => {
            let layers = layers(program, plan, Sums::Moved, |_, _, _| TokenStream::new());
            quote! {
                #psqt
                let stack = buffer::row(stacks, bucket as u32);
                #layers
            }
        }
    }
}

/// The parameters and arguments of the layers as a function of its own, which begins with the
/// transformer's output. Where a layer takes this from registers, the layers are part of whatever
/// has it there.
struct Shared {
    parameters: TokenStream,
    arguments: TokenStream,
}

impl Shared {
    fn of(program: &Program<'_>, plan: &Plan<'_>) -> Option<Shared> {
        let columns = &program.layout.columns;
        let [blocks, outputs] = [columns.blocks(), columns.outputs].map(count);
        let inputs = match &plan.transform.outputs {
            _ if !plan.fuses_moves => return None,
            TransformOutputs::Registers { .. } => return None,
            TransformOutputs::Words { .. } => quote! { &[i16; #outputs] },
            TransformOutputs::Bytes(_) => quote! { &[[u8; 4]; #blocks] },
        };
        let list = transform::list_type(program);
        let (list, pass_list) = (plan.transform.lists_nonzero())
            .then(|| (quote! { nonzero: &mut #list, }, quote! { nonzero, }))
            .unzip();
        // The PSQT part of the output reads accumulators, and so do neurons that are not pooled.
        let [unpooled, psqt_sums] = [unpooled(program), psqt_sums(program)];
        let output = output::expression(program);
        let readers = quote! { #unpooled #psqt_sums #output };
        let reads_halves = Names::of(&readers).has("first");
        let halves = if reads_halves {
            halves(program)
        } else {
            Vec::new()
        };
        let (_, pass) = proved(program);
        Some(Shared {
            parameters: quote! {
                #(#halves: &Half,)* bucket: usize, transformer: #inputs, #list
            },
            arguments: quote! { #(#halves,)* bucket, transformer, #pass_list #pass },
        })
    }
}

/// The statements of all layers, and the output. `after` writes what follows each layer, by its
/// index and the distance between the values of its functions.
pub(super) fn layers(
    program: &Program<'_>,
    plan: &Plan<'_>,
    sums: Sums,
    after: impl Fn(usize, &Layer, usize) -> TokenStream,
) -> TokenStream {
    let layers = plan.layers.iter().enumerate().map(|(index, layer)| {
        let (statements, layer, stride) = match layer {
            PlannedLayer::Affine(affine, kernel) => (
                affine::statements(program, affine, kernel, sums),
                affine.layer,
                affine.outputs,
            ),
            PlannedLayer::Elementwise(elementwise) => (
                elementwise::statement(program, elementwise),
                elementwise.layer,
                elementwise.stride,
            ),
        };
        let after = after(index, layer, stride);
        quote! { #statements #after }
    });
    let (unpooled, psqt_sums) = (unpooled(program), psqt_sums(program));
    let output = output::expression(program);
    quote! { #unpooled #psqt_sums #(#layers)* #output }
}

/// Statements that leave the transformer's output in `transformer`, unless a layer computes it
/// itself, and the list of its non-zero blocks, if there is any, in `nonzero`.
pub(super) fn transformed(program: &Program<'_>, plan: &Plan<'_>, sums: Sums) -> TokenStream {
    let columns = &program.layout.columns;
    let (transform, arguments) = transform::call(program, sums);
    match &plan.transform.outputs {
        TransformOutputs::Words { .. } => {
            let outputs = count(columns.outputs);
            quote! {
                let mut inputs = Aligned([0i16; #outputs]);
                #transform(#arguments &mut inputs.0);
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
                        quote! { let nonzero = &mut NonZero::new(); },
                        quote! { , nonzero },
                    )
                })
                .unzip();
            quote! {
                let mut inputs = Inputs::<#blocks>::new();
                let mut output = inputs.writer();
                #list
                #transform(#arguments &mut output #pass_list);
                let transformer = output.finish();
            }
        }
    }
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
