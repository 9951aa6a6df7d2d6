//! Work on all cores.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::thread;

/// The results of `work` for each item, in the items' order. Each core works on neighbouring items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = items.len().div_ceil(cores).max(1);
    let work = &work;
    thread::scope(|scope| {
        let parts = items
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()));
        // All threads must have started before the first is joined.
        let parts: Vec<_> = parts.collect();
        let results = parts.into_iter().flat_map(|part| match part.join() {
            Ok(results) => results,
            Err(panic) => resume_unwind(panic),
        });
        results.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, 2, 3, 1000] {
            let items: Vec<usize> = (0..count).collect();
            let squares: Vec<usize> = items.iter().map(|item| item * item).collect();
            assert_eq!(map(&items, |item| item * item), squares);
        }
    }
}
