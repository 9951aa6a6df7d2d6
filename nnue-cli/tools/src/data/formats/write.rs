//! The formats that can be written.

use super::{Format, binpack, bullet, text};
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

    /// The format that reads what this format writes.
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
    /// A message that names what the format needs and the record lacks.
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

    /// Appends the records that were kept to `bytes`.
    pub(crate) fn finish(&mut self, bytes: &mut Vec<u8>) {
        match self {
            Writer::Text | Writer::Bullet => {}
            Writer::Binpack(writer) => writer.finish(bytes),
        }
    }
}
