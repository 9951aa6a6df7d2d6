//! The structs that hold the weights, and assertions that they lie where the loader puts them.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use crate::layout::{Field, FieldElement, Struct};

pub(super) fn structs(program: &Program<'_>) -> TokenStream {
    let layout = program.layout;
    let half = plain_struct(
        program,
        "Half",
        &layout.half,
        "One perspective's accumulator: biases plus the rows of all active features.",
    );
    let stack = plain_struct(
        program,
        "Stack",
        &layout.stack,
        "The layers behind the transformer, for one bucket.",
    );
    let weights = plain_struct(
        program,
        "Weights",
        &layout.weights,
        "All weights, as the kernels read them.",
    );
    let asserts = [
        ("Half", &layout.half),
        ("Stack", &layout.stack),
        ("Weights", &layout.weights),
    ]
    .map(|(name, layout)| assertions(program, name, layout));
    quote! { #half #stack #weights #(#asserts)* }
}

fn plain_struct(program: &Program<'_>, name: &str, layout: &Struct, doc: &str) -> TokenStream {
    let runtime = program.runtime;
    let struct_name = format_ident!("{name}");
    let size = format!(" {doc}\n\n {} bytes, aligned to 64.", layout.size);
    let fields = layout.fields.iter().map(|field| {
        let (name, ty) = (ident(field), field_type(field));
        let doc = format!(
            " {}; at byte {}, {} bytes",
            field.doc, field.offset, field.size
        );
        let padding = (field.padding > 0).then(|| {
            let (padding, bytes) = (format_ident!("_after_{}", field.name), count(field.padding));
            quote! { #padding: [u8; #bytes], }
        });
        quote! { #[doc = #doc] pub #name: #ty, #padding }
    });
    quote! {
        #runtime::__private::plain! {
            #[doc = #size]
            pub struct #struct_name { #(#fields)* }
        }
    }
}

fn field_type(field: &Field) -> TokenStream {
    let element = match field.element {
        FieldElement::I8 => quote!(i8),
        FieldElement::I16 => quote!(i16),
        FieldElement::U16 => quote!(u16),
        FieldElement::I32 => quote!(i32),
        FieldElement::U64 => quote!(u64),
        FieldElement::F32 => quote!(f32),
        FieldElement::Half => quote!(Half),
        FieldElement::Stack => quote!(Stack),
    };
    field.shape.iter().rev().fold(element, |inner, len| {
        let len = count(*len);
        quote! { [#inner; #len] }
    })
}

/// The generated struct and the loader's table come from the same layout; the compiler that builds the user's
/// crate confirms that it lays the struct out like that.
fn assertions(program: &Program<'_>, name: &str, layout: &Struct) -> TokenStream {
    let runtime = program.runtime;
    let core = quote!(#runtime::__private::core);
    let struct_name = format_ident!("{name}");
    let size = count(layout.size);
    let fields = layout.fields.iter().map(|field| {
        let (field_name, offset) = (ident(field), count(field.offset));
        let (ty, size) = (field_type(field), count(field.size));
        quote! {
            #core::assert!(#core::mem::offset_of!(#struct_name, #field_name) == #offset);
            #core::assert!(#core::mem::size_of::<#ty>() == #size);
        }
    });
    quote! {
        const _: () = {
            #core::assert!(#core::mem::size_of::<#struct_name>() == #size);
            #core::assert!(#core::mem::align_of::<#struct_name>() == 64);
            #(#fields)*
        };
    }
}

/// The name of a field.
pub(super) fn ident(field: &Field) -> Ident {
    format_ident!("{}", field.name)
}

/// A length, as a person would write it: without a suffix.
pub(super) fn count(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

/// `scale * index + offset`, as a person would write it: without ones and zeros that change nothing.
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
