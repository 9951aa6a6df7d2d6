//! Facts about a net file: its network, its numbers, and the bounds that its weights prove.

pub mod bounds;

use std::path::Path;

use nnue_compiler::explain::{Identity, identify};
use nnue_compiler::format::{Format, is_packed};
use nnue_interpreter::Net;
use nnue_runtime::Warning;
use serde::Serialize;

pub use self::bounds::LayerBound;
use crate::adopt::Doubt;
use crate::nets::Error;
use crate::nets::net_file::{NetFile, Recognised, fitting, untold};
use crate::nets::tensors::{self, Values};

/// The known facts about a net file.
#[derive(Debug, Serialize)]
pub struct Info {
    /// The path of the file.
    pub file: String,
    /// The length of the file in bytes.
    pub size: usize,
    /// The kind of the file, as words that follow "this is": the network to which it belongs, or
    /// the format that it has.
    pub identity: String,
    /// The known specs that the file fits, by the names of their files.
    pub fits: Vec<&'static str>,
    /// Why the file does not load, although its beginning names its network.
    pub refused: Option<String>,
    /// The contents of the file, if a spec fits.
    pub network: Option<Contents>,
}

/// The contents of a net file, read by the spec of its network.
#[derive(Debug, Serialize)]
pub struct Contents {
    /// The name of the network.
    pub name: String,
    /// Whether the file is compressed as a whole.
    pub compressed: bool,
    /// The header of Stockfish's format.
    pub header: Option<Header>,
    /// The tensors, in the order of the file.
    pub tensors: Vec<Statistics>,
    /// The bound of the accumulator's values.
    pub accumulator: AccumulatorBound,
    /// The bounds of the sums of the affine layers of integers.
    pub layers: Vec<LayerBound>,
    /// Warnings for the user of the network; a sound network has none.
    pub warnings: Vec<String>,
    /// Facts that no file tells, so that the spec may be wrong about them although the file fits.
    pub untold: Vec<&'static str>,
}

/// The header of a file of Stockfish's format.
#[derive(Debug, Serialize)]
pub struct Header {
    /// The format's version: the word at offset 0.
    pub version: u32,
    /// The hash of the architecture: the word at offset 4.
    pub hash: u32,
    /// The description in the header, without bytes that are not UTF-8.
    pub description: String,
}

/// Bounds of the accumulator.
#[derive(Debug, Serialize)]
pub struct AccumulatorBound {
    /// The largest number of features that can be active at once.
    pub features: usize,
    /// A lower bound of all values of the accumulator.
    pub lowest: i32,
    /// An upper bound of all values of the accumulator.
    pub highest: i32,
    /// The distance from the ends of 16 bits; negative if a bound is outside.
    pub margin: i32,
}

/// Statistics of a tensor's numbers, as the network has them, over all stacks.
#[derive(Debug, Serialize)]
pub struct Statistics {
    /// The name of the tensor.
    pub name: String,
    /// The type of the tensor's numbers.
    pub element: &'static str,
    /// The least and the greatest number of the type; `None` for `f32`.
    #[serde(skip)]
    pub limits: Option<(i32, i32)>,
    /// How many numbers the tensor has, without padding.
    pub values: usize,
    /// The smallest number of the tensor.
    pub minimum: f64,
    /// The largest number of the tensor.
    pub maximum: f64,
    /// The mean of the tensor's numbers.
    pub mean: f64,
    /// The share of numbers that are zero, from 0 to 1.
    pub zeros: f64,
    /// The share of numbers that are the smallest or the largest of the type; `null` for `f32`.
    pub saturated: Option<f64>,
}

impl Statistics {
    fn of(values: &Values) -> Statistics {
        let numbers = &values.numbers;
        let share = |count: usize| count as f64 / numbers.len() as f64;
        let count = |is: &dyn Fn(f64) -> bool| numbers.iter().filter(|number| is(**number)).count();
        let limits = values.element.limits();
        Statistics {
            name: values.name.clone(),
            element: values.element.name(),
            limits,
            values: numbers.len(),
            minimum: numbers.iter().copied().fold(f64::INFINITY, f64::min),
            maximum: numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            mean: numbers.iter().sum::<f64>() / numbers.len() as f64,
            zeros: share(count(&|number| number == 0.0)),
            saturated: limits.map(|(low, high)| {
                let (low, high) = (f64::from(low), f64::from(high));
                share(count(&|number| number == low || number == high))
            }),
        }
    }
}

impl Info {
    /// Describes the bytes of a file; `given` is the file with the spec that the caller gave or that
    /// [comes with it](Recognised::told). Without it, the bytes must tell the spec.
    ///
    /// # Errors
    ///
    /// [`Error::Load`] for weights that are refused although the file was accepted.
    pub fn of(path: &Path, bytes: &[u8], given: Option<NetFile>) -> Result<Info, Error> {
        let (mut info, opened) = Info::without_contents(path, bytes, given);
        let contents = opened.map(|opened| Contents::of(&opened, bytes));
        info.network = contents.transpose()?;
        Ok(info)
    }

    /// The same without the contents, which take time and memory, and the file if a spec fits.
    #[must_use]
    pub fn without_contents(
        path: &Path,
        bytes: &[u8],
        given: Option<NetFile>,
    ) -> (Info, Option<NetFile>) {
        if let Some(opened) = given {
            let mut info = Info::identified(path, bytes, Some(&opened));
            // The beginning's likeness to known networks is of no importance then.
            if !matches!(identify(&opened.bytes), Identity::Spec { .. }) {
                let name = &opened.network.name;
                info.identity = format!("a net file of {name}, whose spec was given");
            }
            return (info, Some(opened));
        }
        let opened = Recognised::untold(path, bytes, "unnamed").map(|found| found.file);
        let mut info = Info::identified(path, bytes, opened.as_ref().ok());
        // The network of any other file is not known.
        let identity = identify(bytes);
        let known = matches!(
            identity,
            Identity::Spec { .. } | Identity::Relative(_) | Identity::Header(_)
        );
        if let Err(error) = &opened
            && (known || identity.is_no_net() || bytes.is_empty())
        {
            info.refused = Some(error.to_string());
        }
        (info, opened.ok())
    }

    /// Describes the bytes of a file that was opened with a spec, unless no spec is known.
    ///
    /// # Errors
    ///
    /// The errors of [`Info::of`].
    pub fn of_opened(path: &Path, bytes: &[u8], opened: Option<&NetFile>) -> Result<Info, Error> {
        let contents = opened.map(|opened| Contents::of(opened, bytes));
        Ok(Info {
            network: contents.transpose()?,
            ..Info::identified(path, bytes, opened)
        })
    }

    /// What a file is, and which known specs it fits.
    fn identified(path: &Path, bytes: &[u8], opened: Option<&NetFile>) -> Info {
        // A compressed file is recognised by its contents.
        let identity = match (identify(bytes), opened) {
            (Identity::Other(_), Some(opened)) => identify(&opened.bytes),
            (identity, _) => identity,
        };
        // A net of another game may have the version of Stockfish's latest.
        let identity = match (identity, opened) {
            (Identity::Later, Some(opened)) => format!("a net of {}", opened.network.name),
            (identity, _) => identity.to_string(),
        };
        Info {
            file: path.display().to_string(),
            size: bytes.len(),
            identity,
            fits: fitting(bytes).iter().map(|known| known.name).collect(),
            refused: None,
            network: None,
        }
    }
}

impl Contents {
    fn of(file: &NetFile, bytes: &[u8]) -> Result<Contents, Error> {
        let net = file.net()?;
        let accumulator = bounds::accumulator(&file.network, net.weights());
        let layers = bounds::layers(&file.network, net.weights());
        let tensors = tensors::of_file(file)?;
        Ok(Contents {
            name: file.network.name.clone(),
            compressed: is_packed(&file.layout, bytes),
            header: match file.layout.format {
                Format::Stockfish { version, hash } => Some(Header {
                    version,
                    hash,
                    description: String::from_utf8_lossy(&file.loaded.description).into_owned(),
                }),
                _ => None,
            },
            tensors: tensors.iter().map(Statistics::of).collect(),
            warnings: warnings(file, accumulator, &layers, &net),
            accumulator: AccumulatorBound {
                features: accumulator.features,
                lowest: accumulator.lowest,
                highest: accumulator.highest,
                margin: accumulator.margin(),
            },
            layers,
            untold: untold(&file.network),
        })
    }
}

/// The warnings that compiled networks give when they are loaded, and what the weights say against
/// the spec.
fn warnings(
    file: &NetFile,
    accumulator: nnue_runtime::AccumulatorBound,
    layers: &[LayerBound],
    net: &Net,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if accumulator.margin() < 0 {
        warnings.push(Warning::AccumulatorMayOverflow(accumulator).to_string());
    }
    for layer in layers.iter().filter(|layer| layer.margin < 0) {
        warnings.push(format!(
            "sums of `{}` are not known to fit in 32 bits",
            layer.name
        ));
    }
    warnings.extend(file.warnings().iter().map(Warning::to_string));
    warnings.extend(Doubt::of(net, &file.bytes).map(|doubt| doubt.to_string()));
    warnings
}

/// The text of a number: all digits of an integer, and enough digits to distinguish other numbers.
pub fn number(number: f64) -> String {
    if number.fract() == 0.0 {
        format!("{number}")
    } else {
        format!("{number:.5}")
    }
}
