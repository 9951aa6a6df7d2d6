//! The structs that hold the weights, and assertions that they lie where the loader puts them.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use crate::layout::{Field, FieldElement, Struct};

pub(super) fn structs(program: &Program<'_>) -> TokenStream {
    let runtime = program.runtime;
    let layout = program.layout;
    let structs = [
        (
            "Half",
            &layout.half,
            "One perspective's accumulator: biases plus the rows of all active features.",
        ),
        (
            "Stack",
            &layout.stack,
            "The layers behind the transformer, for one bucket.",
        ),
        (
            "Weights",
            &layout.weights,
            "All weights, as the kernels read them.",
        ),
    ];
    let definitions = structs.map(|(name, layout, doc)| plain_struct(program, name, layout, doc));
    let assertions = structs.map(|(name, layout, _)| assertion(name, layout));
    let stacks = count(program.network.stacks.count);
    quote! {
        #(#definitions)*

        /// All that the layers read.
        #[doc(hidden)]
        pub type Stacks = [Stack; #stacks];

        const _: () = {
            use #runtime::__private::core::mem::offset_of;
            use #runtime::__private::memory::assert_layout;
            #(#assertions)*
        };
    }
}

fn plain_struct(program: &Program<'_>, name: &str, layout: &Struct, doc: &str) -> TokenStream {
    let runtime = program.runtime;
    let struct_name = format_ident!("{name}");
    let doc = [
        format!(" {doc}"),
        String::new(),
        format!(" {} bytes, aligned to 64.", layout.size),
    ];
    let padding = |field: &Field| {
        (field.padding > 0).then(|| (format_ident!("_after_{}", field.name), count(field.padding)))
    };
    let fields = layout.fields.iter().map(|field| {
        let (name, ty) = (ident(field), field_type(field));
        let doc = format!(
            " {}; at byte {}, {} bytes",
            field.doc, field.offset, field.size
        );
        let padding = padding(field).map(|(name, bytes)| quote! { #name: [u8; #bytes], });
        quote! { #[doc = #doc] pub #name: #ty, #padding }
    });
    let names = layout.fields.iter().flat_map(|field| {
        let padding = padding(field).map(|(name, _)| name);
        [Some(ident(field)), padding].into_iter().flatten()
    });
    quote! {
        #(#[doc = #doc])*
        #[doc(hidden)]
        #[repr(C, align(64))]
        pub struct #struct_name { #(#fields)* }

        #runtime::__private::plain!(#struct_name { #(#names),* });
    }
}

fn field_type(field: &Field) -> TokenStream {
    let element = match field.element {
        FieldElement::Numbers(element) => {
            let name = format_ident!("{}", element.name());
            quote!(#name)
        }
        FieldElement::Half => quote!(Half),
        FieldElement::Stack => quote!(Stack),
    };
    field.shape.iter().rev().fold(element, |inner, len| {
        let len = count(*len);
        quote! { [#inner; #len] }
    })
}

/// The generated struct and the loader's table come from the same layout; the assertion makes rustc
/// confirm that it lays the struct out in the same way.
fn assertion(name: &str, layout: &Struct) -> TokenStream {
    let struct_name = format_ident!("{name}");
    let size = count(layout.size);
    let offsets = layout.fields.iter().map(|field| {
        let (name, offset) = (ident(field), count(field.offset));
        quote! { (offset_of!(#struct_name, #name), #offset) }
    });
    quote! { assert_layout::<#struct_name>(#size, &[#(#offsets),*]); }
}

/// The name of a field.
pub(super) fn ident(field: &Field) -> Ident {
    format_ident!("{}", field.name)
}

/// A number without a suffix, as a person would write it.
pub(super) fn count(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

/// `scale * index + offset`, as a person would write it: without ones and zeros that change
/// nothing.
pub(super) fn linear(scale: usize, index: &TokenStream, offset: usize) -> TokenStream {
    let scaled = if scale == 1 {
        index.clone()
    } else {
        let scale = count(scale);
        quote! { #scale * #index }
    };
    if offset == 0 {
        return scaled;
    }
    let offset = count(offset);
    quote! { #scaled + #offset }
}
