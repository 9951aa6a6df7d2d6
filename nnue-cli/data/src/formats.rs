//! The formats of files, each in a module: where a file can be cut, and what its bytes say.

mod bullet;
mod chunk;
mod game;
mod pgn;
mod text;
mod viri;
mod write;

use std::fmt;
use std::path::Path;

use crate::error::BadRecord;
use crate::record::Record;

pub(crate) use chunk::Chunk;
pub use write::WrittenFormat;

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
}

/// The extension and the first bytes of Stockfish's training data.
const BINPACK: (&str, &[u8]) = ("binpack", b"BINP");

impl Format {
    /// All formats that can be read.
    pub const ALL: [Format; 4] = [Format::Text, Format::Bullet, Format::Viri, Format::Pgn];

    /// The name of the format in arguments.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Bullet => "bulletformat",
            Format::Viri => "viriformat",
            Format::Pgn => "pgn",
        }
    }

    /// The format of a file, by its name without `.gz` and its first uncompressed bytes. A name
    /// that tells no format stands for text.
    ///
    /// # Errors
    ///
    /// Why a file of a format that is not read is refused.
    pub(crate) fn of(path: &Path, start: &[u8]) -> Result<Format, String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        if ending == BINPACK.0 || start.starts_with(BINPACK.1) {
            return Err(
                "found Stockfish's binpack, which is not read; allowed are text, \
                 bulletformat, viriformat and PGN: `convert` of Stockfish's branch `tools` makes a `.plain` file, of \
                 which a line of awk in docs/data.md makes text"
                    .into(),
            );
        }
        Ok(match ending {
            "bullet" | "bulletformat" | "data" | "bin" => Format::Bullet,
            "vf" | "viri" | "viriformat" => Format::Viri,
            "pgn" => Format::Pgn,
            _ => Format::Text,
        })
    }

    /// Whether the format says which move was played in a position.
    #[must_use]
    pub fn knows_moves(self) -> bool {
        matches!(self, Format::Viri | Format::Pgn)
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
        }
    }

    /// Reads all records of a chunk.
    pub(crate) fn read(self, chunk: &Chunk<'_>, found: &mut dyn FnMut(Result<Record, BadRecord>)) {
        match self {
            Format::Text => text::read(chunk, found),
            Format::Bullet => bullet::read(chunk, found),
            Format::Viri => viri::read(chunk, found),
            Format::Pgn => pgn::read(chunk, found),
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
            ("part-1.bullet", Format::Bullet),
            ("part-1.vf", Format::Viri),
        ] {
            assert_eq!(Format::of(Path::new(name), b""), Ok(format), "{name}");
        }
    }

    #[test]
    fn binpack_is_refused_by_its_name_and_by_its_bytes() {
        for (name, start) in [("a.binpack", &b""[..]), ("a.bin", b"BINP\0\0")] {
            let wrong = Format::of(Path::new(name), start).expect_err(name);
            assert!(wrong.contains("binpack") && wrong.contains("bulletformat"));
        }
    }
}
