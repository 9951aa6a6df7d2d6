//! Work of several threads, with results in the order of a single thread.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;

/// How many items wait before each thread, and how many results after it.
const WAITING: usize = 2;

/// Applies a function to all items, on `threads` threads. The function hands over any number of
/// results of an item, which come in the order of the items: the threads take items in turn, and are
/// asked for results in the same turn. `make` makes the function of each thread.
///
/// Few items and few results are in memory at once: a thread that has handed over results waits
/// until some of them are taken. When the results are dropped, the threads end.
pub(crate) fn ordered<'scope, 'env, T, U, F>(
    scope: &'scope Scope<'scope, 'env>,
    threads: usize,
    items: impl Iterator<Item = T> + Send + 'scope,
    make: impl Fn() -> F,
) -> Ordered<U>
where
    T: Send + 'scope,
    U: Send + 'scope,
    F: FnMut(T, &mut dyn FnMut(U)) + Send + 'scope,
{
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for _ in 0..threads.max(1) {
        let (input, of_thread) = sync_channel::<T>(WAITING);
        let (result, output) = sync_channel(WAITING);
        let mut function = make();
        scope.spawn(move || {
            for item in of_thread {
                // Nobody may want results any more, which is seen at the end of the item.
                function(item, &mut |of_item| drop(result.send(Some(of_item))));
                if result.send(None).is_err() {
                    return;
                }
            }
        });
        inputs.push(input);
        outputs.push(output);
    }
    scope.spawn(move || {
        for (index, item) in items.enumerate() {
            if inputs[index % inputs.len()].send(item).is_err() {
                return;
            }
        }
    });
    Ordered { outputs, next: 0 }
}

/// The results of [`ordered`], in the order of the items. `None` comes after the last result of each
/// item.
pub(crate) struct Ordered<U> {
    outputs: Vec<Receiver<Option<U>>>,
    /// Of how many items all results were taken.
    next: usize,
}

impl<U> Iterator for Ordered<U> {
    type Item = U;

    fn next(&mut self) -> Option<U> {
        loop {
            // A thread has no more results only if there are no more items.
            let result = self.outputs[self.next % self.outputs.len()].recv().ok()?;
            if result.is_some() {
                return result;
            }
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_items() {
        for threads in [1, 2, 3, 7] {
            for items in [0, 1, 2, 3, 100] {
                let found: Vec<usize> = thread::scope(|scope| {
                    let results = |item: usize, found: &mut dyn FnMut(usize)| {
                        // Some items have no result, and some have more than wait at once.
                        (0..item % 7).for_each(|result| found(10 * item + result));
                    };
                    ordered(scope, threads, 0..items, || results).collect()
                });
                let all = (0..items).flat_map(|item| (0..item % 7).map(move |n| 10 * item + n));
                assert_eq!(found, all.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn threads_end_when_nobody_wants_more() {
        let first: Vec<u64> = thread::scope(|scope| {
            let same = |item: u64, found: &mut dyn FnMut(u64)| found(item);
            ordered(scope, 3, 0.., || same).take(5).collect()
        });
        assert_eq!(first, [0, 1, 2, 3, 4]);
    }
}
