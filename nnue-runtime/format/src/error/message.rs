//! The messages of errors of loading: the place, what was found and what was expected.

use core::fmt::{self, Display};

use super::{LoadError, ValueFault, WrongBytes, WrongWord};
use crate::{Encoding, FieldForm, Limits, foreign};

/// The command that explains an error. It stands in the same line, because many engines print errors
/// in a protocol of lines.
const ADVICE: &str = " (`nnue info FILE --spec SPEC` explains it)";

/// The message of an error of loading without the name of the command that explains it.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'e>(&'e LoadError);

impl LoadError {
    /// The message without the name of the command that explains it.
    #[must_use]
    pub fn facts(&self) -> Facts<'_> {
        Facts(self)
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.facts().fmt(f)?;
        if self.may_be_explained() {
            f.write_str(ADVICE)
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for Facts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_facts(f)
    }
}

impl LoadError {
    fn write_facts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Explained { message, .. } => f.write_str(message),
            Self::Version(word) => write!(f, "file version at offset 0 is {word}"),
            Self::NetworkHash(word) => write!(f, "network hash at offset 4 is {word}"),
            Self::DescriptionTooLong { length, limit } => write!(
                f,
                "description length at offset 8 is {length} bytes, allowed are at most {limit}"
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
                write_reason(f, "that value", *offset, *elsewhere)
            }
            Self::NotCompressed {
                place,
                offset,
                by_key,
                elsewhere,
            } => {
                write!(
                    f,
                    "`{place}` at offset {offset} is not a LEB128 block, expected `COMPRESSED_LEB128`"
                )?;
                write_key(f, *by_key, Encoding::Leb128)?;
                write_reason(f, "a block", *offset, *elsewhere)
            }
            Self::UnexpectedlyCompressed {
                place,
                offset,
                by_key,
                expected,
            } => {
                let values = match expected {
                    Encoding::Raw => "raw values",
                    Encoding::Leb128 | Encoding::BareLeb128 => "LEB128 values without its header",
                };
                write!(
                    f,
                    "`{place}` at offset {offset} is a LEB128 block, expected {values}"
                )?;
                write_key(f, *by_key, *expected)
            }
            Self::ValuesMissing {
                place,
                offset,
                found,
                expected,
            } => write!(
                f,
                "the file ends in `{place}`: found {found} LEB128 values at offset {offset}, expected {expected}"
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
            Self::Size {
                spec,
                expected,
                found,
            } => write!(
                f,
                "the file has {found} bytes, expected {expected} for {spec}"
            ),
            Self::Bytes(bytes) => bytes.fmt(f),
            Self::Tail {
                offset,
                expected_len,
                text,
            } => write!(
                f,
                "the last tensor ends at offset {offset}: expected {expected_len} bytes of `{}` \
                 to follow, found others",
                text.escape_ascii()
            ),
            Self::UnknownEntry {
                offset,
                found,
                allowed,
            } => {
                write!(
                    f,
                    "found `{}` at offset {offset}, expected the name of a tensor: ",
                    foreign(found)
                )?;
                for (index, name) in allowed.iter().enumerate() {
                    let joint = match index {
                        0 => "",
                        _ if index + 1 == allowed.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{joint}`{name}`")?;
                }
                Ok(())
            }
            Self::EntryTwice { place, offset } => {
                write!(
                    f,
                    "found `{place}` a second time at offset {offset}, expected each tensor once"
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
            Self::Value {
                place,
                index,
                fault,
            } => write!(f, "value {index} of `{place}` {fault}"),
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
            Self::Shards {
                place,
                bucket,
                output,
                input,
                value,
            } => {
                write!(f, "output {output} of `{place}`")?;
                if let Some(bucket) = bucket {
                    write!(f, " in stack {bucket}")?;
                }
                write!(
                    f,
                    " has the weight {value} for input {input} of another shard, expected 0"
                )
            }
            Self::Coalesced {
                place,
                row,
                column,
                own,
                virtual_sum,
                limits,
            } => {
                let sum = own + virtual_sum;
                write!(
                    f,
                    "row {row} of `{place}` has {own} in column {column}, to which the file adds {virtual_sum}: the sum is {sum}"
                )?;
                limits.write(f, sum)
            }
            Self::ZstdNotEnabled { offset } => write!(
                f,
                "the file is compressed with zstd from offset {offset} on: enable the feature `zstd` of `nnue-runtime`, \
                 or unpack it"
            ),
            Self::Zstd { offset, message } => {
                let message = foreign(message);
                write!(f, "the zstd data at offset {offset} are damaged: {message}")
            }
            Self::TrailingBytes {
                expected_len,
                found_len,
                ..
            } => write!(
                f,
                "the network ends at offset {expected_len}, but the file has {found_len} bytes"
            ),
            Self::TooLong { limit } => write!(
                f,
                "the file is longer than the {limit} bytes that a network of this spec can take"
            ),
            #[cfg(feature = "std")]
            Self::Io { message, .. } => foreign(message).fmt(f),
        }
    }
}

impl fmt::Display for WrongWord {
    /// Writes the part of a message that follows "is".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (found, expected) = (self.found, self.expected);
        write!(
            f,
            "{found:#010x}, expected {expected:#010x} for {}",
            self.spec
        )
    }
}

impl fmt::Display for WrongBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrongBytes {
            place,
            form,
            offset,
            ..
        } = self;
        match (form, &*place.name) {
            (FieldForm::Bytes, "bytes") => write!(f, "bytes at offset {offset} are")?,
            _ => write!(f, "`{place}` at offset {offset} is")?,
        }
        let (found, expected) = (Field(*form, &self.found), Field(*form, &self.expected));
        write!(f, " {found}, expected {expected}")
    }
}

impl fmt::Display for ValueFault {
    /// Writes the part of a message that follows the name of the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlong { offset, longest } => write!(
                f,
                "at offset {offset} is not in its shortest LEB128 form, \
                 expected at most {longest} bytes and none without effect"
            ),
            Self::OutsideType {
                offset,
                value,
                element,
            } => write!(
                f,
                "at offset {offset} is {value}, which does not fit in {element}"
            ),
            Self::NotFinite { value } => write!(f, "is {value}, expected a finite number"),
            Self::OutOfRange { value, limits } => {
                write!(f, "is {value}")?;
                limits.write(f, *value)
            }
        }
    }
}

impl Limits {
    /// Says what a value becomes in memory, and what is allowed there.
    fn write(&self, f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
        if let Some(factor) = self.factor {
            write!(f, ", times {factor} that is {}", value * factor)?;
        }
        let (low, high) = self.allowed;
        write!(f, ", allowed are {low} to {high}")
    }
}

/// The content of a field.
struct Field<'a>(FieldForm, &'a [u8]);

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Field(form, bytes) = *self;
        match form {
            FieldForm::Bytes => write!(f, "{}", Hex(bytes)),
            FieldForm::Number => {
                let number = bytes.iter().rev();
                let number = number.fold(0, |number, byte| number << 8 | u64::from(*byte));
                write!(f, "{number}")
            }
            FieldForm::Text => write!(f, "\"{}\"", foreign(bytes.escape_ascii())),
        }
    }
}

/// Up to 16 bytes in hexadecimal notation.
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

/// Says which key makes a tensor compressed or not.
fn write_key(f: &mut fmt::Formatter<'_>, by_key: bool, encoding: Encoding) -> fmt::Result {
    if by_key {
        write!(f, " because `encoding` is \"{encoding}\"")
    } else {
        Ok(())
    }
}

/// Says why a section is not where it should be: it is elsewhere.
fn write_reason(
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
        "; {what} begins {distance} bytes {direction}: does a tensor before it have another size?"
    )
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::*;
    use crate::{Place, Text, list};

    const PLACE: Place = Place {
        stack: Some(3),
        name: Text::Borrowed("fc_0.weights"),
    };

    fn check(error: LoadError, message: &str) {
        assert_eq!(error.facts().to_string(), message);
        let advice = if error.may_be_explained() { ADVICE } else { "" };
        assert_eq!(error.to_string(), alloc::format!("{message}{advice}"));
    }

    #[test]
    fn explanations_take_the_place_of_the_message() {
        let refused = LoadError::TrailingBytes {
            offset: 1,
            expected_len: 1,
            found_len: 2,
        };
        let error = LoadError::Explained {
            refused: Box::new(refused.clone()),
            message: "why".into(),
        };
        assert_eq!(error.to_string(), "why");
        assert_eq!(error.refused(), &refused);
        assert_eq!(refused.refused(), &refused);
    }

    #[test]
    fn header_errors_show_both_words() {
        check(
            LoadError::NetworkHash(WrongWord {
                spec: Text::Borrowed("SFNNv5"),
                expected: 0x1C10_2EF2,
                found: 0x1C10_3C92,
            }),
            "network hash at offset 4 is 0x1c103c92, expected 0x1c102ef2 for SFNNv5",
        );
        check(
            LoadError::Version(WrongWord {
                spec: Text::Borrowed("SFNNv5"),
                expected: 0x7AF3_2F20,
                found: 0x10,
            }),
            "file version at offset 0 is 0x00000010, expected 0x7af32f20 for SFNNv5",
        );
    }

    #[test]
    fn shifted_sections_say_by_how_much() {
        check(
            LoadError::NotCompressed {
                place: PLACE,
                offset: 1000,
                by_key: false,
                elsewhere: Some(400),
            },
            "`stack 3 fc_0.weights` at offset 1000 is not a LEB128 block, expected `COMPRESSED_LEB128`; a block begins 600 bytes earlier: does a tensor before it have another size?",
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
             that value begins 4 bytes later: does a tensor before it have another size?",
        );
    }

    #[test]
    fn fields_are_shown_as_what_they_are() {
        let error = |name: &'static str, form, expected: &'static [u8], found: &[u8]| {
            let place = Place {
                stack: None,
                name: Text::Borrowed(name),
            };
            LoadError::Bytes(Box::new(WrongBytes {
                place,
                form,
                offset: 4,
                expected: list(expected),
                found: found.to_vec(),
            }))
        };
        check(
            error("L1", FieldForm::Number, &[0, 4], &[1, 0xFF]),
            "`L1` at offset 4 is 65281, expected 1024",
        );
        check(
            error("magic", FieldForm::Text, b"CBNF", b"CB\xFF\""),
            "`magic` at offset 4 is \"CB\\xff\\\"\", expected \"CBNF\"",
        );
        check(
            error("magic", FieldForm::Bytes, b"AB", b"A\0"),
            "`magic` at offset 4 is `41 00`, expected `41 42`",
        );
        check(
            error("bytes", FieldForm::Bytes, b"AB", b"A\0"),
            "bytes at offset 4 are `41 00`, expected `41 42`",
        );
    }

    #[test]
    fn what_a_file_says_is_shown_in_few_words_that_no_terminal_obeys() {
        for text in ["\x1b[31m\u{202e}".into(), "x".repeat(1 << 20)] {
            let errors = [
                LoadError::UnknownEntry {
                    offset: 0,
                    found: text.clone(),
                    allowed: Vec::from([Text::Borrowed("l0w")]),
                },
                LoadError::Zstd {
                    offset: 0,
                    message: text.clone(),
                },
                #[cfg(feature = "std")]
                LoadError::Io {
                    kind: std::io::ErrorKind::Other,
                    message: text,
                },
            ];
            for error in errors {
                let message = error.to_string();
                assert!(message.len() < 300, "{} bytes", message.len());
                assert!(!message.contains(crate::is_hidden), "{message:?}");
            }
        }
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
