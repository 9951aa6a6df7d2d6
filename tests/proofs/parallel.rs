//! Work on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls a function with each of the first `count` numbers, and with what each processor has for
/// itself. It panics if one of the calls does.
pub(crate) fn for_each<T>(
    count: usize,
    start: impl Fn() -> T + Sync,
    work: impl Fn(&mut T, usize) + Sync,
) {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut own = start();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            work(&mut own, index);
        }
    };
    // WebAssembly has no threads.
    let others = thread::available_parallelism().map_or(1, |count| count.get()) - 1;
    if others == 0 {
        return worker();
    }
    thread::scope(|scope| {
        for _ in 0..others {
            scope.spawn(worker);
        }
        worker();
    });
}
