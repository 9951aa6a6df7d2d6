//! Accumulator refresh and update: rows added to and subtracted from tiles that stay in registers.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use super::memory::count;
use crate::plan::Plan;

pub(super) fn functions(
    program: &Program<'_>,
    plan: &Plan<'_>,
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
    let updates = plan.accumulate.updates.iter();
    let update_functions = updates
        .clone()
        .map(|shape| fixed(program, plan, attribute, *shape));
    let update_calls = updates.map(|shape| {
        let name = fixed_name(*shape);
        let (added, removed) = (rows("a", shape.0), rows("r", shape.1));
        quote! {
            (&[#(#added),*], &[#(#removed),*]) => {
                return #name(weights, base, [#(#added),*], [#(#removed),*], into);
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
            match (added, removed) {
                #(#update_calls)*
                _ => {}
            }
            #first_tile
            #other_tiles
        }

        #(#update_functions)*

        #tile_function
    }
}

/// The update of a move that adds and removes so many rows, in one pass over the values: there is no loop over rows whose
/// end could be mispredicted.
fn fixed(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
    (adds, removes): (usize, usize),
) -> TokenStream {
    let name = fixed_name((adds, removes));
    let (added, removed) = (count(adds), count(removes));
    let (add_rows, sub_rows) = (rows("a", adds), rows("r", removes));
    let (add_indices, sub_indices) = ((0..adds).map(count), (0..removes).map(count));
    let psqt = Psqt::of(program);
    let (psqt_start, psqt_end) = (psqt.start(), psqt.end());
    let psqt_row = |list: &str, operation: &str, number: usize| {
        let list = format_ident!("{list}");
        (0..number)
            .map(|index| {
                let (index, row) = (count(index), psqt.row(operation));
                row.map(|row| quote! { { let feature = #list[#index]; #row } })
            })
            .collect::<Vec<_>>()
    };
    let (psqt_adds, psqt_subs) = (
        psqt_row("added", "add", adds),
        psqt_row("removed", "sub", removes),
    );
    let vectors = count(plan.accumulate.vectors);
    quote! {
        #[inline]
        #attribute
        fn #name(
            weights: &Weights,
            base: &Half,
            added: [u32; #added],
            removed: [u32; #removed],
            into: &mut Half,
        ) {
            #(let #add_rows = buffer::row(&weights.transformer_weights, added[#add_indices]);)*
            #(let #sub_rows = buffer::row(&weights.transformer_weights, removed[#sub_indices]);)*
            for index in 0..#vectors {
                let value = simd::load_i16(chunk(&base.values, index));
                #(let value = simd::sub_i16(value, simd::load_i16(chunk(#sub_rows, index)));)*
                #(let value = simd::add_i16(value, simd::load_i16(chunk(#add_rows, index)));)*
                simd::store_i16(value, chunk_mut(&mut into.values, index));
            }
            #psqt_start
            #(#psqt_subs)*
            #(#psqt_adds)*
            #psqt_end
        }
    }
}

/// Names for so many rows.
fn rows(letter: &str, number: usize) -> Vec<Ident> {
    (0..number)
        .map(|index| format_ident!("{letter}{index}"))
        .collect()
}

fn fixed_name((adds, removes): (usize, usize)) -> Ident {
    format_ident!("add_{adds}_sub_{removes}")
}

/// One tile: as many values as fit in the registers set aside for it.
fn tile(plan: &Plan<'_>, index: &TokenStream, psqt: Option<&Psqt>) -> TokenStream {
    let accumulate = &plan.accumulate;
    let values = count(accumulate.tile);
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
