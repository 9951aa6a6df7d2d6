//! Checks the `[file]` table: which tensors a net file has, in which order, and how each is stored.

mod fields;
mod kept;
mod list;
mod stockfish;
mod tensors;

use crate::diagnostics::Diagnostics;
use crate::network::File;
use crate::spec;

pub(super) use tensors::Parts;

/// Checks the `[file]` table, or reports everything that is wrong with it and returns `None`.
pub(super) fn check(
    file: &spec::File,
    parts: Parts<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<File> {
    let sets_apart = match file {
        spec::File::Stockfish(file) => stockfish::has_sets_apart(file),
        _ => false,
    };
    let tensors = tensors::all(parts, sets_apart);
    match file {
        spec::File::Stockfish(file) => {
            let words = stockfish::check(file, parts, diagnostics);
            stockfish::file(file, words?, &tensors?, diagnostics)
        }
        spec::File::Bullet(file) => list::bullet(file, &tensors?, diagnostics),
        spec::File::Tensors(file) => list::tensors(file, &tensors?, diagnostics),
    }
}
