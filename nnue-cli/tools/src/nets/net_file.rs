//! Net files whose network follows from a spec: a spec that the caller names, a known spec, or a
//! spec that can be written for the file.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::format::{self, FileLayout, Loaded};
use nnue_compiler::network::Network;
use nnue_compiler::{analyse, explain, file_layout, recognise};
use nnue_interpreter::Net;
use nnue_runtime::Warning;

use crate::nets::Error;
use crate::nets::specs::{KnownSpec, SpecChoice};
use crate::nets::told::{Origin, told_spec};

/// The most bytes that a net file can have. Networks are far smaller.
pub const LONGEST_NET: u64 = 1 << 32;

/// Facts that no net file tells, so that a spec may be wrong about them although the file fits.
const UNTOLD: [&str; 5] = [
    "shifts",
    "limits",
    "ones",
    "`select`: which stack a position uses",
    "the order of what layers read",
];

/// What no file without a header tells besides. The hashes of Stockfish's header stand for it.
const UNTOLD_WITHOUT_HEADER: [&str; 6] = [
    "the scale of the value",
    "the activation",
    "king buckets",
    "`mirror`",
    "`flip`",
    "`transposed`: the order of weights",
];

/// Facts that no file of the network tells, so that a spec may be wrong about them although the
/// file fits.
#[must_use]
pub fn untold(network: &Network) -> Vec<&'static str> {
    let further: &[&str] = match network.file.format {
        format::Format::Stockfish { .. } => &[],
        _ => &UNTOLD_WITHOUT_HEADER,
    };
    UNTOLD.iter().chain(further).copied().collect()
}

/// How many bytes are read beyond the length of the expected network, so that a message can
/// describe another net.
const ROOM: u64 = 1 << 28;

/// Reads a file that should be a net of the given network, or of any network if none is given.
///
/// # Errors
///
/// [`Error::MissingNet`] if the file does not exist, and [`Error::File`] if it cannot be read.
pub fn read_net(path: &Path, network: Option<&Network>) -> Result<Vec<u8>, Error> {
    let longest = network.map_or(LONGEST_NET, |network| {
        let longest = file_layout(network).max_len().saturating_add(ROOM);
        longest.min(LONGEST_NET)
    });
    match crate::files::read(path, longest) {
        Err(missing) if missing.is_missing() => Err(Error::MissingNet(missing)),
        read => Ok(read?),
    }
}

/// The error for bytes that are no net by any spec.
fn no_net(path: &Path, bytes: &[u8]) -> Option<Error> {
    let identity = match explain::identify(bytes) {
        _ if bytes.is_empty() => None,
        identity if identity.is_no_net() => Some(identity),
        _ => return None,
    };
    let path = path.into();
    Some(Error::NoNet { path, identity })
}

/// A net file that fits a network.
#[derive(Debug)]
pub struct NetFile {
    /// The path of the file, for messages.
    pub path: PathBuf,
    /// The network that the file fits.
    pub network: Network,
    /// The layout of the network's files.
    pub layout: FileLayout,
    /// The content of the file besides its weights, such as its header.
    pub loaded: Loaded,
    /// The bytes of the net, uncompressed, and without a spec behind them.
    pub bytes: Vec<u8>,
}

impl NetFile {
    /// Checks the bytes of a file, which must fit the network. Borrowed bytes are copied.
    ///
    /// # Errors
    ///
    /// [`Error::NoNet`] for a file that is no net, and [`Error::OtherNet`] for a net that does not
    /// fit.
    pub fn of<'b>(
        path: &Path,
        network: Network,
        bytes: impl Into<Cow<'b, [u8]>>,
    ) -> Result<NetFile, Error> {
        let layout = file_layout(&network);
        let bytes = bytes.into();
        let refused = |problem: format::LoadError| {
            no_net(path, &bytes).unwrap_or_else(|| Error::OtherNet {
                path: path.into(),
                network: network.name.clone(),
                problem: explain::explain(&layout, &bytes, problem).into(),
            })
        };
        let unpacked = format::unpack(&layout, &bytes).map_err(refused)?;
        let loaded = format::check(&layout, &unpacked).map_err(refused)?;
        let bytes = match unpacked {
            Cow::Owned(unpacked) => unpacked,
            Cow::Borrowed(net) => {
                let len = net.len();
                let mut bytes = bytes.into_owned();
                bytes.truncate(len);
                bytes
            }
        };
        Ok(NetFile {
            path: path.to_path_buf(),
            network,
            layout,
            loaded,
            bytes,
        })
    }

    /// Opens a file of the network that a spec describes. Without a spec, the network is
    /// [recognised](Recognised).
    ///
    /// # Errors
    ///
    /// The spec or the file cannot be read, or the file is no net of the network.
    pub fn open(path: &Path, spec: Option<&SpecChoice>) -> Result<NetFile, Error> {
        let network = spec.map(SpecChoice::network).transpose()?;
        let bytes = read_net(path, network.as_ref())?;
        NetFile::of_any(path, network, bytes)
    }

    /// Checks the bytes of a file of the given network. Without a network, it is
    /// [recognised](Recognised).
    ///
    /// # Errors
    ///
    /// The file is no net of the network, or nothing in it tells to which network it belongs.
    pub fn of_any<'b>(
        path: &Path,
        network: Option<Network>,
        bytes: impl Into<Cow<'b, [u8]>>,
    ) -> Result<NetFile, Error> {
        match network {
            Some(network) => NetFile::of(path, network, bytes),
            None => Ok(Recognised::of(path, bytes, "unnamed")?.file),
        }
    }

    /// The warnings that a compiled network gives when it loads the file, except those that follow
    /// from its weights.
    pub fn warnings(&self) -> Vec<Warning> {
        let Loaded {
            ignored, clamped, ..
        } = &self.loaded;
        let ignored = (!ignored.is_empty()).then_some(Warning::IgnoredBytes(ignored.len()));
        // The file was checked before, so there is no error.
        let parts = format::split(&self.layout, &self.bytes);
        let transposed = parts.and_then(|parts| parts.transposed());
        let clamped = clamped.iter().cloned();
        let looks_like = explain::looks_like(&self.layout, &self.bytes)
            .map(|identity| Warning::LooksLike(identity.to_string()));
        let warnings = ignored
            .into_iter()
            .chain(
                transposed
                    .into_iter()
                    .flatten()
                    .map(Warning::LooksTransposed),
            )
            .chain(clamped.map(|(place, count)| Warning::Clamped(place, count)))
            .chain(looks_like);
        warnings.collect()
    }

    /// Loads the weights of the file into its network.
    ///
    /// # Errors
    ///
    /// [`Error::Load`] if weights cannot be loaded.
    pub fn net(&self) -> Result<Net, Error> {
        Ok(Net::from_bytes(&self.network, &self.bytes)?)
    }
}

/// A net file whose network was recognised.
#[derive(Debug)]
pub struct Recognised {
    /// The text of the file's spec: one that came with it, a known spec, or one that was written for
    /// the file.
    pub spec: Cow<'static, str>,
    /// Where the spec was found.
    pub origin: Origin,
    /// The file, which fits the spec.
    pub file: NetFile,
}

impl Recognised {
    /// Checks the bytes of a file by the spec that [comes with it](told_spec); `None` if none does.
    ///
    /// # Errors
    ///
    /// The errors of [`told_spec`], and those of [`NetFile::of`] for a file that does not fit it.
    pub fn told<'b>(
        path: &Path,
        bytes: impl Into<Cow<'b, [u8]>>,
    ) -> Result<Option<Recognised>, Error> {
        let bytes = bytes.into();
        told_spec(path, &bytes)?
            .map(|(spec, network, origin)| {
                Recognised::fitting(path, spec.into(), network, origin, bytes)
            })
            .transpose()
    }

    /// A file with the spec that was found for it, which it must fit.
    fn fitting(
        path: &Path,
        spec: Cow<'static, str>,
        network: Network,
        origin: Origin,
        bytes: Cow<'_, [u8]>,
    ) -> Result<Recognised, Error> {
        let file = NetFile::of(path, network, bytes)?;
        Ok(Recognised { spec, origin, file })
    }

    /// Finds the spec of a file: one that [comes with it](told_spec), or else one that its bytes
    /// tell. `name` is the network's name if a spec has to be written.
    ///
    /// # Errors
    ///
    /// The errors of [`told_spec`], [`Error::NoNet`], [`Error::Unrecognised`], and
    /// [`Error::OtherNet`] for a file that was cut or damaged.
    pub fn of<'b>(
        path: &Path,
        bytes: impl Into<Cow<'b, [u8]>>,
        name: &str,
    ) -> Result<Recognised, Error> {
        let bytes = bytes.into();
        if let Some(failure) = no_net(path, &bytes) {
            return Err(failure);
        }
        match told_spec(path, &bytes)? {
            Some((spec, network, origin)) => {
                Recognised::fitting(path, spec.into(), network, origin, bytes)
            }
            None => Recognised::of_net(path, bytes, name),
        }
    }

    /// Finds the spec that the bytes of a file tell, for a caller that has found none that
    /// [comes with it](Recognised::told). `name` is the network's name if a spec has to be written.
    ///
    /// # Errors
    ///
    /// [`Error::NoNet`], [`Error::Unrecognised`], and [`Error::OtherNet`] for a file that was cut or
    /// damaged.
    pub fn untold<'b>(
        path: &Path,
        bytes: impl Into<Cow<'b, [u8]>>,
        name: &str,
    ) -> Result<Recognised, Error> {
        let bytes = bytes.into();
        match no_net(path, &bytes) {
            Some(failure) => Err(failure),
            None => Recognised::of_net(path, bytes, name),
        }
    }

    /// The same of a file that may be a net.
    fn of_net(path: &Path, bytes: Cow<'_, [u8]>, name: &str) -> Result<Recognised, Error> {
        let recognised = recognise::recognise(&bytes, name).or_else(|| {
            // The file may be that of another game. All other known specs were tried.
            let known = fitting_of(&bytes, KnownSpec::of_other_games()).next()?;
            Some(recognise::Recognised {
                spec: known.text.into(),
                is_written: false,
            })
        });
        let Some(recognise::Recognised { spec, is_written }) = recognised else {
            return Err(Error::Unrecognised {
                path: path.into(),
                identity: explain::identify(&bytes),
            });
        };
        let origin = if is_written {
            Origin::Shape
        } else {
            Origin::Known
        };
        let source = SourceFile::new("the spec of the file", spec.to_string());
        let network = analyse(&source)?;
        Recognised::fitting(path, spec, network, origin, bytes)
    }
}

/// The specs that a file with a header fits: known specs, and those of other games. Specs for which
/// its weights look right come first.
pub fn fitting(bytes: &[u8]) -> Vec<KnownSpec> {
    let specs = KnownSpec::all().chain(KnownSpec::of_other_games());
    fitting_of(bytes, specs).collect()
}

fn fitting_of(
    bytes: &[u8],
    specs: impl Iterator<Item = KnownSpec>,
) -> impl Iterator<Item = KnownSpec> {
    let specs = specs.map(|known| (known.name, known.text));
    let fitting = recognise::fitting(bytes, specs).into_iter();
    fitting.map(|(name, text)| KnownSpec { name, text })
}
