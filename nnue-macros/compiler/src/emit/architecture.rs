//! The implementation of the runtime's trait `Architecture`: types, constants, the layout of the
//! net file, and the calls of the kernels.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::accumulate::{Table, has_moves, has_sum};
use super::memory::count;
use super::{Program, doc, embedded, features, file, neurons, output, proof};
use crate::network::Order;
use crate::plan::Prefetch;

/// The public names of a network.
pub(super) fn types(program: &Program<'_>) -> TokenStream {
    let runtime = program.runtime;
    let network = program.network;
    let core = quote!(#runtime::__private::core);
    let name = &network.name;
    let (width, features, buckets) = (
        count(network.transformer.width),
        count(network.feature_count()),
        count(network.stacks.count),
    );
    let net_doc = doc::net(program);
    let network_doc = doc::network(program);
    let accumulator_doc = doc::accumulator(program);
    let (features_doc, buckets_doc) = (doc::features(network), doc::buckets(network));
    let (evaluation, outputs) = (
        output::evaluation_name(program),
        output::definition(program),
    );
    let embedded = embedded::implementation(program);
    quote! {
        #(#[doc = #net_doc])*
        #[derive(#core::clone::Clone, #core::marker::Copy, #core::fmt::Debug)]
        pub struct Net;

        #(#[doc = #network_doc])*
        pub type Network = #runtime::Network<Net>;

        #(#[doc = #accumulator_doc])*
        pub type Accumulator = #runtime::Accumulator<Net>;

        /// The evaluation of a position that follows a search; `N` is how the network is held:
        /// `&Network`, `Arc<Network>`.
        pub type Evaluator<N> = #runtime::Evaluator<Net, N>;

        pub use #runtime::#evaluation;

        #outputs

        /// The network's name.
        pub const NAME: &str = #name;
        /// Neurons of the transformer per perspective.
        pub const WIDTH: usize = #width;
        #(#[doc = #features_doc])*
        pub const FEATURES: usize = #features;
        #(#[doc = #buckets_doc])*
        pub const BUCKETS: usize = #buckets;

        #embedded
    }
}

pub(super) fn implementation(program: &Program<'_>) -> TokenStream {
    let (network, runtime) = (program.network, program.runtime);
    let (output_type, proofs) = (output::output_type(program), proof::body(program));
    let needs_proofs = program.plans.need_proofs();
    let features = features::sets(program);
    let tables = Table::all(program);
    let table_count = count(tables.len());
    let capacity = count(program.layout.longest_list());
    let (added, removed): (Vec<_>, Vec<_>) = tables
        .iter()
        .map(|table| (&table.added, &table.removed))
        .unzip();
    let rows = of_table(tables.iter().map(|table| table.weights(runtime)).collect());
    let file = file::layout(program);
    let neurons = neurons::table(program);
    let prefetch = prefetch(program);
    let perspectives = network.transformer.perspectives;
    let order = match perspectives.order {
        Order::StmFirst | Order::Interleaved => quote! { SideToMoveFirst },
        Order::WhiteFirst => quote! { WhiteFirst },
    };
    let (halves, pattern) = match perspectives.count {
        1 => (vec![quote! { first }], quote! { [first, _] }),
        _ => (
            vec![quote! { first }, quote! { second }],
            quote! { [first, second] },
        ),
    };
    let kept = match perspectives.kept() {
        1 => quote! { &[#runtime::Color::White] },
        _ => quote! { &#runtime::Color::ALL },
    };
    let biases = match perspectives.separate {
        false => quote! { let _ = perspective; &weights.transformer_biases },
        true => quote! { &weights.transformer_biases[perspective.index()] },
    };
    let (proved, pass_proved) = if needs_proofs {
        (quote! { proved }, quote! { , proved })
    } else {
        (quote! { _ }, TokenStream::new())
    };
    let sum = has_sum(program).then(|| {
        quote! {
            #[inline]
            fn sum(
                level: #runtime::Level,
                weights: &Weights,
                base: &Half,
                rows: &Self::Rows,
                into: &mut Half,
            ) {
                let [#(#added),*] = rows.lists();
                #runtime::__private::dispatch!(level, sum(weights, base, #(#added,)* into))
            }
        }
    });
    let follow_move = has_moves(program).then(|| {
        let option = quote!(#runtime::__private::core::option::Option);
        quote! {
            #[inline]
            fn follow_move(
                level: #runtime::Level,
                weights: &Weights,
                before: &[Half; 2],
                rows: #runtime::__private::features::MovedRows,
                after: &mut [Half; 2],
            ) {
                let (added, removed) = (rows.added, rows.removed);
                match rows.captured {
                    #option::None => #runtime::__private::dispatch!(level, quiet(weights, before, added, removed, after)),
                    #option::Some(captured) => #runtime::__private::dispatch!(level, capture(weights, before, added, removed, captured, after)),
                }
            }
        }
    });
    let selection = network.stacks.by_pieces.map(|table| {
        let table = table.iter().map(|bucket| Literal::u8_unsuffixed(*bucket));
        quote! {
            impl #runtime::SelectedByPieces for Net {
                const BUCKETS: [u8; 33] = [#(#table),*];
            }
        }
    });
    quote! {
        impl #runtime::Architecture for Net {
            type Weights = Weights;
            type Stacks = Stacks;
            type Half = Half;
            type Output = #output_type;
            type Rows = #runtime::__private::features::Rows<#table_count, #capacity>;

            const NAME: &'static str = NAME;
            const ORDER: #runtime::Order = #runtime::Order::#order;
            const PERSPECTIVES: &'static [#runtime::Color] = #kept;
            const WIDTH: usize = WIDTH;
            const BUCKETS: usize = BUCKETS;
            const NEEDS_PROOFS: bool = #needs_proofs;
            const FEATURES: &'static [#runtime::__private::features::FeatureSet] = &#features;
            const FILE: &'static #runtime::__private::file::FileLayout = #file;
            const NEURONS: #runtime::neurons::Neurons = #neurons;

            #[inline]
            fn biases(weights: &Weights, perspective: #runtime::Color) -> &Half {
                #biases
            }

            fn values(half: &Half) -> &[i16] {
                &half.values
            }

            fn rows(weights: &Weights, table: usize) -> #runtime::__private::features::TableRows<'_> {
                #rows
            }

            #[inline]
            fn stacks(weights: &Weights) -> &Stacks {
                &weights.stacks
            }

            fn proofs(stacks: &Stacks) -> #runtime::__private::proof::Proofs {
                #proofs
            }

            #[inline]
            fn prefetch(weights: &Weights, table: usize, row: u32) {
                #prefetch
            }

            #[inline]
            fn accumulate(
                level: #runtime::Level,
                weights: &Weights,
                base: &Half,
                added: &Self::Rows,
                removed: &Self::Rows,
                into: &mut Half,
            ) {
                let ([#(#added),*], [#(#removed),*]) = (added.lists(), removed.lists());
                #runtime::__private::dispatch!(level, accumulate(weights, base, #(#added, #removed,)* into))
            }

            #sum
            #follow_move

            #[inline]
            fn propagate(
                level: #runtime::Level,
                stacks: &Stacks,
                halves: [&Half; 2],
                bucket: usize,
                #proved: #runtime::__private::Proved,
            ) -> #output_type {
                let #pattern = halves;
                #runtime::__private::dispatch!(level, propagate(stacks, #(#halves,)* bucket #pass_proved))
            }
        }

        #selection
    }
}

/// Chooses by the number `table`. A network with a single table needs no choice.
fn of_table(mut tables: Vec<TokenStream>) -> TokenStream {
    let last = tables.pop();
    if tables.is_empty() {
        return quote! { let _ = table; #last };
    }
    let numbers = (0..tables.len()).map(count);
    quote! {
        match table {
            #(#numbers => { #tables })*
            _ => { #last }
        }
    }
}

fn prefetch(program: &Program<'_>) -> TokenStream {
    let runtime = program.runtime;
    let (buffer, number) = (quote! { #runtime::__private::buffer }, quote! { row });
    let Prefetch { weights, psqt, .. } = &program.plans.prefetch;
    let tables = Table::all(program).into_iter().zip(weights);
    let tables = tables.map(|(table, lines)| {
        let (row, lines) = (table.row(&buffer, &number), count(*lines));
        let psqt = (*psqt > 0).then(|| {
            let (row, lines) = (table.psqt(&buffer, &number), count(*psqt));
            quote! { #runtime::__private::simd::prefetch::<_, #lines>(#row); }
        });
        quote! { #runtime::__private::simd::prefetch::<_, #lines>(#row); #psqt }
    });
    of_table(tables.collect())
}

/// The public names, without a network behind them.
pub(super) fn skeleton(runtime: &TokenStream) -> TokenStream {
    let core = quote!(#runtime::__private::core);
    quote! {
        #[derive(#core::clone::Clone, #core::marker::Copy, #core::fmt::Debug)]
        pub struct Net;
        pub type Network = #runtime::Network<Net>;
        pub type Accumulator = #runtime::Accumulator<Net>;
        pub type Evaluator<N> = #runtime::Evaluator<Net, N>;
        pub use #runtime::Output;
        pub const NAME: &str = "";
        pub const WIDTH: usize = 0;
        pub const FEATURES: usize = 0;
        pub const BUCKETS: usize = 0;

        impl #runtime::Architecture for Net {
            type Weights = [u8; 0];
            type Stacks = [u8; 0];
            type Half = [u8; 0];
            type Output = #runtime::Output;
            type Rows = #runtime::__private::features::Rows<0, 0>;
            const NAME: &'static str = "";
            const ORDER: #runtime::Order = #runtime::Order::SideToMoveFirst;
            const PERSPECTIVES: &'static [#runtime::Color] = &[];
            const WIDTH: usize = 0;
            const BUCKETS: usize = 0;
            const NEEDS_PROOFS: bool = false;
            const FEATURES: &'static [#runtime::__private::features::FeatureSet] = &[];
            const FILE: &'static #runtime::__private::file::FileLayout = &#runtime::__private::file::FileLayout::EMPTY;
            const NEURONS: #runtime::neurons::Neurons = #runtime::neurons::Neurons::NONE;
            fn biases(_: &[u8; 0], _: #runtime::Color) -> &[u8; 0] { &[] }
            fn values(_: &[u8; 0]) -> &[i16] { &[] }
            fn rows(_: &[u8; 0], _: usize) -> #runtime::__private::features::TableRows<'_> { #runtime::__private::features::TableRows::I16(&[]) }
            fn stacks(weights: &[u8; 0]) -> &[u8; 0] { weights }
            fn proofs(_: &[u8; 0]) -> #runtime::__private::proof::Proofs { #runtime::__private::proof::Proofs::new() }
            fn prefetch(_: &[u8; 0], _: usize, _: u32) {}
            fn accumulate(_: #runtime::Level, _: &[u8; 0], _: &[u8; 0], _: &Self::Rows, _: &Self::Rows, _: &mut [u8; 0]) {}
            fn propagate(_: #runtime::Level, _: &[u8; 0], _: [&[u8; 0]; 2], _: usize, _: #runtime::__private::Proved) -> #runtime::Output {
                #runtime::Output { psqt: 0, positional: 0, value: 0 }
            }
        }

        impl #runtime::SelectedByPieces for Net {
            const BUCKETS: [u8; 33] = [0; 33];
        }

        impl #runtime::Embedded for Net {
            const NET: #runtime::__private::EmbeddedNet<[u8; 0]> = #runtime::__private::EmbeddedNet::File(&[]);
        }
    }
}
