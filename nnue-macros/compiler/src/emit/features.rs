//! Feature sets as constants of the runtime.

use proc_macro2::TokenStream;
use quote::quote;

use super::names::count;
use super::program::Program;

/// An expression for the list of feature sets, in the order of their rows.
pub(super) fn sets(program: &Program<'_>) -> TokenStream {
    let network = program.network;
    let tables = program.layout.tables.iter().enumerate();
    let sets = tables.flat_map(|(number, table)| {
        let sets = table.sets.clone();
        sets.map(move |index| (number, table.first_rows(network, index), index))
    });
    let sets = sets.map(|(table, first_row, index)| {
        let set = &network.features[index];
        let [table, rows, max_active] = [table, set.rows, set.max_active].map(count);
        let first_row = first_row.map(count);
        let shift = count(set.shift as usize);
        let family = set.family.constant(&quote!(features));
        quote! {
            features::FeatureSet {
                table: #table,
                first_row: [#(#first_row),*],
                rows: #rows,
                shift: #shift,
                max_active: #max_active,
                family: #family,
            }
        }
    });
    quote! { [#(#sets),*] }
}
