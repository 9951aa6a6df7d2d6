//! Puts columns of tensors in memory into another order: for another level, or because neurons are
//! reordered.

use alloc::vec::Vec;

use crate::placed::RUN;
use crate::{FileLayout, Form, Placed, Role, paired};

/// Rearranges weights that were loaded for the level with the packed order `from` into those of the
/// level with the order `to`. `weights` may be the part of the weights that begins at the byte
/// `start`, if all tensors with [packed](crate::Segment::packed) columns are in it.
///
/// # Panics
///
/// If one of these tensors is not within `weights`.
pub fn relevel(
    layout: &FileLayout,
    weights: &mut [u8],
    start: usize,
    from: &[usize],
    to: &[usize],
) {
    for (base, tensor) in layout.tensors() {
        if tensor.placed.segments.iter().all(|segment| !segment.packed) {
            continue;
        }
        let placed = tensor.placed.seen_from(start);
        let [buckets, _, columns] = tensor.shape;
        let [from, to] = [from, to].map(|packed| placed.slots_of(columns, packed));
        let mut moves = Vec::with_capacity(columns);
        for column in 0..columns {
            moves.push((from[column], to[column]));
        }
        placed.move_slots_of_all(buckets, weights, base, &moves);
    }
}

/// Moves columns of tensors: for the role of a tensor, `moves` gives the column that moves to each
/// place. Columns that it does not name stay where they are.
///
/// # Panics
///
/// If `weights` is shorter than the layout says, or if the tensor does not have a column.
pub fn reorder(
    layout: &FileLayout,
    packed: &[usize],
    weights: &mut [u8],
    moves: impl Fn(Role) -> Vec<(usize, usize)>,
) {
    paired::unpair_all(&layout.paired, weights);
    for (base, tensor) in layout.tensors() {
        let moves = moves(tensor.role);
        if moves.is_empty() {
            continue;
        }
        let [buckets, _, columns] = tensor.shape;
        let slots = tensor.placed.slots_of(columns, packed);
        let mut moved = Vec::with_capacity(columns);
        for slot in &slots {
            moved.push((*slot, *slot));
        }
        for (source, target) in moves {
            moved[target].0 = slots[source];
        }
        (tensor.placed).move_slots_of_all(buckets, weights, base, &moved);
    }
    paired::pair_all(&layout.paired, weights);
}

impl Placed {
    /// The same place, relative to memory that begins at the byte `start`.
    fn seen_from(&self, start: usize) -> Placed {
        let mut placed = self.clone();
        placed.offset -= start;
        if let Form::OutputBlocks { ids, .. } = &mut placed.form {
            *ids -= start;
        }
        placed
    }

    /// [`Self::move_slots`] for each bucket of a tensor.
    fn move_slots_of_all(
        &self,
        buckets: usize,
        weights: &mut [u8],
        base: usize,
        moves: &[(usize, usize)],
    ) {
        for bucket in 0..buckets {
            self.move_slots(weights, base + bucket * self.stride, moves);
        }
    }

    /// Moves the values of the first slot of each pair to the second slot. Slots that are the
    /// second slot of no pair become zero.
    fn move_slots(&self, weights: &mut [u8], base: usize, moves: &[(usize, usize)]) {
        let size = self.element.size();
        let memory = &mut weights[base + self.offset..][..self.len()];
        match self.form {
            Form::Rows | Form::Blocks | Form::Columns | Form::Shards { .. } => {
                let before = memory.to_vec();
                memory.fill(0);
                for row in 0..self.rows {
                    for &(source, target) in moves {
                        let places = [source, target].map(|slot| self.index_if_read(row, slot));
                        let [Some(source), Some(target)] = places else {
                            continue;
                        };
                        memory[target * size..][..size]
                            .copy_from_slice(&before[source * size..][..size]);
                    }
                }
            }
            Form::OutputBlocks { runs, ids } => {
                move_runs(memory, runs * RUN * size, moves);
                let ids = &mut weights[base + ids..][..self.slots * runs * 2];
                move_runs(ids, runs * 2, moves);
            }
            Form::Bits => {
                let before = memory.to_vec();
                memory.fill(0);
                for row in 0..self.rows {
                    for &(source, target) in moves {
                        let (byte, mask) = self.bit(row, source);
                        if before[byte] & mask != 0 {
                            let (byte, mask) = self.bit(row, target);
                            memory[byte] |= mask;
                        }
                    }
                }
            }
        }
    }
}

/// [`Placed::move_slots`] where each slot is a run of `len` bytes.
fn move_runs(memory: &mut [u8], len: usize, moves: &[(usize, usize)]) {
    let before = memory.to_vec();
    memory.fill(0);
    for &(source, target) in moves {
        memory[target * len..][..len].copy_from_slice(&before[source * len..][..len]);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::placed::Bucket;
    use crate::placed::tests::{BLOCKS, COLUMNS, FORMS, GAPS};
    use crate::tests::ORDERS;

    #[test]
    fn moved_slots_leave_nothing_behind() {
        let (from, to) = (ORDERS[1], ORDERS[2]);
        for form in FORMS.into_iter().chain([BLOCKS]) {
            let placed = Placed {
                form,
                offset: 1024,
                rows: 32,
                ..GAPS
            };
            let filled = |order: &[usize]| {
                let mut weights = vec![0; 1024 + placed.len()];
                let mut bucket = Bucket::cleared(&placed, &mut weights, 0, 0);
                for (column, slot) in placed.slots_of(COLUMNS, order).into_iter().enumerate() {
                    let value = |row: usize| f64::from(1 + (column + row) as i32 % 100);
                    if form == BLOCKS {
                        let values: Vec<f64> = (0..32).map(value).collect();
                        assert_eq!(bucket.set_runs(slot, &values), Ok(()));
                    } else {
                        (0..32).for_each(|row| bucket.set(row, slot, value(row)));
                    }
                }
                weights
            };
            let mut weights = filled(from);
            let slots = |order| placed.slots_of(COLUMNS, order).into_iter();
            let moves: Vec<_> = slots(from).zip(slots(to)).collect();
            placed.move_slots(&mut weights, 0, &moves);
            assert!(weights == filled(to), "{form:?}");
        }
    }
}
