//! Shares work between threads, where that saves time.

use alloc::vec::Vec;
use core::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{panic, thread};

/// For fewer bytes than this, starting a thread takes longer than it saves.
const WORTHWHILE: usize = 2 << 20;

/// The largest number of threads: more threads would wait for memory.
const MOST: usize = 8;

/// The number of threads that save time for this many bytes.
pub fn for_bytes(len: usize) -> usize {
    let shares = len / WORTHWHILE;
    if shares < 2 {
        return 1;
    }
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    shares.min(cores).min(MOST)
}

/// Does the same work on several threads, the caller's among them, and returns after all have
/// ended. There may be fewer threads, where the system has no more: the work must not count on
/// them.
pub fn on_each(threads: usize, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let started: Vec<_> = (1..threads).map_while(spawn).collect();
        work();
        // The scope would wait, too, but not by what thread sanitizers know: in a program of C++
        // they would report races between these threads and the caller.
        for thread in started {
            if let Err(panic) = thread.join() {
                panic::resume_unwind(panic);
            }
        }
    });
}

/// The value that threads share. If a thread that held the lock has panicked, the caller panics
/// too, so this function does not check it.
pub fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `change` for each chunk of `len` bytes, on as many threads as save time.
pub fn for_each_chunk(bytes: &mut [u8], len: usize, change: &(dyn Fn(&mut [u8]) + Sync)) {
    let threads = for_bytes(bytes.len());
    let chunks = Mutex::new(bytes.chunks_mut(len));
    on_each(threads, &|| {
        loop {
            let chunk = locked(&chunks).next();
            match chunk {
                Some(chunk) => change(chunk),
                None => return,
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn little_work_needs_no_thread() {
        assert_eq!(for_bytes(0), 1);
        assert_eq!(for_bytes(2 * WORTHWHILE - 1), 1);
        assert!((1..=MOST).contains(&for_bytes(usize::MAX)));
    }

    #[test]
    fn each_thread_works() {
        for threads in 1..4 {
            let calls = AtomicUsize::new(0);
            on_each(threads, &|| {
                calls.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(calls.into_inner(), threads);
        }
    }

    #[test]
    fn each_chunk_is_changed_once() {
        let mut bytes = std::vec![1; 3 * WORTHWHILE + 5];
        for_each_chunk(&mut bytes, 1000, &|chunk| {
            let len = chunk.len() as u8;
            chunk.iter_mut().for_each(|byte| *byte += len);
        });
        let last = bytes.len() / 1000 * 1000;
        let (chunks, rest) = bytes.split_at(last);
        assert!(chunks.iter().all(|byte| *byte == 1 + 1000u32 as u8));
        assert!(
            rest.iter()
                .all(|byte| usize::from(*byte) == 1 + rest.len() % 256)
        );
    }
}
