//! Nets that are opened and evaluated without a program that knows their network.

use core::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::{Errors, SourceFile};
use nnue_compiler::explain::identify;
use nnue_compiler::recognise::{is_spec, recognise};
use nnue_format::{LoadError, attached, foreign};
use nnue_runtime::{Board, FenError, Position};

use crate::evaluation::Evaluation;
use crate::net::Net;

impl Net {
    /// Opens a net file whose network nobody names. Its spec is the one behind the net, the one in
    /// `net.toml` beside `net.nnue`, or, of nets that are built like Stockfish's, the one that the
    /// header and the weights tell.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if a file cannot be read, if nothing tells the network, if the spec is wrong,
    /// or if the net does not fit it.
    pub fn recognise(path: impl AsRef<Path>) -> Result<Net, OpenError> {
        let path = path.as_ref();
        let bytes = read(path)?;
        let spec = told(path, &bytes)?.or_else(|| {
            let recognised = recognise(&bytes, "unnamed")?;
            Some(SourceFile::new("the spec of the file", recognised.spec))
        });
        let Some(spec) = spec else {
            let identity = identify(&bytes);
            let found = if identity.is_no_net() {
                format!("no net but {identity}")
            } else {
                format!(
                    "{identity}: only nets that are built like Stockfish's tell their network, \
                     others need a spec; `nnue adopt` finds those that fit"
                )
            };
            let path = path.into();
            return Err(OpenError::Unknown { path, found });
        };
        Ok(Net::from_bytes(&analyse(&spec)?, &bytes)?)
    }

    /// Opens a net file of the network that the spec in the file `spec` describes.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if a file cannot be read, if the spec is wrong, or if the net does not fit it.
    pub fn with_spec(path: impl AsRef<Path>, spec: impl AsRef<Path>) -> Result<Net, OpenError> {
        let spec = spec.as_ref();
        let network = analyse(&text(spec.display().to_string(), read(spec)?)?)?;
        Ok(Net::open(&network, path)?)
    }

    /// Evaluates a position, given as FEN, with the layers that its pieces choose. The values are
    /// from the view of the side to move, in the engine's units.
    ///
    /// ```
    /// let net = nnue_interpreter::Net::recognise("../../examples/nets/nn-37f18f62d772.nnue")?;
    /// let evaluation = net.evaluate_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")?;
    /// assert_eq!(evaluation.value(), Some(1389));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`EvaluateError`] if the text is no position, or if the position alone does not tell the
    /// evaluation.
    pub fn evaluate_fen(&self, fen: &str) -> Result<Evaluation, EvaluateError> {
        let board = Board::from_fen(fen)?;
        let network = self.network();
        if let Some(set) = network.features.iter().find(|set| set.is_supplied()) {
            return Err(EvaluateError::Features {
                network: network.name.clone(),
                set: set.name.clone(),
            });
        }
        let Some(bucket) = self.bucket(board.occupied().len()) else {
            let network = network.name.clone();
            return Err(EvaluateError::Bucket { network });
        };
        Ok(self.evaluate(&board, bucket))
    }
}

/// The spec that comes with a net file.
fn told(path: &Path, bytes: &[u8]) -> Result<Option<SourceFile>, OpenError> {
    if let (_, Some(spec)) = attached::detach(bytes) {
        let name = format!("the spec behind {}", path.display());
        return Ok(Some(text(name, spec.into())?));
    }
    let beside = path.with_extension("toml");
    if beside == path || !beside.is_file() {
        return Ok(None);
    }
    let found = text(beside.display().to_string(), read(&beside)?)?;
    Ok(Some(found).filter(|found| is_spec(&found.text)))
}

fn text(path: String, content: Vec<u8>) -> Result<SourceFile, OpenError> {
    SourceFile::from_utf8(path, content).map_err(OpenError::Unreadable)
}

fn read(path: &Path) -> Result<Vec<u8>, OpenError> {
    fs::read(path).map_err(|error| {
        let path = foreign(path.display());
        OpenError::Unreadable(format!("cannot read `{path}`: {error}"))
    })
}

/// Why there is no [`Net`] of a file.
#[derive(Clone)]
#[non_exhaustive]
pub enum OpenError {
    /// A file cannot be read, or is no text, as the message says.
    Unreadable(String),
    /// Nothing tells the network of the net.
    Unknown {
        /// The net file.
        path: PathBuf,
        /// What the file is, in words that follow "is".
        found: String,
    },
    /// The spec is wrong.
    Spec(Errors),
    /// The net is not one of the spec's network.
    Net(LoadError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Unreadable(message) => f.write_str(message),
            OpenError::Unknown { path, found } => {
                write!(f, "`{}` is {found}", foreign(path.display()))
            }
            OpenError::Spec(errors) => errors.fmt(f),
            OpenError::Net(error) => error.fmt(f),
        }
    }
}

nnue_format::debug_is_message!(OpenError);

impl std::error::Error for OpenError {}

impl From<Errors> for OpenError {
    fn from(errors: Errors) -> OpenError {
        OpenError::Spec(errors)
    }
}

impl From<LoadError> for OpenError {
    fn from(error: LoadError) -> OpenError {
        OpenError::Net(error)
    }
}

/// Why a FEN has no evaluation.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The text is no position.
    Fen(FenError),
    /// The engine supplies the features of a custom set, as to [`Net::custom_rows`].
    Features {
        /// The name of the network.
        network: String,
        /// The name of its custom feature set.
        set: String,
    },
    /// The engine chooses the bucket, as for [`Net::evaluate`].
    Bucket {
        /// The name of the network.
        network: String,
    },
}

impl fmt::Display for EvaluateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvaluateError::Fen(error) => error.fmt(f),
            EvaluateError::Features { network, set } => write!(
                f,
                "`{network}` has the custom feature set `{set}`: the engine tells which of its \
                 features are active, and a position alone does not"
            ),
            EvaluateError::Bucket { network } => write!(
                f,
                "`{network}` leaves the choice of the bucket to the engine, and a position alone \
                 does not tell it"
            ),
        }
    }
}

nnue_format::debug_is_message!(EvaluateError);

impl std::error::Error for EvaluateError {}

impl From<FenError> for EvaluateError {
    fn from(error: FenError) -> EvaluateError {
        EvaluateError::Fen(error)
    }
}
