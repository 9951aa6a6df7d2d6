//! Feature sets as tables of the runtime.

use nnue_format::PieceSquare;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use super::Program;
use super::memory::count;
use crate::feature_set::Family;

/// The sets, in the order of their rows.
pub(super) fn sets(program: &Program<'_>) -> TokenStream {
    let (network, runtime) = (program.network, program.runtime);
    let features = quote! { #runtime::__private::features };
    let tables = program.layout.tables.iter().enumerate();
    let sets = tables.flat_map(|(number, table)| {
        let sets = table.sets.clone();
        sets.map(move |index| {
            (
                number,
                table.first_rows(network, index),
                &network.features[index],
            )
        })
    });
    let sets = sets.map(|(table, first_row, set)| {
        let (table, max_active) = (count(table), count(set.max_active));
        let first_row = first_row.map(count);
        let rows = count(set.rows);
        let family = match &set.family {
            Family::PieceSquare(tables) => {
                let tables = piece_square(runtime, &tables.tables());
                quote! { PieceSquare(#tables) }
            }
            Family::Custom => quote! { Custom },
        };
        quote! {
            #features::FeatureSet {
                table: #table,
                first_row: [#(#first_row),*],
                rows: #rows,
                max_active: #max_active,
                family: #features::Family::#family,
            }
        }
    });
    quote! { [#(#sets),*] }
}

/// The tables of a piece-square set.
pub(super) fn piece_square(runtime: &TokenStream, tables: &PieceSquare) -> TokenStream {
    let flip = tables.flip.map(Literal::u8_unsuffixed);
    let mirror_files = Literal::u8_unsuffixed(tables.mirror_files);
    let king_offset = tables.king_offset.map(Literal::u32_unsuffixed);
    // One for each piece, after the one for no piece.
    let planes = tables.planes.map(|planes| {
        let planes = planes[1..13].iter().map(|plane| match *plane {
            PieceSquare::NO_PLANE => {
                quote! { #runtime::__private::features::PieceSquare::NO_PLANE }
            }
            plane => Literal::u32_unsuffixed(plane).into_token_stream(),
        });
        quote! { [#(#planes),*] }
    });
    quote! {
        #runtime::__private::features::PieceSquare {
            flip: [#(#flip),*],
            mirror_files: #mirror_files,
            king_offset: [#(#king_offset),*],
            planes: #runtime::__private::features::PieceSquare::planes([#(#planes),*]),
        }
    }
}
