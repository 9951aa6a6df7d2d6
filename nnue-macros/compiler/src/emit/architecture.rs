//! The implementation of the runtime's trait `Architecture`: types, constants, the layout of the
//! net file, and the calls of the kernels.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::accumulate::{Table, has_moves};
use super::imports::Names;
use super::names::count;
use super::{Program, doc, embedded, features, file, memory, neurons, output, probe, proof};
use crate::feature_set::FeatureSet;
use crate::network::{Network, Order};
use crate::plan::PrefetchPlan;

/// The public items of a network: its types and constants.
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
    let (evaluator_doc, width_doc) = (doc::evaluator(network), doc::width(network));
    let (features_doc, buckets_doc) = (doc::features(network), doc::buckets(network));
    let (evaluation, outputs) = (
        output::evaluation_name(program),
        output::definition(program),
    );
    quote! {
        #(#[doc = #net_doc])*
        #[derive(#core::clone::Clone, #core::marker::Copy, #core::fmt::Debug)]
        pub struct Net;

        #(#[doc = #network_doc])*
        pub type Network = #runtime::Network<Net>;

        #(#[doc = #accumulator_doc])*
        pub type Accumulator = #runtime::Accumulator<Net>;

        #(#[doc = #evaluator_doc])*
        pub type Evaluator<N> = #runtime::Evaluator<Net, N>;

        pub use #runtime::#evaluation;

        #outputs

        /// The network's name.
        pub const NAME: &str = #name;
        #(#[doc = #width_doc])*
        pub const WIDTH: usize = #width;
        #(#[doc = #features_doc])*
        pub const FEATURES: usize = #features;
        #(#[doc = #buckets_doc])*
        pub const BUCKETS: usize = #buckets;
    }
}

/// The implementations of the runtime's traits for the network. They stand in a block, so that the
/// names that they import do not reach the user.
pub(super) fn implementation(program: &Program<'_>) -> TokenStream {
    let checks = memory::checks(program);
    let architecture = architecture(program);
    let selection = selection(program.network);
    let (output, embedded, probed) = (
        output::implementation(program),
        embedded::implementation(program),
        probe::implementation(program),
    );
    let implementations = quote! {
        #checks
        #architecture
        #selection
        #output
        #embedded
        #probed
    };
    // The module around the block already has the names of evaluations.
    let imports = Names::of(&implementations).of_runtime(program.runtime, &["Output", "Wdl"], None);
    quote! {
        const _: () = {
            #imports
            #implementations
        };
    }
}

fn architecture(program: &Program<'_>) -> TokenStream {
    let network = program.network;
    let (output_type, proofs) = (output::output_name(program), proof::function(program));
    let needs_proofs = program.plans.need_proofs();
    let features = features::sets(program);
    let tables = Table::all(program);
    let table_count = count(tables.len());
    let capacity = count(program.layout.longest_list());
    let viewpoints = count(network.viewpoints());
    let (added, removed): (Vec<_>, Vec<_>) = tables
        .iter()
        .map(|table| (&table.added, &table.removed))
        .unzip();
    let (table, rows) = of_table(tables.iter().map(Table::weights).collect());
    let file = file::layout(program);
    let neurons = neurons::table(program);
    let prefetch = prefetch(program);
    let perspectives = network.transformer.perspectives;
    let sets = &network.features;
    let line = match sets.iter().filter(|set| set.is_supplied()).count() {
        0 if sets.iter().any(FeatureSet::is_clock) => quote! { FromClock },
        0 => quote! { FromPosition },
        _ if sets.iter().any(|set| set.views() > 1) => quote! { FromViews },
        supplied if supplied == sets.len() => quote! { FromFeatures },
        _ => quote! { FromBoth },
    };
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
        1 => quote! { &[Color::White] },
        _ => quote! { &Color::ALL },
    };
    let (perspective, biases) = if perspectives.separate {
        (
            quote!(perspective),
            quote! { &weights.transformer_biases[perspective.index()] },
        )
    } else {
        (quote!(_), quote! { &weights.transformer_biases })
    };
    let (proved, pass_proved) = if needs_proofs {
        (quote! { proved }, quote! { , proved })
    } else {
        (quote! { _ }, TokenStream::new())
    };
    let moves = has_moves(program).then(|| {
        quote! {
            #[inline]
            fn follow_move(
                level: Level,
                weights: &Weights,
                before: &Half,
                added: &[u32],
                removed: &[u32],
                after: &mut Half,
            ) {
                kernels::dispatch!(level, accumulate(weights, before, added, removed, after))
            }

            #[inline]
            #[allow(clippy::too_many_arguments, reason = "what an update and a forward pass need")]
            fn propagate_move(
                level: Level,
                weights: &Weights,
                stacks: &Stacks,
                before: [&Half; 2],
                rows: features::MovedRows,
                after: [&mut Half; 2],
                bucket: usize,
                #proved: Proved,
            ) -> #output_type {
                let features::MovedRows { added, removed, captured } = rows;
                match captured {
                    Option::None => kernels::dispatch!(
                        level,
                        quiet(weights, stacks, before, added, removed, after, bucket #pass_proved)
                    ),
                    Option::Some(captured) => kernels::dispatch!(
                        level,
                        capture(
                            weights, stacks, before, added, removed, captured, after, bucket #pass_proved
                        )
                    ),
                }
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl Architecture for Net {
            type Weights = Weights;
            type Stacks = Stacks;
            type Half = Half;
            type Output = #output_type;
            type Rows = features::Rows<#table_count, #capacity>;
            type Entries = features::Entries<#viewpoints>;
            type Line = line::#line;

            const NAME: &'static str = NAME;
            const ORDER: Order = Order::#order;
            const PERSPECTIVES: &'static [Color] = #kept;
            const WIDTH: usize = WIDTH;
            const BUCKETS: usize = BUCKETS;
            const NEEDS_PROOFS: bool = #needs_proofs;
            const FEATURES: &'static [features::FeatureSet] = &#features;
            const FILE: &'static file::FileLayout = #file;
            const NEURONS: neurons::Neurons = #neurons;

            #[inline]
            fn biases(weights: &Weights, #perspective: Color) -> &Half {
                #biases
            }

            fn values(half: &Half) -> &[i16] {
                &half.values
            }

            fn rows(weights: &Weights, #table: usize) -> features::TableRows<'_> {
                #rows
            }

            #[inline]
            fn stacks(weights: &Weights) -> &Stacks {
                &weights.stacks
            }

            #proofs

            #[inline]
            fn prefetch(weights: &Weights, #table: usize, row: u32) {
                #prefetch
            }

            #[inline]
            fn accumulate(
                level: Level,
                weights: &Weights,
                base: &Half,
                added: &Self::Rows,
                removed: &Self::Rows,
                into: &mut Half,
            ) {
                let ([#(#added),*], [#(#removed),*]) = (added.lists(), removed.lists());
                kernels::dispatch!(level, accumulate(weights, base, #(#added, #removed,)* into))
            }

            #[inline]
            fn refresh(
                level: Level,
                weights: &Weights,
                entry: &mut Half,
                added: &Self::Rows,
                removed: &Self::Rows,
                into: &mut Half,
            ) {
                let ([#(#added),*], [#(#removed),*]) = (added.lists(), removed.lists());
                kernels::dispatch!(level, refresh(weights, entry, #(#added, #removed,)* into))
            }

            #moves

            #[inline]
            fn propagate(
                level: Level,
                stacks: &Stacks,
                halves: [&Half; 2],
                bucket: usize,
                #proved: Proved,
            ) -> #output_type {
                let #pattern = halves;
                kernels::dispatch!(level, propagate(stacks, #(#halves,)* bucket #pass_proved))
            }
        }
    }
}

/// The implementation of `SelectedByPieces`, for networks whose stack follows from the number of
/// pieces alone.
fn selection(network: &Network) -> Option<TokenStream> {
    let table = network.stacks.by_pieces?;
    let table = table.iter().map(|bucket| Literal::u8_unsuffixed(*bucket));
    Some(quote! {
        #[automatically_derived]
        impl SelectedByPieces for Net {
            const BUCKETS: [u8; 33] = [#(#table),*];
        }
    })
}

/// The parameter with the number of a table, and code that chooses by it. A network with a single
/// table does not need to choose.
fn of_table(mut tables: Vec<TokenStream>) -> (TokenStream, TokenStream) {
    let last = tables.pop();
    if tables.is_empty() {
        return (quote!(_), quote! { #last });
    }
    let numbers = (0..tables.len()).map(count);
    let choice = quote! {
        match table {
            #(#numbers => { #tables })*
            _ => { #last }
        }
    };
    (quote!(table), choice)
}

fn prefetch(program: &Program<'_>) -> TokenStream {
    let number = quote! { row };
    let PrefetchPlan { weights, psqt, .. } = &program.plans.prefetch;
    let tables = Table::all(program).into_iter().zip(weights);
    let tables = tables.map(|(table, lines)| {
        let (row, lines) = (table.row(&number), count(*lines));
        let psqt = (*psqt > 0).then(|| {
            let (row, lines) = (table.psqt(&number), count(*psqt));
            quote! { simd::prefetch::<_, #lines>(#row); }
        });
        quote! { simd::prefetch::<_, #lines>(#row); #psqt }
    });
    let (_, choice) = of_table(tables.collect());
    choice
}

/// The public items, without a network behind them.
pub(super) fn skeleton(runtime: &TokenStream) -> TokenStream {
    let core = quote!(#runtime::__private::core);
    let implementations = quote! {
        impl Architecture for Net {
            type Weights = [u8; 0];
            type Stacks = [u8; 0];
            type Half = [u8; 0];
            type Output = Output;
            type Rows = features::Rows<0, 0>;
            type Entries = features::Entries<0>;
            type Line = line::FromAnything;
            const NAME: &'static str = "";
            const ORDER: Order = Order::SideToMoveFirst;
            const PERSPECTIVES: &'static [Color] = &[];
            const WIDTH: usize = 0;
            const BUCKETS: usize = 0;
            const NEEDS_PROOFS: bool = false;
            const FEATURES: &'static [features::FeatureSet] = &[];
            const FILE: &'static file::FileLayout = &file::FileLayout::EMPTY;
            const NEURONS: neurons::Neurons = neurons::Neurons::NONE;
            fn biases(_: &[u8; 0], _: Color) -> &[u8; 0] { &[] }
            fn values(_: &[u8; 0]) -> &[i16] { &[] }
            fn rows(_: &[u8; 0], _: usize) -> features::TableRows<'_> { features::TableRows::I16(&[]) }
            fn stacks(weights: &[u8; 0]) -> &[u8; 0] { weights }
            fn proofs(_: &[u8; 0]) -> proof::Proofs { proof::Proofs::new() }
            fn prefetch(_: &[u8; 0], _: usize, _: u32) {}
            fn accumulate(_: Level, _: &[u8; 0], _: &[u8; 0], _: &Self::Rows, _: &Self::Rows, _: &mut [u8; 0]) {}
            fn refresh(_: Level, _: &[u8; 0], _: &mut [u8; 0], _: &Self::Rows, _: &Self::Rows, _: &mut [u8; 0]) {}
            fn propagate(_: Level, _: &[u8; 0], _: [&[u8; 0]; 2], _: usize, _: Proved) -> Output {
                Output { psqt: 0, positional: 0, value: 0 }
            }
        }

        impl Probed for Net {
            const SPEC: &'static str = "";
            fn sums(_: &mut [u8; 0]) -> (&mut [i16], &mut [i32]) { (&mut [], &mut []) }
            fn propagate_probed(_: Level, _: &[u8; 0], _: [&[u8; 0]; 2], _: usize, _: Proved, _: &mut dyn Probe) -> Output {
                Output { psqt: 0, positional: 0, value: 0 }
            }
        }

        impl SelectedByPieces for Net {
            const BUCKETS: [u8; 33] = [0; 33];
        }

        impl Embedded for Net {
            const NET: EmbeddedNet<[u8; 0]> = EmbeddedNet::File(&[]);
        }
    };
    let imports = Names::of(&implementations).of_runtime(runtime, &["Output"], None);
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

        const _: () = {
            #imports
            #implementations
        };
    }
}
