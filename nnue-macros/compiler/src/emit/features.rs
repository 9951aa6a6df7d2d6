//! Feature sets as tables of the runtime.

use nnue_format::PieceSquare;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use super::Program;
use super::memory::count;
use crate::feature_set::{Family, FeatureSet};

/// The sets, in the order of their rows.
pub(super) fn sets(program: &Program<'_>) -> TokenStream {
    let runtime = program.runtime;
    let network = program.network;
    let blacks = match network.transformer.perspectives.separate {
        false => 0,
        true => network.feature_count() as u32,
    };
    let mut first_row = 0;
    let sets = network.features.iter().map(|set| {
        let first_rows = [first_row, blacks + first_row];
        let tokens = match &set.family {
            Family::PieceSquare(tables) => {
                let tables = piece_square(runtime, &tables.tables(first_rows, set.max_active));
                quote! { #runtime::__private::features::FeatureSet::PieceSquare(#tables) }
            }
            Family::Custom => {
                let tables = custom(runtime, set, first_rows);
                quote! { #runtime::__private::features::FeatureSet::Custom(#tables) }
            }
        };
        first_row += set.rows as u32;
        tokens
    });
    let sets: Vec<_> = sets.collect();
    quote! { [#(#sets),*] }
}

/// The tables of a piece-square set.
pub(super) fn piece_square(runtime: &TokenStream, tables: &PieceSquare) -> TokenStream {
    let first_row = tables.first_row.map(Literal::u32_unsuffixed);
    let flip = tables.flip.map(Literal::u8_unsuffixed);
    let mirror_files = Literal::u8_unsuffixed(tables.mirror_files);
    let king_offset = tables.king_offset.map(Literal::u32_unsuffixed);
    let planes = tables.planes.map(|planes| {
        let planes = planes.map(|plane| match plane {
            PieceSquare::NO_PLANE => {
                quote! { #runtime::__private::features::PieceSquare::NO_PLANE }
            }
            plane => Literal::u32_unsuffixed(plane).into_token_stream(),
        });
        quote! { [#(#planes),*] }
    });
    let max_active = count(tables.max_active);
    quote! {
        #runtime::__private::features::PieceSquare {
            first_row: [#(#first_row),*],
            flip: [#(#flip),*],
            mirror_files: #mirror_files,
            king_offset: [#(#king_offset),*],
            planes: [#(#planes),*],
            max_active: #max_active,
        }
    }
}

fn custom(runtime: &TokenStream, set: &FeatureSet, first_row: [u32; 2]) -> TokenStream {
    let first_row = first_row.map(Literal::u32_unsuffixed);
    let rows = Literal::u32_unsuffixed(set.rows as u32);
    let max_active = count(set.max_active);
    quote! {
        #runtime::__private::features::Custom {
            first_row: [#(#first_row),*],
            rows: #rows,
            max_active: #max_active,
        }
    }
}
