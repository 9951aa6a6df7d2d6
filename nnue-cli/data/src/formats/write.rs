//! The formats that are written.

use super::{Format, bullet, text};
use crate::record::Record;

/// A format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenFormat {
    /// [`Format::Text`].
    Text,
    /// [`Format::Bullet`].
    Bullet,
}

impl WrittenFormat {
    /// All of them.
    pub const ALL: [WrittenFormat; 2] = [WrittenFormat::Text, WrittenFormat::Bullet];

    /// The same format, to be read.
    #[must_use]
    pub fn read(self) -> Format {
        match self {
            WrittenFormat::Text => Format::Text,
            WrittenFormat::Bullet => Format::Bullet,
        }
    }

    /// What names of files end in, from which [`Input::open`](crate::Input::open) knows the format.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            WrittenFormat::Text => "txt",
            WrittenFormat::Bullet => "bullet",
        }
    }

    /// Appends a record.
    ///
    /// # Errors
    ///
    /// What the format needs and the record does not have.
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
