//! The structs that hold the weights, and checks that they lie where the loader puts them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::names::{count, ident};
use super::program::Program;
use crate::layout::{Field, FieldElement, Struct};

/// The structs, each with its name, its layout and its documentation.
fn all<'p>(program: &Program<'p>) -> [(&'static str, &'p Struct, &'static str); 3] {
    let layout = program.layout;
    [
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
    ]
}

/// The definitions of the structs.
pub(super) fn structs(program: &Program<'_>) -> TokenStream {
    let definitions = all(program).map(|(name, layout, doc)| plain_struct(name, layout, doc));
    let stacks = count(program.network.stacks.count);
    quote! {
        #(#definitions)*

        /// All that the layers read.
        #[doc(hidden)]
        pub type Stacks = [Stack; #stacks];
    }
}

/// Statements that make the structs plain memory and confirm their layouts. Structs and the
/// loader's table come from the same layout; the assertions make rustc confirm that it lays the
/// structs out in the same way.
pub(super) fn checks(program: &Program<'_>) -> TokenStream {
    let checks = all(program).map(|(name, layout, _)| check(name, layout));
    quote! { #(#checks)* }
}

fn plain_struct(name: &str, layout: &Struct, doc: &str) -> TokenStream {
    let struct_name = format_ident!("{name}");
    let doc = [
        format!(" {doc}"),
        String::new(),
        format!(" {} bytes, aligned to 64.", layout.size),
    ];
    let fields = layout.fields.iter().map(|field| {
        let (name, ty) = (ident(field), field_type(field));
        let doc = format!(
            " {}; at byte {}, {} bytes",
            field.doc, field.offset, field.size
        );
        let padding = padding(field).map(|name| {
            let bytes = count(field.padding);
            quote! { #name: [u8; #bytes], }
        });
        quote! { #[doc = #doc] pub #name: #ty, #padding }
    });
    quote! {
        #(#[doc = #doc])*
        #[doc(hidden)]
        #[repr(C, align(64))]
        pub struct #struct_name { #(#fields)* }
    }
}

/// The name of the padding that follows a field, if there is any.
fn padding(field: &Field) -> Option<Ident> {
    (field.padding > 0).then(|| format_ident!("_after_{}", field.name))
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

fn check(name: &str, layout: &Struct) -> TokenStream {
    let struct_name = format_ident!("{name}");
    let size = count(layout.size);
    let names = layout
        .fields
        .iter()
        .flat_map(|field| [Some(ident(field)), padding(field)].into_iter().flatten());
    let offsets = layout.fields.iter().map(|field| {
        let (name, offset) = (ident(field), count(field.offset));
        quote! { #name: #offset }
    });
    quote! {
        memory::plain!(#struct_name { #(#names),* });
        memory::assert_layout!(#struct_name: #size bytes { #(#offsets),* });
    }
}
