//! Layers that compute value by value: calls of the runtime, which the optimiser turns into
//! vectors.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::names::{count, ident, values, variable};
use super::program::Program;
use crate::layout;
use crate::network::{self, Element, Gain, Slice, Source};
use crate::operation::{Argument, Call, Calls};

/// A statement that leaves the layer's values in a variable of its name.
pub(super) fn statement(
    program: &Program<'_>,
    elementwise: &layout::Elementwise<'_>,
) -> TokenStream {
    let (layer, lanes) = (elementwise.layer, count(elementwise.lanes));
    let name = variable(layer);
    let element = layer.output.element;
    let runs = layer.inputs.iter().map(|slice| {
        let values = run(program, *slice);
        let activates = matches!(elementwise.function, network::Elementwise::Activations(_));
        match program.network.tensor(slice.source).element {
            Element::U8 | Element::I16 if activates => {
                quote! { &activation::widened::<#lanes>(#values) }
            }
            _ => values,
        }
    });
    let runs: Vec<TokenStream> = runs.collect();
    let call = |(function, arguments): &Call, values: Vec<TokenStream>| {
        let function = format_ident!("{function}");
        let arguments = arguments.iter().map(|own| argument(own, elementwise));
        let values = values.into_iter().chain(arguments);
        // Functions of integers whose results have different types are generic over the type.
        let is_generic = matches!(
            elementwise.function,
            network::Elementwise::Activations(_)
                | network::Elementwise::Product(_)
                | network::Elementwise::Integer(_)
        );
        let element = match element {
            Element::U8 if is_generic => quote! { u8, },
            Element::I16 if is_generic => quote! { i16, },
            Element::I32 if is_generic => quote! { i32, },
            _ => quote! {},
        };
        quote! { activation::#function::<#element #lanes>(#(#values),*) }
    };
    let expression = match elementwise.function.calls(element) {
        Calls::Joined(functions) => match functions.as_slice() {
            [function] => call(function, runs),
            functions => {
                let zero = match element {
                    Element::U8 => quote! { 0u8 },
                    Element::I16 => quote! { 0i16 },
                    Element::F32 => quote! { 0f32 },
                    _ => quote! { 0i32 },
                };
                let all_lanes = count(elementwise.all_lanes());
                let results = functions.iter().enumerate().map(|(index, function)| {
                    let (start, result) = (
                        count(index * elementwise.stride),
                        call(function, runs.clone()),
                    );
                    // Where there is no room for results of padding, the next function overwrites
                    // them.
                    quote! { buffer::place(&mut values, #start, &#result); }
                });
                quote! {
                    {
                        let mut values = [#zero; #all_lanes];
                        #(#results)*
                        values
                    }
                }
            }
        },
        Calls::OfList(function) => call(&(function, vec![]), vec![quote! { &[#(#runs),*] }]),
        Calls::OfTerms(functions) => {
            let terms = runs.into_iter().zip(&functions);
            let terms = terms.map(|(run, function)| call(function, vec![quote!(&mut sum), run]));
            quote! {
                {
                    let mut sum = [0i64; #lanes];
                    #(#terms;)*
                    activation::wrapped(&sum)
                }
            }
        }
    };
    quote! { let #name = Aligned(#expression); }
}

/// An expression for a reference to a slice's values, with as many values as the result has.
fn run(program: &Program<'_>, slice: Slice) -> TokenStream {
    match slice.source {
        Source::Transformer | Source::Unpooled => of_transformer(program, slice),
        Source::Psqt | Source::Layer(_) => {
            let (values, start) = (values(program, slice.source), count(slice.start));
            quote! { buffer::run(&#values, #start) }
        }
    }
}

/// An expression for words of the transformer's output or of its sums, in the order of the spec. In
/// memory, padding follows the words of each perspective.
fn of_transformer(program: &Program<'_>, slice: Slice) -> TokenStream {
    let (values, len) = (values(program, slice.source), count(slice.len));
    let half = program.layout.columns.half_of(slice.source);
    let places = program.network.transformer_runs(0, slice);
    let places = places.iter().map(|run| {
        let start = run.perspective * half + run.output;
        let [start, end] = [start, start + run.len].map(count);
        let [input, step] = [run.input, run.step].map(count);
        quote! { buffer::place_every(&mut words, #input, #step, &#values[#start..#end]); }
    });
    quote! {
        &{
            let mut words = [0i16; #len];
            #(#places)*
            words
        }
    }
}

fn argument(argument: &Argument, elementwise: &layout::Elementwise<'_>) -> TokenStream {
    match argument {
        Argument::Integer(number) => Literal::u32_unsuffixed(*number).into_token_stream(),
        Argument::Float(number) => Literal::f32_unsuffixed(*number).into_token_stream(),
        Argument::Fma => quote! { |a, b, c| simd::fma_f32(a, b, c) },
        Argument::Sqrt => quote! { |x| simd::sqrt_f32(x) },
        Argument::Gain(gain) => match (gain, elementwise.factors.as_ref().map(ident)) {
            (Some(Gain::Gamma), Some(gamma)) => quote! { |index| stack.#gamma[index] },
            (Some(Gain::OneMore), Some(gamma)) => quote! { |index| 1.0 + stack.#gamma[index] },
            _ => quote! { |_| 1.0 },
        },
        Argument::Integers(numbers) => {
            let numbers = numbers.iter().copied().map(Literal::i64_unsuffixed);
            quote! { &[#(#numbers),*] }
        }
    }
}
