//! A part of an accumulator that stays in registers while rows are added and removed.
//!
//! Rows of words are added as they are, and rows of bytes after they are widened. Where two bytes
//! lie in each word, `low + 128 + 256 * high`, the register of the low value takes the words, and a
//! further register the high bytes alone. At the end, the register of the low value has the sums of
//! the high bytes, times 256, too much, and also 128 for every row. All of this is modulo 2^16, as
//! accumulators are.

use nnue_format::PAIRED_RUN;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::table::{Operation, Table};
use crate::emit::names::count;
use crate::plan::AccumulatePlan;

/// A part of an accumulator, as kernels name it.
pub(super) struct Part<'t> {
    /// The number of values of the part.
    values: Literal,
    /// The registers, each with a vector of values.
    registers: Vec<Ident>,
    /// The vectors of words in which paired rows have the part.
    pairs: Vec<Pair>,
    /// The tables whose rows are paired.
    paired: Vec<&'t Table>,
}

/// A vector of words with two values each.
struct Pair {
    /// The index of the vector in the row.
    words: Literal,
    /// The register of the first values, which takes the words.
    low: Ident,
    /// The register of the second values.
    high: Ident,
    /// The further register, for the sums of the second values.
    highs: Ident,
}

impl Pair {
    /// Vector `index` of words, with vectors of `lanes` values.
    fn of(index: usize, lanes: usize) -> Pair {
        let vectors_of_half = PAIRED_RUN / 2 / lanes;
        let (run, place) = (index / vectors_of_half, index % vectors_of_half);
        let low = 2 * run * vectors_of_half + place;
        Pair {
            words: count(index),
            low: register(low),
            high: register(low + vectors_of_half),
            highs: format_ident!("high{index}"),
        }
    }
}

fn register(number: usize) -> Ident {
    format_ident!("v{number}")
}

impl<'t> Part<'t> {
    /// A part of this number of registers, to which rows of these tables are added. If a table has
    /// paired rows, the part is whole runs of pairs.
    pub(super) fn of(plan: &AccumulatePlan, registers: usize, tables: &'t [Table]) -> Part<'t> {
        let paired: Vec<_> = tables.iter().filter(|table| table.paired).collect();
        let pairs = if paired.is_empty() { 0 } else { registers / 2 };
        Part {
            values: count(registers * plan.lanes),
            registers: (0..registers).map(register).collect(),
            pairs: (0..pairs)
                .map(|index| Pair::of(index, plan.lanes))
                .collect(),
            paired,
        }
    }

    /// Code that reads part `index` of `base`.
    pub(super) fn load(&self) -> TokenStream {
        let Part {
            values, registers, ..
        } = self;
        let indices = (0..registers.len()).map(count);
        let highs = self.pairs.iter().map(|pair| &pair.highs);
        quote! {
            let start = chunk::<i16, #values>(&base.values, index);
            #(let mut #registers = simd::load_i16(chunk(start, #indices));)*
            #(let mut #highs = simd::splat_i16(0);)*
        }
    }

    /// Code that adds or removes part `index` of `row`, which is a row of the table.
    pub(super) fn apply(&self, table: &Table, operation: Operation) -> TokenStream {
        let (values, element) = (&self.values, &table.element);
        let name = format_ident!("{}_i16", operation.name());
        let steps: Vec<TokenStream> = if table.paired {
            self.pairs
                .iter()
                .map(
                    |Pair {
                         words, low, highs, ..
                     }| {
                        quote! {
                            let words = simd::load_i16_pairs(chunk(row, #words));
                            #low = simd::#name(#low, words);
                            #highs = simd::#name(#highs, simd::shift_right_i16::<8>(words));
                        }
                    },
                )
                .collect()
        } else {
            self.registers
                .iter()
                .enumerate()
                .map(|(index, register)| {
                    let index = count(index);
                    let vector = table.vector(&quote! { chunk(row, #index) });
                    quote! { #register = simd::#name(#register, #vector); }
                })
                .collect()
        };
        quote! {
            let row = chunk::<#element, #values>(row, index);
            #(#steps)*
        }
    }

    /// Code that writes part `index` of the accumulators `places`. `rows` gives the number of rows
    /// in a table's list for an operation.
    pub(super) fn store(
        &self,
        places: &[&str],
        rows: impl Fn(&Table, Operation) -> TokenStream,
    ) -> TokenStream {
        let Part {
            values, registers, ..
        } = self;
        let indices: Vec<_> = (0..registers.len()).map(count).collect();
        let settle = (!self.pairs.is_empty()).then(|| {
            let of_all = |operation| {
                let rows = self.paired.iter().map(|table| rows(table, operation));
                quote! { (#(#rows)+*) as i16 }
            };
            let (added, removed) = (of_all(Operation::Add), of_all(Operation::Sub));
            let pairs = self.pairs.iter().map(|Pair { low, high, highs, .. }| {
                quote! {
                    #low = simd::sub_i16(#low, simd::add_i16(simd::shift_left_i16::<8>(#highs), offset));
                    #high = simd::add_i16(#high, #highs);
                }
            });
            quote! {
                let (added_rows, removed_rows) = (#added, #removed);
                let offset = simd::splat_i16(added_rows.wrapping_sub(removed_rows).wrapping_mul(128));
                #(#pairs)*
            }
        });
        let stores = places.iter().map(|place| {
            let place = format_ident!("{place}");
            quote! {
                let end = chunk_mut::<i16, #values>(&mut #place.values, index);
                #(simd::store_i16(#registers, chunk_mut(end, #indices));)*
            }
        });
        quote! { #settle #(#stores)* }
    }
}
