//! From the floating point of a trainer to the integers of a network, and what that costs.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use nnue_compiler::analyse;
//! use nnue_compiler::diagnostics::SourceFile;
//! use nnue_nets::positions::Positions;
//! use nnue_quantise::{Spec, quantise};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = SourceFile::new("my-net.toml", std::fs::read_to_string("my-net.toml")?);
//! let spec = Spec { network: analyse(&text)?, text };
//! let positions = Positions::open(Path::new("positions.epd"))?.all()?;
//! let positions: Vec<_> = positions.into_iter().map(|given| given.board).collect();
//! let path = Path::new("floats.bin");
//! let quantised = quantise(&spec, None, (path, &std::fs::read(path)?), &positions, None)?;
//! for tensor in &quantised.report.tensors {
//!     println!("{}: {} of {} clipped", tensor.name, tensor.clipped, tensor.values);
//! }
//! std::fs::write("my-net.nnue", &quantised.bytes)?;
//! # Ok(())
//! # }
//! ```
//!
//! | module | has |
//! |---|---|
//! | `source` | what the file of floating point is; `nnue_nets::conversion` makes that of integers |
//! | `channels` | layers with a one for each output |
//! | `tensors` | what became of the weights |
//! | `comparison`, `divergence` | what became of activations and evaluations |
//! | `ones`, `edit`, `specs`, `room` | changes of the spec with which less is lost |
//! | `calibration` | ones by the ranges of weights, and what each costs |

#![forbid(unsafe_code)]

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

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_interpreter::{Net, UnroundedNet};
use nnue_nets::conversion::convert_to_nearest;
use nnue_nets::evaluation::told_features;
use nnue_nets::net_file::NetFile;
use nnue_runtime::Board;
use serde::Serialize;

pub use crate::calibration::{Calibration, Choice, Cost, ValueRange};
pub use crate::comparison::{ActivationReport, Comparison, OutputReport};
pub use crate::edit::Change;
pub use crate::error::Error;
pub use crate::ones::{Effect, Proposal};
use crate::room::Room;
use crate::specs::Specs;
pub use crate::tensors::TensorReport;

/// A spec, and the network that it describes.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its text.
    pub text: SourceFile,
    /// The network.
    pub network: Network,
}

/// A file of integers, and what became of the numbers.
#[derive(Debug)]
pub struct Quantised {
    /// The file.
    pub bytes: Vec<u8>,
    /// What became of the numbers.
    pub report: Report,
}

/// What became of the numbers.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The tensors that were floating point and became integers, in the order of the file.
    pub tensors: Vec<TensorReport>,
    /// Other ones with which less is lost: one entry for each part of the network that has some.
    pub better_ones: Vec<Proposal>,
    /// What both networks compute; `null` where no positions tell it.
    pub comparison: Option<Comparison>,
    /// Why no positions tell it; `null` where they do.
    pub not_compared: Option<String>,
    /// What ones by calibration would cost, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
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
pub fn quantise(
    spec: &Spec,
    to: Option<&Spec>,
    (path, file): (&Path, &[u8]),
    positions: &[Board],
    calibrate: Option<&[Board]>,
) -> Result<Quantised, Error> {
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
fn make(spec: &Network, to: Option<&Network>, (path, file): (&Path, &[u8])) -> Result<Made, Error> {
    let source = source::network(spec, to)?;
    let file = match source::is_own(spec) {
        true => Cow::Borrowed(file),
        false => channels::in_units(&source, file)?,
    };
    let file = NetFile::of(path, source, &*file)?;
    let unrounded = UnroundedNet::from_bytes(&file.network, &file.bytes)?;
    let target = to.unwrap_or(spec);
    let bytes = convert_to_nearest(file, target)?.bytes;
    let integers = NetFile::of(path, target.clone(), &bytes)?.net()?;
    Ok(Made {
        unrounded,
        bytes,
        integers,
    })
}
