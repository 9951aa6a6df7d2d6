//! The formats that can be written.

use std::path::Path;

use nnue_compiler::format::foreign;

use super::{Format, binpack, bullet, text};
use crate::compression::unpacked_name;
use crate::data::record::Record;

impl Format {
    /// The formats that can be written, besides being read.
    pub const WRITTEN: [Format; 3] = [Format::Text, Format::Bullet, Format::Binpack];

    /// The extension of file names, from which [`Input::open`](crate::data::Input::open) knows the
    /// format.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Format::Text => "txt",
            Format::Bullet => "bullet",
            Format::Viri => "vf",
            Format::Pgn => "pgn",
            Format::Binpack => "binpack",
        }
    }

    /// The format of an output, by its name as [`Input::open`](crate::data::Input::open) knows it
    /// again, unless `chosen` is another; text if neither says one.
    ///
    /// # Errors
    ///
    /// A message if the name says a format that is not written, or another than `chosen`, or that
    /// the file is compressed.
    pub fn of_output(path: &Path, chosen: Option<Format>) -> Result<Format, String> {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = foreign(&file);
        if unpacked_name(&file.to_ascii_lowercase()).1 {
            return Err(format!(
                "the name `{name}` says that the file is compressed, and what is written is not: choose one without that ending"
            ));
        }
        let Some(named) = Format::named(path) else {
            return Ok(chosen.unwrap_or(Format::Text));
        };
        match chosen {
            _ if !Format::WRITTEN.contains(&named) => Err(format!(
                "the name `{name}` says {named}, which is not written: text, bulletformat and binpack are"
            )),
            Some(chosen) if named != chosen => Err(format!(
                "the name `{name}` says {named}, and `--to` {chosen}: choose another name, such as one that ends in `.{}`",
                chosen.ending()
            )),
            _ => Ok(named),
        }
    }
}

/// Makes the bytes of a file of records.
pub(crate) struct Writer {
    format: Format,
    /// Binpack keeps records until it knows which of them follow one another.
    binpack: Box<binpack::Writer>,
}

impl Writer {
    /// A writer of a file of one of [`Format::WRITTEN`].
    pub(crate) fn new(format: Format) -> Writer {
        Writer {
            format,
            binpack: Box::default(),
        }
    }

    /// Appends a record to `bytes`, now or later.
    ///
    /// # Errors
    ///
    /// A message that names the value that the format needs and the record lacks.
    pub(crate) fn append(&mut self, record: &Record, bytes: &mut Vec<u8>) -> Result<(), String> {
        match self.format {
            Format::Text => {
                text::write(record, bytes);
                Ok(())
            }
            Format::Bullet => bullet::write(record, bytes),
            Format::Binpack => self.binpack.append(record, bytes),
            Format::Viri | Format::Pgn => Err(format!("{} is not written", self.format)),
        }
    }

    /// How many records have counters of half moves for which the format has no room.
    pub(crate) fn cut(&self) -> u64 {
        self.binpack.cut
    }

    /// Appends the records that were kept to `bytes`.
    pub(crate) fn finish(&mut self, bytes: &mut Vec<u8>) {
        if self.format == Format::Binpack {
            self.binpack.finish(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_the_format() {
        use Format::{Binpack, Bullet, Text};

        for (name, chosen, format) in [
            ("x.binpack", None, Binpack),
            ("X.BINPACK", Some(Binpack), Binpack),
            ("x.bin", None, Bullet),
            ("x.data", None, Bullet),
            ("x.txt", None, Text),
            ("x.epd", Some(Text), Text),
            ("x", None, Text),
            ("x", Some(Bullet), Bullet),
            ("x.dat", Some(Binpack), Binpack),
            ("-", Some(Binpack), Binpack),
        ] {
            assert_eq!(
                Format::of_output(Path::new(name), chosen),
                Ok(format),
                "{name}"
            );
        }
        for (name, chosen, words) in [
            ("x.binpack", Some(Text), "says binpack, and `--to` text"),
            (
                "x.txt",
                Some(Binpack),
                "says text, and `--to` binpack: choose another name, such as one that ends in `.binpack`",
            ),
            (
                "x.bin",
                Some(Binpack),
                "says bulletformat, and `--to` binpack",
            ),
            ("x.pgn", None, "says pgn, which is not written"),
            ("x.vf", Some(Text), "says viriformat, which is not written"),
            ("x.txt.gz", None, "says that the file is compressed"),
            ("x.bz2", Some(Text), "says that the file is compressed"),
        ] {
            let wrong = Format::of_output(Path::new(name), chosen).unwrap_err();
            assert!(wrong.contains(words), "{wrong}");
        }
    }
}
