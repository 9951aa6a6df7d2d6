//! Why a network file is refused.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::differences::differences;
use crate::{Cause, Difference, Element, FileLayout, Identity, List, Place, Text};

/// Why a network file is refused: where, what was found, what was expected. Offsets are in bytes from the start of the
/// file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LoadError {
    /// The version word is another.
    Version {
        /// The name of the spec.
        spec: Text,
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
        spec: Text,
        /// The spec's hash.
        expected: u32,
        /// The file's hash.
        found: u32,
        /// What the file is instead.
        identity: Identity,
        /// What differs between the file and the spec, as far as it is known.
        differences: Vec<Difference>,
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
    /// The file has another length. Where nothing in a file marks its tensors, that is all there is to tell it by.
    Size {
        /// The name of the spec.
        spec: Text,
        /// The length of the spec's files in bytes.
        expected: u64,
        /// The length of the file in bytes.
        found: u64,
        /// What would explain the length, exactly.
        causes: Vec<Cause>,
        /// What the file is instead.
        identity: Identity,
    },
    /// Bytes that are the same in all files of the spec differ.
    Bytes {
        /// Where they begin.
        offset: u64,
        /// What they should be.
        expected: List<u8>,
        /// What they are.
        found: Vec<u8>,
        /// What the file is instead.
        identity: Identity,
    },
    /// The file does not end as it should, behind the last tensor.
    Tail {
        /// Where the last tensor ends.
        offset: u64,
        /// How many bytes should follow.
        expected_len: u64,
        /// What they should repeat.
        text: &'static [u8],
        /// What would explain what the file ends with, exactly.
        causes: Vec<Cause>,
    },
    /// A tensor that no tensor of the network is called like.
    UnknownEntry {
        /// Where its name begins.
        offset: u64,
        /// Its name, or its beginning.
        found: String,
        /// The names that there may be.
        allowed: Vec<Text>,
        /// What the file is instead.
        identity: Identity,
    },
    /// A tensor is there twice.
    EntryTwice {
        /// Which.
        place: Place,
        /// Where the second begins.
        offset: u64,
    },
    /// A tensor is not there.
    EntryMissing {
        /// Which.
        place: Place,
    },
    /// A tensor has another number of values.
    EntryLen {
        /// Which.
        place: Place,
        /// Where it begins.
        offset: u64,
        /// The number of values it says to have.
        found: u64,
        /// The number of values it should have.
        expected: u64,
    },
    /// A value is infinite or not a number.
    NotFinite {
        /// Of which tensor.
        place: Place,
        /// The number of the value in the file's order, from 0.
        index: u64,
        /// The value.
        value: f64,
    },
    /// A value is too large for its type in memory.
    OutOfRange {
        /// Of which tensor.
        place: Place,
        /// The number of the value in the file's order, from 0.
        index: u64,
        /// The value in the file.
        value: f64,
        /// What stands for 1.0, for values that are quantised.
        factor: Option<f64>,
        /// The smallest and the largest integer that are allowed.
        allowed: (i32, i32),
    },
    /// An input reaches more runs of 16 outputs than there is room for.
    OutputBlocks {
        /// By the weights of which tensor.
        place: Place,
        /// In which stack, if there are several.
        bucket: Option<usize>,
        /// The number of the input, from 0.
        input: usize,
        /// How many runs it reaches.
        found: usize,
        /// How many it may reach.
        allowed: usize,
    },
    /// A row and the virtual rows that are a part of it have a sum that memory's type does not hold.
    Coalesced {
        /// Whose rows.
        place: Place,
        /// The number of the row in the tensor, from 0.
        row: u64,
        /// The number of the value in the row, from 0: the neuron or the bucket.
        column: u64,
        /// The row's own value.
        own: f64,
        /// The sum of the virtual rows' values.
        virtual_sum: f64,
        /// What stands for 1.0, for sums that are quantised.
        factor: Option<f64>,
        /// The smallest and the largest integer that are allowed.
        allowed: (i32, i32),
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

impl LoadError {
    /// The same error, now that it is known what the file is.
    pub(crate) fn identified(mut self, layout: &FileLayout, found: Identity) -> LoadError {
        if let Self::Version { identity, .. } | Self::NetworkHash { identity, .. } = &mut self {
            *identity = found;
        }
        if let (
            Self::NetworkHash {
                differences: known, ..
            },
            Some(family),
        ) = (&mut self, found.probable_family())
        {
            *known = differences(&family, layout);
        }
        self
    }
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
                differences,
            } => {
                write!(
                    f,
                    "network hash at offset 4 is {found:#010x}, expected {expected:#010x} for {spec}"
                )?;
                // A family in words says the same as the differences, and a spec is not another one of its name.
                let is_said = match identity {
                    Identity::Relative(_) => !differences.is_empty(),
                    Identity::Spec { name } => name == spec,
                    _ => false,
                };
                if !is_said {
                    write_identity(f, *identity)?;
                }
                differences
                    .iter()
                    .enumerate()
                    .try_for_each(|(index, difference)| {
                        write!(f, "{} {difference}", if index == 0 { ":" } else { ";" })
                    })
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
            Self::Size {
                spec,
                expected,
                found,
                causes,
                identity,
            } => {
                write!(
                    f,
                    "the file has {found} bytes, expected {expected} for {spec}"
                )?;
                if *identity != Identity::Unknown {
                    return write_identity(f, *identity);
                }
                write_causes(f, causes)
            }
            Self::Bytes {
                offset,
                expected,
                found,
                identity,
            } => {
                write!(
                    f,
                    "bytes at offset {offset} are {}, expected {}",
                    Hex(found),
                    Hex(expected)
                )?;
                write_identity(f, *identity)
            }
            Self::Tail {
                offset,
                expected_len,
                text,
                causes,
            } => {
                write!(
                    f,
                    "the last tensor ends at offset {offset}: expected {expected_len} bytes of `{}` \
                     to follow, found others",
                    text.escape_ascii()
                )?;
                write_causes(f, causes)
            }
            Self::UnknownEntry {
                offset,
                found,
                allowed,
                identity,
            } => {
                write!(
                    f,
                    "found `{}` at offset {offset}, expected the name of a tensor: ",
                    found.escape_debug()
                )?;
                allowed.iter().enumerate().try_for_each(|(index, name)| {
                    let joint = match index {
                        0 => "",
                        _ if index + 1 == allowed.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{joint}`{name}`")
                })?;
                write_identity(f, *identity)
            }
            Self::EntryTwice { place, offset } => {
                write!(
                    f,
                    "`{place}` is there twice, for the second time at offset {offset}"
                )
            }
            Self::EntryMissing { place } => write!(f, "the file does not have `{place}`"),
            Self::EntryLen {
                place,
                offset,
                found,
                expected,
            } => write!(
                f,
                "`{place}` at offset {offset} has {found} values, expected {expected}"
            ),
            Self::NotFinite {
                place,
                index,
                value,
            } => write!(
                f,
                "value {index} of `{place}` is {value}, expected a finite number"
            ),
            Self::OutOfRange {
                place,
                index,
                value,
                factor,
                allowed: (low, high),
            } => {
                write!(f, "value {index} of `{place}` is {value}")?;
                if let Some(factor) = factor {
                    write!(f, ", times {factor} that is {}", value * factor)?;
                }
                write!(f, ", allowed are {low} to {high}")
            }
            Self::OutputBlocks {
                place,
                bucket,
                input,
                found,
                allowed,
            } => {
                write!(f, "input {input} of `{place}`")?;
                if let Some(bucket) = bucket {
                    write!(f, " in stack {bucket}")?;
                }
                write!(
                    f,
                    " reaches {found} runs of 16 outputs, allowed are {allowed}"
                )
            }
            Self::Coalesced {
                place,
                row,
                column,
                own,
                virtual_sum,
                factor,
                allowed: (low, high),
            } => {
                let sum = own + virtual_sum;
                write!(
                    f,
                    "row {row} of `{place}` has {own} in column {column} and its virtual rows add {virtual_sum}: the sum is {sum}"
                )?;
                if let Some(factor) = factor {
                    write!(f, ", times {factor} that is {}", sum * factor)?;
                }
                write!(f, ", allowed are {low} to {high}")
            }
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

/// Up to 16 bytes as people look at them.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 16;
        f.write_str("`")?;
        for (index, byte) in self.0.iter().take(SHOWN).enumerate() {
            write!(f, "{}{byte:02x}", if index > 0 { " " } else { "" })?;
        }
        f.write_str(if self.0.len() > SHOWN { " ...`" } else { "`" })
    }
}

fn write_causes(f: &mut fmt::Formatter<'_>, causes: &[Cause]) -> fmt::Result {
    causes.iter().enumerate().try_for_each(|(index, cause)| {
        let joint = if index == 0 { ": as if" } else { ", or as if" };
        write!(f, "{joint} {cause}")
    })
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
        name: Text::Borrowed("fc_0.weights"),
    };

    fn check(error: LoadError, message: &str) {
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn header_errors_say_what_the_file_is_instead() {
        check(
            LoadError::NetworkHash {
                spec: Text::Borrowed("SFNNv5"),
                expected: 0x1C10_2EF2,
                found: 0x1C10_3C92,
                identity: Identity::Spec { name: "small128" },
                differences: Vec::from([Difference {
                    what: "width",
                    file: Text::Borrowed("128"),
                    spec: Text::Borrowed("1024"),
                }]),
            },
            "network hash at offset 4 is 0x1c103c92, expected 0x1c102ef2 for SFNNv5: this is a net of small128: \
             width 128 in the file, 1024 in the spec",
        );
        check(
            LoadError::Version {
                spec: Text::Borrowed("SFNNv5"),
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
                    name: Text::Borrowed("transformer hash"),
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
