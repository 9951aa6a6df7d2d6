//! Feature sets as tables of the runtime.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Program;
use super::memory::count;
use crate::feature_set::{Factors, Family, FeatureSet, PieceSquare};
use crate::spec::{FactorRounding, VirtualSet};

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
        let first_rows = [first_row, blacks + first_row].map(Literal::u32_unsuffixed);
        let tokens = match &set.family {
            Family::PieceSquare(tables) => {
                let tables = piece_square(runtime, set, tables, first_rows);
                quote! { #runtime::features::FeatureSet::PieceSquare(#tables) }
            }
            Family::Custom => {
                let tables = custom(runtime, set, first_rows);
                quote! { #runtime::features::FeatureSet::Custom(#tables) }
            }
        };
        first_row += set.rows as u32;
        tokens
    });
    let sets: Vec<_> = sets.collect();
    quote! { [#(#sets),*] }
}

fn piece_square(
    runtime: &TokenStream,
    set: &FeatureSet,
    tables: &PieceSquare,
    first_row: [Literal; 2],
) -> TokenStream {
    let flip = tables.flip.map(Literal::u8_unsuffixed);
    let mirror_files = Literal::u8_unsuffixed(tables.mirror_files);
    let king_offset = tables.king_offset.map(Literal::u32_unsuffixed);
    let none = quote! { #runtime::features::PieceSquare::NO_PLANE };
    let planes = [0, 6].map(|own| {
        let plane = |piece: usize| {
            let plane = Literal::u32_unsuffixed(tables.plane[(piece + own) % 12]);
            let is_feature = tables.kings || piece % 6 != 5;
            if is_feature {
                quote!(#plane)
            } else {
                none.clone()
            }
        };
        let planes = (0..12).map(plane);
        quote! { [#none, #(#planes,)* #none, #none, #none] }
    });
    let max_active = count(set.max_active);
    quote! {
        #runtime::features::PieceSquare {
            first_row: [#(#first_row),*],
            flip: [#(#flip),*],
            mirror_files: #mirror_files,
            king_offset: [#(#king_offset),*],
            planes: [#(#planes),*],
            max_active: #max_active,
        }
    }
}

/// The virtual rows of a set.
pub(super) fn factors(runtime: &TokenStream, set: &FeatureSet, factors: &Factors) -> TokenStream {
    let tables = match &set.family {
        Family::PieceSquare(tables) => tables,
        // Nobody knows what the engine's features have in common.
        Family::Custom => return TokenStream::new(),
    };
    let first_row = [0, 0].map(Literal::u32_unsuffixed);
    let tables = piece_square(runtime, set, tables, first_row);
    let sets = factors.sets.iter().map(|(set, _)| match set {
        VirtualSet::A | VirtualSet::P => quote! { #runtime::features::VirtualSet::Pieces },
        VirtualSet::K => quote! { #runtime::features::VirtualSet::King },
        VirtualSet::HalfRelativeKP => quote! { #runtime::features::VirtualSet::RelativePieces },
    });
    let round_each = factors.rounding == FactorRounding::Each;
    quote! {
        #runtime::features::Factors {
            set: #tables,
            sets: &[#(#sets),*],
            round_each: #round_each,
        }
    }
}

fn custom(runtime: &TokenStream, set: &FeatureSet, first_row: [Literal; 2]) -> TokenStream {
    let rows = Literal::u32_unsuffixed(set.rows as u32);
    let max_active = count(set.max_active);
    quote! {
        #runtime::features::Custom {
            first_row: [#(#first_row),*],
            rows: #rows,
            max_active: #max_active,
        }
    }
}
