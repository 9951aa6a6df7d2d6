//! From the floating point of a trainer to the integers of a network, and the cost of rounding.
//!
//! | module | has |
//! |---|---|
//! | `source` | the network of the file with floating point; [`nets`](crate::nets) makes the file of integers |
//! | `channels` | layers with a `one` for each output |
//! | `tensors` | the rounding errors of weights |
//! | `comparison`, `divergence` | the differences of activations and evaluations |
//! | `ones`, `edit`, `specs`, `room` | changes of the spec with which rounding errors are smaller |
//! | `calibration` | values of `one` that follow from the ranges of weights, with their costs |

mod calibration;
mod channels;
mod comparison;
mod divergence;
mod edit;
mod error;
mod ones;
mod room;
mod source;
mod specs;
mod tensors;

use std::borrow::Cow;
use std::path::Path;

use nnue_compiler::network::Network;
use nnue_interpreter::{Net, UnroundedNet};
use nnue_runtime::Board;
use serde::Serialize;

use crate::nets::conversion::convert_to_nearest;
use crate::nets::evaluation::told_features;
use crate::nets::net_file::NetFile;
use crate::nets::specs::Spec;

pub use crate::quantise::calibration::{Calibration, Choice, Cost, ValueRange};
pub use crate::quantise::comparison::{ActivationReport, Comparison, OutputReport};
pub use crate::quantise::edit::Change;
pub use crate::quantise::error::Error;
pub use crate::quantise::ones::{Effect, Proposal};
use crate::quantise::room::Room;
use crate::quantise::specs::Specs;
pub use crate::quantise::tensors::TensorReport;

/// A file of integers, with a report of the rounding errors.
#[derive(Debug)]
pub struct Quantised {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The report of the rounding errors.
    pub report: Report,
}

/// A report of the errors that rounding to integers makes.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The tensors that were floating point and became integers, in the order of the file.
    pub tensors: Vec<TensorReport>,
    /// Proposals of another `one`, with which errors are smaller, for each part that has any.
    pub proposals: Vec<Proposal>,
    /// The differences between the network before and after rounding; `null` if positions alone do
    /// not decide its values.
    pub comparison: Option<Comparison>,
    /// Why the networks were not compared; `null` if they were.
    pub not_compared: Option<String>,
    /// The choices of `one` by calibration and their costs, if a calibration was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
}

/// Makes a file of integers from a file of floating point. If the spec's file has floating point
/// that is quantised while loading, the file is one of this spec, and `to` is the spec of the file
/// of integers. Otherwise the file has the tensors of the spec's file as `f32`, in their order and
/// with their padding, and nothing else. Virtual rows, and weights that stacks share, are added
/// before rounding; then `to` is the network without them.
///
/// With positions for a calibration, at least one, values of `one` that follow from the ranges of
/// weights are tried too.
///
/// # Errors
///
/// The file does not fit, a number is infinite or NaN, or the specs do not allow the conversion.
pub fn quantise(
    spec: &Spec,
    to: Option<&Spec>,
    (path, file): (&Path, &[u8]),
    positions: &[Board],
    calibrate: Option<&[Board]>,
) -> Result<Quantised, Error> {
    let NetPair {
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
            return Err(Error::ToldFeatures(set.into()));
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
            proposals: specs.map_or(Vec::new(), |specs| {
                ones::proposals(&specs, &source, unrounded.weights(), &room)
            }),
            comparison,
            not_compared,
            calibration,
        },
        bytes,
    })
}

/// A network in floating point, and the network of integers that was made from it.
struct NetPair {
    unrounded: UnroundedNet,
    /// The bytes of the file of integers.
    bytes: Vec<u8>,
    integers: Net,
}

/// Makes a file of integers from a file of floating point, and loads both.
fn make(
    spec: &Network,
    to: Option<&Network>,
    (path, file): (&Path, &[u8]),
) -> Result<NetPair, Error> {
    let source = source::network(spec, to)?;
    let file = if source::is_own(spec) {
        Cow::Borrowed(file)
    } else {
        channels::in_units(&source, file)?
    };
    let file = NetFile::of(path, source, &*file)?;
    let unrounded = UnroundedNet::from_bytes(&file.network, &file.bytes)?;
    let target = to.unwrap_or(spec);
    let bytes = convert_to_nearest(file, target)?.bytes;
    let integers = NetFile::of(path, target.clone(), &bytes)?.net()?;
    Ok(NetPair {
        unrounded,
        bytes,
        integers,
    })
}
