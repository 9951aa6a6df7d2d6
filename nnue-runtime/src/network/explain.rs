//! What is added to errors of loading: nothing, or with the feature `explain` what the compiler knows
//! of the networks that a file may hold instead.

#[cfg(feature = "explain")]
pub(super) use self::explained::*;
#[cfg(not(feature = "explain"))]
pub(super) use self::plain::*;

#[cfg(feature = "explain")]
mod explained {
    use std::path::Path;
    #[cfg(feature = "shared")]
    use std::string::ToString;

    #[cfg(feature = "shared")]
    use crate::laid_out::MapError;
    use nnue_compiler::explain;
    use nnue_format::{FileLayout, LoadError, Unread};

    /// The error of a file from which these bytes were read.
    pub(in crate::network) fn of_bytes(
        layout: &FileLayout,
        bytes: &[u8],
        error: LoadError,
    ) -> LoadError {
        explain::explain(layout, bytes, error)
    }

    /// The error of a file on the disk, which was not read to its end.
    pub(in crate::network) fn of_path(
        layout: &FileLayout,
        path: &Path,
        unread: Unread,
    ) -> LoadError {
        explain::explain_unread(layout, path, unread)
    }

    /// The error of a file that cannot be mapped.
    #[cfg(feature = "shared")]
    pub(in crate::network) fn of_map(path: &Path, mut error: MapError) -> MapError {
        if let MapError::NotLaidOut { found } | MapError::Reordered { found } = &mut error {
            let identity = explain::identify_file(path).ok();
            *found = identity.map(|identity| identity.to_string());
        }
        error
    }
}

#[cfg(not(feature = "explain"))]
mod plain {
    #[cfg(feature = "std")]
    use std::path::Path;

    #[cfg(feature = "shared")]
    use crate::laid_out::MapError;
    #[cfg(feature = "std")]
    use nnue_format::Unread;
    use nnue_format::{FileLayout, LoadError};

    pub(in crate::network) fn of_bytes(_: &FileLayout, _: &[u8], error: LoadError) -> LoadError {
        error
    }

    #[cfg(feature = "std")]
    pub(in crate::network) fn of_path(_: &FileLayout, _: &Path, unread: Unread) -> LoadError {
        unread.error
    }

    #[cfg(feature = "shared")]
    pub(in crate::network) fn of_map(_: &Path, error: MapError) -> MapError {
        error
    }
}
