//! Huge pages for weights on the heap, which are read all over: each page of 4 KiB is another
//! address to translate.

use core::ops::Range;

/// The size of a huge page. Memory that is smaller holds none.
pub(super) const HUGE_PAGE: usize = 2 << 20;

/// Asks the system to back memory by huge pages when it is first touched. They are worth some 4 %
/// of evaluations along a search, and a third of loading; systems that have none, or are told not
/// to give them, go on as they are.
pub(super) fn ask_for_huge_pages(memory: Range<*mut u8>) {
    let within = whole_pages(memory);
    if within.end.addr().saturating_sub(within.start.addr()) >= HUGE_PAGE {
        system::advise(within);
    }
}

/// Where a value should start: where a huge page does, if it fills one and the system can be asked
/// for them, so that it lies in as few pages as possible.
pub(super) const fn alignment<T>() -> usize {
    if system::HAS_HUGE_PAGES && size_of::<T>() >= HUGE_PAGE && align_of::<T>() < HUGE_PAGE {
        HUGE_PAGE
    } else {
        align_of::<T>()
    }
}

/// The huge pages that lie completely in the memory, so that no page of others is among them.
fn whole_pages(memory: Range<*mut u8>) -> Range<*mut u8> {
    let Some(start) = memory.start.addr().checked_next_multiple_of(HUGE_PAGE) else {
        return memory.end..memory.end;
    };
    let end = memory.end.addr() / HUGE_PAGE * HUGE_PAGE;
    memory.start.with_addr(start)..memory.end.with_addr(end)
}

/// With the standard library, which brings the system's library along.
#[cfg(all(
    feature = "std",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod system {
    use core::ffi::{c_int, c_void};
    use core::ops::Range;

    pub(super) const HAS_HUGE_PAGES: bool = true;

    /// The advice to use huge pages, as `<sys/mman.h>` defines it.
    const MADV_HUGEPAGE: c_int = 14;

    unsafe extern "C" {
        fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int;
    }

    pub(super) fn advise(pages: Range<*mut u8>) {
        let len = pages.end.addr() - pages.start.addr();
        // SAFETY: the declaration is that of Linux. This advice changes neither contents nor rights
        // of any page, of any owner. A refusal does not matter.
        unsafe { madvise(pages.start.cast(), len, MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(
    feature = "std",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
mod system {
    use core::ops::Range;

    pub(super) const HAS_HUGE_PAGES: bool = false;

    pub(super) fn advise(_pages: Range<*mut u8>) {}
}

#[cfg(test)]
mod tests {
    use core::ptr;

    use super::*;

    #[test]
    fn pages_are_within_the_memory() {
        let pages = |start: usize, end: usize| {
            let [start, end] = [start, end].map(ptr::without_provenance_mut);
            let whole = whole_pages(start..end);
            whole.start.addr()..whole.end.addr()
        };
        const M: usize = 1 << 20;
        assert_eq!(pages(2 * M, 8 * M), 2 * M..8 * M);
        assert_eq!(pages(2 * M + 64, 8 * M - 64), 4 * M..6 * M);
        assert!(pages(3 * M, 5 * M).is_empty());
        assert!(pages(64, 128).is_empty());
        assert!(pages(usize::MAX - M, usize::MAX).is_empty());
    }

    /// The lines in which the system describes a piece of memory.
    #[cfg(all(feature = "std", target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn the_system_is_asked() {
        use std::{fs, path, println};

        if !path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            println!("skipped: the system has no huge pages");
            return;
        }
        let weights = crate::memory::Holder::<[u64; 1 << 20]>::zeroed();
        let middle = (&raw const weights[1 << 19]).addr();
        let maps = fs::read_to_string("/proc/self/smaps").unwrap();
        let has_middle = |line: &str| {
            let (start, rest) = line.split_once('-')?;
            let start = usize::from_str_radix(start, 16).ok()?;
            let end = usize::from_str_radix(rest.split(' ').next()?, 16).ok()?;
            Some((start..end).contains(&middle))
        };
        let mut lines = maps.lines();
        lines.find(|line| has_middle(line) == Some(true)).unwrap();
        let flags = lines.find(|line| line.starts_with("VmFlags")).unwrap();
        assert!(flags.split(' ').any(|flag| flag == "hg"), "{flags}");
    }
}
