//! Accumulator refresh and update: rows added to and subtracted from tiles that stay in registers.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use super::memory::{count, linear};
use crate::network::Element;
use crate::plan::Plan;

/// The names by which kernels refer to a table of the transformer's rows.
pub(super) struct Table {
    /// The field of the generated `Weights` that holds the table.
    weights: Ident,
    /// The type of the weights.
    element: Ident,
    /// The primitive that reads a vector of weights, widened to 16 bits.
    load: Ident,
    /// How far it is then shifted to the left; `None` if it is not.
    shift: Option<Literal>,
    /// The parameters that list the rows to add and the rows to remove.
    pub(super) added: Ident,
    pub(super) removed: Ident,
    /// `+ N`, where the table's first row is row `N` of the PSQT values; `None` if that is row 0.
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

    /// The parameters that list rows.
    fn lists(&self) -> [&Ident; 2] {
        [&self.added, &self.removed]
    }

    /// An expression for the weights of row `number`; `buffer` is the path of the runtime's module.
    pub(super) fn row(&self, buffer: &TokenStream, number: &TokenStream) -> TokenStream {
        let weights = &self.weights;
        quote! { #buffer::row(&weights.#weights, #number) }
    }

    /// An expression for the PSQT values of row `number`.
    pub(super) fn psqt(&self, buffer: &TokenStream, number: &TokenStream) -> TokenStream {
        let offset = &self.psqt_offset;
        quote! { #buffer::row(&weights.transformer_psqt, #number #offset) }
    }

    /// An expression for a vector of a row, as it is added: `values` are those of the row.
    fn vector(&self, values: &TokenStream) -> TokenStream {
        let load = &self.load;
        match &self.shift {
            None => quote! { simd::#load(#values) },
            Some(shift) => quote! { simd::shift_left_i16::<#shift>(simd::#load(#values)) },
        }
    }

    /// The weights of all rows, one after the other.
    pub(super) fn weights(&self, runtime: &TokenStream) -> TokenStream {
        let weights = &self.weights;
        let variant = format_ident!("{}", self.element.to_string().to_uppercase());
        quote! { #runtime::__private::features::TableRows::#variant(weights.#weights.as_flattened()) }
    }
}

pub(super) fn functions(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let psqt = Psqt::of(program);
    let tables = Table::all(program);
    let lists: Vec<_> = tables.iter().flat_map(Table::lists).collect();
    let arguments = quote! { weights, base, #(#lists,)* into };
    let parameters = quote! { weights: &Weights, base: &Half, #(#lists: &[u32],)* into: &mut Half };
    let updates = plan.accumulate.updates;
    let arms = updates.iter().map(|(adds, removes)| {
        let rows = |letter: &str, number: usize| -> Vec<Ident> {
            (0..number)
                .map(|index| format_ident!("{letter}{index}"))
                .collect()
        };
        let (added, removed) = (rows("a", *adds), rows("r", *removes));
        quote! {
            ([#(#added),*], [#(#removed),*]) => {
                update(weights, base, [#(#added),*], [#(#removed),*], into)
            }
        }
    });
    let [first, others] = [true, false].map(|first| match psqt.is_empty() {
        true => quote! { tile },
        false => quote! { tile::<#first> },
    });
    let other_tiles = match plan.accumulate.tiles {
        1 => None,
        tiles if plan.accumulate.unrolled => {
            let calls = (1..tiles).map(count);
            Some(quote! { #(#others(#arguments, #calls);)* })
        }
        tiles => {
            let tiles = count(tiles);
            Some(quote! { for index in 1..#tiles { #others(#arguments, index); } })
        }
    };
    let all_tiles = quote! { #first(#arguments, 0); #other_tiles };
    let (body, update) = match updates {
        [] => (all_tiles, None),
        _ => (
            quote! { match (#(#lists),*) { #(#arms)* _ => { #all_tiles } } },
            Some(update(plan, &tables[0], &psqt, attribute)),
        ),
    };
    // Each table adds two arguments, more than clippy allows.
    let lints = (tables.len() > 1).then(|| {
        quote! { #[allow(clippy::too_many_arguments, reason = "two lists of rows for each table")] }
    });
    let attributes = quote! { #lints #attribute };
    let tile = tile(program, plan, &tables, &psqt, &parameters, &attributes);
    quote! {
        #attributes
        pub(super) fn accumulate(#parameters) {
            #body
        }

        #update
        #tile
    }
}

/// The update for a fixed number of added and removed rows, in networks with a single table. These
/// numbers are constants, so there is no loop over rows whose end could be mispredicted.
///
/// The rows' numbers come by reference. An array of two of them would be one load of 64 bits, which
/// waits for the two stores that have just written them.
fn update(
    plan: &Plan<'_>,
    table: &Table,
    psqt: &Psqt,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let vectors = count(plan.accumulate.vectors);
    let row = table.row(&quote!(buffer), &quote!(feature));
    let vector = table.vector(&quote! { chunk(row, index) });
    let (psqt_start, psqt_end) = (psqt.start(), psqt.end());
    let psqt_rows = |list: &str, operation: &str| {
        let list = format_ident!("{list}");
        let row = psqt.row(table, operation, &quote!(feature));
        row.map(|row| quote! { for &feature in #list { #row } })
    };
    let (psqt_removed, psqt_added) = (psqt_rows("removed", "sub"), psqt_rows("added", "add"));
    quote! {
        #[inline]
        #attribute
        fn update<const ADDED: usize, const REMOVED: usize>(
            weights: &Weights,
            base: &Half,
            added: [&u32; ADDED],
            removed: [&u32; REMOVED],
            into: &mut Half,
        ) {
            let row = |&feature: &u32| #row;
            let (added_rows, removed_rows) = (added.map(row), removed.map(row));
            for index in 0..#vectors {
                let mut value = simd::load_i16(chunk(&base.values, index));
                for row in removed_rows {
                    value = simd::sub_i16(value, #vector);
                }
                for row in added_rows {
                    value = simd::add_i16(value, #vector);
                }
                simd::store_i16(value, chunk_mut(&mut into.values, index));
            }
            #psqt_start
            #psqt_removed
            #psqt_added
            #psqt_end
        }
    }
}

/// One tile: as many values as fit in the registers set aside for it. The first tile also adds the
/// PSQT values, which saves another loop over the rows.
///
/// Rows to remove come first: they are near the processor, while rows to add are still on their way.
fn tile(
    program: &Program<'_>,
    plan: &Plan<'_>,
    tables: &[Table],
    psqt: &Psqt,
    parameters: &TokenStream,
    attributes: &TokenStream,
) -> TokenStream {
    let accumulate = &plan.accumulate;
    let values = count(accumulate.tile);
    let registers: Vec<Ident> = (0..accumulate.registers)
        .map(|register| format_ident!("v{register}"))
        .collect();
    let indices: Vec<_> = (0..accumulate.registers).map(count).collect();
    let generic = (!psqt.is_empty()).then(|| quote! { <const FIRST: bool> });
    let psqt_start = psqt.start();
    let psqt_end = (!psqt.is_empty()).then(|| {
        let end = psqt.end();
        quote! { if FIRST { #end } }
    });
    let number = quote!(feature);
    let ahead = program.plans.prefetch.ahead.map(|neurons| {
        let first = linear(accumulate.tile, &quote!(index), neurons);
        let runtime = program.runtime;
        quote! { #runtime::__private::simd::prefetch_part::<_, _, #values>(row, #first); }
    });
    let rows = |table: &Table, list: &Ident, operation: &str| {
        let ahead = ahead.as_ref().filter(|_| operation == "add");
        let element = &table.element;
        let vectors = indices
            .iter()
            .map(|index| table.vector(&quote! { chunk(row, #index) }));
        let row = table.row(&quote!(buffer), &number);
        let psqt_row = psqt.row(table, operation, &number);
        let psqt_row = psqt_row.map(|row| quote! { if FIRST { #row } });
        let operation = format_ident!("{operation}_i16");
        quote! {
            for &feature in #list {
                let row = #row;
                #ahead
                let row = chunk::<#element, #values>(row, index);
                #(#registers = simd::#operation(#registers, #vectors);)*
                #psqt_row
            }
        }
    };
    let removed = tables
        .iter()
        .map(|table| rows(table, &table.removed, "sub"));
    let added = tables.iter().map(|table| rows(table, &table.added, "add"));
    let rows = removed.chain(added);
    quote! {
        #[inline]
        #attributes
        fn tile #generic(#parameters, index: usize) {
            let start = chunk::<i16, #values>(&base.values, index);
            #(let mut #registers = simd::load_i16(chunk(start, #indices));)*
            #psqt_start
            #(#rows)*
            let end = chunk_mut::<i16, #values>(&mut into.values, index);
            #(simd::store_i16(#registers, chunk_mut(end, #indices));)*
            #psqt_end
        }
    }
}

/// The PSQT sums: as vectors of eight as far as possible, and single values for the rest.
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

    fn is_empty(&self) -> bool {
        self.eights.is_empty() && self.singles.is_empty()
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
        (!self.is_empty()).then(|| {
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
