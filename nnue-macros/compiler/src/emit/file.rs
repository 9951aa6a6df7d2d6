//! The file layout as a constant: it prints the value that [`crate::layout::file`] made.

use nnue_format::{
    Block, Coalesced, CoalescedSet, Encoding, FieldForm, FileLayout, Form, Format, Overflow,
    Paired, Placed, Quantise, Rounding, Section, Segment, Stored, Tail, Tensor, VirtualSet,
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::names::count;
use super::program::Program;
use crate::feature_set::piece_square;
use crate::layout;

/// An expression for a reference to the constant.
pub(super) fn layout(program: &Program<'_>) -> TokenStream {
    let FileLayout {
        name,
        format,
        sections,
        stacks,
        tail,
        extents,
        coalesced,
        paired,
    } = layout::file(program.layout);
    let format = match format {
        Format::Stockfish { version, hash } => {
            let [version, hash] = [version, hash].map(hex);
            quote! { Stockfish { version: #version, hash: #hash } }
        }
        Format::Sequence => quote!(Sequence),
        Format::Named => quote!(Named),
    };
    let sections = sections.iter().map(section);
    let (stack, stacks) = match stacks.count {
        0 => (None, quote! { file::Stacks::NONE }),
        stacks_count => {
            let names: Vec<Ident> = (0..stacks.groups.len())
                .map(|index| match stacks.groups.len() {
                    1 => format_ident!("STACK"),
                    _ => format_ident!("STACK_{index}"),
                })
                .collect();
            let groups = stacks.groups.iter().zip(&names).map(|(group, name)| {
                let sections = group.iter().map(section);
                quote! { const #name: &[file::Section] = &[#(#sections),*]; }
            });
            let [stacks_count, stride] = [stacks_count, stacks.stride].map(count);
            (
                Some(quote! {
                    #(#groups)*
                    const GROUPS: &[file::List<file::Section>] = &[#(file::list(#names)),*];
                }),
                quote! {
                    file::Stacks { count: #stacks_count, stride: #stride, groups: file::list(GROUPS) }
                },
            )
        }
    };
    let tail = match tail {
        Tail::NONE => quote! { file::Tail::NONE },
        Tail { text, multiple } => {
            let (text, multiple) = (Literal::byte_string(text), count(multiple));
            quote! { file::Tail { text: #text, multiple: #multiple } }
        }
    };
    let extents = extents.iter().map(|extent| {
        let name = extent.name;
        let [number, unit, bytes] = [extent.count, extent.unit, extent.bytes].map(count);
        quote! { file::Extent { name: #name, count: #number, unit: #unit, bytes: #bytes } }
    });
    let sums = coalesced.iter().map(self::coalesced);
    let (coalesced, sums) = match coalesced.len() {
        0 => (None, quote! { &[] }),
        _ => (
            Some(quote! { const COALESCED: &[file::Coalesced] = &[#(#sums),*]; }),
            quote!(COALESCED),
        ),
    };
    let paired = paired.iter().map(|Paired { offset, len }| {
        let [offset, len] = [*offset, *len].map(count);
        quote! { file::Paired { offset: #offset, len: #len } }
    });
    quote! {
        {
            const SECTIONS: &[file::Section] = &[#(#sections),*];
            #stack
            #coalesced
            &file::FileLayout {
                name: file::Text::Borrowed(#name),
                format: file::Format::#format,
                sections: file::list(SECTIONS),
                stacks: #stacks,
                tail: #tail,
                extents: file::list(&[#(#extents),*]),
                coalesced: file::list(#sums),
                paired: file::list(&[#(#paired),*]),
            }
        }
    }
}

fn section(section: &Section) -> TokenStream {
    match section {
        Section::Hash { name, expected } => {
            let expected = hex(*expected);
            quote! { file::Section::hash(#name, #expected) }
        }
        Section::Bytes {
            name,
            form,
            expected,
        } => {
            let form = match form {
                FieldForm::Bytes => quote!(Bytes),
                FieldForm::Number => quote!(Number),
                FieldForm::Text => quote!(Text),
            };
            let (name, expected) = (&**name, Literal::byte_string(expected));
            quote! {
                file::Section::Bytes {
                    name: file::Text::Borrowed(#name),
                    form: file::FieldForm::#form,
                    expected: file::list(#expected),
                }
            }
        }
        Section::Skipped { name, len } => {
            let (name, len) = (&**name, count(*len));
            quote! {
                file::Section::Skipped { name: file::Text::Borrowed(#name), len: #len }
            }
        }
        Section::Kept(tensor) => {
            let (name, element) = (&*tensor.name, word(tensor.stored.element));
            let [_, rows, columns] = tensor.shape.map(count);
            quote! {
                file::Section::Kept(file::Tensor::kept(
                    file::Text::Borrowed(#name),
                    #element,
                    [#rows, #columns],
                ))
            }
        }
        Section::Align(to) => {
            let to = count(*to);
            quote! { file::Section::Align(#to) }
        }
        Section::Tensor(tensor) => self::tensor(tensor),
    }
}

fn tensor(tensor: &Tensor) -> TokenStream {
    let name = &*tensor.name;
    let shape = tensor.shape.map(count);
    let Stored {
        element, encoding, ..
    } = tensor.stored;
    if tensor.is_same() && tensor.id.is_empty() {
        let (element, encoding) = (word(element), self::encoding(encoding));
        let offset = count(tensor.placed.offset);
        let [_, rows, columns] = shape;
        return quote! {
            file::Section::same(#name, #element, #encoding, #offset, [#rows, #columns])
        };
    }
    let (stored, placed) = (stored(&tensor.stored), placed(&tensor.placed));
    match &*tensor.id {
        "" => quote! { file::Section::tensor(#name, [#(#shape),*], #stored, #placed) },
        id => quote! { file::Section::named(#name, #id, [#(#shape),*], #stored, #placed) },
    }
}

fn stored(stored: &Stored) -> TokenStream {
    let Stored {
        element,
        encoding,
        strides,
        blocks,
        values,
        quantise,
        divisor,
    } = *stored;
    let (element, strides, values) = (word(element), strides.map(count), count(values));
    let in_blocks = blocks.iter().enumerate().filter_map(|(axis, block)| {
        let Block { len, stride } = (*block)?;
        let [axis, len, stride] = [axis, len, stride].map(count);
        Some(quote! { .in_blocks(#axis, file::Block { len: #len, stride: #stride }) })
    });
    let encoded = (encoding != Encoding::Raw).then(|| {
        let encoding = self::encoding(encoding);
        quote! { .encoded(#encoding) }
    });
    let quantised = quantise.map(|quantise| {
        let Quantise {
            factor,
            rounding,
            overflow,
            element,
        } = quantise;
        let (factor, element) = (Literal::f64_unsuffixed(factor), word(element));
        let rounding = match rounding {
            Rounding::Truncate => quote!(Truncate),
            Rounding::Nearest => quote!(Nearest),
        };
        let overflow = match overflow {
            Overflow::Refuse => quote!(Refuse),
            Overflow::Clamp => quote!(Clamp),
        };
        quote! {
            .quantised(file::Quantise {
                factor: #factor,
                rounding: file::Rounding::#rounding,
                overflow: file::Overflow::#overflow,
                element: #element,
            })
        }
    });
    let divided = (divisor != 1.0).then(|| {
        let divisor = Literal::f64_unsuffixed(divisor);
        quote! { .divided_by(#divisor) }
    });
    quote! { file::Stored::new(#element, [#(#strides),*], #values) #(#in_blocks)* #encoded #quantised #divided }
}

fn placed(placed: &Placed) -> TokenStream {
    let Placed {
        element,
        offset,
        stride,
        form,
        rows,
        slots,
        ref segments,
        ref places,
    } = *placed;
    let element = word(element);
    let [offset, stride, rows, slots] = [offset, stride, rows, slots].map(count);
    let form = match form {
        Form::Rows => quote!(Rows),
        Form::Blocks => quote!(Blocks),
        Form::Columns => quote!(Columns),
        Form::OutputBlocks { runs, ids } => {
            let [runs, ids] = [runs, ids].map(count);
            quote! { OutputBlocks { runs: #runs, ids: #ids } }
        }
        Form::Shards {
            common,
            count: shards,
        } => {
            let [common, shards] = [common, shards].map(count);
            quote! { Shards { common: #common, count: #shards } }
        }
        Form::Bits => quote!(Bits),
    };
    let segments = segments.iter().map(segment);
    let (constructor, places) = match &**places {
        [] => (quote!(new), None),
        places => {
            let places = places.iter().copied().map(count);
            (quote!(reordered), Some(quote! { &[#(#places),*], }))
        }
    };
    quote! {
        file::Placed::#constructor(
            file::Form::#form,
            #element,
            [#offset, #stride],
            [#rows, #slots],
            &[#(#segments),*],
            #places
        )
    }
}

fn segment(segment: &Segment) -> TokenStream {
    let Segment {
        input,
        step,
        len,
        slot,
        at,
        packed,
    } = *segment;
    let [input, slot, len] = [input, slot, len].map(count);
    let every = (step > 1).then(|| {
        let step = count(step);
        quote! { .every(#step) }
    });
    let at = (at > 0).then(|| {
        let at = count(at);
        quote! { .at(#at) }
    });
    let packed = packed.then(|| quote! { .packed() });
    quote! { file::Segment::run(#input, #slot, #len) #every #at #packed }
}

/// An expression for values that are added to others when a file is loaded.
fn coalesced(coalesced: &Coalesced) -> TokenStream {
    match coalesced {
        Coalesced::Set(set) => {
            let set = coalesced_set(set);
            quote! { file::Coalesced::Set(#set) }
        }
        Coalesced::Stacks { own, shared } => {
            let [own, shared] = [*own, *shared].map(count);
            quote! { file::Coalesced::Stacks { own: #own, shared: #shared } }
        }
    }
}

/// An expression for rows to which virtual rows are added.
fn coalesced_set(coalesced: &CoalescedSet) -> TokenStream {
    let element = word(coalesced.element);
    let [offset, columns, row, virtual_row] = [
        coalesced.offset,
        coalesced.columns,
        coalesced.row,
        coalesced.virtual_row,
    ]
    .map(count);
    let set = piece_square::constant(&coalesced.factors.set, &quote!(features));
    let sets = coalesced.factors.sets.iter().map(|set| match set {
        VirtualSet::Pieces => quote! { file::VirtualSet::Pieces },
        VirtualSet::King => quote! { file::VirtualSet::King },
        VirtualSet::RelativePieces => quote! { file::VirtualSet::RelativePieces },
    });
    let round_each = coalesced.factors.round_each;
    quote! {
        file::CoalescedSet {
            element: #element,
            offset: #offset,
            columns: #columns,
            row: #row,
            virtual_row: #virtual_row,
            factors: file::Factors {
                set: #set,
                sets: file::list(&[#(#sets),*]),
                round_each: #round_each,
            },
        }
    }
}

fn word(element: nnue_format::Element) -> TokenStream {
    let name = format_ident!("{}", element.name().to_uppercase());
    quote! { file::Element::#name }
}

fn encoding(encoding: Encoding) -> TokenStream {
    match encoding {
        Encoding::Raw => quote! { file::Encoding::Raw },
        Encoding::Leb128 => quote! { file::Encoding::Leb128 },
        Encoding::BareLeb128 => quote! { file::Encoding::BareLeb128 },
    }
}

/// A number of a file in hexadecimal digits, as it appears in messages.
fn hex(word: u32) -> TokenStream {
    format!("{word:#010x}").parse().unwrap_or_default()
}
