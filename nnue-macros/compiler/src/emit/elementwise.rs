//! Layers that compute value by value: activations, sums, conversions. One call of the runtime
//! each, which the optimiser turns into vectors.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use super::memory::count;
use super::propagate::{values, variable};
use crate::layout;
use crate::network::{Activation, Align, Element, Elementwise, Slice};

/// A statement that leaves the layer's values in a variable of its name.
pub(super) fn statement(
    program: &Program<'_>,
    elementwise: &layout::Elementwise<'_>,
) -> TokenStream {
    let (layer, lanes) = (elementwise.layer, count(elementwise.lanes));
    let name = variable(layer);
    let element = layer.output.element;
    let runs = layer.inputs.iter().map(|slice| run(program, *slice));
    let expression = match elementwise.function {
        Elementwise::Activation(function) => activation(*function, runs.collect(), element, lanes),
        Elementwise::Sum { .. } if element == Element::F32 => {
            quote! { activation::sum_f32::<#lanes>(&[#(#runs),*]) }
        }
        Elementwise::Sum { aligns } => sum(runs.zip(aligns), lanes),
        Elementwise::Float { scale } => {
            let scale = Literal::f32_unsuffixed(*scale);
            quote! { activation::float::<_, #lanes>(#(#runs),*, #scale) }
        }
    };
    quote! { let #name = Aligned(#expression); }
}

/// A reference to as many values of a slice's source as the result has.
fn run(program: &Program<'_>, slice: Slice) -> TokenStream {
    let (values, start) = (values(program, slice.source), count(slice.start));
    quote! { buffer::run(&#values, #start) }
}

fn activation(
    function: Activation,
    run: TokenStream,
    element: Element,
    lanes: Literal,
) -> TokenStream {
    let (name, arguments) = function.call();
    let arguments = arguments.into_iter().map(Literal::u32_unsuffixed);
    let name = format_ident!("{name}");
    let element = match element {
        Element::F32 => return quote! { activation::#name::<#lanes>(#run) },
        Element::U8 => quote! { u8 },
        _ => quote! { i16 },
    };
    quote! { activation::#name::<#element, #lanes>(#run, #(#arguments),*) }
}

/// The terms added one after the other, each aligned.
fn sum<'n>(terms: impl Iterator<Item = (TokenStream, &'n Align)>, lanes: Literal) -> TokenStream {
    let numbers = |numbers: &mut dyn Iterator<Item = i64>| {
        let numbers = numbers.map(Literal::i64_unsuffixed);
        quote! { &[#(#numbers),*] }
    };
    let terms = terms.map(|(run, align)| {
        match align {
            Align::None => quote! { activation::add::<_, #lanes>(&mut sum, #run); },
            Align::Exact(factors) => {
                let numerators = numbers(&mut factors.iter().map(|(numerator, _)| *numerator));
                let denominators = numbers(&mut factors.iter().map(|(_, denominator)| *denominator));
                quote! { activation::add_scaled::<_, #lanes>(&mut sum, #run, #numerators, #denominators); }
            }
            Align::Shift { multipliers, shift } => {
                let multipliers = numbers(&mut multipliers.iter().copied());
                let shift = Literal::u32_unsuffixed(*shift);
                quote! { activation::add_shifted::<_, #lanes>(&mut sum, #run, #multipliers, #shift); }
            }
        }
    });
    quote! {
        {
            let mut sum = [0i64; #lanes];
            #(#terms)*
            activation::wrapped(&sum)
        }
    }
}
