//! Accumulator refresh and update: rows added to and subtracted from tiles that stay in registers.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use super::memory::count;
use crate::plan::Plan;

pub(super) fn functions(
    program: &Program<'_>,
    plan: &Plan,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let tiles = plan.accumulate.tiles;
    let first = count(0);
    // The PSQT sums go with the first tile: one loop over the rows less.
    let psqt = Psqt::of(program);
    let first_tile = tile(plan, &quote! { #first }, Some(&psqt));
    let other_tiles = match tiles {
        1 => None,
        _ if plan.accumulate.unrolled => {
            let calls = (1..tiles).map(count);
            Some(quote! { #(tile(weights, base, added, removed, into, #calls);)* })
        }
        _ => {
            let tiles = count(tiles);
            Some(quote! {
                for index in 1..#tiles { tile(weights, base, added, removed, into, index); }
            })
        }
    };
    let tile_function = other_tiles.is_some().then(|| {
        let body = tile(plan, &quote! { index }, None);
        quote! {
            #[inline]
            #attribute
            fn tile(
                weights: &Weights,
                base: &Half,
                added: &[u32],
                removed: &[u32],
                into: &mut Half,
                index: usize,
            ) {
                #body
            }
        }
    });
    quote! {
        #attribute
        pub(super) fn accumulate(
            weights: &Weights,
            base: &Half,
            added: &[u32],
            removed: &[u32],
            into: &mut Half,
        ) {
            #first_tile
            #other_tiles
        }

        #tile_function
    }
}

/// One tile: as many values as fit in the registers set aside for it.
fn tile(plan: &Plan, index: &TokenStream, psqt: Option<&Psqt>) -> TokenStream {
    let accumulate = &plan.accumulate;
    let values = count(accumulate.registers * accumulate.lanes);
    let registers: Vec<Ident> = (0..accumulate.registers)
        .map(|register| format_ident!("v{register}"))
        .collect();
    let indices: Vec<_> = (0..accumulate.registers).map(count).collect();
    let (psqt_start, psqt_end) = (psqt.map(Psqt::start), psqt.map(Psqt::end));
    let rows = |list: &str, operation: &str| {
        let psqt_row = psqt.map(|psqt| psqt.row(operation));
        let list = format_ident!("{list}");
        let operation = format_ident!("{operation}_i16");
        quote! {
            for &feature in #list {
                let row = buffer::row(&weights.transformer_weights, feature);
                let row = chunk::<i16, #values>(row, #index);
                #(#registers = simd::#operation(#registers, simd::load_i16(chunk(row, #indices)));)*
                #psqt_row
            }
        }
    };
    let (added, removed) = (rows("added", "add"), rows("removed", "sub"));
    quote! {
        let start = chunk::<i16, #values>(&base.values, #index);
        #(let mut #registers = simd::load_i16(chunk(start, #indices));)*
        #psqt_start
        #added
        #removed
        let end = chunk_mut::<i16, #values>(&mut into.values, #index);
        #(simd::store_i16(#registers, chunk_mut(end, #indices));)*
        #psqt_end
    }
}

/// The PSQT sums: vectors of eight, then single ones.
struct Psqt {
    eights: Vec<(Ident, Literal)>,
    singles: Vec<(Ident, Literal)>,
}

impl Psqt {
    fn of(program: &Program<'_>) -> Psqt {
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

    fn start(&self) -> TokenStream {
        let eights = self.eights.iter().map(|(name, index)| {
            quote! { let mut #name = simd::load_i32x8(chunk(&base.psqt, #index)); }
        });
        let singles = self.singles.iter().map(|(name, bucket)| {
            quote! { let mut #name = base.psqt[#bucket]; }
        });
        quote! { #(#eights)* #(#singles)* }
    }

    fn row(&self, operation: &str) -> Option<TokenStream> {
        let vector = format_ident!("{operation}_i32x8");
        let single = format_ident!("wrapping_{operation}");
        let eights = self.eights.iter().map(|(name, index)| {
            quote! { #name = simd::#vector(#name, simd::load_i32x8(chunk(row, #index))); }
        });
        let singles = self.singles.iter().map(|(name, bucket)| {
            quote! { #name = #name.#single(row[#bucket]); }
        });
        let any = !self.eights.is_empty() || !self.singles.is_empty();
        any.then(|| {
            quote! {
                let row = buffer::row(&weights.transformer_psqt, feature);
                #(#eights)*
                #(#singles)*
            }
        })
    }

    fn end(&self) -> TokenStream {
        let eights = self.eights.iter().map(|(name, index)| {
            quote! { simd::store_i32x8(#name, chunk_mut(&mut into.psqt, #index)); }
        });
        let singles = self.singles.iter().map(|(name, bucket)| {
            quote! { into.psqt[#bucket] = #name; }
        });
        quote! { #(#eights)* #(#singles)* }
    }
}
