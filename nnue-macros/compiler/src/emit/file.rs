//! The file layout as a constant: it prints the value that [`crate::layout::file`] made.

use std::fmt::Debug;

use nnue_format::{
    Coalesced, CoalescedSet, Encoding, FileLayout, Format, Placed, Quantise, Section, Segment,
    Stored, Tail, Tensor,
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
    let extents = extents.iter().map(|extent| value("", extent));
    let sums = coalesced.iter().map(self::coalesced);
    let (coalesced, sums) = match coalesced.len() {
        0 => (None, quote! { &[] }),
        _ => (
            Some(quote! { const COALESCED: &[file::Coalesced] = &[#(#sums),*]; }),
            quote!(COALESCED),
        ),
    };
    let paired = paired.iter().map(|paired| value("", paired));
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
            let (name, form) = (&**name, value("FieldForm::", form));
            let expected = Literal::byte_string(expected);
            quote! {
                file::Section::Bytes {
                    name: file::Text::Borrowed(#name),
                    form: #form,
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
        Section::Kept {
            name,
            element,
            shape,
        } => {
            let (name, element) = (&**name, value("Element::", element));
            let shape = shape.map(count);
            quote! {
                file::Section::Kept {
                    name: file::Text::Borrowed(#name),
                    element: #element,
                    shape: [#(#shape),*],
                }
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
    let (role, name) = (value("Role::", tensor.role), &*tensor.name);
    let shape = tensor.shape.map(count);
    if tensor.is_same() && tensor.id.is_empty() {
        let element = value("Element::", tensor.stored.element);
        let encoding = value("Encoding::", tensor.stored.encoding);
        let offset = count(tensor.placed.offset);
        let [_, rows, columns] = shape;
        return quote! {
            file::Section::same(#role, #name, #element, #encoding, #offset, [#rows, #columns])
        };
    }
    let (stored, placed) = (stored(&tensor.stored), placed(&tensor.placed));
    match &*tensor.id {
        "" => quote! { file::Section::tensor(#role, #name, [#(#shape),*], #stored, #placed) },
        id => quote! { file::Section::named(#role, #name, #id, [#(#shape),*], #stored, #placed) },
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
        times,
    } = *stored;
    let (element, strides) = (value("Element::", element), strides.map(count));
    let values = count(values);
    let mut stored = quote! { file::Stored::new(#element, [#(#strides),*], #values) };
    for (axis, block) in blocks.iter().enumerate() {
        if let Some(block) = block {
            let (axis, block) = (count(axis), value("", block));
            stored.extend(quote! { .in_blocks(#axis, #block) });
        }
    }
    if encoding != Encoding::Raw {
        let encoding = value("Encoding::", encoding);
        stored.extend(quote! { .encoded(#encoding) });
    }
    if let Some(Quantise {
        factor,
        rounding,
        overflow,
        element,
    }) = quantise
    {
        let (factor, element) = (Literal::f64_unsuffixed(factor), value("Element::", element));
        let rounding = value("Rounding::", rounding);
        let overflow = value("Overflow::", overflow);
        stored.extend(quote! {
            .quantised(file::Quantise {
                factor: #factor,
                rounding: #rounding,
                overflow: #overflow,
                element: #element,
            })
        });
    }
    if let Some(divisor) = divisor.map(Literal::f64_unsuffixed) {
        stored.extend(quote! { .divided_by(#divisor) });
    }
    if times != 1 {
        let times = Literal::u32_unsuffixed(times);
        stored.extend(quote! { .times(#times) });
    }
    stored
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
    let (form, element) = (value("Form::", form), value("Element::", element));
    let [offset, stride, rows, slots] = [offset, stride, rows, slots].map(count);
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
            #form,
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
    let mut segment = quote! { file::Segment::run(#input, #slot, #len) };
    for (method, number, default) in [("every", step, 1), ("at", at, 0)] {
        if number != default {
            let (method, number) = (format_ident!("{method}"), count(number));
            segment.extend(quote! { .#method(#number) });
        }
    }
    if packed {
        segment.extend(quote! { .packed() });
    }
    segment
}

/// An expression for values that are added to others when a file is loaded.
fn coalesced(coalesced: &Coalesced) -> TokenStream {
    let Coalesced::Set(set) = coalesced else {
        return value("Coalesced::", coalesced);
    };
    let CoalescedSet {
        element,
        offset,
        columns,
        row,
        virtual_row,
        factors,
    } = set;
    let element = value("Element::", element);
    let [offset, columns, row, virtual_row] =
        [offset, columns, row, virtual_row].map(|n| count(*n));
    let set = piece_square::constant(&factors.set, &quote!(features));
    let sets = factors.sets.iter().map(|set| value("VirtualSet::", set));
    let round_each = factors.round_each;
    quote! {
        file::Coalesced::Set(file::CoalescedSet {
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
        })
    }
}

/// An expression for a struct, or for a variant of the enum before `::`, of numbers and texts. What
/// `Debug` writes of them is their expression without the path.
fn value(path: &str, value: impl Debug) -> TokenStream {
    format!("file::{path}{value:?}").parse().unwrap_or_default()
}

/// A number of a file in hexadecimal digits, as it appears in messages.
fn hex(word: u32) -> TokenStream {
    format!("{word:#010x}").parse().unwrap_or_default()
}
