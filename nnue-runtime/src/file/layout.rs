//! What a network file must contain, and where its tensors lie in memory.

use core::fmt;
use core::ops::RangeInclusive;

use super::coalesce::Coalesced;
use super::form::{Form, Placed};
use super::leb128;

/// The longest description that a file may carry, in bytes. Released nets use at most a few hundred; the limit keeps
/// [`FileLayout::max_len`] meaningful.
pub const DESCRIPTION_LIMIT: u32 = 64 * 1024;

/// Bytes before the description: version, network hash, length of the description.
pub(crate) const START_LEN: usize = 12;

/// A whole network file: the sections that come once, those of every stack, the tail.
#[derive(Clone, Copy, Debug)]
pub struct FileLayout {
    /// The name of the spec, for messages.
    pub name: &'static str,
    /// How the sections are found.
    pub format: Format,
    /// What the file begins with, in file order.
    pub sections: &'static [Section],
    /// What follows `sections`, repeated.
    pub stacks: Stacks,
    /// What the file ends with.
    pub tail: Tail,
    /// How its length depends on the network's shape, for messages; the number that is likelier to differ comes first.
    pub extents: &'static [Extent],
    /// The rows that are sums of their own and of virtual rows, once they are loaded.
    pub coalesced: &'static [Coalesced],
}

/// How the sections of a file are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Stockfish's: a header, and hashes among the sections.
    Stockfish {
        /// The version word at offset 0.
        version: u32,
        /// The network hash at offset 4.
        hash: u32,
    },
    /// One section after the other from offset 0 on, nothing but their lengths to find them by.
    Sequence,
    /// Tensors in any order, before each its [`Stored::id`], a line feed and the number of values as a `u64`.
    Named,
}

/// The layer stacks: one list of sections, repeated in the file and in memory.
#[derive(Clone, Copy, Debug)]
pub struct Stacks {
    /// How often `sections` are repeated.
    pub count: usize,
    /// Bytes from a stack to the next in memory.
    pub stride: usize,
    /// The sections of one stack, in file order. [`Placed::offset`] is that of the tensor in stack 0.
    pub sections: &'static [Section],
}

/// What a file ends with: a text, repeated and cut off where the file's length is a multiple of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The text. Not empty.
    pub text: &'static [u8],
    /// What the file's length is a multiple of; 1 for files without a tail.
    pub multiple: usize,
}

/// A number of the network's shape that the length of the file depends on.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// What it is a number of, as in `neurons`.
    pub name: &'static str,
    /// The number.
    pub count: usize,
    /// What it is a multiple of in any network.
    pub unit: usize,
    /// The bytes of the file that each accounts for.
    pub bytes: usize,
}

/// One piece of a file.
#[derive(Clone, Copy, Debug)]
pub enum Section {
    /// A `u32` that must have this value.
    Hash {
        /// Its name, for messages.
        name: &'static str,
        /// Its value.
        expected: u32,
    },
    /// Bytes that must be these.
    Bytes(&'static [u8]),
    /// So many bytes that mean nothing here. They are kept for writing.
    Skipped(usize),
    /// Bytes up to the next multiple of this, counted from the start of the file.
    Align(usize),
    /// Weights or biases.
    Tensor(Tensor),
}

/// A tensor, in the file and in memory: buckets of rows of columns. Of weights, rows are outputs and columns inputs;
/// but the transformer's have a row for each feature and a column for each neuron, as kernels read them.
#[derive(Clone, Copy, Debug)]
pub struct Tensor {
    /// Its name, for messages, such as `transformer.weights`.
    pub name: &'static str,
    /// Buckets, rows and columns.
    pub shape: [usize; 3],
    /// In the file.
    pub stored: Stored,
    /// In memory.
    pub placed: Placed,
}

/// A tensor in a file.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    /// What the file calls it; only [`Format::Named`] files do.
    pub id: &'static str,
    /// The type of its values.
    pub element: Element,
    /// How the file holds them.
    pub encoding: Encoding,
    /// How many there are, padding included.
    pub values: usize,
    /// How many values lie between a bucket, row or column and the next. What they do not reach is padding.
    pub strides: [usize; 3],
    /// How floating point becomes integers; only `f32` tensors have this, and need it unless memory is `f32` too.
    pub quantise: Option<Quantise>,
}

/// From floating point to integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantise {
    /// What stands for 1.0.
    pub factor: f64,
    /// What happens to fractions.
    pub rounding: Rounding,
    /// The type of integers that must hold the result.
    pub element: Element,
}

/// What happens to fractions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// They are cut off.
    Truncate,
    /// To the nearest integer, halves away from zero.
    Nearest,
}

/// The type of a tensor's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// 8 bits, signed.
    I8,
    /// 16 bits, signed.
    I16,
    /// 32 bits, signed.
    I32,
    /// Floating point.
    F32,
}

/// How a file holds the values of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Little-endian numbers, one after the other.
    Raw,
    /// One block of signed LEB128 values.
    Leb128,
}

/// A place in a file, for messages: a section, and the stack it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the stack, if the section is in one of several.
    pub stack: Option<usize>,
    /// The name of the section.
    pub name: &'static str,
}

/// A section of a file together with its repetition.
pub(crate) struct Entry {
    pub(crate) place: Place,
    /// What to add to the tensor's offset in memory.
    pub(crate) base: usize,
    pub(crate) section: &'static Section,
}

impl FileLayout {
    /// The layout of nothing: what stands in for one when a spec has errors.
    pub const EMPTY: FileLayout = FileLayout {
        name: "",
        format: Format::Sequence,
        sections: &[],
        stacks: Stacks::NONE,
        tail: Tail::NONE,
        extents: &[],
        coalesced: &[],
    };

    /// The length in bytes of the longest file that can be valid: raw tensors as they are, LEB128 values of the
    /// longest form, a description of [`DESCRIPTION_LIMIT`] bytes.
    pub fn max_len(&self) -> u64 {
        let start = match self.format {
            Format::Stockfish { .. } => START_LEN as u64 + u64::from(DESCRIPTION_LIMIT),
            Format::Sequence | Format::Named => 0,
        };
        let data = self.entries().fold(start, |offset, entry| {
            let len = match entry.section {
                Section::Align(to) => return offset.next_multiple_of(*to as u64),
                Section::Tensor(tensor) => self.tensor_max_len(tensor),
                section => section.len(),
            };
            offset + len
        });
        data.next_multiple_of(self.tail.multiple as u64)
    }

    /// Where the last section ends in a file of [`Format::Sequence`], whose tensors are raw.
    pub(crate) fn data_len(&self) -> usize {
        self.entries().fold(0, |offset, entry| match entry.section {
            Section::Align(to) => offset.next_multiple_of(*to),
            section => offset + section.len() as usize,
        })
    }

    /// The most bytes that a tensor takes, with what stands before its values.
    fn tensor_max_len(&self, tensor: &Tensor) -> u64 {
        let values = match tensor.stored.encoding {
            Encoding::Raw => tensor.raw_len() as u64,
            Encoding::Leb128 => (leb128::MAGIC.len() + 4) as u64 + tensor.leb128_len().end(),
        };
        match self.format {
            Format::Named => values + (tensor.stored.id.len() + 1 + 8) as u64,
            _ => values,
        }
    }

    /// The inputs of the affine layers of a stack.
    pub(crate) fn affine_inputs(&self) -> impl Iterator<Item = usize> {
        self.stacks
            .sections
            .iter()
            .filter_map(|section| match section {
                Section::Tensor(tensor) if tensor.stored.element == Element::I8 => {
                    Some(tensor.shape[2])
                }
                _ => None,
            })
    }

    /// All sections in file order, those of the stacks repeated.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> + use<> {
        let Self {
            sections, stacks, ..
        } = *self;
        let once = sections.iter().map(|section| Entry {
            place: Place {
                stack: None,
                name: section.name(),
            },
            base: 0,
            section,
        });
        let repeated = (0..stacks.count).flat_map(move |stack| {
            stacks.sections.iter().map(move |section| Entry {
                place: Place {
                    // The number of an only stack would only puzzle the reader of a message.
                    stack: (stacks.count > 1).then_some(stack),
                    name: section.name(),
                },
                base: stack * stacks.stride,
                section,
            })
        });
        once.chain(repeated)
    }

    /// All tensors in file order, with what to add to their offsets in memory.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = (usize, &'static Tensor)> + use<> {
        self.entries().filter_map(|entry| match entry.section {
            Section::Tensor(tensor) => Some((entry.base, tensor)),
            _ => None,
        })
    }
}

impl Stacks {
    /// No sections that repeat.
    pub const NONE: Stacks = Stacks {
        count: 0,
        stride: 0,
        sections: &[],
    };
}

impl Tail {
    /// The file ends with its last section.
    pub const NONE: Tail = Tail {
        text: b"\0",
        multiple: 1,
    };

    /// Whether a file's last section may end at `offset`: what follows is the tail, and all of it.
    pub(crate) fn follows(self, source: &[u8], offset: usize) -> bool {
        let Some((data, rest)) = source.split_at_checked(offset) else {
            return false;
        };
        // Where the text stands once more before it, the tail begins earlier. A single byte may as well be a weight.
        let begins_earlier = self.text.len() > 1 && self.multiple > 1 && data.ends_with(self.text);
        !begins_earlier && rest.iter().copied().eq(self.bytes(offset))
    }

    /// The bytes that follow the last section, which ends at `offset`.
    pub(crate) fn bytes(self, offset: usize) -> impl Iterator<Item = u8> {
        let len = offset.next_multiple_of(self.multiple) - offset;
        self.text.iter().copied().cycle().take(len)
    }
}

impl Section {
    /// A tensor whose values memory has as the file has them: `rows` of `columns` integers.
    pub const fn same(
        name: &'static str,
        element: Element,
        encoding: Encoding,
        offset: usize,
        [rows, columns]: [usize; 2],
    ) -> Section {
        Section::Tensor(Tensor {
            name,
            shape: [1, rows, columns],
            stored: Stored {
                id: "",
                element,
                encoding,
                values: rows * columns,
                strides: [0, columns, 1],
                quantise: None,
            },
            placed: Placed {
                element,
                offset,
                stride: 0,
                form: Form::Rows,
                rows,
                slots: columns,
                segments: &[],
            },
        })
    }

    /// What messages call it.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Hash { name, .. } => name,
            Self::Bytes(_) => "bytes",
            Self::Skipped(_) => "skipped bytes",
            Self::Align(_) => "alignment",
            Self::Tensor(tensor) => tensor.name,
        }
    }

    /// The bytes that it takes, where that depends neither on its place nor on its values.
    fn len(&self) -> u64 {
        let len = match self {
            Self::Hash { .. } => 4,
            Self::Bytes(bytes) => bytes.len(),
            Self::Skipped(len) => *len,
            Self::Align(_) => 0,
            Self::Tensor(tensor) => tensor.raw_len(),
        };
        len as u64
    }
}

impl Tensor {
    /// The bytes of the values in the file if it holds them raw.
    pub(crate) const fn raw_len(&self) -> usize {
        self.stored.values * self.stored.element.size()
    }

    /// How many bytes the values may take as LEB128.
    pub(crate) fn leb128_len(&self) -> RangeInclusive<u64> {
        let count = self.stored.values as u64;
        count..=count * leb128::longest(self.stored.element.size()) as u64
    }

    /// Whether memory has the integers of the file in the order of the file, so that they need only be copied.
    pub(crate) fn is_same(&self) -> bool {
        let ([buckets, rows, columns], stored, placed) = (self.shape, &self.stored, &self.placed);
        let in_order = stored.strides[2] == 1 && (rows == 1 || stored.strides[1] == columns);
        buckets == 1
            && in_order
            && stored.values == rows * columns
            && stored.element == placed.element
            && stored.element != Element::F32
            && placed.is_rows_of(rows, columns)
    }

    /// Where in the file's values that of a bucket, row and column is.
    pub(crate) const fn stored_index(&self, [bucket, row, column]: [usize; 3]) -> usize {
        let strides = self.stored.strides;
        bucket * strides[0] + row * strides[1] + column * strides[2]
    }

    /// The values of the file that are none of the tensor's.
    pub(crate) fn padding(&self) -> impl Iterator<Item = usize> {
        let values: usize = self.shape.iter().product();
        let end = if values == self.stored.values {
            0
        } else {
            self.stored.values
        };
        let mut axes = [0, 1, 2].map(|axis| (self.stored.strides[axis], self.shape[axis]));
        axes.sort_unstable_by_key(|(stride, _)| core::cmp::Reverse(*stride));
        (0..end).filter(move |&index| {
            let mut rest = index;
            for (stride, len) in axes {
                if len > 1 {
                    let position = rest / stride;
                    if position >= len {
                        return true;
                    }
                    rest -= position * stride;
                }
            }
            rest != 0
        })
    }
}

impl Element {
    /// The smallest and the largest integer; `None` for floating point.
    pub(crate) const fn limits(self) -> Option<(i32, i32)> {
        match self {
            Self::I8 => Some((i8::MIN as i32, i8::MAX as i32)),
            Self::I16 => Some((i16::MIN as i32, i16::MAX as i32)),
            Self::I32 => Some((i32::MIN, i32::MAX)),
            Self::F32 => None,
        }
    }

    /// The bytes of a value.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 => 1,
            Self::I16 => 2,
            Self::I32 | Self::F32 => 4,
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::F32 => "f32",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stack {
            Some(stack) => write!(f, "stack {stack} {}", self.name),
            None => f.write_str(self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::super::tests::RAW;
    use super::*;

    fn tensor(shape: [usize; 3], strides: [usize; 3], values: usize) -> Tensor {
        let Section::Tensor(same) = Section::same(
            "weights",
            Element::I8,
            Encoding::Raw,
            0,
            [shape[1], shape[2]],
        ) else {
            unreachable!()
        };
        Tensor {
            shape,
            stored: Stored {
                strides,
                values,
                ..same.stored
            },
            ..same
        }
    }

    #[test]
    fn places_name_the_stack_only_where_there_are_several() {
        let last = |layout: FileLayout| layout.entries().last().unwrap().place.to_string();
        assert_eq!(last(RAW), "stack 1 fc_1.weights");
        let stacks = Stacks {
            count: 1,
            ..RAW.stacks
        };
        assert_eq!(last(FileLayout { stacks, ..RAW }), "fc_1.weights");
    }

    #[test]
    fn padding_is_what_no_value_reaches() {
        for (shape, strides, values) in [
            ([1, 2, 7], [0, 32, 1], 64),
            ([2, 3, 5], [1, 2, 8], 40),
            ([2, 3, 5], [24, 8, 1], 48),
            ([3, 1, 5], [1, 0, 4], 20),
            ([2, 3, 5], [15, 5, 1], 30),
        ] {
            let tensor = tensor(shape, strides, values);
            let mut padding = alloc::vec![true; values];
            for bucket in 0..shape[0] {
                for row in 0..shape[1] {
                    for column in 0..shape[2] {
                        padding[tensor.stored_index([bucket, row, column])] = false;
                    }
                }
            }
            let expected: Vec<usize> = (0..values).filter(|&index| padding[index]).collect();
            assert_eq!(tensor.padding().collect::<Vec<_>>(), expected, "{shape:?}");
        }
    }

    #[test]
    fn tails_reach_to_the_multiple() {
        let tail = Tail {
            text: b"bullet",
            multiple: 64,
        };
        let bytes = |offset| tail.bytes(offset).collect::<Vec<u8>>();
        assert_eq!(bytes(64), b"");
        assert_eq!(bytes(63), b"b");
        assert_eq!(bytes(120), b"bulletbu");
        assert_eq!(Tail::NONE.bytes(7).count(), 0);
    }
}
