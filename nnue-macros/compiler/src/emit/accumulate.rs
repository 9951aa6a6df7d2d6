//! Accumulator refresh and update: rows added to and subtracted from tiles that stay in registers.

mod part;
mod psqt;
mod table;

use nnue_format::PAIRED_RUN;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use self::part::Part;
use self::psqt::Psqt;
use self::table::Operation;
pub(super) use self::table::Table;
use super::names::count;
use super::program::Program;
use crate::plan::Plan;

pub(super) fn functions(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let psqt = Psqt::of(program);
    let tables = Table::all(program);
    let both = Tiles {
        name: "tile",
        operations: &[Operation::Sub, Operation::Add],
        keeps: false,
    };
    let lists = both.lists(&tables);
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
    let all_tiles = both.calls(plan, &tables, &psqt);
    let (body, update) = match updates {
        [] => (all_tiles, None),
        _ => (
            quote! { match (#(#lists),*) { #(#arms)* _ => { #all_tiles } } },
            Some(update(plan, &tables, &psqt, attribute)),
        ),
    };
    // Each table adds two arguments, so there may be more than clippy allows.
    let lints = (tables.len() > 1).then(|| {
        quote! { #[allow(clippy::too_many_arguments, reason = "two lists of rows for each table")] }
    });
    let attributes = quote! { #lints #attribute };
    let (parameters, tile) = (
        both.parameters(&tables),
        both.function(plan, &tables, &psqt, &attributes),
    );
    let refresh = refresh(plan, &tables, &psqt, &attributes);
    quote! {
        #attributes
        pub(super) fn accumulate(#parameters) {
            #body
        }

        #update
        #refresh
        #tile
    }
}

/// Whether generated code has functions for moves that change one row for each piece. Networks with
/// a single table have them.
pub(super) fn has_moves(program: &Program<'_>) -> bool {
    program.layout.tables.len() == 1
}

/// The function that leads an entry of the refresh cache to another position, and writes the sums
/// to the entry and to an accumulator.
fn refresh(
    plan: &Plan<'_>,
    tables: &[Table],
    psqt: &Psqt,
    attributes: &TokenStream,
) -> TokenStream {
    let tiles = Tiles {
        name: "refresh_tile",
        operations: &[Operation::Sub, Operation::Add],
        keeps: true,
    };
    let (parameters, calls) = (tiles.parameters(tables), tiles.calls(plan, tables, psqt));
    let function = tiles.function(plan, tables, psqt, attributes);
    quote! {
        #attributes
        pub(super) fn refresh(#parameters) {
            #calls
        }

        #function
    }
}

/// The function that updates by a fixed number of added and removed rows, in networks with a single
/// table. These numbers are constants, so there is no loop over rows whose end could be
/// mispredicted.
///
/// The numbers of the rows are passed by reference. An array of two of them would be loaded as 64
/// bits, and this load would wait for the two stores that have just written them.
fn update(
    plan: &Plan<'_>,
    tables: &[Table],
    psqt: &Psqt,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let table = &tables[0];
    let row = table.row(&quote!(feature));
    // A part has as few registers as possible, so that all its rows are in registers at the same
    // time.
    let registers = if table.paired {
        PAIRED_RUN / plan.accumulate.lanes
    } else {
        1
    };
    let part = Part::of(&plan.accumulate, registers, tables);
    let parts = count(plan.accumulate.vectors / registers);
    let (load, remove, add) = (
        part.load(),
        part.apply(table, Operation::Sub),
        part.apply(table, Operation::Add),
    );
    let store = part.store(&["into"], |_, operation| match operation {
        Operation::Add => quote!(ADDED),
        Operation::Sub => quote!(REMOVED),
    });
    let (psqt_start, psqt_end) = (psqt.start(), psqt.end(&["into"]));
    let psqt_rows = |list: &str, operation| {
        let list = format_ident!("{list}");
        let row = psqt.row(table, operation, &quote!(feature));
        row.map(|row| quote! { for &feature in #list { #row } })
    };
    let psqt_removed = psqt_rows("removed", Operation::Sub);
    let psqt_added = psqt_rows("added", Operation::Add);
    let parameters = quote! {
        weights: &Weights,
        base: &Half,
        added: [&u32; ADDED],
        removed: [&u32; REMOVED],
        into: &mut Half,
    };
    let (psqt, update_psqt) = (!psqt.is_empty())
        .then(|| {
            let function = quote! {
                #[inline]
                #attribute
                pub(super) fn update_psqt<const ADDED: usize, const REMOVED: usize>(#parameters) {
                    #psqt_start
                    #psqt_removed
                    #psqt_added
                    #psqt_end
                }
            };
            (
                quote! { update_psqt(weights, base, added, removed, into); },
                function,
            )
        })
        .unzip();
    quote! {
        #update_psqt

        #[inline]
        #attribute
        pub(super) fn update<const ADDED: usize, const REMOVED: usize>(#parameters) {
            let row = |&feature: &u32| #row;
            let (added_rows, removed_rows) = (added.map(row), removed.map(row));
            for index in 0..#parts {
                #load
                for row in removed_rows { #remove }
                for row in added_rows { #add }
                #store
            }
            #psqt
        }
    }
}

/// The tiles of an accumulator: each has as many values as fit in the registers that are set aside
/// for them. The first tile also adds the PSQT values, which saves another loop over the rows.
struct Tiles {
    /// The name of the function for one tile.
    name: &'static str,
    /// The operations on rows, in their order. Rows to remove come first: they are near the
    /// processor, while rows to add are still on their way.
    operations: &'static [Operation],
    /// Whether the accumulator that the sums begin with takes them too.
    keeps: bool,
}

impl Tiles {
    /// The names of the lists of rows.
    fn lists<'t>(&self, tables: &'t [Table]) -> Vec<&'t Ident> {
        let of_table = |table: &'t Table| {
            let all = [Operation::Add, Operation::Sub].into_iter();
            let used = all.filter(|operation| self.operations.contains(operation));
            used.map(|operation| table.list(operation))
        };
        tables.iter().flat_map(of_table).collect()
    }

    fn parameters(&self, tables: &[Table]) -> TokenStream {
        let lists = self.lists(tables);
        let base = if self.keeps {
            quote! { &mut Half }
        } else {
            quote! { &Half }
        };
        quote! { weights: &Weights, base: #base, #(#lists: &[u32],)* into: &mut Half }
    }

    /// Calls of the function for all tiles of an accumulator.
    fn calls(&self, plan: &Plan<'_>, tables: &[Table], psqt: &Psqt) -> TokenStream {
        let (name, lists) = (format_ident!("{}", self.name), self.lists(tables));
        let arguments = quote! { weights, base, #(#lists,)* into };
        let [first, others] = [true, false].map(|first| {
            if psqt.is_empty() {
                quote! { #name }
            } else {
                quote! { #name::<#first> }
            }
        });
        let others = match plan.accumulate.tiles {
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
        quote! { #first(#arguments, 0); #others }
    }

    /// The function for one tile.
    fn function(
        &self,
        plan: &Plan<'_>,
        tables: &[Table],
        psqt: &Psqt,
        attributes: &TokenStream,
    ) -> TokenStream {
        let accumulate = &plan.accumulate;
        let part = Part::of(accumulate, accumulate.registers, tables);
        let load = part.load();
        let places = if self.keeps {
            &["into", "base"][..]
        } else {
            &["into"]
        };
        let store = part.store(places, |table, operation| {
            let list = table.list(operation);
            if self.operations.contains(&operation) {
                quote! { #list.len() }
            } else {
                quote! { 0 }
            }
        });
        let generic = (!psqt.is_empty()).then(|| quote! { <const FIRST: bool> });
        let psqt_start = psqt.start();
        let psqt_end = (!psqt.is_empty()).then(|| {
            let end = psqt.end(places);
            quote! { if FIRST { #end } }
        });
        let number = quote!(feature);
        let rows = |table: &Table, operation| {
            let (list, row) = (table.list(operation), table.row(&number));
            let apply = part.apply(table, operation);
            let psqt_row = psqt.row(table, operation, &number);
            let psqt_row = psqt_row.map(|row| quote! { if FIRST { #row } });
            quote! {
                for &feature in #list {
                    let row = #row;
                    #apply
                    #psqt_row
                }
            }
        };
        let operations = self.operations.iter();
        let rows =
            operations.flat_map(|operation| tables.iter().map(|table| rows(table, *operation)));
        let (name, parameters) = (format_ident!("{}", self.name), self.parameters(tables));
        quote! {
            #[inline]
            #attributes
            fn #name #generic(#parameters, index: usize) {
                #load
                #psqt_start
                #(#rows)*
                #store
                #psqt_end
            }
        }
    }
}
