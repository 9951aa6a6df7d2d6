//! The places of a tensor's values in memory.

use alloc::vec::Vec;

use crate::{Element, List, list};

/// The number of outputs of a run of [`Form::OutputBlocks`].
pub(crate) const RUN: usize = 16;

/// A tensor in memory, seen as bytes of the machine's own endianness.
///
/// A column has a *slot*, which differs from its number where the layer before leaves gaps or where
/// vector instructions shuffle its outputs. Memory that has no value of the file is zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The type of the values; without meaning for [`Form::Bits`].
    pub element: Element,
    /// The offset of the tensor, in bytes from the start of the weights.
    pub offset: usize,
    /// The number of bytes from a bucket to the next.
    pub stride: usize,
    /// The order of the values.
    pub form: Form,
    /// The number of rows for which there is room.
    pub rows: usize,
    /// The number of slots of a row, gaps included.
    pub slots: usize,
    /// The slots of the columns: every column is in exactly one segment, and segments share no
    /// slot. Without segments, each column's slot is its number.
    pub segments: List<Segment>,
    /// The place that each column of the file takes among the columns, where the spec has an order
    /// of neurons; empty where columns keep their places. Segments are about places.
    pub places: List<usize>,
}

/// The order of a tensor's values in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Row after row: `[rows][slots]`.
    Rows,
    /// Blocks of four inputs: `[slots / 4][rows][4]`.
    Blocks,
    /// Column after column: `[slots][rows]`.
    Columns,
    /// `[slots][runs][16]`: for each slot, only the runs of 16 rows that have weights other than
    /// zero, and then runs of zeros.
    OutputBlocks {
        /// The number of runs for each slot.
        runs: usize,
        /// The offset of the numbers of the runs, `[slots][runs]` of type `u16`, in bytes from the
        /// start of the weights.
        ids: usize,
    },
    /// `[rows][common + shard]`: for each row, only the slots that it reads. Rows in equal groups
    /// read the first slots, and a shard each of the others. The numbers of slots are multiples of
    /// 64, so that values that vectors shuffle stay in their shard.
    Shards {
        /// The number of slots that all rows read.
        common: usize,
        /// The number of shards, and of groups of rows.
        count: usize,
    },
    /// `[rows][slots / 64]`, `u64` each: a bit per weight, set for negative weights.
    Bits,
}

/// A run of columns whose slots follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The number of the first column.
    pub input: usize,
    /// The distance from a column to the next.
    pub step: usize,
    /// The number of columns.
    pub len: usize,
    /// The first slot of the region that the run is in.
    pub slot: usize,
    /// The first slot of the run, counted from the start of the region.
    pub at: usize,
    /// Whether the region comes out of vector "pack" instructions, which interleave groups of eight
    /// bytes in an order that depends on the level: see [`Placed::slot`]. It then consists of whole
    /// vectors.
    pub packed: bool,
}

impl Placed {
    /// A tensor whose buckets are `stride` bytes apart, with room for this many rows and slots.
    #[must_use]
    pub const fn new(
        form: Form,
        element: Element,
        [offset, stride]: [usize; 2],
        [rows, slots]: [usize; 2],
        segments: &'static [Segment],
    ) -> Placed {
        Placed::reordered(
            form,
            element,
            [offset, stride],
            [rows, slots],
            segments,
            &[],
        )
    }

    /// The tensor of [`Placed::new`] with columns that take other places.
    #[must_use]
    pub const fn reordered(
        form: Form,
        element: Element,
        [offset, stride]: [usize; 2],
        [rows, slots]: [usize; 2],
        segments: &'static [Segment],
        places: &'static [usize],
    ) -> Placed {
        Placed {
            element,
            offset,
            stride,
            form,
            rows,
            slots,
            segments: list(segments),
            places: list(places),
        }
    }

    /// A tensor of a single bucket, of rows without gaps. `shape` has the numbers of rows and
    /// columns.
    #[must_use]
    pub const fn rows(element: Element, offset: usize, shape: [usize; 2]) -> Placed {
        Placed::new(Form::Rows, element, [offset, 0], shape, &[])
    }

    /// The slot in memory of a column, for a level's order `packed` of eight-byte groups.
    ///
    /// In a packed segment, each vector of `packed.len()` groups holds in group `g` the eight
    /// inputs of the logical group `packed[g]` (AVX2: `[0, 2, 1, 3]`; scalar code: `[0]`, which
    /// changes nothing).
    ///
    /// # Panics
    ///
    /// If the column is in no segment, or `packed` is not a permutation of its indices.
    #[must_use]
    pub fn slot(&self, column: usize, packed: &[usize]) -> usize {
        let column = match &*self.places {
            [] => column,
            places => places[column],
        };
        if self.segments.is_empty() {
            return column;
        }
        let position = self.segments.iter().find_map(|segment| {
            let distance = column.checked_sub(segment.input)?;
            let index = distance / segment.step;
            let is_in = distance.is_multiple_of(segment.step) && index < segment.len;
            let position = segment.at + index;
            is_in.then(|| {
                if segment.packed {
                    segment.slot + packed_position(position, packed)
                } else {
                    segment.slot + position
                }
            })
        });
        position.unwrap_or_else(|| panic!("column {column} is in no segment"))
    }

    /// The slots of columns `0..columns`.
    pub(crate) fn slots_of(&self, columns: usize, packed: &[usize]) -> Vec<usize> {
        (0..columns)
            .map(|column| self.slot(column, packed))
            .collect()
    }

    /// Whether the tensor is `[rows][columns]` without gaps.
    pub(crate) fn is_rows_of(&self, rows: usize, columns: usize) -> bool {
        self.form == Form::Rows
            && (self.rows, self.slots) == (rows, columns)
            && self.segments.is_empty()
            && self.places.is_empty()
    }

    /// The number of bytes of a bucket.
    pub(crate) fn len(&self) -> usize {
        match self.form {
            Form::Rows | Form::Blocks | Form::Columns => {
                self.rows * self.slots * self.element.size()
            }
            Form::OutputBlocks { runs, .. } => self.slots * runs * RUN * self.element.size(),
            Form::Shards { common, count } => {
                let shard = (self.slots - common) / count;
                self.rows * (common + shard) * self.element.size()
            }
            Form::Bits => self.rows * self.slots / 8,
        }
    }

    /// The end of the first bucket, in bytes from the start of the weights.
    pub(crate) fn end(&self) -> usize {
        let values = self.offset + self.len();
        match self.form {
            Form::OutputBlocks { runs, ids } => values.max(ids + self.slots * runs * 2),
            _ => values,
        }
    }

    /// The index among all values of the value of a row and a slot. It has no meaning for forms
    /// that do not have all values.
    pub(crate) fn index(&self, row: usize, slot: usize) -> usize {
        match self.form {
            Form::Blocks => (slot / 4 * self.rows + row) * 4 + slot % 4,
            Form::Columns => slot * self.rows + row,
            _ => row * self.slots + slot,
        }
    }

    /// The index among all values of the value of a row and a slot; `None` if the row does not read
    /// the slot.
    pub(crate) fn index_if_read(&self, row: usize, slot: usize) -> Option<usize> {
        let Form::Shards { common, count } = self.form else {
            return Some(self.index(row, slot));
        };
        let shard = (self.slots - common) / count;
        let start = row * (common + shard);
        let own = common + row / (self.rows / count) * shard;
        match slot {
            _ if slot < common => Some(start + slot),
            _ if (own..own + shard).contains(&slot) => Some(start + common + slot - own),
            _ => None,
        }
    }

    /// The place of the bit of a row and a slot: a byte, and a mask in that byte.
    pub(crate) fn bit(&self, row: usize, slot: usize) -> (usize, u8) {
        let byte = slot % 64 / 8;
        let byte = if cfg!(target_endian = "big") {
            7 - byte
        } else {
            byte
        };
        ((row * self.slots + slot) / 64 * 8 + byte, 1 << (slot % 8))
    }
}

/// A bucket of a tensor in memory.
pub(crate) struct Bucket<'a, M> {
    pub(crate) placed: &'a Placed,
    /// The bytes of the bucket.
    pub(crate) values: M,
    /// The numbers of runs of [`Form::OutputBlocks`]; empty for other forms.
    pub(crate) ids: M,
}

impl<'a> Bucket<'a, &'a [u8]> {
    /// The bucket `bucket` of a tensor whose stack begins `base` bytes behind the first.
    pub(crate) fn of(
        placed: &'a Placed,
        weights: &'a [u8],
        base: usize,
        bucket: usize,
    ) -> Bucket<'a, &'a [u8]> {
        let base = base + bucket * placed.stride;
        let ids = match placed.form {
            Form::OutputBlocks { runs, ids } => &weights[base + ids..][..placed.slots * runs * 2],
            _ => &[],
        };
        Bucket {
            placed,
            values: &weights[base + placed.offset..][..placed.len()],
            ids,
        }
    }

    /// The value of a row and a slot: -1 or 1 for bits.
    pub(crate) fn get(&self, row: usize, slot: usize) -> f64 {
        let placed = self.placed;
        let index = match placed.form {
            Form::Bits => {
                let (byte, mask) = placed.bit(row, slot);
                return if self.values[byte] & mask != 0 {
                    -1.0
                } else {
                    1.0
                };
            }
            Form::OutputBlocks { runs, .. } => match self.run(runs, row, slot) {
                Some(run) => (slot * runs + run) * RUN + row % RUN,
                None => return 0.0,
            },
            _ => match placed.index_if_read(row, slot) {
                Some(index) => index,
                None => return 0.0,
            },
        };
        placed.element.read(self.values, index)
    }

    /// The index among the slot's runs of the run that has a row.
    fn run(&self, runs: usize, row: usize, slot: usize) -> Option<usize> {
        // If a number is there twice, the first is the real run: a run that is not needed repeats
        // another run's number.
        let ids = &self.ids.as_chunks::<2>().0[slot * runs..][..runs];
        ids.iter()
            .position(|id| usize::from(u16::from_ne_bytes(*id)) == row / RUN)
    }
}

impl<'a> Bucket<'a, &'a mut [u8]> {
    /// The bucket of [`Bucket::of`], cleared so that it can be written.
    pub(crate) fn cleared(
        placed: &'a Placed,
        weights: &'a mut [u8],
        base: usize,
        bucket: usize,
    ) -> Bucket<'a, &'a mut [u8]> {
        let base = base + bucket * placed.stride;
        let (start, end) = (base + placed.offset, base + placed.offset + placed.len());
        let (values, ids) = match placed.form {
            Form::OutputBlocks { runs, ids } => {
                let ids = base + ids..base + ids + placed.slots * runs * 2;
                if ids.end <= start {
                    let (before, from_start) = weights.split_at_mut(start);
                    (&mut from_start[..end - start], &mut before[ids])
                } else {
                    let (before, behind) = weights.split_at_mut(end);
                    let ids = &mut behind[ids.start - end..ids.end - end];
                    (&mut before[start..], ids)
                }
            }
            _ => (&mut weights[start..end], &mut [][..]),
        };
        values.fill(0);
        ids.fill(0);
        Bucket {
            placed,
            values,
            ids,
        }
    }

    /// Sets the value of a row and a slot, which the type must hold; for bits, its sign. What a row
    /// does not read stays zero. It is not for [`Form::OutputBlocks`], whose values are set a slot
    /// at a time.
    pub(crate) fn set(&mut self, row: usize, slot: usize, value: f64) {
        let placed = self.placed;
        if placed.form == Form::Bits {
            if value < 0.0 {
                let (byte, mask) = placed.bit(row, slot);
                self.values[byte] |= mask;
            }
            return;
        }
        if let Some(index) = placed.index_if_read(row, slot) {
            placed.element.write(self.values, index, value);
        }
    }

    /// Sets the values of a slot, a value for each row.
    ///
    /// # Errors
    ///
    /// The number of runs that are not zero, if there are more runs than there is room for.
    pub(crate) fn set_runs(&mut self, slot: usize, column: &[f64]) -> Result<(), usize> {
        let Form::OutputBlocks { runs, .. } = self.placed.form else {
            return Ok(());
        };
        let mut found = 0;
        for (id, run) in column.chunks(RUN).enumerate() {
            if run.iter().all(|value| *value == 0.0) {
                continue;
            }
            if found < runs {
                let index = slot * runs + found;
                self.ids[2 * index..][..2].copy_from_slice(&(id as u16).to_ne_bytes());
                for (row, value) in run.iter().enumerate() {
                    let element = self.placed.element;
                    element.write(self.values, index * RUN + row, *value);
                }
            }
            found += 1;
        }
        if found <= runs { Ok(()) } else { Err(found) }
    }
}

/// The place to which the level's pack instructions move the byte that is logically at `position`.
fn packed_position(position: usize, packed: &[usize]) -> usize {
    let groups = packed.len();
    let logical = position / 8 % groups;
    let group = packed.iter().position(|group| *group == logical);
    let group = group.unwrap_or_else(|| panic!("{packed:?} is no order of groups"));
    position / (8 * groups) * (8 * groups) + group * 8 + position % 8
}

impl Segment {
    /// A segment of `len` columns from `input` on, in the slots from `slot` on.
    #[must_use]
    pub const fn run(input: usize, slot: usize, len: usize) -> Segment {
        Segment {
            input,
            step: 1,
            len,
            slot,
            at: 0,
            packed: false,
        }
    }

    /// The same segment with columns that are `step` apart.
    #[must_use]
    pub const fn every(self, step: usize) -> Segment {
        Segment { step, ..self }
    }

    /// The same segment, `at` slots behind the start of the region.
    #[must_use]
    pub const fn at(self, at: usize) -> Segment {
        Segment { at, ..self }
    }

    /// The same segment in a region that comes out of "pack" instructions.
    #[must_use]
    pub const fn packed(self) -> Segment {
        Segment {
            packed: true,
            ..self
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::tests::ORDERS;

    /// 128 packed columns, of whose region the first five slots belong to another layer; then two
    /// runs that are not packed, and a run whose columns alternate with another run's.
    pub(crate) const GAPS: Placed = Placed::new(
        Form::Rows,
        Element::I8,
        [0, 0],
        [4, 160],
        &[
            Segment::run(0, 0, 123).at(5).packed(),
            Segment::run(123, 137, 15),
            Segment::run(138, 130, 5),
            Segment::run(143, 152, 3).every(2),
            Segment::run(144, 156, 3).every(2),
        ],
    );
    pub(crate) const COLUMNS: usize = 149;

    pub(crate) const FORMS: [Form; 3] = [Form::Rows, Form::Blocks, Form::Columns];
    pub(crate) const BLOCKS: Form = Form::OutputBlocks { runs: 2, ids: 0 };

    #[test]
    fn slots_are_distinct_and_inside_the_row() {
        for order in ORDERS {
            let slots = GAPS.slots;
            let mut seen = vec![false; slots];
            for slot in GAPS.slots_of(COLUMNS, order) {
                assert!(!core::mem::replace(&mut seen[slot], true), "slot {slot}");
            }
            assert_eq!(seen.iter().filter(|&&seen| seen).count(), COLUMNS);
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
                    let Some(column) = (first + logical * 8 + byte).checked_sub(5) else {
                        continue;
                    };
                    assert_eq!(GAPS.slot(column, order), first + group * 8 + byte);
                }
            }
        }
    }

    #[test]
    fn unpacked_segments_ignore_the_order() {
        for order in ORDERS {
            assert_eq!(GAPS.slot(123, order), 137);
            assert_eq!(GAPS.slot(142, order), 134);
            assert_eq!(GAPS.slot(145, order), 153);
            assert_eq!(GAPS.slot(146, order), 157);
        }
    }

    #[test]
    fn each_value_has_its_own_place_in_memory() {
        for form in FORMS {
            let placed = Placed { form, ..GAPS };
            let mut seen = vec![false; placed.len()];
            for row in 0..placed.rows {
                for slot in 0..placed.slots {
                    let index = placed.index(row, slot);
                    assert!(!core::mem::replace(&mut seen[index], true));
                }
            }
        }
        let placed = Placed {
            form: Form::Blocks,
            ..GAPS
        };
        assert_eq!(placed.index(2, 6), (4 + 2) * 4 + 2);
    }

    #[test]
    fn a_word_of_bits_has_a_bit_for_each_of_64_slots() {
        let placed = Placed {
            form: Form::Bits,
            rows: 2,
            slots: 128,
            ..GAPS
        };
        let mut weights = vec![0xAA; placed.len()];
        let mut bucket = Bucket::cleared(&placed, &mut weights, 0, 0);
        for (row, slot) in [(0, 3), (1, 64), (1, 127)] {
            bucket.set(row, slot, -5.0);
        }
        bucket.set(0, 4, 0.0);
        let words: Vec<u64> = weights
            .as_chunks()
            .0
            .iter()
            .map(|word| u64::from_ne_bytes(*word))
            .collect();
        assert_eq!(words, [1 << 3, 0, 0, 1 << 63 | 1]);
        let bucket = Bucket::of(&placed, &weights, 0, 0);
        assert_eq!((bucket.get(1, 127), bucket.get(1, 126)), (-1.0, 1.0));
    }

    #[test]
    fn what_no_row_reads_takes_no_room() {
        let placed = Placed::new(
            Form::Shards {
                common: 64,
                count: 2,
            },
            Element::I8,
            [0, 0],
            [4, 192],
            &[],
        );
        assert_eq!(placed.len(), 4 * 128);
        let places = [(0, 63), (0, 64), (0, 127), (2, 63), (2, 128), (3, 191)];
        let found = places.map(|(row, slot)| placed.index_if_read(row, slot));
        let expected = [63, 64, 127, 2 * 128 + 63, 2 * 128 + 64, 3 * 128 + 127];
        assert_eq!(found, expected.map(Some));
        for (row, slot) in [(0, 128), (1, 191), (2, 64), (3, 127)] {
            assert_eq!(placed.index_if_read(row, slot), None);
        }
        let mut weights = vec![0xAA; placed.len()];
        let mut bucket = Bucket::cleared(&placed, &mut weights, 0, 0);
        bucket.set(1, 64, -5.0);
        bucket.set(1, 128, 7.0);
        let bucket = Bucket::of(&placed, &weights, 0, 0);
        assert_eq!((bucket.get(1, 64), bucket.get(1, 128)), (-5.0, 0.0));
        assert_eq!(weights.iter().filter(|weight| **weight != 0).count(), 1);
    }

    #[test]
    fn runs_of_zeros_take_no_room() {
        let placed = Placed {
            element: Element::I16,
            offset: 64,
            form: Form::OutputBlocks { runs: 2, ids: 0 },
            rows: 64,
            slots: 3,
            segments: list(&[]),
            places: list(&[]),
            stride: 0,
        };
        let mut weights = vec![0xAA; 64 + placed.len()];
        let column = |values: &[(usize, f64)]| {
            let mut column = vec![0.0; 64];
            values.iter().for_each(|(row, value)| column[*row] = *value);
            column
        };
        let mut bucket = Bucket::cleared(&placed, &mut weights, 0, 0);
        assert_eq!(
            bucket.set_runs(0, &column(&[(63, -7.0), (17, 300.0)])),
            Ok(())
        );
        assert_eq!(bucket.set_runs(1, &column(&[(0, 5.0)])), Ok(()));
        let full = column(&[(0, 1.0), (16, 1.0), (40, 1.0)]);
        assert_eq!(bucket.set_runs(2, &full), Err(3));
        let bucket = Bucket::of(&placed, &weights, 0, 0);
        let found: Vec<f64> = [(0, 63), (0, 17), (0, 18), (0, 0), (1, 0), (1, 63)]
            .map(|(slot, row)| bucket.get(row, slot))
            .into();
        assert_eq!(found, [-7.0, 300.0, 0.0, 0.0, 5.0, 0.0]);
        let ids: Vec<u8> = weights[..8].chunks(2).map(|id| id[0] | id[1]).collect();
        assert_eq!(ids, [1, 3, 0, 0]);
    }
}
