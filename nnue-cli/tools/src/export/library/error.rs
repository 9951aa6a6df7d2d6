//! Why there is no library of a network.

use std::path::PathBuf;

use nnue_compiler::format::foreign;

/// Why there is no library of a network.
#[derive(thiserror::Error)]
pub enum Error {
    /// The network has feature sets whose active features only its engine knows.
    #[error(
        "{} cannot be a library for C: `{}` is a custom feature set, whose features only its engine \
         knows, expected sets that follow from the position",
        foreign(.network),
        foreign(.set)
    )]
    Custom {
        /// The name of the network.
        network: String,
        /// The feature set.
        set: String,
    },
    /// The beginning of all names is no identifier of C.
    #[error(
        "found `{}` as the beginning of all names, expected letters from `a` to `z`, digits and `_`, \
         and first a letter",
        foreign(.name)
    )]
    Name {
        /// What was found.
        name: String,
    },
    /// The beginning of all names is a name that all headers have.
    #[error("`{name}` is a name that all headers have, expected another one")]
    Taken {
        /// What was found.
        name: String,
    },
    /// The beginning of all names is a word of C++, where it is a namespace.
    #[error("`{name}` cannot be a namespace of C++, expected another name")]
    Reserved {
        /// What was found.
        name: String,
    },
    /// A file of somebody else has the place of one that is written.
    #[error(
        "`{}` is there, and `nnue capi` has not made it: remove it, or name another folder",
        foreign(.path.display())
    )]
    OtherFile {
        /// The file.
        path: PathBuf,
    },
    /// The folder for a package has files of something else.
    #[error(
        "`{}` has files of something else than a package that `nnue capi` has made: name an empty \
         folder, or one that is not there",
        foreign(.folder.display())
    )]
    OtherFiles {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be read or written.
    #[error("{0}")]
    File(#[from] crate::files::Error),
    /// The package cannot be written or compiled.
    #[error("{0}")]
    Package(#[from] crate::measure::Error),
}

nnue_compiler::format::debug_is_message!(Error);
