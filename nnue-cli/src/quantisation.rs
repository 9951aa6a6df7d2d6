//! From the floating point of a trainer to the integers of a network, and what that costs.
//!
//! [`source`] says what the file of floating point is, [`crate::conversion`] makes the file of
//! integers. The rest is the report: [`tensors`] has what became of the weights, [`comparison`] and
//! [`divergence`] what became of activations and evaluations, and [`ones`] has changes of the spec
//! with which less is lost. [`calibration`] tries ones by the ranges of weights and measures what each
//! costs.

mod calibration;
mod channels;
mod comparison;
mod divergence;
mod edit;
mod ones;
mod room;
mod source;
mod specs;
mod tensors;

use std::borrow::Cow;
use std::path::Path;

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_interpreter::{Net, UnroundedNet};
use nnue_runtime::Board;
use serde::Serialize;

pub(crate) use self::calibration::{Calibration, Choice};
pub(crate) use self::channels::ones_of_outputs;
pub(crate) use self::comparison::Comparison;
pub(crate) use self::edit::Change;
pub(crate) use self::ones::Proposal;
use self::room::Room;
pub(crate) use self::source::one;
use self::specs::Specs;
pub(crate) use self::tensors::TensorReport;
use crate::Failure;
use crate::conversion::convert_to_nearest;
use crate::interpreted::told_features;
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
    /// What ones by calibration would cost, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) calibration: Option<Calibration>,
}

/// Makes integers of a file of floating point: one of the spec's own form if that is quantised,
/// which `to` then says how to write; otherwise one that has the tensors of the spec's file as
/// `f32`, in their order and with their padding, and nothing else. Virtual rows, and what stacks
/// share, are added before the sums are rounded; then `to` is the network without them.
///
/// With positions to calibrate with, at least one, ones by the ranges of weights are tried too.
///
/// # Errors
///
/// The file is another one, a number is infinite or none, or the specs do not allow it.
pub(crate) fn quantise(
    spec: &Spec,
    to: Option<&Spec>,
    (path, file): (&Path, &[u8]),
    positions: &[Board],
    calibrate: Option<&[Board]>,
) -> Result<Quantised, Failure> {
    let Made {
        unrounded,
        bytes,
        integers,
    } = make(&spec.network, to.map(|to| &to.network), (path, file))?;
    let source = unrounded.network().clone();
    let (comparison, not_compared) = match comparison::compare(&unrounded, &integers, positions) {
        Ok(comparison) => (Some(comparison), None),
        Err(reason) => (None, Some(reason)),
    };
    let specs = Specs::read(spec, to);
    let room = Room::of(&source, integers.weights());
    let calibration = match (calibrate, &specs, told_features(&source)) {
        (None, ..) | (_, None, _) => None,
        (Some(_), _, Some(set)) => {
            return Err(Failure::Work(format!(
                "ranges cannot be calibrated: the engine tells which features of `{set}` are active, and a position alone does not"
            )));
        }
        (Some(positions), Some(specs), None) => {
            let file = (path, file);
            let found =
                calibration::calibrate(specs, &unrounded, &integers, &room, file, positions)?;
            Some(found)
        }
    };
    Ok(Quantised {
        report: Report {
            tensors: tensors::report((&source, unrounded.weights()), &integers),
            better_ones: specs.map_or(Vec::new(), |specs| {
                ones::proposals(&specs, &source, unrounded.weights(), &room)
            }),
            comparison,
            not_compared,
            calibration,
        },
        bytes,
    })
}

/// A network of floating point, and the integers that it became.
struct Made {
    unrounded: UnroundedNet,
    /// The file of the integers.
    bytes: Vec<u8>,
    integers: Net,
}

/// Makes integers of a file of floating point.
fn make(
    spec: &Network,
    to: Option<&Network>,
    (path, file): (&Path, &[u8]),
) -> Result<Made, Failure> {
    let source = source::network(spec, to)?;
    let file = match source::is_own(spec) {
        true => Cow::Borrowed(file),
        false => channels::in_units(&source, file)?,
    };
    let file = NetFile::of(path, source, &*file)?;
    let unrounded = UnroundedNet::from_bytes(&file.network, &file.bytes).map_err(Failure::work)?;
    let target = to.unwrap_or(spec);
    let bytes = convert_to_nearest(file, target)?.bytes;
    let integers = NetFile::of(path, target.clone(), &bytes)?.net()?;
    Ok(Made {
        unrounded,
        bytes,
        integers,
    })
}
