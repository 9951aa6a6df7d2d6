//! The network as plain data, by which `Net::self_check` knows what the kernels must compute.
//!
//! It is written from the checked network alone: neither the layout nor the plan has a part in it.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::names::count;
use super::program::Program;
use crate::network::file::{Role, Tensor};
use crate::network::{
    Affine, Align, Element, Elementwise, Gain, Head, Layer, Network, Op, Order, Ratio, Rounding,
    Scale, Slice, Source, Sums, Units, WeightType,
};
use crate::operation::{Float, Product, RmsNorm, Sum};

/// The network as a constant of the runtime's type `Graph`.
pub(super) fn constant(program: &Program<'_>) -> TokenStream {
    let network = program.network;
    let transformer = &network.transformer;
    let [unpooled, psqt_values] = [transformer.unpooled_half(), transformer.psqt].map(count);
    let interleaved = transformer.perspectives.order == Order::Interleaved;
    let psqt_is_read = transformer.psqt_sums.is_some();
    let biases = of_role(network, |role| match role {
        Role::Biases(copy) => Some(copy),
        _ => None,
    });
    let biases = biases.iter().map(|(tensor, _)| &tensor.name);
    let rows = rows(network, |role| match role {
        Role::Weights(first) => Some(first),
        _ => None,
    });
    let psqt = self::rows(network, |role| match role {
        Role::Psqt(first) => Some(first),
        _ => None,
    });
    let layers = network.layers.iter().map(layer);
    let output = &network.output;
    let names: &[&str] = match output.heads.len() {
        1 => &[""],
        _ => &["win", "draw", "loss"],
    };
    let heads = output.heads.iter().zip(names);
    let heads = heads.map(|(own, name)| head(name, own, output.units));
    let further = (output.further.iter()).map(|own| head(&own.name, &own.head, own.units));
    quote! {
        graph::Graph {
            unpooled: #unpooled,
            interleaved: #interleaved,
            biases: &[#(#biases),*],
            rows: #rows,
            psqt: #psqt,
            psqt_values: #psqt_values,
            psqt_is_read: #psqt_is_read,
            layers: &[#(#layers),*],
            heads: &[#(#heads),*],
            further: &[#(#further),*],
        }
    }
}

/// The tensors of the transformer with a role, each with the number of the role, in the order of
/// these numbers. Virtual rows are no part of the network that the kernels compute.
fn of_role(network: &Network, number: impl Fn(Role) -> Option<usize>) -> Vec<(&Tensor, usize)> {
    let tensors = network
        .file
        .tensors()
        .filter(|tensor| !network.is_summand(tensor.role));
    let mut numbered: Vec<_> = tensors
        .filter_map(|tensor| Some((tensor, number(tensor.role)?)))
        .collect();
    numbered.sort_by_key(|(_, number)| *number);
    numbered
}

fn rows(network: &Network, first: impl Fn(Role) -> Option<usize>) -> TokenStream {
    let tensors = of_role(network, first);
    let rows = tensors.iter().map(|(tensor, _)| {
        let (name, rows) = (&tensor.name, count(tensor.shape[1]));
        quote! { (#name, #rows) }
    });
    quote! { &[#(#rows),*] }
}

fn layer(layer: &Layer) -> TokenStream {
    let name = &layer.name;
    let inputs = layer.inputs.iter().map(slice);
    let outputs = count(layer.output.len);
    let (low, high) = layer.output.range;
    let [low, high] = [low, high].map(Literal::i64_unsuffixed);
    let op = match &layer.op {
        Op::Affine(own) => affine(own),
        Op::Elementwise(own) => elementwise(own, layer.output.element),
    };
    quote! {
        graph::Layer {
            name: #name,
            inputs: &[#(#inputs),*],
            outputs: #outputs,
            range: (#low, #high),
            op: graph::Op::#op,
        }
    }
}

fn slice(slice: &Slice) -> TokenStream {
    let source = match slice.source {
        Source::Transformer => quote!(Transformer),
        Source::Unpooled => quote!(Unpooled),
        Source::Psqt => quote!(Psqt),
        Source::Layer(index) => {
            let index = count(index);
            quote! { Layer(#index) }
        }
    };
    let [start, len] = [slice.start, slice.len].map(count);
    quote! { (graph::Source::#source, #start, #len) }
}

fn affine(affine: &Affine) -> TokenStream {
    let weights = match affine.weights {
        WeightType::I8 => quote!(I8),
        WeightType::I16 => quote!(I16),
        WeightType::I32 => quote!(I32),
        WeightType::F32 => quote!(F32),
        WeightType::Binary => quote!(U64),
    };
    let sums = match affine.sums {
        Sums::I32 => None,
        Sums::I64 => Some(quote! { sums: graph::Sums::I64, }),
        _ if affine.weights != WeightType::F32 => None,
        Sums::Columns => Some(quote! { sums: graph::Sums::Columns, }),
        Sums::Lanes => Some(quote! { sums: graph::Sums::Lanes, }),
    };
    let output_blocks = affine.output_blocks.map(|blocks| {
        let blocks = count(blocks);
        quote! { output_blocks: #blocks, }
    });
    let shards = affine.shards.map(|shards| {
        let [common, shards] = [shards.common, shards.count].map(count);
        quote! { shards: Option::Some((#common, #shards)), }
    });
    let biases = (!affine.biases).then(|| quote! { biases: false, });
    let end = match (affine.to_float, affine.scales) {
        (Some(Scale::Shared(scale)), _) => {
            let scale = Literal::f32_unsuffixed(scale);
            Some(quote! { Scale(#scale) })
        }
        (Some(Scale::OfFile), _) => Some(quote!(Scales)),
        (None, Some(scales)) => {
            let (shift, inputs) = (Literal::u32_unsuffixed(scales.shift), scales.inputs);
            Some(quote! { Alpha { shift: #shift, inputs: #inputs } })
        }
        (None, None) => None,
    };
    let end = end.map(|end| quote! { end: graph::End::#end, });
    let divide = affine.divide.map(|divide| {
        let by = Literal::i32_unsuffixed(divide.by);
        let floor = divide.rounding == Rounding::Floor;
        quote! { divide: Option::Some((#by, #floor)), }
    });
    let plain = quote! { graph::Affine::new(file::Element::#weights) };
    let changes = quote! { #sums #output_blocks #shards #biases #end #divide };
    if changes.is_empty() {
        quote! { Affine(#plain) }
    } else {
        quote! { Affine(graph::Affine { #changes ..#plain }) }
    }
}

fn elementwise(elementwise: &Elementwise, element: Element) -> TokenStream {
    let is_float = element == Element::F32;
    match elementwise {
        Elementwise::Activations(activations) => {
            let functions = activations.iter().map(|activation| {
                let (name, numbers) = (activation.name(), activation.parameters());
                let numbers = (numbers.iter()).map(|(_, value)| Literal::u32_unsuffixed(*value));
                quote! { (#name, &[#(#numbers),*]) }
            });
            quote! { Activations(&[#(#functions),*]) }
        }
        Elementwise::Sum(_) if is_float => quote!(SumOfFloats),
        Elementwise::Sum(Sum { aligns }) => {
            let aligns = aligns.iter().map(align);
            quote! { Sum(&[#(#aligns),*]) }
        }
        Elementwise::Product(_) if is_float => quote!(ProductOfFloats),
        Elementwise::Product(Product { shift }) => {
            let shift = Literal::u32_unsuffixed(*shift);
            quote! { Product { shift: #shift } }
        }
        Elementwise::RmsNorm(RmsNorm { epsilon, gain }) => {
            let epsilon = Literal::f32_unsuffixed(*epsilon);
            let gain = match gain {
                None => format_ident!("One"),
                Some(Gain::Gamma) => format_ident!("Gamma"),
                Some(Gain::OneMore) => format_ident!("OneMore"),
            };
            quote! { RmsNorm { epsilon: #epsilon, gain: graph::Gain::#gain } }
        }
        Elementwise::Float(Float { scale }) => {
            let scale = Literal::f32_unsuffixed(*scale);
            quote! { Float { scale: #scale } }
        }
    }
}

fn align(align: &Align) -> TokenStream {
    let integer = |number: &i64| Literal::i64_unsuffixed(*number);
    match align {
        Align::None => quote! { graph::Align::None },
        Align::Exact(factors) => {
            let factors = factors.iter().map(|(numerator, denominator)| {
                let [numerator, denominator] = [numerator, denominator].map(integer);
                quote! { (#numerator, #denominator) }
            });
            quote! { graph::Align::Exact(&[#(#factors),*]) }
        }
        Align::Shift { multipliers, shift } => {
            let multipliers = multipliers.iter().map(integer);
            let shift = Literal::u32_unsuffixed(*shift);
            quote! { graph::Align::Shift(&[#(#multipliers),*], #shift) }
        }
    }
}

fn head(name: &str, head: &Head, units: Units) -> TokenStream {
    let terms = head.terms.iter().map(|term| {
        let ([layer, index], negative) = ([term.layer, term.index].map(count), term.negative);
        let align = align(&term.align);
        quote! { (#layer, #index, #negative, #align) }
    });
    let align = align(&head.align);
    let units = match units {
        Units::Integer(own) => {
            let ratio = ratio(own);
            quote! { Integer(#ratio) }
        }
        Units::Wide(own) => {
            let ratio = ratio(own);
            quote! { Wide(#ratio) }
        }
        Units::Float { factor } => {
            let factor = Literal::f32_unsuffixed(factor);
            quote! { Float(#factor) }
        }
    };
    quote! {
        graph::Head {
            name: #name,
            terms: &[#(#terms),*],
            align: #align,
            units: graph::Units::#units,
        }
    }
}

fn ratio(ratio: Ratio) -> TokenStream {
    let [numerator, denominator] =
        [ratio.numerator, ratio.denominator].map(Literal::i64_unsuffixed);
    let (floor, each) = (ratio.rounding == Rounding::Floor, ratio.each);
    quote! {
        graph::Ratio {
            numerator: #numerator,
            denominator: #denominator,
            floor: #floor,
            each: #each,
        }
    }
}
