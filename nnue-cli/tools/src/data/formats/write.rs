//! The formats that can be written.

use std::path::Path;

use nnue_compiler::format::foreign;

use super::{Format, binpack, bullet, text};
use crate::compression::unpacked_name;
use crate::data::record::Record;

/// A format of training data that this crate writes, besides reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenFormat {
    /// The format [`Format::Text`].
    Text,
    /// The format [`Format::Bullet`].
    Bullet,
    /// The format [`Format::Binpack`].
    Binpack,
}

impl WrittenFormat {
    /// All formats that can be written.
    pub const ALL: [WrittenFormat; 3] = [
        WrittenFormat::Text,
        WrittenFormat::Bullet,
        WrittenFormat::Binpack,
    ];

    /// The format that reads this format's files.
    #[must_use]
    pub fn read(self) -> Format {
        match self {
            WrittenFormat::Text => Format::Text,
            WrittenFormat::Bullet => Format::Bullet,
            WrittenFormat::Binpack => Format::Binpack,
        }
    }

    /// The extension of file names, from which [`Input::open`](crate::data::Input::open) knows the
    /// format.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            WrittenFormat::Text => "txt",
            WrittenFormat::Bullet => "bullet",
            WrittenFormat::Binpack => "binpack",
        }
    }

    /// The format of an output, by its name as [`Input::open`](crate::data::Input::open) knows it
    /// again, unless `chosen` is another; text if neither says one.
    ///
    /// # Errors
    ///
    /// A message if the name says a format that is not written, or another than `chosen`, or that
    /// the file is compressed.
    pub fn of(path: &Path, chosen: Option<WrittenFormat>) -> Result<WrittenFormat, String> {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = foreign(&file);
        if unpacked_name(&file.to_ascii_lowercase()).1 {
            return Err(format!(
                "the name `{name}` says that the file is compressed, and what is written is not: choose one without that ending"
            ));
        }
        let Some(of_name) = Format::named(path) else {
            return Ok(chosen.unwrap_or(WrittenFormat::Text));
        };
        let named = WrittenFormat::ALL
            .into_iter()
            .find(|format| format.read() == of_name);
        match (named, chosen) {
            (None, _) => Err(format!(
                "the name `{name}` says {of_name}, which is not written: text, bulletformat and binpack are"
            )),
            (Some(named), Some(chosen)) if named != chosen => Err(format!(
                "the name `{name}` says {of_name}, and `--to` {}: choose another name, such as one that ends in `.{}`",
                chosen.read(),
                chosen.ending()
            )),
            (Some(named), _) => Ok(named),
        }
    }

    /// A writer of a file of this format.
    pub(crate) fn writer(self) -> Writer {
        match self {
            WrittenFormat::Text => Writer::Text,
            WrittenFormat::Bullet => Writer::Bullet,
            WrittenFormat::Binpack => Writer::Binpack(Box::default()),
        }
    }
}

/// Makes the bytes of a file of records.
pub(crate) enum Writer {
    Text,
    Bullet,
    /// Binpack keeps records until it knows which of them follow one another.
    Binpack(Box<binpack::Writer>),
}

impl Writer {
    /// Appends a record to `bytes`, now or later.
    ///
    /// # Errors
    ///
    /// A message that names the value that the format needs and the record lacks.
    pub(crate) fn append(&mut self, record: &Record, bytes: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Writer::Text => {
                text::write(record, bytes);
                Ok(())
            }
            Writer::Bullet => bullet::write(record, bytes),
            Writer::Binpack(writer) => writer.append(record, bytes),
        }
    }

    /// How many records have counters of half moves for which the format has no room.
    pub(crate) fn cut(&self) -> u64 {
        match self {
            Writer::Text | Writer::Bullet => 0,
            Writer::Binpack(writer) => writer.cut,
        }
    }

    /// Appends the records that were kept to `bytes`.
    pub(crate) fn finish(&mut self, bytes: &mut Vec<u8>) {
        match self {
            Writer::Text | Writer::Bullet => {}
            Writer::Binpack(writer) => writer.finish(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_the_format() {
        use WrittenFormat::{Binpack, Bullet, Text};

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
                WrittenFormat::of(Path::new(name), chosen),
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
            let wrong = WrittenFormat::of(Path::new(name), chosen).unwrap_err();
            assert!(wrong.contains(words), "{wrong}");
        }
    }
}
