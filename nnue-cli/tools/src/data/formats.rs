//! The formats of files, each in a module: where a file can be cut, and how its bytes are read.

mod binpack;
mod bullet;
mod chunk;
mod game;
mod other;
mod pgn;
mod text;
mod viri;
mod write;

use std::fmt;
use std::path::Path;

use crate::compression::unpacked_name;
use crate::data::error::BadRecord;
use crate::data::record::Record;

pub(crate) use chunk::Chunk;
pub(crate) use other::{other_format, other_list};
pub use pgn::EvalUnit;
pub(crate) use pgn::{Units, unit_of, unknown_comment};
pub(crate) use write::Writer;

/// A format of files that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text with a position a line: `FEN | score | result`.
    Text,
    /// Records of 32 bytes, as bullet reads them.
    Bullet,
    /// Games with an evaluation for each move, as Viridithas writes them.
    Viri,
    /// Games with evaluations in comments.
    Pgn,
    /// Chains of positions, each with its move and its score, as Stockfish writes them.
    Binpack,
}

impl Format {
    /// All formats that can be read.
    pub const ALL: [Format; 5] = [
        Format::Text,
        Format::Bullet,
        Format::Viri,
        Format::Pgn,
        Format::Binpack,
    ];

    /// The name of the format in arguments.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Bullet => "bulletformat",
            Format::Viri => "viriformat",
            Format::Pgn => "pgn",
            Format::Binpack => "binpack",
        }
    }

    /// The format of a file, by its name without `.gz`, `.bz2` or `.zst`, and by its first
    /// uncompressed bytes if these are those of binpack. A name that tells no format stands for text.
    pub(crate) fn of(path: &Path, start: &[u8]) -> Format {
        if start.starts_with(binpack::MAGIC) {
            return Format::Binpack;
        }
        Format::named(path).unwrap_or(Format::Text)
    }

    /// The format that a name tells, without the ending that says how the file is compressed.
    pub(crate) fn named(path: &Path) -> Option<Format> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_ascii_lowercase();
        let (name, _) = unpacked_name(&name);
        Some(match name.rsplit_once('.')?.1 {
            "txt" | "text" | "epd" | "fen" => Format::Text,
            "bullet" | "bulletformat" | "data" | "bin" => Format::Bullet,
            "vf" | "viri" | "viriformat" => Format::Viri,
            "pgn" => Format::Pgn,
            "binpack" => Format::Binpack,
            _ => return None,
        })
    }

    /// Whether the format says which move was played in a position.
    #[must_use]
    pub fn knows_moves(self) -> bool {
        matches!(self, Format::Viri | Format::Pgn | Format::Binpack)
    }

    /// Whether the format says how many moves were made before a position. In text, each line may
    /// say it.
    #[must_use]
    pub fn knows_plies(self) -> bool {
        self != Format::Bullet
    }

    /// The length in bytes of the whole records at the start of `bytes`, and how many lines,
    /// records or games these are. More whole records may follow.
    pub(crate) fn whole(self, bytes: &[u8]) -> (usize, u64) {
        match self {
            Format::Text => text::whole(bytes),
            Format::Bullet => bullet::whole(bytes),
            Format::Viri => viri::whole(bytes),
            Format::Pgn => pgn::whole(bytes),
            Format::Binpack => binpack::whole(bytes),
        }
    }

    /// Reads all records of a chunk.
    pub(crate) fn read(self, chunk: &Chunk<'_>, found: &mut dyn FnMut(Result<Record, BadRecord>)) {
        match self {
            Format::Text => text::read(chunk, found),
            Format::Bullet => bullet::read(chunk, found),
            Format::Viri => viri::read(chunk, found),
            Format::Pgn => pgn::read(chunk, found),
            Format::Binpack => binpack::read(chunk, found),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_format() {
        for (name, format) in [
            ("games.txt", Format::Text),
            ("games.txt.gz", Format::Text),
            ("games", Format::Text),
            ("Games.PGN.gz", Format::Pgn),
            ("games.pgn.bz2", Format::Pgn),
            ("games.pgn.zst", Format::Pgn),
            ("games.zst", Format::Text),
            ("games.plain", Format::Text),
            ("part-1.bullet", Format::Bullet),
            ("part-1.vf", Format::Viri),
            ("part-1.binpack", Format::Binpack),
        ] {
            assert_eq!(Format::of(Path::new(name), b""), format, "{name}");
        }
    }

    #[test]
    fn binpack_is_known_by_its_bytes() {
        for name in ["a.bin", "a"] {
            let format = Format::of(Path::new(name), b"BINP\0\0");
            assert_eq!(format, Format::Binpack, "{name}");
        }
    }
}
