//! Why a network file is refused.

#[cfg(feature = "std")]
use alloc::string::String;
use core::fmt;

use super::identify::Identity;
use super::layout::{Element, Place};

/// Why a network file is refused: where, what was found, what was expected. Offsets are in bytes from the start of the
/// file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LoadError {
    /// The version word is another.
    Version {
        /// The name of the spec.
        spec: &'static str,
        /// The spec's version.
        expected: u32,
        /// The file's version.
        found: u32,
        /// What the file is instead.
        identity: Identity,
    },
    /// The network hash is another: the file holds a network of another shape.
    NetworkHash {
        /// The name of the spec.
        spec: &'static str,
        /// The spec's hash.
        expected: u32,
        /// The file's hash.
        found: u32,
        /// What the file is instead.
        identity: Identity,
    },
    /// The description claims to be longer than [`DESCRIPTION_LIMIT`](super::DESCRIPTION_LIMIT).
    DescriptionTooLong {
        /// The length that the file states, in bytes.
        length: u32,
        /// The longest that is allowed, in bytes.
        limit: u32,
    },
    /// The file ends too early.
    Truncated {
        /// What it ends in.
        place: Place,
        /// Where that begins.
        offset: u64,
        /// The bytes it needs.
        needed: u64,
        /// The bytes there are.
        available: u64,
    },
    /// A hash in the body is another.
    SectionHash {
        /// Which.
        place: Place,
        /// Where it should be.
        offset: u64,
        /// What it should be.
        expected: u32,
        /// What is there.
        found: u32,
        /// Where else the expected value was found: a tensor before it has another size, then.
        elsewhere: Option<u64>,
    },
    /// A tensor should be a LEB128 block and is not.
    NotCompressed {
        /// Which tensor.
        place: Place,
        /// Where it should begin.
        offset: u64,
        /// Where else a LEB128 block begins: a tensor before it has another size, then.
        elsewhere: Option<u64>,
    },
    /// A tensor should be raw and is a LEB128 block.
    UnexpectedlyCompressed {
        /// Which tensor.
        place: Place,
        /// Where it begins.
        offset: u64,
    },
    /// The byte count of a LEB128 block does not fit the values.
    Leb128ByteCount {
        /// Which tensor.
        place: Place,
        /// Where the byte count is.
        offset: u64,
        /// The byte count.
        found: u32,
        /// The fewest bytes that the values can take.
        at_least: u64,
        /// The most bytes that the values can take; the same as `at_least` if all of them were read.
        at_most: u64,
    },
    /// A LEB128 value is not in its shortest form, so that writing the network would not give its file back.
    Leb128Overlong {
        /// Which tensor.
        place: Place,
        /// The number of the value in the tensor, from 0.
        index: u64,
        /// Where the value begins.
        offset: u64,
        /// The most bytes that a value of the tensor's type takes.
        longest: usize,
    },
    /// A LEB128 value does not fit the tensor's type.
    Leb128OutOfRange {
        /// Which tensor.
        place: Place,
        /// The number of the value in the tensor, from 0.
        index: u64,
        /// Where the value begins.
        offset: u64,
        /// The value.
        value: i64,
        /// The tensor's type.
        element: Element,
    },
    /// The file goes on after the last tensor.
    TrailingBytes {
        /// The length of the network in bytes.
        expected_len: u64,
        /// The length of the file in bytes.
        found_len: u64,
    },
    /// The file is longer than any file of the spec can be.
    TooLong {
        /// The longest that can be valid, in bytes.
        limit: u64,
    },
    /// The file could not be read.
    #[cfg(feature = "std")]
    Io {
        /// The kind of the error.
        kind: std::io::ErrorKind,
        /// What the operating system says, and the file's path if known.
        message: String,
    },
}

impl core::error::Error for LoadError {}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version {
                spec,
                expected,
                found,
                identity,
            } => {
                write!(
                    f,
                    "file version at offset 0 is {found:#010x}, expected {expected:#010x} for {spec}"
                )?;
                write_identity(f, *identity)
            }
            Self::NetworkHash {
                spec,
                expected,
                found,
                identity,
            } => {
                write!(
                    f,
                    "network hash at offset 4 is {found:#010x}, expected {expected:#010x} for {spec}"
                )?;
                write_identity(f, *identity)
            }
            Self::DescriptionTooLong { length, limit } => write!(
                f,
                "description length at offset 8 is {length} bytes, at most {limit} are allowed"
            ),
            Self::Truncated {
                offset: 0,
                available: 0,
                ..
            } => write!(f, "the file is empty"),
            Self::Truncated {
                place,
                offset,
                needed,
                available,
            } => write!(
                f,
                "the file ends in `{place}`: found {available} bytes at offset {offset}, expected {needed}"
            ),
            Self::SectionHash {
                place,
                offset,
                expected,
                found,
                elsewhere,
            } => {
                write!(
                    f,
                    "`{place}` at offset {offset} is {found:#010x}, expected {expected:#010x}"
                )?;
                write_elsewhere(f, "that value", *offset, *elsewhere)
            }
            Self::NotCompressed {
                place,
                offset,
                elsewhere,
            } => {
                write!(
                    f,
                    "`{place}` at offset {offset} is not a LEB128 block, expected `COMPRESSED_LEB128`"
                )?;
                write_elsewhere(f, "a block", *offset, *elsewhere)
            }
            Self::UnexpectedlyCompressed { place, offset } => write!(
                f,
                "`{place}` at offset {offset} is a LEB128 block, expected raw values"
            ),
            Self::Leb128ByteCount {
                place,
                offset,
                found,
                at_least,
                at_most,
            } => {
                write!(
                    f,
                    "byte count of `{place}` at offset {offset} is {found}, but its values take {at_least}"
                )?;
                if at_most > at_least {
                    write!(f, " to {at_most}")?;
                }
                write!(f, " bytes")
            }
            Self::Leb128Overlong {
                place,
                index,
                offset,
                longest,
            } => write!(
                f,
                "value {index} of `{place}` at offset {offset} is not in its shortest LEB128 form, \
                 expected at most {longest} bytes and none without effect"
            ),
            Self::Leb128OutOfRange {
                place,
                index,
                offset,
                value,
                element,
            } => write!(
                f,
                "value {index} of `{place}` at offset {offset} is {value}, which is not an {element}"
            ),
            Self::TrailingBytes {
                expected_len,
                found_len,
            } => write!(
                f,
                "the network ends at offset {expected_len}, but the file has {found_len} bytes"
            ),
            Self::TooLong { limit } => write!(
                f,
                "the file is longer than the {limit} bytes that a network of this spec can take"
            ),
            #[cfg(feature = "std")]
            Self::Io { message, .. } => f.write_str(message),
        }
    }
}

fn write_identity(f: &mut fmt::Formatter<'_>, identity: Identity) -> fmt::Result {
    match identity {
        Identity::Unknown => Ok(()),
        known => write!(f, ": this is {known}"),
    }
}

fn write_elsewhere(
    f: &mut fmt::Formatter<'_>,
    what: &str,
    offset: u64,
    elsewhere: Option<u64>,
) -> fmt::Result {
    let Some(elsewhere) = elsewhere else {
        return Ok(());
    };
    let (distance, direction) = if elsewhere < offset {
        (offset - elsewhere, "earlier")
    } else {
        (elsewhere - offset, "later")
    };
    write!(
        f,
        "; {what} begins {distance} bytes {direction}: is a tensor before it of another size?"
    )
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    const PLACE: Place = Place {
        stack: Some(3),
        name: "fc_0.weights",
    };

    fn check(error: LoadError, message: &str) {
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn header_errors_say_what_the_file_is_instead() {
        check(
            LoadError::NetworkHash {
                spec: "SFNNv5",
                expected: 0x1C10_2EF2,
                found: 0x1C10_3C92,
                identity: Identity::Spec { name: "small128" },
            },
            "network hash at offset 4 is 0x1c103c92, expected 0x1c102ef2 for SFNNv5: this is a net of small128",
        );
        check(
            LoadError::Version {
                spec: "SFNNv5",
                expected: 0x7AF3_2F20,
                found: 0x10,
                identity: Identity::Unknown,
            },
            "file version at offset 0 is 0x00000010, expected 0x7af32f20 for SFNNv5",
        );
    }

    #[test]
    fn shifted_sections_say_by_how_much() {
        check(
            LoadError::NotCompressed {
                place: PLACE,
                offset: 1000,
                elsewhere: Some(400),
            },
            "`stack 3 fc_0.weights` at offset 1000 is not a LEB128 block, expected `COMPRESSED_LEB128`; \
             a block begins 600 bytes earlier: is a tensor before it of another size?",
        );
        check(
            LoadError::SectionHash {
                place: Place {
                    stack: None,
                    name: "transformer hash",
                },
                offset: 64,
                expected: 1,
                found: 2,
                elsewhere: Some(68),
            },
            "`transformer hash` at offset 64 is 0x00000002, expected 0x00000001; \
             that value begins 4 bytes later: is a tensor before it of another size?",
        );
    }

    #[test]
    fn truncation_names_the_section_and_an_empty_file_is_called_so() {
        check(
            LoadError::Truncated {
                place: PLACE,
                offset: 80,
                needed: 512,
                available: 100,
            },
            "the file ends in `stack 3 fc_0.weights`: found 100 bytes at offset 80, expected 512",
        );
        check(
            LoadError::Truncated {
                place: PLACE,
                offset: 0,
                needed: 4,
                available: 0,
            },
            "the file is empty",
        );
    }

    #[test]
    fn byte_counts_show_a_range_only_where_there_is_one() {
        let error = |at_least, at_most| LoadError::Leb128ByteCount {
            place: PLACE,
            offset: 9,
            found: 3,
            at_least,
            at_most,
        };
        check(
            error(4, 12),
            "byte count of `stack 3 fc_0.weights` at offset 9 is 3, but its values take 4 to 12 bytes",
        );
        check(
            error(4, 4),
            "byte count of `stack 3 fc_0.weights` at offset 9 is 3, but its values take 4 bytes",
        );
    }
}
