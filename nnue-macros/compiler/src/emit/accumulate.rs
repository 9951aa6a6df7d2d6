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
    let lists = lists(&tables);
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
    let all_tiles = tiles(plan, &tables, &psqt, &quote!(base));
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
    let refreshed = tiles(plan, &tables, &psqt, &quote! { &mut *base });
    let tile = tile(plan, &tables, &psqt, &attributes);
    quote! {
        /// `into = base + added rows - removed rows`.
        #attributes
        pub(super) fn accumulate(
            weights: &Weights,
            base: &Half,
            #(#lists: &[u32],)*
            into: &mut Half,
        ) {
            #body
        }

        #update

        /// `into = base = base + added rows - removed rows`, where `base` is an entry of the cache.
        #attributes
        pub(super) fn refresh(
            weights: &Weights,
            base: &mut Half,
            #(#lists: &[u32],)*
            into: &mut Half,
        ) {
            #refreshed
        }

        #tile
    }
}

/// Whether generated code has functions for moves that change one row for each piece. Networks with
/// a single table have them.
pub(super) fn has_moves(program: &Program<'_>) -> bool {
    program.layout.tables.len() == 1
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
        part.load(&quote!(base)),
        part.apply(table, Operation::Sub),
        part.apply(table, Operation::Add),
    );
    let settle = part.settle(|_, operation| match operation {
        Operation::Add => quote!(ADDED),
        Operation::Sub => quote!(REMOVED),
    });
    let store = part.store(&quote!(into));
    let (psqt_start, psqt_end) = (psqt.start(&quote!(base)), psqt.end(&quote!(into)));
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
                /// The PSQT sums of [`update`].
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

        /// [`accumulate`] for the numbers of rows that moves change.
        #[inline]
        #attribute
        pub(super) fn update<const ADDED: usize, const REMOVED: usize>(#parameters) {
            let row = |&feature: &u32| #row;
            let (added_rows, removed_rows) = (added.map(row), removed.map(row));
            for index in 0..#parts {
                #load
                for row in removed_rows { #remove }
                for row in added_rows { #add }
                #settle
                #store
            }
            #psqt
        }
    }
}

/// The names of the lists of rows.
fn lists(tables: &[Table]) -> Vec<&Ident> {
    let tables = tables.iter();
    tables
        .flat_map(|table| [&table.added, &table.removed])
        .collect()
}

/// Calls of the function for all tiles of an accumulator. The first tile also adds the PSQT values,
/// which saves another loop over the rows.
fn tiles(plan: &Plan<'_>, tables: &[Table], psqt: &Psqt, base: &TokenStream) -> TokenStream {
    let lists = lists(tables);
    let arguments = quote! { weights, #base, #(#lists,)* into };
    let [first, others] = [true, false].map(|first| {
        if psqt.is_empty() {
            quote! { tile }
        } else {
            quote! { tile::<#first> }
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

/// The function for one tile: as many values as fit in the registers that are set aside for them.
fn tile(plan: &Plan<'_>, tables: &[Table], psqt: &Psqt, attributes: &TokenStream) -> TokenStream {
    let accumulate = &plan.accumulate;
    let part = Part::of(accumulate, accumulate.registers, tables);
    let if_first = |code: TokenStream| (!psqt.is_empty()).then(|| quote! { if FIRST { #code } });
    let half = quote! { base.half() };
    let (load, psqt_start) = (part.load(&half), psqt.start(&half));
    let settle = part.settle(|table, operation| {
        let list = table.list(operation);
        quote! { #list.len() }
    });
    let store = |into| {
        let (values, psqt) = (part.store(&into), if_first(psqt.end(&into)));
        quote! { #values #psqt }
    };
    let (store_into, store_kept) = (store(quote!(into)), store(quote!(kept)));
    let number = quote!(feature);
    let rows = |table: &Table, operation| {
        let (list, row) = (table.list(operation), table.row(&number));
        let apply = part.apply(table, operation);
        let psqt_row = psqt.row(table, operation, &number).and_then(if_first);
        quote! {
            for &feature in #list {
                let row = #row;
                #apply
                #psqt_row
            }
        }
    };
    // Rows to remove come first: they are near the processor, while rows to add are still on their
    // way.
    let operations = [Operation::Sub, Operation::Add].into_iter();
    let rows = operations.flat_map(|operation| {
        let of_table = |table| rows(table, operation);
        tables.iter().map(of_table).collect::<Vec<TokenStream>>()
    });
    let generic = (!psqt.is_empty()).then(|| quote! { <const FIRST: bool> });
    let lists = lists(tables);
    quote! {
        /// A run of sums, which stay in registers while rows are added and removed.
        #[inline]
        #attributes
        fn tile #generic(
            weights: &Weights,
            mut base: impl Base<Half>,
            #(#lists: &[u32],)*
            into: &mut Half,
            index: usize,
        ) {
            #load
            #psqt_start
            #(#rows)*
            #settle
            #store_into
            if let Option::Some(kept) = base.kept() {
                #store_kept
            }
        }
    }
}
