//! Accumulator refresh and update: rows added to and subtracted from tiles that stay in registers.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use super::memory::count;
use crate::layout::FieldElement;
use crate::plan::Plan;

/// What kernels call a table of the transformer's rows.
pub(super) struct Table {
    /// The field of the weights.
    weights: Ident,
    /// The type of the weights, and the name of its variant in enumerations.
    element: Ident,
    variant: Ident,
    /// The primitive that reads a vector of weights, widened to 16 bits.
    load: Ident,
    /// The parameters that list its rows.
    pub(super) added: Ident,
    pub(super) removed: Ident,
    /// What leads from a row's number to that of its PSQT values.
    psqt_offset: Option<TokenStream>,
}

impl Table {
    pub(super) fn all(program: &Program<'_>) -> Vec<Table> {
        let tables = &program.layout.tables;
        let of_table = |(index, table): (usize, &crate::layout::Table)| {
            let name = |name: &str| match tables.len() {
                1 => format_ident!("{name}"),
                _ => format_ident!("{name}_{index}"),
            };
            let (element, variant, load) = match table.element {
                FieldElement::I8 => ("i8", "I8", "load_i16_from_i8"),
                _ => ("i16", "I16", "load_i16"),
            };
            Table {
                weights: format_ident!("{}", table.name),
                element: format_ident!("{element}"),
                variant: format_ident!("{variant}"),
                load: format_ident!("{load}"),
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

    /// The weights of the row of this number; `buffer` is the path of the runtime's module.
    pub(super) fn row(&self, buffer: &TokenStream, number: &TokenStream) -> TokenStream {
        let weights = &self.weights;
        quote! { #buffer::row(&weights.#weights, #number) }
    }

    /// The PSQT values of the row of this number.
    pub(super) fn psqt(&self, buffer: &TokenStream, number: &TokenStream) -> TokenStream {
        let offset = &self.psqt_offset;
        quote! { #buffer::row(&weights.transformer_psqt, #number #offset) }
    }

    /// The weights of all rows, one after the other.
    pub(super) fn weights(&self, runtime: &TokenStream) -> TokenStream {
        let (weights, variant) = (&self.weights, &self.variant);
        quote! { #runtime::__private::features::TableRows::#variant(weights.#weights.as_flattened()) }
    }
}

pub(super) fn functions(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let tables = Table::all(program);
    let lists: Vec<_> = tables
        .iter()
        .flat_map(|table| [&table.added, &table.removed])
        .collect();
    let tile_arguments = quote! { weights, base, #(#lists,)* into };
    let tiles = plan.accumulate.tiles;
    let first = count(0);
    // The PSQT sums go with the first tile: one loop over the rows less.
    let psqt = Psqt::of(program);
    let first_tile = tile(plan, &tables, &quote! { #first }, Some(&psqt));
    let other_tiles = match tiles {
        1 => None,
        _ if plan.accumulate.unrolled => {
            let calls = (1..tiles).map(count);
            Some(quote! { #(tile(#tile_arguments, #calls);)* })
        }
        _ => {
            let tiles = count(tiles);
            Some(quote! {
                for index in 1..#tiles { tile(#tile_arguments, index); }
            })
        }
    };
    let tile_function = other_tiles.is_some().then(|| {
        let body = tile(plan, &tables, &quote! { index }, None);
        quote! {
            #[inline]
            #attribute
            fn tile(
                weights: &Weights,
                base: &Half,
                #(#lists: &[u32],)*
                into: &mut Half,
                index: usize,
            ) {
                #body
            }
        }
    });
    let moves = plan.accumulate.updates.iter();
    let (arms, functions): (Vec<_>, Vec<_>) = moves
        .map(|shape| Fixed::of(&tables[0], *shape))
        .map(|fixed| (fixed.arm(), fixed.function(program, plan, attribute)))
        .unzip();
    let matched = (!arms.is_empty()).then(|| {
        quote! {
            match (#(#lists),*) {
                #(#arms)*
                _ => {}
            }
        }
    });
    quote! {
        #attribute
        pub(super) fn accumulate(
            weights: &Weights,
            base: &Half,
            #(#lists: &[u32],)*
            into: &mut Half,
        ) {
            #matched
            #first_tile
            #other_tiles
        }

        #(#functions)*

        #tile_function
    }
}

/// The update of a move that adds and removes so many rows of the only table, in one pass over the values: there is no loop
/// over rows whose end could be mispredicted.
struct Fixed<'a> {
    table: &'a Table,
    name: Ident,
    added: Vec<Ident>,
    removed: Vec<Ident>,
}

impl Fixed<'_> {
    fn of(table: &Table, (adds, removes): (usize, usize)) -> Fixed<'_> {
        let rows = |letter: &str, number: usize| {
            let rows = 0..number;
            rows.map(|index| format_ident!("{letter}{index}")).collect()
        };
        Fixed {
            table,
            name: format_ident!("add_{adds}_sub_{removes}"),
            added: rows("a", adds),
            removed: rows("r", removes),
        }
    }

    fn arm(&self) -> TokenStream {
        let Fixed {
            name,
            added,
            removed,
            ..
        } = self;
        quote! {
            (&[#(#added),*], &[#(#removed),*]) => {
                return #name(weights, base, [#(#added),*], [#(#removed),*], into)
            }
        }
    }

    fn function(
        &self,
        program: &Program<'_>,
        plan: &Plan<'_>,
        attribute: Option<&TokenStream>,
    ) -> TokenStream {
        let Fixed {
            table,
            name,
            added,
            removed,
        } = self;
        let load = &table.load;
        let buffer = quote!(buffer);
        let listed = |list: &str, rows: &[Ident]| -> Vec<TokenStream> {
            let list = format_ident!("{list}");
            let indices = (0..rows.len()).map(count);
            indices.map(|index| quote! { #list[#index] }).collect()
        };
        let (adds, removes) = (listed("added", added), listed("removed", removed));
        let weights = |numbers: &[TokenStream]| -> Vec<TokenStream> {
            numbers
                .iter()
                .map(|number| table.row(&buffer, number))
                .collect()
        };
        let (add_weights, sub_weights) = (weights(&adds), weights(&removes));
        let psqt = Psqt::of(program);
        let (psqt_start, psqt_end) = (psqt.start(), psqt.end());
        let psqt_rows = |operation: &str, numbers: &[TokenStream]| -> Vec<TokenStream> {
            let rows = numbers
                .iter()
                .filter_map(|number| psqt.row(table, operation, number));
            rows.map(|row| quote! { { #row } }).collect()
        };
        let (psqt_adds, psqt_subs) = (psqt_rows("add", &adds), psqt_rows("sub", &removes));
        let (add_count, sub_count) = (count(added.len()), count(removed.len()));
        let vectors = count(plan.accumulate.vectors);
        quote! {
            #[inline]
            #attribute
            fn #name(
                weights: &Weights,
                base: &Half,
                added: [u32; #add_count],
                removed: [u32; #sub_count],
                into: &mut Half,
            ) {
                #(let #added = #add_weights;)*
                #(let #removed = #sub_weights;)*
                for index in 0..#vectors {
                    let value = simd::load_i16(chunk(&base.values, index));
                    #(let value = simd::sub_i16(value, simd::#load(chunk(#removed, index)));)*
                    #(let value = simd::add_i16(value, simd::#load(chunk(#added, index)));)*
                    simd::store_i16(value, chunk_mut(&mut into.values, index));
                }
                #psqt_start
                #(#psqt_subs)*
                #(#psqt_adds)*
                #psqt_end
            }
        }
    }
}

/// One tile: as many values as fit in the registers set aside for it.
fn tile(
    plan: &Plan<'_>,
    tables: &[Table],
    index: &TokenStream,
    psqt: Option<&Psqt>,
) -> TokenStream {
    let accumulate = &plan.accumulate;
    let values = count(accumulate.tile);
    let registers: Vec<Ident> = (0..accumulate.registers)
        .map(|register| format_ident!("v{register}"))
        .collect();
    let indices: Vec<_> = (0..accumulate.registers).map(count).collect();
    let (psqt_start, psqt_end) = (psqt.map(Psqt::start), psqt.map(Psqt::end));
    let number = quote!(feature);
    let rows = |table: &Table, list: &Ident, operation: &str| {
        let Table { element, load, .. } = table;
        let row = table.row(&quote!(buffer), &number);
        let psqt_row = psqt.and_then(|psqt| psqt.row(table, operation, &number));
        let operation = format_ident!("{operation}_i16");
        quote! {
            for &feature in #list {
                let row = #row;
                let row = chunk::<#element, #values>(row, #index);
                #(#registers = simd::#operation(#registers, simd::#load(chunk(row, #indices)));)*
                #psqt_row
            }
        }
    };
    let rows = tables.iter().flat_map(|table| {
        [
            rows(table, &table.added, "add"),
            rows(table, &table.removed, "sub"),
        ]
    });
    quote! {
        let start = chunk::<i16, #values>(&base.values, #index);
        #(let mut #registers = simd::load_i16(chunk(start, #indices));)*
        #psqt_start
        #(#rows)*
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

    fn row(&self, table: &Table, operation: &str, number: &TokenStream) -> Option<TokenStream> {
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
            let row = table.psqt(&quote!(buffer), number);
            quote! {
                let row = #row;
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
