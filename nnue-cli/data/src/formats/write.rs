//! The formats that are written.

use super::{Format, bullet, text};
use crate::record::Record;

/// A format in which records can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenFormat {
    /// The format [`Format::Text`].
    Text,
    /// The format [`Format::Bullet`].
    Bullet,
}

impl WrittenFormat {
    /// All formats that can be written.
    pub const ALL: [WrittenFormat; 2] = [WrittenFormat::Text, WrittenFormat::Bullet];

    /// The same format as a format that can be read.
    #[must_use]
    pub fn read(self) -> Format {
        match self {
            WrittenFormat::Text => Format::Text,
            WrittenFormat::Bullet => Format::Bullet,
        }
    }

    /// The extension of file names, from which [`Input::open`](crate::Input::open) knows the
    /// format.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            WrittenFormat::Text => "txt",
            WrittenFormat::Bullet => "bullet",
        }
    }

    /// Appends a record to `bytes`.
    ///
    /// # Errors
    ///
    /// A part that the format needs and the record does not have.
    pub(crate) fn append(self, record: &Record, bytes: &mut Vec<u8>) -> Result<(), String> {
        match self {
            WrittenFormat::Text => {
                text::write(record, bytes);
                Ok(())
            }
            WrittenFormat::Bullet => bullet::write(record, bytes),
        }
    }
}
