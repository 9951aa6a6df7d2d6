//! From the floating point of a trainer to the integers of a network, and what that costs.
//!
//! [`source`] says what the file of floating point is, [`crate::conversion`] makes the file of
//! integers. The rest is the report: [`tensors`] has what became of the weights, [`comparison`] and
//! [`divergence`] what became of activations and evaluations, and [`ones`] has changes of the spec
//! with which less is lost.

mod comparison;
mod divergence;
mod edit;
mod ones;
mod source;
mod tensors;

use std::path::Path;

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_interpreter::UnroundedNet;
use nnue_runtime::Board;
use serde::Serialize;

pub(crate) use self::comparison::Comparison;
pub(crate) use self::ones::Proposal;
pub(crate) use self::source::one;
pub(crate) use self::tensors::TensorReport;
use crate::Failure;
use crate::conversion::convert_to_nearest;
use crate::net_file::NetFile;

/// A spec, and the network that it describes.
pub(crate) struct Spec {
    pub(crate) text: SourceFile,
    pub(crate) network: Network,
}

/// A file of integers, and what became of the numbers.
pub(crate) struct Quantised {
    /// The file.
    pub(crate) bytes: Vec<u8>,
    pub(crate) report: Report,
}

/// What became of the numbers.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The tensors that were floating point and became integers, in the order of the file.
    pub(crate) tensors: Vec<TensorReport>,
    /// Other ones with which less is lost: one entry for each part of the network that has some.
    pub(crate) better_ones: Vec<Proposal>,
    /// What both networks compute; `null` where no positions tell it.
    pub(crate) comparison: Option<Comparison>,
    /// Why no positions tell it; `null` where they do.
    pub(crate) not_compared: Option<String>,
}

/// Makes integers of a file of floating point: one of the spec's own form if that is quantised,
/// which `to` then says how to write; otherwise one that has the tensors of the spec's file as
/// `f32`, in their order and with their padding, and nothing else. Virtual rows, and what stacks
/// share, are added before the sums are rounded; then `to` is the network without them.
///
/// # Errors
///
/// The file is another one, a number is infinite or none, or the specs do not allow it.
pub(crate) fn quantise(
    spec: &Spec,
    to: Option<&Spec>,
    (path, file): (&Path, &[u8]),
    positions: &[Board],
) -> Result<Quantised, Failure> {
    let source = source::network(&spec.network, to.map(|to| &to.network))?;
    let target = &to.unwrap_or(spec).network;
    let file = NetFile::of(path, source, file)?;
    let source = file.network.clone();
    let unrounded = UnroundedNet::from_bytes(&source, &file.bytes).map_err(Failure::work)?;
    let bytes = convert_to_nearest(file, target)?.bytes;
    let integers = NetFile::of(path, target.clone(), &bytes)?.net()?;
    let (comparison, not_compared) = match comparison::compare(&unrounded, &integers, positions) {
        Ok(comparison) => (Some(comparison), None),
        Err(reason) => (None, Some(reason)),
    };
    Ok(Quantised {
        report: Report {
            tensors: tensors::report((&source, unrounded.weights()), &integers),
            better_ones: ones::proposals(
                (spec, to),
                &source,
                unrounded.weights(),
                integers.weights(),
            ),
            comparison,
            not_compared,
        },
        bytes,
    })
}
