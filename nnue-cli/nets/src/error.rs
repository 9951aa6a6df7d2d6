//! Why a net, a spec or a list of positions cannot be used.

use std::fmt;
use std::io;
use std::path::PathBuf;

use nnue_compiler::diagnostics::Errors;
use nnue_compiler::format::{Identity, LoadError, foreign};

use crate::conversion::ConversionError;

/// Why a net, a spec or a list of positions cannot be used.
pub enum Error {
    /// A file cannot be read.
    File(nnue_files::Error),
    /// A net file is not there.
    MissingNet(nnue_files::Error),
    /// A file that should be text is not UTF-8.
    NoText {
        /// The file.
        path: PathBuf,
        /// The first byte that is wrong.
        offset: usize,
    },
    /// A spec is wrong.
    Spec(Errors),
    /// A file is no net, whatever a spec says.
    NoNet {
        /// The file.
        path: PathBuf,
        /// What the file is instead; `None` if it is empty.
        identity: Option<Identity>,
    },
    /// A file is not a net of this network.
    OtherNet {
        /// The file.
        path: PathBuf,
        /// The name of the network.
        network: String,
        /// Why the file does not fit the network.
        problem: Box<LoadError>,
    },
    /// Nothing in a file tells which network it is of.
    Unrecognised {
        /// The file.
        path: PathBuf,
        /// What is known of the file.
        identity: Identity,
    },
    /// Weights cannot be loaded.
    Load(LoadError),
    /// A net cannot become another file.
    Conversion(ConversionError),
    /// A list can be read no further.
    UnreadableList {
        /// Where the list comes from.
        source: String,
        /// What the system says.
        error: io::Error,
    },
    /// A line of a list is wrong.
    Line {
        /// Where the list comes from.
        source: String,
        /// The number of the line, from 1.
        number: u64,
        /// What is wrong.
        wrong: String,
    },
    /// A list has too many lines to be kept.
    TooMany {
        /// Where the list comes from.
        source: String,
        /// What its lines are, in the plural.
        what: &'static str,
        /// The most lines that a list can have.
        most: usize,
    },
    /// A list has no lines but comments.
    EmptyList {
        /// Where the list comes from.
        source: String,
        /// What its lines should be, in the plural.
        what: &'static str,
    },
    /// The engine tells which features are active, and a position alone does not.
    ToldFeatures {
        /// The name of the network.
        network: String,
        /// The name of its custom feature set.
        set: String,
    },
    /// The engine chooses the bucket, and a position alone does not.
    ChosenBucket {
        /// The name of the network.
        network: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File(error) | Error::MissingNet(error) => error.fmt(f),
            Error::NoText { path, offset } => write!(
                f,
                "`{}` is not UTF-8 text: the byte at offset {offset} is invalid",
                foreign(path.display())
            ),
            Error::Spec(errors) => errors.fmt(f),
            Error::NoNet {
                path,
                identity: None,
            } => write!(
                f,
                "`{}` is empty: fetch or copy the net once more",
                foreign(path.display())
            ),
            Error::NoNet {
                path,
                identity: Some(identity),
            } => write!(f, "`{}` is no net but {identity}", foreign(path.display())),
            Error::OtherNet {
                path,
                network,
                problem,
            } => write!(
                f,
                "`{}` is not a net file for {}: {problem}",
                foreign(path.display()),
                foreign(network)
            ),
            Error::Unrecognised { path, identity } => write!(
                f,
                "`{}` is {identity}: only nets that are built like Stockfish's tell their shape; \
                 for others, write a spec as `specs/README.md` describes",
                foreign(path.display())
            ),
            Error::Load(error) => error.fmt(f),
            Error::Conversion(error) => error.fmt(f),
            Error::UnreadableList { source, error } => write!(f, "cannot read {source}: {error}"),
            Error::Line {
                source,
                number,
                wrong,
            } => write!(f, "line {number} of {source}: {wrong}"),
            Error::TooMany { source, what, most } => {
                write!(f, "{source} has more than {most} {what}, the most")
            }
            Error::EmptyList { source, what } => write!(f, "{source} has no {what}"),
            Error::ToldFeatures { network, set } => write!(
                f,
                "`{network}` has the custom feature set `{set}`: the engine tells which of its \
                 features are active, and a position alone does not"
            ),
            Error::ChosenBucket { network } => write!(
                f,
                "`{network}` leaves the choice of the bucket to the engine, and golden vectors have \
                 the values of one bucket"
            ),
        }
    }
}

nnue_compiler::format::debug_is_message!(Error);

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File(error) | Error::MissingNet(error) => Some(error),
            Error::Spec(errors) => Some(errors),
            Error::OtherNet { problem, .. } => Some(&**problem),
            Error::Load(error) => Some(error),
            Error::Conversion(error) => Some(error),
            Error::UnreadableList { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<nnue_files::Error> for Error {
    fn from(error: nnue_files::Error) -> Error {
        Error::File(error)
    }
}

impl From<Errors> for Error {
    fn from(errors: Errors) -> Error {
        Error::Spec(errors)
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Error {
        Error::Load(error)
    }
}

impl From<ConversionError> for Error {
    fn from(error: ConversionError) -> Error {
        Error::Conversion(error)
    }
}
