//! The table that the loader follows: which tensors a net file has, and where they go in memory.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use super::memory::count;
use crate::file::{TransformerContent, padded_inputs, transformer_tensors};
use crate::layout::{Affine, Form};
use crate::network::Encoding;

/// The table.
pub(super) fn layout(program: &Program<'_>) -> TokenStream {
    let (network, layout, runtime) = (program.network, program.layout, program.runtime);
    let core = quote!(#runtime::__private::core);
    let file = &network.file;
    let word = |value: u32| Literal::u32_unsuffixed(value);
    let (name, version, hash) = (&network.name, word(file.version), word(file.hash()));
    let (transformer_hash, stack_hash) = (word(file.transformer_hash), word(file.stack_hash));
    let encoding = match file.encoding {
        Encoding::Raw => quote!(Raw),
        Encoding::Leb128 => quote!(Leb128),
    };
    let (width, psqt) = (network.transformer.width, network.transformer.psqt);
    let same =
        |name: &str, element: &str, encoding: &TokenStream, offset: TokenStream, len: usize| {
            let (element, len) = (format_ident!("{element}"), count(len));
            quote! {
                #runtime::file::Section::Tensor(#runtime::file::Tensor {
                    name: #name,
                    element: #runtime::file::Element::#element,
                    encoding: #runtime::file::Encoding::#encoding,
                    offset: #offset,
                    order: #runtime::file::Order::Same { count: #len },
                })
            }
        };
    let field = |field: &str| {
        let field = format_ident!("{field}");
        quote! { #core::mem::offset_of!(Weights, #field) }
    };
    let transformer = transformer_tensors(network).into_iter().map(|tensor| {
        let (element, name, columns, row_bytes) = match tensor.content {
            TransformerContent::Biases => ("I16", "transformer_biases", width, layout.half.size),
            TransformerContent::Weights => (
                "I16",
                "transformer_weights",
                width,
                2 * layout.columns.width,
            ),
            TransformerContent::Psqt => ("I32", "transformer_psqt", psqt, 4 * psqt),
        };
        let offset = field(name);
        let offset = match tensor.first {
            0 => offset,
            first => {
                let first = count(first * row_bytes);
                quote! { #offset + #first }
            }
        };
        same(
            &tensor.name,
            element,
            &encoding,
            offset,
            tensor.rows * columns,
        )
    });
    let raw = quote!(Raw);
    let stack_field = |field: String| {
        let field = format_ident!("{field}");
        quote! { #core::mem::offset_of!(Weights, stacks) + #core::mem::offset_of!(Stack, #field) }
    };
    let layers = network
        .layers
        .iter()
        .enumerate()
        .filter_map(|(index, layer)| {
            let affine = program.layout.affine(index)?;
            let biases = same(
                &format!("{}.biases", layer.name),
                "I32",
                &raw,
                stack_field(format!("{}_biases", layer.name)),
                layer.output.len,
            );
            let name = format!("{}.weights", layer.name);
            let offset = stack_field(format!("{}_weights", layer.name));
            let order = affine_order(runtime, layer.output.len, layer.input_len(), affine);
            Some(quote! {
                #biases,
                #runtime::file::Section::Tensor(#runtime::file::Tensor {
                    name: #name,
                    element: #runtime::file::Element::I8,
                    encoding: #runtime::file::Encoding::Raw,
                    offset: #offset,
                    order: #order,
                })
            })
        });
    let stacks = count(network.stacks.count);
    quote! {
        #runtime::file::FileLayout {
            name: #name,
            version: #version,
            hash: #hash,
            sections: &[
                #runtime::file::Section::Hash { name: "transformer hash", expected: #transformer_hash },
                #(#transformer),*
            ],
            stacks: #runtime::file::Stacks {
                count: #stacks,
                stride: #core::mem::size_of::<Stack>(),
                sections: &[
                    #runtime::file::Section::Hash { name: "stack hash", expected: #stack_hash },
                    #(#layers),*
                ],
            },
        }
    }
}

fn affine_order(
    runtime: &TokenStream,
    outputs: usize,
    inputs: usize,
    affine: &Affine,
) -> TokenStream {
    let segments = affine.segments.iter().map(|segment| {
        let (input, slot, len) = (
            count(segment.input),
            count(segment.slot),
            count(segment.len),
        );
        let (step, at, packed) = (count(segment.step), count(segment.at), segment.packed);
        quote! {
            #runtime::file::Segment {
                input: #input,
                step: #step,
                slot: #slot,
                at: #at,
                len: #len,
                packed: #packed,
            }
        }
    });
    let (outputs, memory_outputs, padded) = (
        count(outputs),
        count(affine.outputs),
        count(padded_inputs(inputs)),
    );
    let (inputs, slots, blocked) = (
        count(inputs),
        count(affine.slots),
        affine.form == Form::Blocks,
    );
    quote! {
        #runtime::file::Order::Affine(#runtime::file::Affine {
            outputs: #outputs,
            inputs: #inputs,
            padded_inputs: #padded,
            memory_outputs: #memory_outputs,
            slots: #slots,
            segments: &[#(#segments),*],
            blocked: #blocked,
        })
    }
}
