//! What a network file must contain, and where its tensors lie in memory.

use core::fmt;
use core::ops::RangeInclusive;

use alloc::vec::Vec;

use super::leb128;

/// The longest description that a file may carry, in bytes. Released nets use at most a few hundred; the limit keeps
/// [`FileLayout::max_len`] meaningful.
pub const DESCRIPTION_LIMIT: u32 = 64 * 1024;

/// Bytes before the description: version, network hash, length of the description.
pub(crate) const START_LEN: usize = 12;

/// A whole network file: the header, the sections of the transformer, then those of every stack.
#[derive(Clone, Copy, Debug)]
pub struct FileLayout {
    /// The name of the spec, for messages.
    pub name: &'static str,
    /// The version word at offset 0.
    pub version: u32,
    /// The network hash at offset 4.
    pub hash: u32,
    /// What follows the description, in file order.
    pub sections: &'static [Section],
    /// What follows `sections`, repeated.
    pub stacks: Stacks,
}

/// The layer stacks: one list of sections, repeated in the file and in memory.
#[derive(Clone, Copy, Debug)]
pub struct Stacks {
    /// How often `sections` are repeated.
    pub count: usize,
    /// Bytes from a stack to the next in memory.
    pub stride: usize,
    /// The sections of one stack, in file order. [`Tensor::offset`] is that of the tensor in stack 0.
    pub sections: &'static [Section],
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
    /// Weights or biases.
    Tensor(Tensor),
}

/// A tensor, in the file and in memory.
#[derive(Clone, Copy, Debug)]
pub struct Tensor {
    /// Its name, for messages, such as `transformer.weights`.
    pub name: &'static str,
    /// The type of its values, in the file as in memory.
    pub element: Element,
    /// How the file holds the values. [`Order::Affine`] tensors are [`Encoding::Raw`].
    pub encoding: Encoding,
    /// Where it begins in memory, in bytes from the start of the weights.
    pub offset: usize,
    /// How the values are arranged.
    pub order: Order,
}

/// The integer type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// 8 bits, signed.
    I8,
    /// 16 bits, signed.
    I16,
    /// 32 bits, signed.
    I32,
}

/// How a file holds the values of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Little-endian integers, one after the other.
    Raw,
    /// One block of signed LEB128 values.
    Leb128,
}

/// How the values of a tensor are arranged in the file and in memory.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// Memory has the order of the file.
    Same {
        /// The number of values.
        count: usize,
    },
    /// The `i8` weights of an affine layer, rearranged for the kernels.
    Affine(Affine),
}

/// The weights of an affine layer.
///
/// In the file: rows `[outputs][padded_inputs]`. In memory an input has a *slot*, which differs from its number where
/// the layer before leaves gaps or where vector instructions shuffle its outputs. What no input of the file fills is
/// zero.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    /// The outputs of the layer.
    pub outputs: usize,
    /// The inputs of the layer.
    pub inputs: usize,
    /// The length of a row in the file. Columns from `inputs` on are never evaluated.
    pub padded_inputs: usize,
    /// The outputs that memory has room for, at least `outputs`.
    pub memory_outputs: usize,
    /// The slots of a row in memory, gaps included; a multiple of 4.
    pub slots: usize,
    /// Which slots the inputs have: every input is in exactly one segment, and segments share no slot.
    pub segments: &'static [Segment],
    /// Whether memory is `[slots / 4][memory_outputs][4]` rather than `[memory_outputs][slots]`.
    pub blocked: bool,
}

/// Inputs, `step` apart, whose slots are a run.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// The first input.
    pub input: usize,
    /// From one input to the next.
    pub step: usize,
    /// The first slot of the region that the inputs are in.
    pub slot: usize,
    /// Where in that region the inputs begin.
    pub at: usize,
    /// The number of inputs.
    pub len: usize,
    /// Whether the region comes out of vector "pack" instructions, which interleave groups of eight bytes in an order
    /// that depends on the level: see [`Affine::slot`]. Then the region is whole vectors.
    pub packed: bool,
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
        version: 0,
        hash: 0,
        sections: &[],
        stacks: Stacks {
            count: 0,
            stride: 0,
            sections: &[],
        },
    };

    /// The length in bytes of the longest file that can be valid: raw tensors as they are, LEB128 values of the
    /// longest form, a description of [`DESCRIPTION_LIMIT`] bytes.
    pub fn max_len(&self) -> u64 {
        let sections: u64 = self
            .entries()
            .map(|entry| match entry.section {
                Section::Hash { .. } => 4,
                Section::Tensor(tensor) => match tensor.encoding {
                    Encoding::Raw => tensor.raw_len() as u64,
                    Encoding::Leb128 => {
                        (leb128::MAGIC.len() + 4) as u64 + tensor.leb128_len().end()
                    }
                },
            })
            .sum();
        START_LEN as u64 + u64::from(DESCRIPTION_LIMIT) + sections
    }

    /// The inputs of the affine layers of a stack.
    pub(crate) fn affine_inputs(&self) -> impl Iterator<Item = usize> {
        self.stacks
            .sections
            .iter()
            .filter_map(|section| match section {
                Section::Tensor(Tensor {
                    order: Order::Affine(affine),
                    ..
                }) => Some(affine.inputs),
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
}

impl Section {
    const fn name(&self) -> &'static str {
        match self {
            Self::Hash { name, .. } => name,
            Self::Tensor(tensor) => tensor.name,
        }
    }
}

impl Tensor {
    /// The number of values in the file.
    pub(crate) const fn count(&self) -> usize {
        match self.order {
            Order::Same { count } => count,
            Order::Affine(affine) => affine.outputs * affine.padded_inputs,
        }
    }

    /// The bytes of the values in the file if it holds them raw.
    pub(crate) const fn raw_len(&self) -> usize {
        self.count() * self.element.size()
    }

    /// How many bytes the values may take as LEB128.
    pub(crate) fn leb128_len(&self) -> RangeInclusive<u64> {
        let count = self.count() as u64;
        count..=count * leb128::longest(self.element.size()) as u64
    }

    /// The bytes of the tensor in memory.
    pub(crate) const fn memory_len(&self) -> usize {
        let count = match self.order {
            Order::Same { count } => count,
            Order::Affine(affine) => affine.memory_outputs * affine.slots,
        };
        count * self.element.size()
    }
}

impl Element {
    /// The bytes of a value.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 => 1,
            Self::I16 => 2,
            Self::I32 => 4,
        }
    }
}

impl Affine {
    /// The slot in memory of an input, for a level's order `packed` of eight-byte groups.
    ///
    /// In a packed segment, each vector of `packed.len()` groups holds in group `g` the eight inputs of the logical
    /// group `packed[g]` (AVX2: `[0, 2, 1, 3]`; scalar code: `[0]`, which changes nothing).
    ///
    /// # Panics
    ///
    /// If the input is in no segment, or `packed` is not a permutation of its indices: in a constant, the build fails.
    pub const fn slot(&self, input: usize, packed: &[usize]) -> usize {
        let mut i = 0;
        while i < self.segments.len() {
            let segment = self.segments[i];
            let distance = input.wrapping_sub(segment.input);
            let position = segment.at + distance / segment.step;
            if distance.is_multiple_of(segment.step) && distance / segment.step < segment.len {
                return segment.slot
                    + if segment.packed {
                        packed_position(position, packed)
                    } else {
                        position
                    };
            }
            i += 1;
        }
        panic!("an input is in no segment")
    }

    /// The slots of all inputs.
    pub(crate) fn slots_of_inputs(&self, packed: &[usize]) -> Vec<usize> {
        (0..self.inputs)
            .map(|input| self.slot(input, packed))
            .collect()
    }

    /// Where the weight of an output and a slot lies in memory, in bytes from the start of the tensor.
    pub(crate) const fn index(&self, output: usize, slot: usize) -> usize {
        if self.blocked {
            (slot / 4 * self.memory_outputs + output) * 4 + slot % 4
        } else {
            output * self.slots + slot
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
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

/// Rearranges weights loaded for the level with the packed order `from` into those of the level with the order `to`.
///
/// # Panics
///
/// If `weights` is shorter than the layout says.
pub fn relevel(layout: &FileLayout, weights: &mut [u8], from: &[usize], to: &[usize]) {
    for entry in layout.entries() {
        let Section::Tensor(tensor) = entry.section else {
            continue;
        };
        let Order::Affine(affine) = &tensor.order else {
            continue;
        };
        if affine.segments.iter().all(|segment| !segment.packed) {
            continue;
        }
        let start = entry.base + tensor.offset;
        let memory = &mut weights[start..start + tensor.memory_len()];
        let before = memory.to_vec();
        // Of a region that is read in part, the slots that were read are not those that will be.
        memory.fill(0);
        for input in 0..affine.inputs {
            let (source, target) = (affine.slot(input, from), affine.slot(input, to));
            for output in 0..affine.outputs {
                memory[affine.index(output, target)] = before[affine.index(output, source)];
            }
        }
    }
}

/// Where the level's pack instructions put the byte that is logically at `position`.
const fn packed_position(position: usize, packed: &[usize]) -> usize {
    let groups = packed.len();
    let logical = position / 8 % groups;
    let mut group = 0;
    while packed[group] != logical {
        group += 1;
    }
    position / (8 * groups) * (8 * groups) + group * 8 + position % 8
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use super::super::tests::{ORDERS, RAW};
    use super::*;

    const GAPS: Affine = Affine {
        outputs: 3,
        inputs: 128 + 15 + 5,
        padded_inputs: 160,
        memory_outputs: 4,
        slots: 152,
        segments: &[
            Segment {
                input: 0,
                step: 1,
                slot: 0,
                at: 0,
                len: 128,
                packed: true,
            },
            Segment {
                input: 128,
                step: 1,
                slot: 137,
                at: 0,
                len: 15,
                packed: false,
            },
            Segment {
                input: 143,
                step: 1,
                slot: 130,
                at: 0,
                len: 5,
                packed: false,
            },
        ],
        blocked: true,
    };

    #[test]
    fn slots_are_distinct_and_inside_the_row() {
        for order in ORDERS {
            let mut seen = [false; GAPS.slots];
            for slot in GAPS.slots_of_inputs(order) {
                assert!(!core::mem::replace(&mut seen[slot], true), "slot {slot}");
            }
            assert_eq!(seen.iter().filter(|&&seen| seen).count(), GAPS.inputs);
        }
    }

    #[test]
    fn a_memory_group_holds_the_logical_group_that_the_order_names() {
        for order in ORDERS {
            for (vector, (group, &logical)) in (0..128 / (8 * order.len()))
                .flat_map(|v| order.iter().enumerate().map(move |g| (v, g)))
            {
                let first = vector * 8 * order.len();
                for byte in 0..8 {
                    assert_eq!(
                        GAPS.slot(first + logical * 8 + byte, order),
                        first + group * 8 + byte
                    );
                }
            }
        }
    }

    /// Every second input is in the first of two regions, and of the second region only a part is read.
    #[test]
    fn interleaved_inputs_keep_their_region() {
        const fn segment(input: usize, slot: usize, at: usize, len: usize) -> Segment {
            Segment {
                input,
                step: 2,
                slot,
                at,
                len,
                packed: true,
            }
        }
        let affine = Affine {
            inputs: 105,
            segments: const { &[segment(1, 0, 0, 52), segment(0, 64, 11, 53)] },
            ..GAPS
        };
        for order in ORDERS {
            let in_region = |position| packed_position(position, order);
            assert_eq!(affine.slot(1, order), in_region(0));
            assert_eq!(affine.slot(103, order), in_region(51));
            assert_eq!(affine.slot(0, order), 64 + in_region(11));
            assert_eq!(affine.slot(104, order), 64 + in_region(63));
        }
    }

    #[test]
    fn unpacked_segments_ignore_the_order() {
        for order in ORDERS {
            assert_eq!(GAPS.slot(128, order), 137);
            assert_eq!(GAPS.slot(147, order), 134);
        }
    }

    #[test]
    fn a_slot_can_be_computed_in_a_constant() {
        const SLOT: usize = GAPS.slot(9, &[0, 2, 1, 3]);
        assert_eq!(SLOT, 17);
    }

    #[test]
    fn each_weight_has_its_own_place_in_memory() {
        for blocked in [false, true] {
            let affine = Affine { blocked, ..GAPS };
            let mut seen = vec![false; affine.memory_outputs * affine.slots];
            for output in 0..affine.memory_outputs {
                for slot in 0..affine.slots {
                    assert!(!core::mem::replace(
                        &mut seen[affine.index(output, slot)],
                        true
                    ));
                }
            }
        }
        assert_eq!(GAPS.index(2, 6), (4 + 2) * 4 + 2);
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
}
