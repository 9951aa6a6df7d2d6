//! Evaluations of the position after a move: its rows are added in the pass that makes the layers'
//! inputs, where that is faster than two passes.

use std::ops::Range;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::accumulate::{Table, has_moves};
use super::names::{count, halves, perspectives};
use super::program::Program;
use super::{output, propagate};
use crate::network::Transformer;
use crate::plan::Plan;

/// The functions for quiet moves and for captures. The numbers of the rows stay in registers: no
/// list of them is written and read again.
pub(super) fn functions(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
) -> Option<TokenStream> {
    has_moves(program).then(|| {
        let body = body(program, plan);
        let output_type = output::output_name(program);
        let (passed, pass) = propagate::proved(program);
        let function = |doc: &str, name: &str, removed: &[&str]| {
            let name = format_ident!("{name}");
            let removed: Vec<_> = removed.iter().map(|name| format_ident!("{name}")).collect();
            quote! {
                #[doc = #doc]
                #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
                #attribute
                pub(super) fn #name(
                    weights: &Weights,
                    stacks: &Stacks,
                    before: [&Half; 2],
                    added: [u32; 2],
                    #(#removed: [u32; 2],)*
                    after: [&mut Half; 2],
                    bucket: usize,
                    #passed
                ) -> #output_type {
                    moved(
                        weights, stacks, before, added, [#(#removed),*], after, bucket, #pass
                    )
                }
            }
        };
        let (quiet, capture) = (
            function(
                " [`moved`] for a move that takes nothing.",
                "quiet",
                &["removed"],
            ),
            function(
                " [`moved`] for a capture.",
                "capture",
                &["removed", "captured"],
            ),
        );
        quote! {
            #quiet
            #capture

            /// The evaluation after a move, whose rows lead from `before` to `after`.
            #[inline]
            #[allow(clippy::too_many_arguments, reason = "what an update and a forward pass need")]
            #attribute
            fn moved<const REMOVED: usize>(
                weights: &Weights,
                stacks: &Stacks,
                before: [&Half; 2],
                added: [u32; 2],
                removed: [[u32; 2]; REMOVED],
                after: [&mut Half; 2],
                bucket: usize,
                #passed
            ) -> #output_type {
                #body
            }
        }
    })
}

/// The functions for updates of an accumulator that the functions for moves call.
pub(super) fn updates(program: &Program<'_>, plan: &Plan<'_>) -> Vec<Ident> {
    let Transformer {
        perspectives, psqt, ..
    } = &program.network.transformer;
    let fused = plan.fuses_moves;
    let sums = has_moves(program) && (!fused || perspectives.kept() > perspectives.count);
    let psqt = fused && *psqt > 0;
    let names = [("update", sums), ("update_psqt", psqt)].into_iter();
    (names.filter(|(_, called)| *called))
        .map(|(name, _)| format_ident!("{name}"))
        .collect()
}

/// The statements of `moved`.
fn body(program: &Program<'_>, plan: &Plan<'_>) -> TokenStream {
    let kept = program.network.transformer.perspectives.kept();
    let all = perspectives(kept);
    let read = halves(program);
    let names = all.iter().map(|half| moved_names(half)[0].clone());
    let pattern = |names: Vec<Ident>| match names.as_slice() {
        [one] => quote! { [#one, _] },
        names => quote! { [#(#names),*] },
    };
    let (before, after) = (pattern(names.collect()), pattern(all.clone()));
    let call = |function: &str, index: usize| {
        let (function, half) = (format_ident!("{function}"), &all[index]);
        let ([before, ..], index) = (moved_names(half), count(index));
        quote! {
            #function(
                weights,
                #before,
                [&added[#index]],
                removed.each_ref().map(|rows| &rows[#index]),
                #half,
            );
        }
    };
    let calls = |function: &str, perspectives: Range<usize>| -> Vec<TokenStream> {
        perspectives.map(|index| call(function, index)).collect()
    };
    if !plan.fuses_moves {
        let (updates, (_, pass)) = (calls("update", 0..kept), propagate::proved(program));
        return quote! {
            let (#before, #after) = (before, after);
            #(#updates)*
            propagate(stacks, #(#read,)* bucket, #pass)
        };
    }
    // The layers may read fewer perspectives than are kept.
    let unread = calls("update", read.len()..kept);
    let psqt = match program.network.transformer.psqt {
        0 => Vec::new(),
        _ => calls("update_psqt", 0..read.len()),
    };
    let row = Table::all(program)[0].row(&quote!(number));
    let rows = read.iter().enumerate().map(|(index, half)| {
        let ([_, added, removed], index) = (moved_names(half), count(index));
        quote! {
            let (#added, #removed) = (row(added[#index]), removed.map(|rows| row(rows[#index])));
        }
    });
    let evaluation = propagate::of_move(program, plan, &quote! { #(#psqt)* });
    quote! {
        let (#before, #after) = (before, after);
        let row = |number: u32| #row;
        #(#rows)*
        #(#unread)*
        #evaluation
    }
}

/// The variables for a perspective's accumulator before the move, for the row to add and for those
/// to remove.
pub(super) fn moved_names(half: &Ident) -> [Ident; 3] {
    ["before", "added", "removed"].map(|name| format_ident!("{half}_{name}"))
}
