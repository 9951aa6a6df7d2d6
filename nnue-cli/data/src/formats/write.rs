//! The formats that can be written.

use super::{Format, bullet, text};
use crate::record::Record;

/// A format of training data that this crate writes, besides reading it.
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

    /// The format that reads what this format writes.
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
    /// A message that names what the format needs and the record lacks.
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
