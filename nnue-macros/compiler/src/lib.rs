//! The NNUE compiler: it reads the description of a network and writes specialised Rust.
//!
//! ```text
//! SourceFile --decode--> Spec --check--> Network --Layout::of--> Layout
//!                                           Layout --Plans::of--> Plans --emit--> TokenStream
//! ```
//!
//! Each arrow is one file and one public function. Errors are collected by [`decode()`] and
//! [`check()`] and reported together. Nothing after them can fail, except that a network may become
//! more straight-line code than can be compiled ([`Plans::of`]), which [`analyse()`] reports too.
//! The crate does no I/O, except that [`explain`] may look at a net file: callers bring the text and
//! print the result. Callers are the macro
//! `nnue_net!`, nnue-build, which both call [`compile()`], and the command `nnue`.

#![forbid(unsafe_code)]

mod check;
mod compile;
mod decode;
#[cfg(feature = "description")]
pub mod description;
pub mod diagnostics;
mod diagram;
mod emit;
pub mod explain;
pub mod feature_set;
mod known;
pub mod layout;
pub mod network;
pub mod operation;
mod options;
pub mod plan;
pub mod recognise;
pub mod schema;
pub mod spec;
mod write_spec;

pub use nnue_format as format;
use nnue_format::FileLayout;
use proc_macro2::TokenStream;

pub use crate::check::{check, check_name};
pub use crate::compile::{Embed, NetFile, Refused, Request, compile};
pub use crate::decode::{decode, material_count, whole_spec};
use crate::diagnostics::{Diagnostics, Errors, SourceFile};
pub use crate::diagram::{diagram, operations};
pub use crate::known::known_specs;
use crate::layout::Layout;
use crate::network::Network;
pub use crate::options::{Embedded, EmbeddedWeights, Levels, Options};
use crate::plan::{Plans, TooMuchCode, Unroll};
use crate::spec::Spec;
pub use crate::write_spec::{spec_of, toml_string};

/// Reads and checks a spec.
///
/// # Errors
///
/// Everything that is wrong with the spec, each mistake with its place in the text.
pub fn analyse(file: &SourceFile) -> Result<Network, Errors> {
    let mut diagnostics = Diagnostics::default();
    let spec = decode(file, &mut diagnostics);
    let spec = diagnostics.barrier(file, spec)?;
    let network = spec.and_then(|spec| {
        let network = check(&spec, &mut diagnostics)?;
        check_amount_of_code(&spec, &network, &mut diagnostics);
        Some(network)
    });
    match diagnostics.barrier(file, network)? {
        Some(network) => Ok(network),
        None => {
            let message = "the compiler refuses this spec and gives no reason: please report it";
            diagnostics.error(Default::default(), message);
            diagnostics.barrier(file, ()).and(Err(Errors {
                file: file.clone(),
                known: None,
                found: Vec::new(),
            }))
        }
    }
}

/// Puts the neurons of a network in the order of a file of its own, as if its spec had the key
/// `neuron_order`. The file is TOML with this key alone; `nnue reorder --order` writes it.
///
/// # Errors
///
/// Everything that is wrong with the order, each mistake with its place in the text, or that the
/// spec has an order too.
pub fn reorder(network: &mut Network, file: &SourceFile) -> Result<(), Errors> {
    let mut diagnostics = Diagnostics::default();
    let order = decode::decode_neuron_order(file, &mut diagnostics);
    let order =
        order.and_then(|order| check::check_neuron_order(&order, network, &mut diagnostics));
    network.transformer.neuron_order = diagnostics.barrier(file, order)?.unwrap_or_default();
    Ok(())
}

/// Reports a network that becomes too much code however it is planned.
fn check_amount_of_code(spec: &Spec, network: &Network, diagnostics: &mut Diagnostics) {
    // A network with errors may have no layout.
    if !diagnostics.is_empty() {
        return;
    }
    if let Err(excess) = Plans::of(&Layout::of(network), Unroll::Auto) {
        let largest = excess.layer().map(|layer| spec.layers[layer].name.span);
        let span = largest.unwrap_or(spec.name.span);
        let error = diagnostics.error(span, excess.problem());
        error.help(excess.help());
    }
}

/// Writes the Rust module of a checked network.
///
/// # Errors
///
/// [`TooMuchCode`] if [`Unroll::Full`] would make more code of the network than a Rust compiler
/// takes in reasonable time.
pub fn emit(network: &Network, options: &Options) -> Result<TokenStream, TooMuchCode> {
    let layout = Layout::of(network);
    let plans = Plans::of(&layout, options.unroll)?;
    Ok(emit::emit(&emit::Program {
        network,
        layout: &layout,
        plans: &plans,
        runtime: &options.runtime,
        embedded: options.embedded.as_ref(),
        levels: options.levels,
        checked: options.checked.as_deref(),
    }))
}

/// The content of the network's net files, and the places of its tensors in memory. Generated code
/// has the same value as a constant.
pub fn file_layout(network: &Network) -> FileLayout {
    layout::file(&Layout::of(network))
}

/// The module that takes the place of a network whose spec has errors: the names that its users
/// refer to, without a network behind them.
pub fn skeleton(runtime: &TokenStream) -> TokenStream {
    emit::skeleton(runtime)
}

/// The code of README.md, which doctests compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
