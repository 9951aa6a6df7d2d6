//! Accumulator refresh and update: rows added to and subtracted from tiles that stay in registers.

mod part;
mod psqt;
mod table;

use nnue_format::PAIRED_RUN;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use self::part::Part;
use self::psqt::Psqt;
pub(super) use self::table::Table;
use super::Program;
use super::memory::{count, linear};
use crate::plan::Plan;

/// What is done with a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Add,
    Sub,
}

impl Operation {
    /// The name as it is in those of primitives.
    fn name(self) -> &'static str {
        match self {
            Operation::Add => "add",
            Operation::Sub => "sub",
        }
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
            Some(update(plan, &tables, &psqt, attribute)),
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
    tables: &[Table],
    psqt: &Psqt,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let table = &tables[0];
    let row = table.row(&quote!(buffer), &quote!(feature));
    // As few registers as possible, so that all rows of a part are in registers with it.
    let registers = match table.paired {
        true => PAIRED_RUN / plan.accumulate.lanes,
        false => 1,
    };
    let part = Part::of(&plan.accumulate, registers, tables);
    let parts = count(plan.accumulate.vectors / registers);
    let (load, remove, add) = (
        part.load(),
        part.apply(table, Operation::Sub),
        part.apply(table, Operation::Add),
    );
    let store = part.store(|_, operation| match operation {
        Operation::Add => quote!(ADDED),
        Operation::Sub => quote!(REMOVED),
    });
    let (psqt_start, psqt_end) = (psqt.start(), psqt.end());
    let psqt_rows = |list: &str, operation| {
        let list = format_ident!("{list}");
        let row = psqt.row(table, operation, &quote!(feature));
        row.map(|row| quote! { for &feature in #list { #row } })
    };
    let psqt_removed = psqt_rows("removed", Operation::Sub);
    let psqt_added = psqt_rows("added", Operation::Add);
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
            for index in 0..#parts {
                #load
                for row in removed_rows { #remove }
                for row in added_rows { #add }
                #store
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
/// Rows to remove come first: they are near the processor, while rows to add are still on their
/// way.
fn tile(
    program: &Program<'_>,
    plan: &Plan<'_>,
    tables: &[Table],
    psqt: &Psqt,
    parameters: &TokenStream,
    attributes: &TokenStream,
) -> TokenStream {
    let accumulate = &plan.accumulate;
    let part = Part::of(accumulate, accumulate.registers, tables);
    let (load, values) = (part.load(), part.values());
    let store = part.store(|table, operation| {
        let list = table.list(operation);
        quote! { #list.len() }
    });
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
    let rows = |table: &Table, operation| {
        let ahead = ahead.as_ref().filter(|_| operation == Operation::Add);
        let (list, row) = (table.list(operation), table.row(&quote!(buffer), &number));
        let apply = part.apply(table, operation);
        let psqt_row = psqt.row(table, operation, &number);
        let psqt_row = psqt_row.map(|row| quote! { if FIRST { #row } });
        quote! {
            for &feature in #list {
                let row = #row;
                #ahead
                #apply
                #psqt_row
            }
        }
    };
    let removed = tables.iter().map(|table| rows(table, Operation::Sub));
    let added = tables.iter().map(|table| rows(table, Operation::Add));
    let rows = removed.chain(added);
    quote! {
        #[inline]
        #attributes
        fn tile #generic(#parameters, index: usize) {
            #load
            #psqt_start
            #(#rows)*
            #store
            #psqt_end
        }
    }
}
