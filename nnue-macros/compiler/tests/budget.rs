//! How much code a network becomes. Users pay for it in every build: the time that rustc takes grows with the tokens,
//! and faster than they do where straight-line code ends up in one function.

mod specs;

use nnue_compiler::network::Layer;
use nnue_compiler::plan::Unroll;
use nnue_compiler::{Options, analyse, emit};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

/// Tokens of a network with a sparse first layer, which is a loop; a quarter more than the largest needs. Exceed it
/// for a reason that was measured: nanoseconds of an evaluation against seconds of a build.
const SPARSE: usize = 50_000;

/// Tokens of a network whose first layer may be straight-line code.
const DENSE: usize = 125_000;

#[test]
fn networks_stay_within_the_token_budget() {
    for spec in specs::all() {
        let network = analyse(&spec).expect("the spec is right");
        let [auto, full] = [Unroll::Auto, Unroll::Full].map(|unroll| {
            let options = Options {
                runtime: quote!(::nnue_runtime),
                unroll,
                embedded: None,
            };
            tokens(emit(&network, &options))
        });
        let is_sparse =
            |layer: &Layer| layer.affine().is_some_and(|affine| affine.sparse.is_some());
        let budget = if network.layers.iter().any(is_sparse) {
            SPARSE
        } else {
            DENSE
        };
        println!(
            "{}: {auto} tokens, {full} when everything is unrolled",
            spec.path
        );
        assert!(
            auto <= budget,
            "{}: {auto} tokens, the budget is {budget}",
            spec.path
        );
        assert!(
            full > auto,
            "{}: {full} tokens unrolled, {auto} planned",
            spec.path
        );
    }
}

/// Tokens, each delimiter counted once.
fn tokens(stream: TokenStream) -> usize {
    let count = |tree| match tree {
        TokenTree::Group(group) => 2 + tokens(group.stream()),
        _ => 1,
    };
    stream.into_iter().map(count).sum()
}
