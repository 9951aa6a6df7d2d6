//! The table that the loader follows: which tensors a net file has, and where they go in memory.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::memory::count;
use super::{Program, features};
use crate::file::{Axis, FileElement, FileRounding, Format, Role, Section, Tensor};
use crate::layout::{self, ColumnRun, FieldElement, LaidOut};
use crate::network::Encoding;

/// The table.
pub(super) fn layout(program: &Program<'_>) -> TokenStream {
    let (network, runtime) = (program.network, program.runtime);
    let core = quote!(#runtime::__private::core);
    let (name, file) = (&network.name, &network.file);
    let format = match file.format {
        Format::Stockfish(words) => {
            let (version, hash) = (word(words.version), word(words.hash()));
            quote! { Stockfish { version: #version, hash: #hash } }
        }
        Format::Sequence => quote!(Sequence),
        Format::Named => quote!(Named),
    };
    let sections = sections(program, &file.sections);
    let stacks = if file.stack_sections.is_empty() {
        quote! { #runtime::file::Stacks::NONE }
    } else {
        let stacks = count(network.stacks.count);
        let sections = self::sections(program, &file.stack_sections);
        quote! {
            #runtime::file::Stacks {
                count: #stacks,
                stride: #core::mem::size_of::<Stack>(),
                sections: &[#(#sections),*],
            }
        }
    };
    let (text, multiple) = (
        Literal::byte_string(file.tail.text),
        count(file.tail.multiple),
    );
    let tail = match file.tail.multiple {
        1 => quote! { #runtime::file::Tail::NONE },
        _ => quote! { #runtime::file::Tail { text: #text, multiple: #multiple } },
    };
    let coalesced = coalesced(program);
    let extents = network.file_extents().into_iter().map(|extent| {
        let name = extent.name;
        let [number, unit, bytes] = [extent.count, extent.unit, extent.bytes].map(count);
        quote! {
            #runtime::file::Extent { name: #name, count: #number, unit: #unit, bytes: #bytes }
        }
    });
    quote! {
        #runtime::file::FileLayout {
            name: #name,
            format: #runtime::file::Format::#format,
            sections: &[#(#sections),*],
            stacks: #stacks,
            tail: #tail,
            extents: &[#(#extents),*],
            coalesced: &[#(#coalesced),*],
        }
    }
}

/// The rows that are sums of their own and of virtual rows.
fn coalesced(program: &Program<'_>) -> Vec<TokenStream> {
    let (network, layout, runtime) = (program.network, program.layout, program.runtime);
    let core = quote!(#runtime::__private::core);
    let feature_count = network.feature_count();
    let psqt = network.transformer.psqt;
    let fields = [
        ("transformer_weights", quote!(I16), layout.columns.width),
        ("transformer_psqt", quote!(I32), psqt),
    ];
    let mut coalesced = Vec::new();
    for copy in 0..network.transformer.perspectives.copies() {
        let (mut row, mut virtual_row) = (copy * feature_count, network.first_virtual_row(copy));
        for set in &network.features {
            if let Some(factors) = &set.factors {
                let factors = features::factors(runtime, set, factors);
                let [row, virtual_row] = [row, virtual_row].map(count);
                for (field, element, columns) in &fields {
                    if *columns == 0 {
                        continue;
                    }
                    let (field, columns) = (format_ident!("{field}"), count(*columns));
                    coalesced.push(quote! {
                        #runtime::file::Coalesced {
                            element: #runtime::file::Element::#element,
                            offset: #core::mem::offset_of!(Weights, #field),
                            columns: #columns,
                            row: #row,
                            virtual_row: #virtual_row,
                            factors: #factors,
                        }
                    });
                }
            }
            row += set.rows;
            virtual_row += set.virtual_rows();
        }
    }
    coalesced
}

fn word(value: u32) -> Literal {
    Literal::u32_unsuffixed(value)
}

fn sections(program: &Program<'_>, sections: &[Section]) -> Vec<TokenStream> {
    let runtime = program.runtime;
    let section = |section: &Section| match section {
        Section::Hash { name, value } => {
            let (name, value) = (format!("{name} hash"), word(*value));
            quote! { Hash { name: #name, expected: #value } }
        }
        Section::Bytes(bytes) => {
            let bytes = Literal::byte_string(bytes);
            quote! { Bytes(#bytes) }
        }
        Section::Skipped(len) => {
            let len = count(*len);
            quote! { Skipped(#len) }
        }
        Section::Align(to) => {
            let to = count(*to);
            quote! { Align(#to) }
        }
        Section::Tensor(tensor) => tensor_section(program, tensor),
    };
    let tokens = |tokens| quote! { #runtime::file::Section::#tokens };
    sections.iter().map(section).map(tokens).collect()
}

/// Where a tensor lies in memory.
struct Memory {
    offset: TokenStream,
    element: TokenStream,
    form: TokenStream,
    rows: usize,
    slots: usize,
    segments: Vec<TokenStream>,
    /// Buckets, rows and columns.
    shape: [usize; 3],
    axes: [Axis; 3],
    /// Whether memory has exactly these values, row by row.
    is_same: bool,
}

fn tensor_section(program: &Program<'_>, tensor: &Tensor) -> TokenStream {
    let runtime = program.runtime;
    let core = quote!(#runtime::__private::core);
    let memory = Memory::of(program, tensor);
    let Memory {
        offset,
        element: placed_element,
        form,
        ..
    } = &memory;
    let [mut buckets, rows, columns] = memory.shape;
    if !tensor.axes.iter().any(|(axis, _)| *axis == memory.axes[0]) {
        // The file has a section for each stack.
        buckets = 1;
    }
    let name = &tensor.name;
    let element = file_element(tensor.element);
    let encoding = match tensor.encoding {
        Encoding::Raw => quote!(Raw),
        Encoding::Leb128 => quote!(Leb128),
    };
    let strides = memory.axes.map(|axis| tensor.stride(axis));
    let in_order = strides[2] == 1 && (rows == 1 || strides[1] == columns);
    let unnamed = tensor.id.is_empty() && tensor.quantise.is_none();
    let [row_count, column_count] = [rows, columns].map(count);
    if memory.is_same
        && buckets == 1
        && in_order
        && unnamed
        && tensor.values() == rows * columns
        && element.to_string() == placed_element.to_string()
    {
        return quote! {
            same(
                #name,
                #runtime::file::Element::#element,
                #runtime::file::Encoding::#encoding,
                #offset,
                [#row_count, #column_count],
            )
        };
    }
    let quantise = match &tensor.quantise {
        None => quote! { #core::option::Option::None },
        Some(quantise) => {
            let factor = Literal::f64_unsuffixed(quantise.factor);
            let rounding = match quantise.rounding {
                FileRounding::Truncate => quote!(Truncate),
                FileRounding::Nearest => quote!(Nearest),
            };
            let element = file_element(quantise.element);
            quote! {
                #core::option::Option::Some(#runtime::file::Quantise {
                    factor: #factor,
                    rounding: #runtime::file::Rounding::#rounding,
                    element: #runtime::file::Element::#element,
                })
            }
        }
    };
    let stride = match tensor.role.layer() {
        Some(_) if buckets > 1 => quote! { #core::mem::size_of::<Stack>() },
        _ => quote!(0),
    };
    let id = &tensor.id;
    let strides = strides.map(count);
    let (buckets, values) = (count(buckets), count(tensor.values()));
    let (placed_rows, slots) = (count(memory.rows), count(memory.slots));
    let segments = &memory.segments;
    quote! {
        Tensor(#runtime::file::Tensor {
            name: #name,
            shape: [#buckets, #row_count, #column_count],
            stored: #runtime::file::Stored {
                id: #id,
                element: #runtime::file::Element::#element,
                encoding: #runtime::file::Encoding::#encoding,
                values: #values,
                strides: [#(#strides),*],
                quantise: #quantise,
            },
            placed: #runtime::file::Placed {
                element: #runtime::file::Element::#placed_element,
                offset: #offset,
                stride: #stride,
                form: #runtime::file::Form::#form,
                rows: #placed_rows,
                slots: #slots,
                segments: &[#(#segments),*],
            },
        })
    }
}

fn file_element(element: FileElement) -> TokenStream {
    match element {
        FileElement::I8 => quote!(I8),
        FileElement::I16 => quote!(I16),
        FileElement::I32 => quote!(I32),
        FileElement::F32 => quote!(F32),
    }
}

impl Memory {
    fn of(program: &Program<'_>, tensor: &Tensor) -> Memory {
        let (network, runtime, role) = (program.network, program.runtime, tensor.role);
        let core = quote!(#runtime::__private::core);
        let width = network.transformer.width;
        let (psqt, layout) = (network.transformer.psqt, program.layout);
        let field = |name: &str, bytes_before: usize| {
            let name = format_ident!("{name}");
            let start = quote! { #core::mem::offset_of!(Weights, #name) };
            match bytes_before {
                0 => start,
                len => {
                    let len = count(len);
                    quote! { #start + #len }
                }
            }
        };
        let rows = |offset, element, shape: [usize; 3], axes| Memory {
            offset,
            element,
            form: quote!(Rows),
            rows: shape[1],
            slots: shape[2],
            segments: Vec::new(),
            shape,
            axes,
            is_same: true,
        };
        match role {
            Role::Weights(first) | Role::Biases(first) => {
                let columns = &layout.columns;
                // Of biases, black's follow white's.
                let (name, len) = match role {
                    Role::Weights(_) => ("transformer_weights", columns.width * 2),
                    _ => ("transformer_biases", layout.half.size),
                };
                let rows_in_file = tensor.len(Axis::Feature);
                let axes = [Axis::Stack, Axis::Feature, Axis::Neuron];
                let shape = [1, rows_in_file, width];
                let same = rows(field(name, first * len), quote!(I16), shape, axes);
                if columns.as_in_file() {
                    return same;
                }
                Memory {
                    slots: columns.width,
                    segments: columns
                        .runs
                        .iter()
                        .map(|run| column_run(runtime, run))
                        .collect(),
                    is_same: false,
                    ..same
                }
            }
            Role::Psqt(first) => {
                let offset = field("transformer_psqt", first * psqt * 4);
                let features = tensor.len(Axis::Feature);
                // Its columns are the stacks', and it has no buckets.
                let axes = [Axis::Output, Axis::Feature, Axis::Stack];
                rows(offset, quote!(I32), [1, features, psqt], axes)
            }
            Role::LayerWeights(layer) | Role::LayerBiases(layer) | Role::LayerAlpha(layer) => {
                layer_memory(program, role, layer, &rows)
            }
        }
    }
}

/// Makes the memory of a tensor that is rows in the order of the file.
type Rows<'a> = &'a dyn Fn(TokenStream, TokenStream, [usize; 3], [Axis; 3]) -> Memory;

fn layer_memory(program: &Program<'_>, role: Role, index: usize, rows: Rows<'_>) -> Memory {
    let (network, runtime) = (program.network, program.runtime);
    let core = quote!(#runtime::__private::core);
    let layer = &network.layers[index];
    let (stacks, outputs, inputs) = (network.stacks.count, layer.output.len, layer.input_len());
    let offset = |part: &str| {
        let name = format_ident!("{}_{part}", layer.name);
        quote! { #core::mem::offset_of!(Weights, stacks) + #core::mem::offset_of!(Stack, #name) }
    };
    let element = |part: &str| {
        let name = format!("{}_{part}", layer.name);
        let field = program
            .layout
            .stack
            .fields
            .iter()
            .find(|field| field.name == name);
        field.map_or(quote!(I32), |field| field_element(field.element))
    };
    let part = match role {
        Role::LayerAlpha(_) => "alpha",
        Role::LayerBiases(_) => "biases",
        _ => "weights",
    };
    let LaidOut::Affine(affine) = &program.layout.layers[index] else {
        return rows(
            offset(part),
            element(part),
            [stacks, 1, outputs],
            AXES_OF_BIASES,
        );
    };
    if part != "weights" {
        let values = rows(
            offset(part),
            element(part),
            [stacks, 1, outputs],
            AXES_OF_BIASES,
        );
        return Memory {
            slots: affine.outputs,
            is_same: affine.outputs == outputs,
            ..values
        };
    }
    let axes = [Axis::Stack, Axis::Output, Axis::Input];
    let form = match affine.form {
        layout::Form::Rows => quote!(Rows),
        layout::Form::Blocks => quote!(Blocks),
        layout::Form::Columns => quote!(Columns),
        layout::Form::OutputBlocks(runs) => {
            let (runs, ids) = (count(runs), offset("blocks"));
            quote! { OutputBlocks { runs: #runs, ids: #ids } }
        }
        layout::Form::Bits => quote!(Bits),
    };
    Memory {
        form,
        rows: affine.outputs,
        slots: affine.slots,
        segments: affine
            .segments
            .iter()
            .map(|segment| self::segment(runtime, segment))
            .collect(),
        is_same: false,
        ..rows(
            offset(part),
            field_element(affine.fields.weights.element),
            [stacks, outputs, inputs],
            axes,
        )
    }
}

const AXES_OF_BIASES: [Axis; 3] = [Axis::Stack, Axis::Input, Axis::Output];

fn field_element(element: FieldElement) -> TokenStream {
    match element {
        FieldElement::I8 => quote!(I8),
        FieldElement::I16 => quote!(I16),
        FieldElement::F32 => quote!(F32),
        _ => quote!(I32),
    }
}

fn column_run(runtime: &TokenStream, run: &ColumnRun) -> TokenStream {
    let [input, step, len, slot] = [run.file, run.step, run.len, run.memory].map(count);
    quote! {
        #runtime::file::Segment { input: #input, step: #step, len: #len, slot: #slot, at: 0, packed: false }
    }
}

fn segment(runtime: &TokenStream, segment: &layout::Segment) -> TokenStream {
    let (input, step, len) = (segment.input, segment.step, segment.len);
    let [input, step, len, slot, at] = [input, step, len, segment.slot, segment.at].map(count);
    let packed = segment.packed;
    quote! {
        #runtime::file::Segment { input: #input, step: #step, len: #len, slot: #slot, at: #at, packed: #packed }
    }
}
