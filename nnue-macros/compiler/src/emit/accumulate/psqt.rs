//! The PSQT sums of an accumulator. The rows that change neurons change them too.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::table::{Operation, Table};
use crate::emit::names::count;
use crate::emit::program::Program;

/// The registers of the PSQT sums: vectors of eight values as far as possible, and single values
/// for the rest.
pub(super) struct Psqt {
    eights: Vec<(Ident, Literal)>,
    singles: Vec<(Ident, Literal)>,
}

impl Psqt {
    pub(super) fn of(program: &Program<'_>) -> Psqt {
        let buckets = program.network.transformer.psqt;
        let eights = buckets / 8;
        Psqt {
            eights: (0..eights)
                .map(|eight| (format_ident!("psqt_{eight}"), count(eight)))
                .collect(),
            singles: (8 * eights..buckets)
                .map(|bucket| (format_ident!("psqt_bucket_{bucket}"), count(bucket)))
                .collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.eights.is_empty() && self.singles.is_empty()
    }

    /// Code that reads the sums of the accumulator `base`.
    pub(super) fn start(&self, base: &TokenStream) -> TokenStream {
        let eights = self.eights.iter().map(|(name, index)| {
            quote! { let mut #name = simd::load_i32x8(chunk(&#base.psqt, #index)); }
        });
        let singles = self.singles.iter().map(|(name, bucket)| {
            quote! { let mut #name = #base.psqt[#bucket]; }
        });
        quote! { #(#eights)* #(#singles)* }
    }

    pub(super) fn row(
        &self,
        table: &Table,
        operation: Operation,
        number: &TokenStream,
    ) -> Option<TokenStream> {
        let name = operation.name();
        let vector = format_ident!("{name}_i32x8");
        let single = format_ident!("wrapping_{name}");
        let eights = self.eights.iter().map(|(name, index)| {
            quote! { #name = simd::#vector(#name, simd::load_i32x8(chunk(row, #index))); }
        });
        let singles = self.singles.iter().map(|(name, bucket)| {
            quote! { #name = #name.#single(row[#bucket]); }
        });
        (!self.is_empty()).then(|| {
            let row = table.psqt(number);
            quote! {
                let row = #row;
                #(#eights)*
                #(#singles)*
            }
        })
    }

    /// Code that writes the sums to the accumulator `into`.
    pub(super) fn end(&self, into: &TokenStream) -> TokenStream {
        let eights = self.eights.iter().map(|(name, index)| {
            quote! { simd::store_i32x8(#name, chunk_mut(&mut #into.psqt, #index)); }
        });
        let singles = self.singles.iter().map(|(name, bucket)| {
            quote! { #into.psqt[#bucket] = #name; }
        });
        quote! { #(#eights)* #(#singles)* }
    }
}
