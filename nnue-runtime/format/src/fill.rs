//! Weights that come from a function and not from a file, for checks of the code that reads them.

use alloc::vec::Vec;

use crate::placed::Bucket;
use crate::{FileLayout, Form, Role, paired};

/// Fills tensors in memory, in the layout of a level with the packed order `packed`. `of_tensor`
/// gives, for the role of a tensor, the function from a place (bucket, row and column, in the
/// numbers of [`TensorView`](crate::TensorView)) to the value in memory, which its type must hold;
/// or it gives `None` for a tensor that stays as it is. Values are those after anything is added to
/// them: virtual rows and weights that stacks share are not added.
///
/// # Panics
///
/// If `weights` is shorter than the layout says, or if an input reaches more runs of outputs than
/// there is room for.
pub fn fill<V: FnMut([usize; 3]) -> f64>(
    layout: &FileLayout,
    packed: &[usize],
    weights: &mut [u8],
    mut of_tensor: impl FnMut(Role) -> Option<V>,
) {
    let mut filled = Vec::new();
    for (base, tensor) in layout.tensors() {
        let Some(mut value) = of_tensor(tensor.role) else {
            continue;
        };
        let [buckets, rows, columns] = tensor.shape;
        let stack = base.checked_div(layout.stacks.stride).unwrap_or(0);
        let placed = &tensor.placed;
        let slots = placed.slots_of(columns, packed);
        for bucket in 0..buckets {
            let mut memory = Bucket::cleared(placed, weights, base, bucket);
            let bucket = stack * buckets + bucket;
            if let Form::OutputBlocks { .. } = placed.form {
                for (column, slot) in slots.iter().enumerate() {
                    let outputs = (0..rows).map(|row| value([bucket, row, column]));
                    let set = memory.set_runs(*slot, &outputs.collect::<Vec<f64>>());
                    assert!(set.is_ok(), "`{}` has too many runs", tensor.name);
                }
                continue;
            }
            for row in 0..rows {
                for (column, slot) in slots.iter().enumerate() {
                    memory.set(row, *slot, value([bucket, row, column]));
                }
            }
        }
        filled.push((base + placed.offset, placed.len()));
    }
    let was_filled = |table: &&paired::Paired| {
        let mut parts = filled.iter();
        parts.any(|(start, len)| (*start..start + len).contains(&table.offset))
    };
    let tables: Vec<_> = layout.paired.iter().filter(was_filled).copied().collect();
    paired::pair_all(&tables, weights);
}
