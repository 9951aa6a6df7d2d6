//! How kernels refer to the tables of the transformer's rows.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use crate::emit::names::count;
use crate::emit::program::Program;
use crate::network::Element;

/// An operation with a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Sub,
}

impl Operation {
    /// The name of the operation as a part of primitives' names.
    pub(super) fn name(self) -> &'static str {
        match self {
            Operation::Add => "add",
            Operation::Sub => "sub",
        }
    }
}

/// A table of the transformer's rows, as kernels name it.
pub(in crate::emit) struct Table {
    /// The field of the generated `Weights` that holds the table.
    weights: Ident,
    /// The type of the weights.
    pub(in crate::emit) element: Ident,
    /// The primitive that reads a vector of weights, widened to 16 bits.
    load: Ident,
    /// How many bits the widened vector is shifted to the left; `None` if it is not shifted.
    shift: Option<Literal>,
    /// The parameters that list the rows to add and the rows to remove.
    pub(in crate::emit) added: Ident,
    pub(in crate::emit) removed: Ident,
    /// Whether each word has two values.
    pub(super) paired: bool,
    /// `+ N`, where row `N` of the PSQT values belongs to the table's first row; `None` if `N` is
    /// 0.
    psqt_offset: Option<TokenStream>,
}

impl Table {
    pub(in crate::emit) fn all(program: &Program<'_>) -> Vec<Table> {
        let tables = &program.layout.tables;
        let of_table = |(index, table): (usize, &crate::layout::Table)| {
            let name = |name: &str| match tables.len() {
                1 => format_ident!("{name}"),
                _ => format_ident!("{name}_{index}"),
            };
            let element = format_ident!("{}", table.element.name());
            let load = match table.element {
                Element::I16 => format_ident!("load_i16"),
                _ => format_ident!("load_i16_from_{element}"),
            };
            let shift = (table.shift > 0).then(|| count(table.shift as usize));
            Table {
                weights: format_ident!("{}", table.name),
                element,
                load,
                shift,
                paired: table.paired,
                added: name("added"),
                removed: name("removed"),
                psqt_offset: (table.first_row > 0).then(|| {
                    let first_row = count(table.first_row);
                    quote! { + #first_row }
                }),
            }
        };
        tables.iter().enumerate().map(of_table).collect()
    }

    /// An expression for the weights of row `number`.
    pub(in crate::emit) fn row(&self, number: &TokenStream) -> TokenStream {
        let weights = &self.weights;
        quote! { buffer::row(&weights.#weights, #number) }
    }

    /// An expression for the PSQT values of row `number`.
    pub(in crate::emit) fn psqt(&self, number: &TokenStream) -> TokenStream {
        let offset = &self.psqt_offset;
        quote! { buffer::row(&weights.transformer_psqt, #number #offset) }
    }

    /// An expression for a vector of a row, as it is added; `values` is an expression for the row's
    /// values.
    pub(in crate::emit) fn vector(&self, values: &TokenStream) -> TokenStream {
        let load = &self.load;
        match &self.shift {
            None => quote! { simd::#load(#values) },
            Some(shift) => quote! { simd::shift_left_i16::<#shift>(simd::#load(#values)) },
        }
    }

    /// The name of the list of rows that are added or removed.
    pub(super) fn list(&self, operation: Operation) -> &Ident {
        match operation {
            Operation::Add => &self.added,
            Operation::Sub => &self.removed,
        }
    }

    /// An expression for the weights of all rows, one row after the other.
    pub(in crate::emit) fn weights(&self) -> TokenStream {
        let weights = &self.weights;
        let variant = if self.paired {
            format_ident!("Paired")
        } else {
            format_ident!("{}", self.element.to_string().to_uppercase())
        };
        quote! { features::TableRows::#variant(weights.#weights.as_flattened()) }
    }
}
