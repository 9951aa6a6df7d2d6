//! The content that a net file must have, and the places of its tensors in memory.

use alloc::borrow::Cow;
use core::fmt;

use crate::{
    Coalesced, Element, Encoding, List, Paired, Placed, Role, Stored, Tensor, Text, leb128, list,
};

/// The longest description that a file may carry, in bytes. Released nets use at most a few
/// hundred; the limit keeps [`FileLayout::max_len`] meaningful.
pub const DESCRIPTION_LIMIT: u32 = 64 * 1024;

/// The largest number of layers of a network: a single word keeps what its weights prove about
/// them.
pub const MAX_LAYERS: usize = 64;

/// The number of bytes before the description: version, network hash, length of the description.
pub const START_LEN: usize = 12;

/// The layout of a whole network file: the sections that come once, the sections of every stack,
/// and the tail.
#[derive(Clone, Debug, PartialEq)]
pub struct FileLayout {
    /// The name of the spec, for messages.
    pub name: Text,
    /// How the sections are found.
    pub format: Format,
    /// The sections that come once, in file order.
    pub sections: List<Section>,
    /// The layer stacks, which follow `sections`.
    pub stacks: Stacks,
    /// The bytes that follow the last section.
    pub tail: Tail,
    /// How the file's length depends on the network's shape, for messages. Numbers that differ more
    /// often come first.
    pub extents: List<Extent>,
    /// The rows that become sums of their own values and of virtual rows when they are loaded.
    pub coalesced: List<Coalesced>,
    /// The tables whose values are paired after they are loaded.
    pub paired: List<Paired>,
}

/// How the sections of a file are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Stockfish's format: a header, and hashes among the sections.
    Stockfish {
        /// The version word at offset 0.
        version: u32,
        /// The network hash at offset 4.
        hash: u32,
    },
    /// Sections that follow each other from offset 0 on. Only their lengths tell where they are.
    Sequence,
    /// Tensors in any order. Before each tensor are its [`Tensor::id`], a line feed and the number
    /// of its values as a `u64`.
    Named,
}

/// The layer stacks: groups of sections. The file repeats each group. In memory all that belongs to
/// a stack is together.
#[derive(Clone, Debug, PartialEq)]
pub struct Stacks {
    /// The number of times that the sections of each group are repeated.
    pub count: usize,
    /// The number of bytes from a stack to the next in memory.
    pub stride: usize,
    /// The sections of a stack, in file order. The file has the first group for each stack, then
    /// the second group for each stack, and so on. [`Placed::offset`] is that of the tensor in
    /// stack 0.
    pub groups: List<List<Section>>,
}

/// The end of a file: a text, repeated and cut off where the file's length is a multiple of
/// [`Tail::multiple`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The text, which is not empty.
    pub text: &'static [u8],
    /// The file's length is a multiple of this number; 1 for files without a tail.
    pub multiple: usize,
}

/// A number of the network's shape that the length of the file depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The name of the number, as in `neurons`.
    pub name: &'static str,
    /// The number that the spec has.
    pub count: usize,
    /// The number of neurons, features or stacks is a multiple of this number in every network.
    pub unit: usize,
    /// How many bytes longer the file is if the number is larger by 1.
    pub bytes: usize,
}

/// A piece of a file. `T` describes a tensor; after the layout is decided, also its place in
/// memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Section<T = Tensor> {
    /// A `u32` that must have the expected value.
    Hash {
        /// The name of the word, for messages.
        name: &'static str,
        /// The value that the word must have.
        expected: u32,
    },
    /// Bytes that every file must have: a field of a header, or bytes without a name.
    Bytes {
        /// The name of the bytes, for messages; empty if the bytes have no name.
        name: Text,
        /// The form of the bytes, for messages.
        form: FieldForm,
        /// The bytes.
        expected: List<u8>,
    },
    /// Bytes whose content is free. They are kept for writing.
    Skipped {
        /// The name of the bytes, for messages; empty if the bytes have no name.
        name: Text,
        /// The number of bytes.
        len: usize,
    },
    /// Numbers that the network does not use, but an engine may. They are kept for writing and for
    /// [`tensor`](crate::tensor).
    Kept {
        /// The name of the numbers.
        name: Text,
        /// The type of the numbers, little-endian.
        element: Element,
        /// The numbers of rows and columns.
        shape: [usize; 2],
    },
    /// Padding up to the next multiple of this number, counted from the start of the file.
    Align(usize),
    /// Weights, biases or other parameters.
    Tensor(T),
}

/// The form in which the bytes of a field are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldForm {
    /// The bytes have no other form.
    Bytes,
    /// A number without a sign, little-endian, of at most eight bytes.
    Number,
    /// A text.
    Text,
}

/// A place in a file, for messages: a section, and the stack that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the stack, if the section is in a stack and there are several.
    pub stack: Option<usize>,
    /// The name of the section.
    pub name: Text,
}

/// A section of a file, with the stack for which it is repeated.
#[derive(Debug)]
pub struct Entry<'a> {
    /// The name of the section, and its stack.
    pub place: Place,
    /// The number of bytes that is added to the tensor's offset in memory.
    pub base: usize,
    /// The section.
    pub section: &'a Section,
}

impl FileLayout {
    /// The layout of an empty file, which stands in for the layout of a spec with errors.
    pub const EMPTY: FileLayout = FileLayout {
        name: Cow::Borrowed(""),
        format: Format::Sequence,
        sections: list(&[]),
        stacks: Stacks::NONE,
        tail: Tail::NONE,
        extents: list(&[]),
        coalesced: list(&[]),
        paired: list(&[]),
    };

    /// The length in bytes of the longest file that can be valid: raw tensors as they are, LEB128
    /// values of the longest form, a description of [`DESCRIPTION_LIMIT`] bytes.
    #[must_use]
    pub fn max_len(&self) -> u64 {
        let start = match self.format {
            Format::Stockfish { .. } => START_LEN as u64 + u64::from(DESCRIPTION_LIMIT),
            Format::Sequence | Format::Named => 0,
        };
        let mut data = start;
        for entry in self.entries() {
            match entry.section {
                Section::Align(to) => data = data.next_multiple_of(*to as u64),
                Section::Tensor(tensor) => data += self.tensor_max_len(tensor),
                section => data += section.byte_len().unwrap_or(0) as u64,
            }
        }
        data.next_multiple_of(self.tail.multiple as u64)
    }

    /// The largest number of bytes that are read of a file. A file that is longer than
    /// [`Self::max_len`] is read further than that, because its end tells more about the mistake.
    #[must_use]
    pub fn longest_read(&self) -> u64 {
        match self.format {
            // The length is all that can explain a mistake in these files, so enough is read for
            // `f32` instead of `i8`.
            Format::Sequence => 4 * self.max_len(),
            // The limit leaves room for tensors and stacks that the spec does not know of.
            Format::Stockfish { .. } => 2 * self.max_len(),
            Format::Named => self.max_len(),
        }
    }

    /// The number of bytes of memory that the tensors take: the least length of the weights that
    /// [`Parts::load`](crate::Parts::load) fills.
    #[must_use]
    pub fn memory_len(&self) -> usize {
        let mut len = 0;
        for (base, tensor) in self.tensors() {
            let last = base + (tensor.shape[0] - 1) * tensor.placed.stride;
            len = len.max(last + tensor.placed.end());
        }
        for virtual_rows in self.coalesced.iter() {
            len = len.max(virtual_rows.end());
        }
        len
    }

    /// Whether all files have the same length. Files of [`Format::Sequence`] with raw tensors have.
    #[must_use]
    pub fn has_fixed_len(&self) -> bool {
        let mut tensors = self.tensors();
        self.format == Format::Sequence
            && tensors.all(|(_, tensor)| tensor.stored.encoding == Encoding::Raw)
    }

    /// Whether the files and the memory begin with the same tensor in the same bytes, so that a map
    /// of the file has the tensor where it is needed.
    #[must_use]
    pub fn begins_in_place(&self) -> bool {
        let first = self.entries().next();
        let first = first.and_then(|entry| Some((entry.base, entry.section.as_tensor()?)));
        let is_in_place = first.is_some_and(|(base, tensor)| {
            base + tensor.placed.offset == 0
                && tensor.is_same()
                && tensor.stored.encoding == Encoding::Raw
        });
        is_in_place
            && self.format == Format::Sequence
            && cfg!(target_endian = "little")
            && self.coalesced.is_empty()
            && self.paired.is_empty()
    }

    /// The end of the last section in a file of a fixed length.
    #[must_use]
    pub fn data_len(&self) -> usize {
        let mut offset = 0;
        for entry in self.entries() {
            offset = entry.section.end(offset).unwrap_or(offset);
        }
        offset
    }

    /// The largest number of bytes that a tensor takes, with the bytes before its values.
    fn tensor_max_len(&self, tensor: &Tensor) -> u64 {
        let values = match tensor.stored.encoding {
            Encoding::Raw => tensor.stored.raw_len() as u64,
            Encoding::Leb128 => (leb128::MAGIC.len() + 4) as u64 + tensor.leb128_len().end(),
            Encoding::BareLeb128 => *tensor.leb128_len().end(),
        };
        match self.format {
            Format::Named => values + (tensor.id.len() + 1 + 8) as u64,
            _ => values,
        }
    }

    /// All sections in file order; the sections of the stacks are repeated.
    #[must_use]
    pub fn entries(&self) -> Entries<'_> {
        Entries {
            layout: self,
            section: 0,
            stack: 0,
            group: None,
        }
    }

    /// All tensors in file order; the tensors of the stacks are repeated. Each comes with the
    /// number of bytes to add to its offset in memory.
    #[must_use]
    pub fn tensors(&self) -> Tensors<'_> {
        Tensors(self.entries())
    }
}

/// The sections of [`FileLayout::entries`].
// It is a type of its own, and not a chain of iterators, because everything that reads or writes
// files walks over them: rustc would compile the chain again for each of them, for seconds in all.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    layout: &'a FileLayout,
    /// The number of the next section, in its group or among those that come once.
    section: usize,
    stack: usize,
    /// The number of the group; `None` before the stacks.
    group: Option<usize>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    #[inline(never)]
    fn next(&mut self) -> Option<Entry<'a>> {
        let FileLayout {
            sections, stacks, ..
        } = self.layout;
        loop {
            let group = match self.group {
                None => sections,
                Some(group) => stacks.groups.get(group)?,
            };
            if self.group.is_none() || self.stack < stacks.count {
                if let Some(section) = group.get(self.section) {
                    self.section += 1;
                    // The number of an only stack would confuse the reader of a message.
                    let is_numbered = self.group.is_some() && stacks.count > 1;
                    return Some(Entry {
                        place: Place {
                            stack: is_numbered.then_some(self.stack),
                            name: section.name(),
                        },
                        base: self.stack * stacks.stride,
                        section,
                    });
                }
                self.section = 0;
                if self.group.is_some() {
                    self.stack += 1;
                    continue;
                }
            }
            self.stack = 0;
            self.group = Some(self.group.map_or(0, |group| group + 1));
        }
    }
}

/// The tensors of [`FileLayout::tensors`].
#[derive(Clone, Debug)]
pub struct Tensors<'a>(Entries<'a>);

impl<'a> Iterator for Tensors<'a> {
    type Item = (usize, &'a Tensor);

    #[inline(never)]
    fn next(&mut self) -> Option<(usize, &'a Tensor)> {
        loop {
            let entry = self.0.next()?;
            if let Section::Tensor(tensor) = entry.section {
                return Some((entry.base, tensor));
            }
        }
    }
}

impl Stacks {
    /// No stacks.
    pub const NONE: Stacks = Stacks {
        count: 0,
        stride: 0,
        groups: list(&[]),
    };

    /// The sections of a stack, in file order.
    pub fn sections(&self) -> impl Iterator<Item = &Section> {
        self.groups.iter().flat_map(|group| group.iter())
    }
}

impl Tail {
    /// The file ends with its last section.
    pub const NONE: Tail = Tail {
        text: b"\0",
        multiple: 1,
    };

    /// The tail of bullet's `quantised.bin`.
    pub const BULLET: Tail = Tail {
        text: b"bullet",
        multiple: Tail::UNIT,
    };

    /// Zeros up to the same multiple.
    pub const ZEROS: Tail = Tail {
        text: b"\0",
        multiple: Tail::UNIT,
    };

    /// The tails of files that specs can describe, with the names that specs have for them.
    pub const NAMED: [(&'static str, Tail); 3] = [
        ("bullet", Tail::BULLET),
        ("zeros", Tail::ZEROS),
        ("none", Tail::NONE),
    ];

    /// Files with a tail are padded to a multiple of this many bytes.
    const UNIT: usize = 64;

    /// Whether a file's last section can end at `offset`: the bytes behind it are exactly the tail.
    #[must_use]
    pub fn follows(self, source: &[u8], offset: usize) -> bool {
        let split = source.split_at_checked(offset);
        split.is_some_and(|(data, rest)| self.is_between(data, rest, offset))
    }

    /// [`Self::follows`], given the last bytes before `offset`, and all bytes from `offset` on.
    pub(crate) fn is_between(self, data: &[u8], rest: &[u8], offset: usize) -> bool {
        // If the text stands once more before `offset`, the tail begins earlier. A text of a single
        // byte can also be a weight.
        let begins_earlier = self.text.len() > 1 && self.multiple > 1 && data.ends_with(self.text);
        !begins_earlier && rest.iter().copied().eq(self.bytes(offset))
    }

    /// The bytes that follow the last section, which ends at `offset`.
    pub fn bytes(self, offset: usize) -> impl Iterator<Item = u8> {
        let len = offset.next_multiple_of(self.multiple) - offset;
        self.text.iter().copied().cycle().take(len)
    }
}

impl<T> Section<T> {
    /// The tensor, if the section is a tensor.
    pub fn as_tensor(&self) -> Option<&T> {
        match self {
            Section::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The number of bytes of the section that [`Loaded::skipped`](crate::Loaded::skipped) has.
    #[must_use]
    pub fn skipped_len(&self) -> usize {
        match self {
            Section::Skipped { len, .. } => *len,
            Section::Kept { element, shape, .. } => shape[0] * shape[1] * element.size(),
            _ => 0,
        }
    }

    /// The same section with another description of its tensor, which `describe` makes.
    pub fn map<U>(&self, describe: impl FnOnce(&T) -> U) -> Section<U> {
        match self {
            Section::Hash { name, expected } => Section::Hash {
                name,
                expected: *expected,
            },
            Section::Bytes {
                name,
                form,
                expected,
            } => Section::Bytes {
                name: name.clone(),
                form: *form,
                expected: expected.clone(),
            },
            Section::Skipped { name, len } => Section::Skipped {
                name: name.clone(),
                len: *len,
            },
            Section::Kept {
                name,
                element,
                shape,
            } => Section::Kept {
                name: name.clone(),
                element: *element,
                shape: *shape,
            },
            Section::Align(to) => Section::Align(*to),
            Section::Tensor(tensor) => Section::Tensor(describe(tensor)),
        }
    }
}

impl<P> Section<Tensor<P>> {
    /// The number of the section's bytes in the file; `None` where it depends on the values or on
    /// the section's place.
    #[must_use]
    pub fn byte_len(&self) -> Option<usize> {
        match self {
            Section::Hash { .. } => Some(4),
            Section::Bytes { expected, .. } => Some(expected.len()),
            Section::Skipped { .. } | Section::Kept { .. } => Some(self.skipped_len()),
            Section::Align(_) => None,
            Section::Tensor(tensor) => match tensor.stored.encoding {
                Encoding::Raw => Some(tensor.stored.raw_len()),
                Encoding::Leb128 | Encoding::BareLeb128 => None,
            },
        }
    }

    /// The end of the section in a file that has it from `offset` on; `None` where it depends on
    /// the values.
    #[must_use]
    pub fn end(&self, offset: usize) -> Option<usize> {
        match self {
            Section::Align(to) => Some(offset.next_multiple_of(*to)),
            section => Some(offset + section.byte_len()?),
        }
    }
}

impl Section {
    /// A word that must have the value `expected`.
    #[must_use]
    pub const fn hash(name: &'static str, expected: u32) -> Section {
        Section::Hash { name, expected }
    }

    /// A tensor whose values are the same in memory as in the file: `rows` of `columns` integers.
    #[must_use]
    pub const fn same(
        role: Role,
        name: &'static str,
        element: Element,
        encoding: Encoding,
        offset: usize,
        [rows, columns]: [usize; 2],
    ) -> Section {
        // Where there is a single row, the distance to the next is given as 0.
        let stride = if rows > 1 { columns } else { 0 };
        Section::tensor(
            role,
            name,
            [1, rows, columns],
            Stored::new(element, [0, stride, 1], rows * columns).encoded(encoding),
            Placed::rows(element, offset, [rows, columns]),
        )
    }

    /// A tensor that the file does not name.
    #[must_use]
    pub const fn tensor(
        role: Role,
        name: &'static str,
        shape: [usize; 3],
        stored: Stored,
        placed: Placed,
    ) -> Section {
        Section::named(role, name, "", shape, stored, placed)
    }

    /// A tensor that has a name of its own in the file.
    #[must_use]
    pub const fn named(
        role: Role,
        name: &'static str,
        id: &'static str,
        shape: [usize; 3],
        stored: Stored,
        placed: Placed,
    ) -> Section {
        Section::Tensor(Tensor {
            role,
            name: Cow::Borrowed(name),
            id: Cow::Borrowed(id),
            shape,
            stored,
            placed,
        })
    }

    /// The name of the section in messages.
    pub(crate) fn name(&self) -> Text {
        let (own, default) = match self {
            Self::Hash { name, .. } => return Cow::Borrowed(name),
            Self::Bytes { name, .. } => (name, "bytes"),
            Self::Skipped { name, .. } => (name, "skipped bytes"),
            Self::Align(_) => return Cow::Borrowed("alignment"),
            Self::Kept { name, .. } => return name.clone(),
            Self::Tensor(tensor) => return tensor.name.clone(),
        };
        if own.is_empty() {
            Cow::Borrowed(default)
        } else {
            own.clone()
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stack {
            Some(stack) => write!(f, "stack {stack} {}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::*;
    use crate::tests::RAW;

    #[test]
    fn places_name_the_stack_only_where_there_are_several() {
        let last = |layout: &FileLayout| layout.entries().last().unwrap().place.to_string();
        assert_eq!(last(&RAW), "stack 1 fc_1.weights");
        let stacks = Stacks {
            count: 1,
            ..RAW.stacks
        };
        assert_eq!(last(&FileLayout { stacks, ..RAW }), "fc_1.weights");
    }

    #[test]
    fn groups_follow_one_another_for_all_stacks() {
        const BIASES: &[Section] = &[Section::same(
            Role::Weights(0),
            "a",
            Element::I16,
            Encoding::Raw,
            0,
            [1, 4],
        )];
        const WEIGHTS: &[Section] = &[
            Section::same(
                Role::Weights(0),
                "b",
                Element::I16,
                Encoding::Raw,
                8,
                [1, 4],
            ),
            Section::Align(64),
        ];
        const GROUPS: &[List<Section>] = &[list(BIASES), list(WEIGHTS)];
        let layout = FileLayout {
            stacks: Stacks {
                count: 3,
                stride: 16,
                groups: list(GROUPS),
            },
            ..FileLayout::EMPTY
        };
        let tensors = layout
            .tensors()
            .map(|(base, tensor)| base + tensor.placed.offset);
        let offsets: Vec<usize> = tensors.collect();
        assert_eq!(offsets, [0, 16, 32, 8, 24, 40]);
        assert_eq!(layout.entries().count(), 9);
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
