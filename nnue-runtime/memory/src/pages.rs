//! Huge pages: where memory lies in pages of 2 MiB, the processor's tables of addresses reach 512
//! times as much of it.
//!
//! Linux uses huge pages for shared memory only if an administrator says so
//! (`/sys/kernel/mm/transparent_hugepage/shmem_enabled`, which is `never` by default), but a
//! process may ask for them at any time with the call `MADV_COLLAPSE`, since Linux 6.1. The call
//! copies the bytes that are there to huge pages, which takes 0.4 ms per MiB, and costs nothing
//! where the pages are huge already. So it is called before memory is filled, when there is nothing
//! to copy: that makes filling faster than into small pages, for which the kernel is entered 512
//! times as often. Processes that map the memory later find huge pages, and get 140 MiB in 0.2 to 5
//! ms.
//!
//! `nnue-runtime` asks for huge pages for weights on the heap, also in builds without this crate.
//! So it has a copy of the few lines that make the call.

/// The number of bytes of memory that lie in huge pages, by `/proc/self/smaps` of Linux. `None`
/// where it cannot be known: on other systems, and without `/proc`.
///
/// The kernel counts pages that the process has used or that a call has brought, so pages that were
/// never read may be missing. It counts for each map: for memory that is a part of a map, the
/// result is at most the length of the memory, and may be too large.
#[must_use]
pub fn huge_bytes(memory: &[u8]) -> Option<usize> {
    if cfg!(target_os = "linux") {
        let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
        Some(count_huge(&maps, memory.as_ptr().addr(), memory.len()))
    } else {
        None
    }
}

/// The number of bytes in huge pages that `smaps` gives for `len` bytes at an address.
fn count_huge(maps: &str, start: usize, len: usize) -> usize {
    let end = start.saturating_add(len);
    let (mut sum, mut shared, mut huge) = (0, 0, 0);
    for line in maps.lines() {
        if let Some((from, to)) = addresses(line) {
            sum += huge.min(shared);
            shared = to.min(end).saturating_sub(from.max(start));
            huge = 0;
        } else if let Some((name, value)) = line.split_once(':')
            && COUNTS.contains(&name)
            && let Some(value) = value.trim().strip_suffix(" kB")
        {
            huge += value.parse().unwrap_or(0) * 1024;
        }
    }
    sum + huge.min(shared)
}

/// The fields of `smaps` that count memory in huge pages.
const COUNTS: [&str; 5] = [
    "AnonHugePages",
    "ShmemPmdMapped",
    "FilePmdMapped",
    "Shared_Hugetlb",
    "Private_Hugetlb",
];

/// The addresses of the map whose description begins with this line, if there is any.
fn addresses(line: &str) -> Option<(usize, usize)> {
    let (from, to) = line.split_once(' ')?.0.split_once('-')?;
    let number = |digits| usize::from_str_radix(digits, 16).ok();
    Some((number(from)?, number(to)?))
}

/// Moves `len` mapped bytes of a file or a segment into huge pages, if the system has any.
#[cfg(unix)]
pub(crate) fn advise(start: *const u8, len: usize) {
    #[cfg(target_os = "linux")]
    linux::collapse(start, len);
    #[cfg(not(target_os = "linux"))]
    let _ = (start, len);
}

/// Requests huge pages for zeros of a segment that are about to be written.
#[cfg(target_os = "linux")]
pub(crate) fn prepare(zeros: &mut [u8]) {
    // The kernel makes huge pages of small pages, so there must be a small page.
    for piece in zeros.chunks_exact_mut(crate::ALIGNMENT) {
        piece[0] = 0;
    }
    linux::collapse(zeros.as_ptr(), zeros.len());
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{c_int, c_void};

    use rustix::mm::{Advice, madvise};

    use crate::ALIGNMENT;

    pub(super) fn collapse(start: *const u8, len: usize) {
        let start = start.cast_mut().cast();
        if len < ALIGNMENT {
            return;
        }
        // The kernel leaves the rest beyond whole huge pages as it is. It is advised too, because
        // an advice for a part would split the map into two maps. What fails leaves the memory as
        // it is: old kernels do not know the advice, and there may be no free huge pages. SAFETY:
        // both advices leave the contents and the rights of all pages, of any owner.
        unsafe {
            let _ = madvise(start, len, Advice::LinuxHugepage);
            let _ = advise(start, len, MADV_COLLAPSE);
        }
    }

    /// Since Linux 6.1. rustix has no name for this advice yet, and accepts no numbers.
    const MADV_COLLAPSE: c_int = 25;

    unsafe extern "C" {
        /// The function of the C library, with which std is linked.
        #[link_name = "madvise"]
        fn advise(start: *mut c_void, len: usize, advice: c_int) -> c_int;
    }
}

#[cfg(test)]
mod tests {
    use super::count_huge;

    #[test]
    fn maps_are_counted_as_far_as_they_are_asked_for() {
        let maps = "\
00200000-00800000 r--p 00000000 00:01 1 /memfd:a (deleted)
Size:               6144 kB
ShmemPmdMapped:     4096 kB
VmFlags: rd mr
00800000-00a00000 r--p 00000000 00:00 0
AnonHugePages:      2048 kB
FilePmdMapped:         0 kB
";
        assert_eq!(count_huge(maps, 0x200000, 0x600000), 4 << 20);
        assert_eq!(count_huge(maps, 0x200000, 0x100000), 1 << 20);
        assert_eq!(count_huge(maps, 0x200000, 0x800000), 6 << 20);
        assert_eq!(count_huge(maps, 0x800000, 0x200000), 2 << 20);
        assert_eq!(count_huge(maps, 0xa00000, 0x200000), 0);
    }
}
