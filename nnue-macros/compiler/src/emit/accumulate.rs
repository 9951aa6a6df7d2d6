//! Accumulator refresh and update: rows added to and subtracted from tiles that stay in registers.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use super::memory::count;
use crate::plan::Plan;

pub(super) fn functions(
    program: &Program<'_>,
    plan: &Plan,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let psqt = psqt(program);
    let tiles = if plan.accumulate.unrolled {
        let tiles = (0..plan.accumulate.tiles)
            .map(count)
            .map(|index| quote! { tile(weights, base, added, removed, into, #index); });
        quote! { #(#tiles)* }
    } else {
        let tiles = count(plan.accumulate.tiles);
        quote! { for index in 0..#tiles { tile(weights, base, added, removed, into, index); } }
    };
    let tile = tile(plan, attribute);
    quote! {
        #attribute
        pub(super) fn accumulate(
            weights: &Weights,
            base: &Half,
            added: &[u32],
            removed: &[u32],
            into: &mut Half,
        ) {
            #tiles
            #psqt
        }

        #tile
    }
}

/// One tile: as many values as fit in the registers set aside for it.
fn tile(plan: &Plan, attribute: Option<&TokenStream>) -> TokenStream {
    let accumulate = &plan.accumulate;
    let values = count(accumulate.registers * accumulate.lanes);
    let registers: Vec<Ident> = (0..accumulate.registers)
        .map(|index| format_ident!("v{index}"))
        .collect();
    let indices: Vec<_> = (0..accumulate.registers).map(count).collect();
    let rows = |list: &str, operation: &str| {
        let (list, operation) = (format_ident!("{list}"), format_ident!("{operation}"));
        quote! {
            for &feature in #list {
                let row = buffer::row(&weights.transformer_weights, feature);
                let row = chunk::<i16, #values>(row, index);
                #(#registers = simd::#operation(#registers, simd::load_i16(chunk(row, #indices)));)*
            }
        }
    };
    let (added, removed) = (rows("added", "add_i16"), rows("removed", "sub_i16"));
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
            let base = chunk::<i16, #values>(&base.values, index);
            #(let mut #registers = simd::load_i16(chunk(base, #indices));)*
            #added
            #removed
            let into = chunk_mut::<i16, #values>(&mut into.values, index);
            #(simd::store_i16(#registers, chunk_mut(into, #indices));)*
        }
    }
}

fn psqt(program: &Program<'_>) -> Option<TokenStream> {
    let psqt = program.network.transformer.psqt;
    if psqt == 0 {
        return None;
    }
    let buckets = count(psqt);
    Some(quote! {
        let mut psqt = base.psqt;
        for &feature in added {
            let row = buffer::row(&weights.transformer_psqt, feature);
            for bucket in 0..#buckets {
                psqt[bucket] = psqt[bucket].wrapping_add(row[bucket]);
            }
        }
        for &feature in removed {
            let row = buffer::row(&weights.transformer_psqt, feature);
            for bucket in 0..#buckets {
                psqt[bucket] = psqt[bucket].wrapping_sub(row[bucket]);
            }
        }
        into.psqt = psqt;
    })
}
