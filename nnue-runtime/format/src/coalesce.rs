//! Factorised sets: virtual rows, which a file has besides real ones, are added to these when it is
//! loaded and taken out again when it is written.
//!
//! Memory keeps the virtual rows behind all real ones, where no evaluation reads them. Integers are
//! added there, once the whole file is loaded. Floating point that is rounded as a sum has to be
//! added before it becomes integers.

use alloc::vec;
use alloc::vec::Vec;

use crate::split::Part;
use crate::{Element, Factors, FileLayout, Limits, LoadError, Place, Rounding, Tensor, Text};

/// Rows of a set in memory, and its virtual rows in the same matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Coalesced {
    /// The type of values: 16 or 32 bits.
    pub element: Element,
    /// Where the matrix begins, in bytes from the start of the weights.
    pub offset: usize,
    /// Values of a row in memory.
    pub columns: usize,
    /// The set's first row in the matrix.
    pub row: usize,
    /// The first of its virtual rows, which come behind all real ones.
    pub virtual_row: usize,
    /// The virtual rows of each real row.
    pub factors: Factors,
}

/// The tensors of a set whose rows are floating point in the file and rounded as sums.
struct Floats<'a> {
    real: &'a Tensor,
    /// The set's first row in `real`: sets share tensors.
    first: usize,
    virtuals: &'a Tensor,
    /// Its first virtual row in `virtuals`.
    first_virtual: usize,
}

/// Adds virtual rows to the real ones, but for those that [`float_sums`] has added.
///
/// # Errors
///
/// [`LoadError::Coalesced`] if a sum leaves its type.
pub(super) fn add(layout: &FileLayout, weights: &mut [u8]) -> Result<(), LoadError> {
    for coalesced in layout.coalesced.iter() {
        if coalesced.floats(layout).is_some() {
            continue;
        }
        let mut beyond = None;
        coalesced.for_each_value(weights, |row, slot, own, virtual_sum| {
            let sum = own + virtual_sum;
            if !coalesced.holds(sum) && beyond.is_none() {
                let terms = [own as f64, virtual_sum as f64];
                beyond = Some(coalesced.beyond(layout, row, slot, terms));
            }
            sum
        });
        if let Some(error) = beyond {
            return Err(error);
        }
    }
    Ok(())
}

/// Takes virtual rows out of the real ones: the inverse of [`add`].
pub(super) fn subtract(layout: &FileLayout, weights: &mut [u8]) {
    for coalesced in layout.coalesced.iter() {
        if coalesced.floats(layout).is_none() {
            coalesced.for_each_value(weights, |_, _, sum, virtual_sum| sum - virtual_sum);
        }
    }
}

/// Sums of floating point that are rounded as sums: the bytes of the tensors that have them instead
/// of what the file has, each with the number of its part. They are added in 32 bits, as trainers
/// do: a row's own and then the virtual ones in their order.
///
/// # Errors
///
/// [`LoadError::Coalesced`] if a sum becomes an integer that its type does not hold.
pub(super) fn float_sums(
    layout: &FileLayout,
    parts: &[Part<'_>],
) -> Result<Vec<(usize, Vec<u8>)>, LoadError> {
    let mut replaced: Vec<(usize, Vec<u8>)> = Vec::new();
    for coalesced in layout.coalesced.iter() {
        let Some(floats) = coalesced.floats(layout) else {
            continue;
        };
        let part_of = |tensor: &Tensor| {
            let is_it = |part: &Part<'_>| part.tensor.placed.offset == tensor.placed.offset;
            parts.iter().position(is_it)
        };
        let (Some(real), Some(virtuals)) = (part_of(floats.real), part_of(floats.virtuals)) else {
            continue;
        };
        let (tensor, virtual_bytes) = (floats.real, parts[virtuals].raw()?);
        let mut bytes = match replaced.iter().position(|(part, _)| *part == real) {
            Some(index) => replaced.swap_remove(index).1,
            None => parts[real].raw()?.into_owned(),
        };
        let slots = tensor.placed.slots_of(tensor.shape[2], &[0]);
        let mut beyond = None;
        coalesced.factors.for_each_row(|row, virtual_rows| {
            for (column, slot) in slots.iter().enumerate() {
                let index = tensor.stored_index([0, floats.first + row, column]);
                let own = tensor.stored.read(&bytes, index);
                let values = virtual_rows.iter().map(|row| {
                    let row = floats.first_virtual + row;
                    let index = floats.virtuals.stored_index([0, row, column]);
                    floats.virtuals.stored.read(&virtual_bytes, index)
                });
                let virtual_sum: f64 = values.clone().sum();
                // What is not finite is refused as a value of its own tensor.
                if !virtual_sum.is_finite() {
                    continue;
                }
                let sum = sum(own, values);
                if own.is_finite() && tensor.to_memory(sum).is_err() && beyond.is_none() {
                    beyond = Some(coalesced.beyond(layout, row, *slot, [own, virtual_sum]));
                }
                tensor.stored.write(&mut bytes, index, sum);
            }
        });
        if let Some(error) = beyond {
            return Err(error);
        }
        replaced.push((real, bytes));
    }
    Ok(replaced)
}

/// Takes virtual rows out of the sums of floating point that a tensor has: `values` are those of
/// its file. What is left makes, with the virtual rows as they are written, sums that become the
/// same integers.
pub(super) fn subtract_floats(
    layout: &FileLayout,
    tensor: &Tensor,
    weights: &[u8],
    values: &mut [u8],
) {
    for coalesced in layout.coalesced.iter() {
        let Some(floats) = coalesced.floats(layout) else {
            continue;
        };
        let Some(quantise) = tensor.stored.quantise else {
            continue;
        };
        if floats.real.placed.offset != tensor.placed.offset {
            continue;
        }
        let memory = |row: usize, slot: usize| {
            let offset = coalesced.row_offset(row) + slot * coalesced.element.size();
            coalesced.value(&weights[offset..][..coalesced.element.size()])
        };
        let slots = tensor.placed.slots_of(tensor.shape[2], &[0]);
        coalesced.factors.for_each_row(|row, virtual_rows| {
            for (column, slot) in slots.iter().enumerate() {
                let wanted = memory(coalesced.row + row, *slot) as f64;
                let virtuals = virtual_rows
                    .iter()
                    .map(|row| memory(coalesced.virtual_row + row, *slot) as f64);
                // In the middle of the numbers that become the integer: errors of additions do not
                // matter there.
                let middle = match quantise.rounding {
                    Rounding::Truncate if wanted != 0.0 => wanted + 0.5 * wanted.signum(),
                    _ => wanted,
                };
                let own = (middle - virtuals.clone().sum::<f64>()) / quantise.factor;
                let own = tensor.stored.element.nearest(own).into_iter().find(|own| {
                    let values = virtuals.clone().map(|v| floats.virtuals.to_stored(v));
                    tensor.to_memory(sum(*own, values)) == Ok(wanted)
                });
                if let Some(own) = own {
                    let index = tensor.stored_index([0, floats.first + row, column]);
                    tensor.stored.write(values, index, own);
                }
            }
        });
    }
}

fn sum(own: f64, virtuals: impl Iterator<Item = f64>) -> f64 {
    virtuals
        .fold(own as f32, |sum, value| sum + value as f32)
        .into()
}

impl Coalesced {
    /// Its tensors, if their values are floating point that is rounded as sums.
    fn floats<'a>(&self, layout: &'a FileLayout) -> Option<Floats<'a>> {
        if self.factors.round_each {
            return None;
        }
        let (real, first) = self.place(layout, self.row)?;
        let (virtuals, first_virtual) = self.place(layout, self.virtual_row)?;
        let floats = Floats {
            real,
            first,
            virtuals,
            first_virtual,
        };
        real.stored.element.is_float().then_some(floats)
    }

    /// The tensor that has a row of the matrix, and the number of the row in it.
    fn place<'a>(&self, layout: &'a FileLayout, row: usize) -> Option<(&'a Tensor, usize)> {
        let offset = self.row_offset(row);
        let mut tensors = layout.tensors().map(|(_, tensor)| tensor);
        let tensor = tensors.find(|tensor| {
            let placed = &tensor.placed;
            (placed.offset..placed.offset + placed.len()).contains(&offset)
        })?;
        let row_len = self.columns * self.element.size();
        Some((tensor, (offset - tensor.placed.offset) / row_len))
    }

    /// Where its virtual rows end, in bytes from the start of the weights.
    pub(crate) fn end(&self) -> usize {
        self.row_offset(self.virtual_row + self.factors.rows())
    }

    /// Where the matrix's row is in memory.
    fn row_offset(&self, row: usize) -> usize {
        self.offset + row * self.columns * self.element.size()
    }

    /// Replaces each value of the real rows by what `combine` makes of its row, its slot, it and
    /// the sum of its virtual values.
    fn for_each_value(
        &self,
        weights: &mut [u8],
        mut combine: impl FnMut(usize, usize, i64, i64) -> i64,
    ) {
        let size = self.element.size();
        let row_len = self.columns * size;
        let (real, virtuals) = weights.split_at_mut(self.row_offset(self.virtual_row));
        let real = &mut real[self.row_offset(self.row)..];
        let mut sums = vec![0; self.columns];
        self.factors.for_each_row(|row, virtual_rows| {
            sums.fill(0);
            for virtual_row in virtual_rows {
                let values = virtuals[virtual_row * row_len..][..row_len].chunks_exact(size);
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += self.value(value);
                }
            }
            let values = real[row * row_len..][..row_len].chunks_exact_mut(size);
            for (slot, (value, sum)) in values.zip(&sums).enumerate() {
                let combined = combine(row, slot, self.value(value), *sum);
                // Truncated: what does not fit is an error of the caller's.
                match size {
                    2 => value.copy_from_slice(&(combined as i16).to_ne_bytes()),
                    _ => value.copy_from_slice(&(combined as i32).to_ne_bytes()),
                }
            }
        });
    }

    fn value(&self, bytes: &[u8]) -> i64 {
        match bytes {
            [a, b] => i64::from(i16::from_ne_bytes([*a, *b])),
            [a, b, c, d] => i64::from(i32::from_ne_bytes([*a, *b, *c, *d])),
            _ => 0,
        }
    }

    fn holds(&self, value: i64) -> bool {
        let limits = self.element.limits();
        limits.is_some_and(|(low, high)| (i64::from(low)..=i64::from(high)).contains(&value))
    }

    /// The error of a sum that does not fit, in terms of the file: `row` is the number in the set,
    /// `slot` the column in memory.
    fn beyond(
        &self,
        layout: &FileLayout,
        row: usize,
        slot: usize,
        [own, virtual_sum]: [f64; 2],
    ) -> LoadError {
        let (mut name, mut row, mut column) = (Text::default(), self.row + row, slot);
        let mut limits = Limits {
            factor: None,
            allowed: self.element.limits().unwrap_or_default(),
        };
        if let Some((tensor, row_of_tensor)) = self.place(layout, row) {
            let slots = tensor.placed.slots_of(tensor.shape[2], &[0]);
            (name, row) = (tensor.name.clone(), row_of_tensor);
            column = slots.iter().position(|of| *of == slot).unwrap_or(slot);
            // Integers are added once they are integers.
            if self.floats(layout).is_some() {
                limits = tensor.limits_of_values();
            }
        }
        LoadError::Coalesced {
            place: Place { stack: None, name },
            row: row as u64,
            column: column as u64,
            own,
            virtual_sum,
            limits,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;
    use core::convert::Infallible;

    use super::*;
    use crate::ValueFault;
    use crate::{
        Format, Loaded, Overflow, PieceSquare, Placed, Quantise, Section, Stacks, Stored, Tail,
        VirtualSet, list, split, store,
    };

    /// Kings have no rows, and there are two buckets: the first and the fourth rank's squares, all
    /// others.
    const SET: PieceSquare = PieceSquare {
        flip: [0, 56],
        mirror_files: 0,
        king_offset: {
            let mut offsets = [640; 64];
            let mut file = 0;
            while file < 8 {
                offsets[file] = 0;
                offsets[24 + file] = 0;
                file += 1;
            }
            offsets
        },
        queen_offset: [0; PieceSquare::QUEENS],
        threatened: PieceSquare::NO_THREATENED,
        planes: [[
            NONE, 0, 64, 128, 192, 256, NONE, 320, 384, 448, 512, 576, NONE, NONE, NONE, NONE,
        ]; 2],
    };
    const NONE: u32 = PieceSquare::NO_PLANE;
    const REAL: usize = 1280;
    const VIRTUAL: usize = 640 + 2;
    /// Row 640 + 70 is the second bucket's knight on g1; its virtual rows are piece 70 and king 1.
    const ROW: usize = 710;
    const PIECE: usize = 70;
    const KING: usize = 641;

    /// A neuron, with virtual rows before the others.
    const fn layout<const TRUNCATE: bool, const EACH: bool>() -> FileLayout {
        FileLayout {
            name: Text::Borrowed("Factorised"),
            format: Format::Sequence,
            sections: list(
                const {
                    &[
                        tensor::<TRUNCATE>("virtuals", VIRTUAL, 2 * REAL),
                        tensor::<TRUNCATE>("rows", REAL, 0),
                    ]
                },
            ),
            stacks: Stacks::NONE,
            tail: Tail::NONE,
            extents: list(&[]),
            coalesced: list(
                const {
                    &[Coalesced {
                        element: Element::I16,
                        offset: 0,
                        columns: 1,
                        row: 0,
                        virtual_row: REAL,
                        factors: Factors {
                            set: SET,
                            sets: list(&[VirtualSet::Pieces, VirtualSet::King]),
                            round_each: EACH,
                        },
                    }]
                },
            ),
        }
    }

    const fn tensor<const TRUNCATE: bool>(
        name: &'static str,
        rows: usize,
        offset: usize,
    ) -> Section {
        let stored = Stored::new(Element::F32, [0, 1, 1], rows).quantised(Quantise {
            factor: 10.0,
            rounding: match TRUNCATE {
                true => Rounding::Truncate,
                false => Rounding::Nearest,
            },
            overflow: Overflow::Refuse,
            element: Element::I16,
        });
        let placed = Placed::rows(Element::I16, offset, [rows, 1]);
        Section::tensor(name, [1, rows, 1], stored, placed)
    }

    /// A file of zeros but for a row and its virtual ones.
    fn file(own: f32, piece: f32, king: f32) -> Vec<u8> {
        let mut values = vec![0f32; VIRTUAL + REAL];
        values[PIECE] = piece;
        values[KING] = king;
        values[VIRTUAL + ROW] = own;
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    }

    fn load(layout: &FileLayout, file: &[u8]) -> Result<Vec<u8>, LoadError> {
        let mut weights = vec![0; 2 * (REAL + VIRTUAL)];
        split(layout, file)?.load(&[0], &mut weights)?;
        Ok(weights)
    }

    fn row(weights: &[u8]) -> i16 {
        i16::from_ne_bytes([weights[2 * ROW], weights[2 * ROW + 1]])
    }

    #[test]
    fn sums_are_rounded_as_the_spec_says() {
        let layouts = [
            layout::<false, false>(),
            layout::<true, false>(),
            layout::<false, true>(),
            layout::<true, true>(),
        ];
        for (values, expected) in [
            ((0.14, 0.14, 0.14), [4, 4, 3, 3]),
            ((0.16, 0.16, 0.16), [5, 4, 6, 3]),
            ((0.99, -0.36, 0.0), [6, 6, 6, 6]),
            ((-0.18, -0.18, 0.0), [-4, -3, -4, -2]),
            ((-0.59, 0.19, 0.19), [-2, -2, -2, -3]),
        ] {
            let (own, piece, king) = values;
            let file = file(own, piece, king);
            let found = layouts
                .each_ref()
                .map(|layout| row(&load(layout, &file).unwrap()));
            assert_eq!(found, expected, "{values:?}");
        }
    }

    /// Other numbers, but each becomes the same integer, and so does the sum.
    #[test]
    fn what_is_written_has_virtual_rows_and_loads_as_the_same() {
        for layout in [
            layout::<false, false>(),
            layout::<true, false>(),
            layout::<false, true>(),
            layout::<true, true>(),
        ] {
            for own in -12..12 {
                for piece in [-3.17, -0.26, 0.0, 0.04, 0.55, 2000.0] {
                    let file = file(own as f32 * 0.07, piece, -0.37);
                    let weights = load(&layout, &file).unwrap();
                    let mut written = Vec::new();
                    let stored = store::<Infallible>(
                        &layout,
                        &[0],
                        &weights,
                        &Loaded::default(),
                        &mut |b| {
                            written.extend_from_slice(b);
                            Ok(())
                        },
                    );
                    assert_eq!(stored, Ok(()));
                    let king = f32::from_le_bytes(written.as_chunks().0[KING]);
                    assert!((-0.5..-0.25).contains(&king), "{king}");
                    let again = load(&layout, &written).unwrap();
                    assert!(again == weights, "{own} and {piece}");
                }
            }
        }
    }

    #[test]
    fn sums_must_fit_though_their_parts_need_not() {
        let layout = layout::<false, false>();
        assert_eq!(
            row(&load(&layout, &file(3300.0, -20.0, -20.0)).unwrap()),
            32600
        );
        let error = load(&layout, &file(3270.0, 3.5, 4.0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "row 710 of `rows` has 3270 in column 0 and its virtual rows add 7.5: the sum is 3277.5, times 10 that is 32775, \
             allowed are -32768 to 32767"
        );
        let each = self::layout::<false, true>();
        assert!(matches!(
            load(&each, &file(3300.0, -20.0, -20.0)),
            Err(LoadError::Value {
                fault: ValueFault::OutOfRange { .. },
                ..
            })
        ));
        let error = load(&each, &file(3270.0, 3.5, 4.0)).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("has 32700 in column 0 and its virtual rows add 75"),
            "{error}"
        );
    }

    #[test]
    fn sums_are_clamped_where_that_is_said() {
        let mut layout = layout::<false, false>();
        for section in layout.sections.to_mut() {
            if let Section::Tensor(tensor) = section
                && let Some(quantise) = &mut tensor.stored.quantise
            {
                quantise.overflow = Overflow::Clamp;
            }
        }
        for (values, expected) in [
            ((3270.0, 3.5, 4.0), 32767),
            ((3300.0, -20.0, -20.0), 32600),
            ((-3000.0, -3300.0, 0.0), -32768),
            // Virtual rows that do not fit alone are kept as the nearest that does.
            ((-10.0, 3300.0, 0.0), 32767),
            ((-60.0, 3300.0, 0.0), 32400),
        ] {
            let (own, piece, king) = values;
            let weights = load(&layout, &file(own, piece, king)).unwrap();
            assert_eq!(row(&weights), expected, "{values:?}");
            let mut written = Vec::new();
            let loaded = Loaded::default();
            let result = store::<Infallible>(&layout, &[0], &weights, &loaded, &mut |piece| {
                written.extend_from_slice(piece);
                Ok(())
            });
            assert_eq!(result, Ok(()));
            assert!(load(&layout, &written).unwrap() == weights, "{values:?}");
        }
        let infinite = load(&layout, &file(f32::INFINITY, 0.0, 0.0));
        assert!(infinite.is_err());
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused_where_they_are() {
        let layout = layout::<false, false>();
        for (file, name) in [
            (file(f32::NAN, 1.0, 1.0), "rows"),
            (file(1.0, f32::INFINITY, 1.0), "virtuals"),
            (file(1.0, f32::INFINITY, f32::NEG_INFINITY), "virtuals"),
        ] {
            let error = load(&layout, &file).unwrap_err();
            let LoadError::Value {
                place,
                fault: ValueFault::NotFinite { .. },
                ..
            } = error
            else {
                panic!("{error}");
            };
            assert_eq!(format!("{place}"), name);
        }
    }
}
