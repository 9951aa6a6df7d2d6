//! Maps of Unix.

use std::ffi::c_void;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::ptr::{self, NonNull};

#[cfg(target_os = "linux")]
use rustix::mm::{Advice, madvise};
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mmap_anonymous, mprotect, munmap};

use crate::{ALIGNMENT, ShareError, pages};

/// Addresses that belong to this value. Dropping the value unmaps them.
pub(crate) struct Region {
    start: NonNull<u8>,
    /// An empty region is not mapped.
    len: usize,
}

// SAFETY: addresses belong to the process, not to a thread.
unsafe impl Send for Region {}

// SAFETY: a shared region can only be read.
unsafe impl Sync for Region {}

impl Region {
    /// Bytes of a file or a segment, for reading.
    ///
    /// # Safety
    ///
    /// The file has these bytes, and nobody changes them while the region is there.
    pub(super) unsafe fn of_file(file: &File, offset: u64, len: usize) -> io::Result<Region> {
        // A private map shows the pages of the file as a shared map does, as long as nobody writes.
        // The kernel allows a private map for sealed segments, in whatever way they were opened.
        // SAFETY: `mmap` maps at addresses that are free, or that belong to `map`.
        let region = unsafe {
            Region::map(len, |at, len, fixed| {
                let flags = MapFlags::PRIVATE | fixed;
                mmap(at, len, ProtFlags::READ, flags, file, offset)
            })
        }?;
        pages::advise(region.start(), region.len());
        Ok(region)
    }

    /// All of a file or a segment, for writing.
    #[cfg(target_os = "linux")]
    pub(crate) fn writable(file: &File, len: usize) -> io::Result<Region> {
        // SAFETY: `mmap` maps at addresses that are free, or that belong to `map`.
        let region = unsafe {
            Region::map(len, |at, len, fixed| {
                let flags = MapFlags::SHARED | fixed;
                mmap(at, len, READ_AND_WRITE, flags, file, 0)
            })
        }?;
        // A child that another thread forks meanwhile would keep a writable map, and the kernel
        // would not seal the segment. Memory without such a child does not need the advice, so it
        // may fail.
        // SAFETY: the addresses belong to the region, and the advice does not change their bytes.
        let _ = unsafe { madvise(region.start.as_ptr().cast(), len, Advice::LinuxDontFork) };
        Ok(region)
    }

    /// Zeroed memory that belongs to this process.
    pub(crate) fn zeros(len: usize) -> io::Result<Region> {
        // SAFETY: `mmap_anonymous` maps at addresses that are free, or that belong to `map`.
        unsafe {
            Region::map(len, |at, len, fixed| {
                mmap_anonymous(at, len, READ_AND_WRITE, MapFlags::PRIVATE | fixed)
            })
        }
    }

    /// The first `head` bytes of a file and zeros behind them, which are filled.
    ///
    /// # Safety
    ///
    /// The file has these bytes, and nobody changes them while the region is there.
    pub(super) unsafe fn of_file_and_memory<E>(
        file: &File,
        head: usize,
        len: usize,
        fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<Region, ShareError<E>> {
        let mut region = Region::zeros(len)?;
        let start = region.start.as_ptr().cast::<c_void>();
        let page = rustix::param::page_size();
        let pages = head / page * page;
        if pages > 0 {
            let flags = MapFlags::PRIVATE | MapFlags::FIXED;
            // SAFETY: the addresses belong to the region, which nobody has borrowed, and are whole
            // pages of it.
            unsafe { mmap(start, pages, READ_AND_WRITE, flags, file, 0) }
                .map_err(io::Error::from)?;
        }
        // SAFETY: nobody else knows the region, what is written into pages of the file stays in
        // this process, and the caller promises that nobody changes the file.
        let bytes = unsafe { region.bytes_mut() };
        file.read_exact_at(&mut bytes[pages..head], pages as u64)?;
        fill(bytes).map_err(ShareError::Fill)?;
        // SAFETY: the addresses are those of the region, whose bytes can still be read.
        unsafe { mprotect(start, len, MprotectFlags::READ) }.map_err(io::Error::from)?;
        pages::advise(region.start(), region.len());
        Ok(region)
    }

    /// Calls `map` with an address, a length and the flag that makes it map at exactly this
    /// address.
    ///
    /// # Safety
    ///
    /// `map` maps as many bytes, at this address if it gets the flag, and returns where.
    unsafe fn map(
        len: usize,
        map: impl FnOnce(*mut c_void, usize, MapFlags) -> rustix::io::Result<*mut c_void>,
    ) -> io::Result<Region> {
        let page = rustix::param::page_size();
        let rounded = len.checked_next_multiple_of(page);
        let reserved = rounded.and_then(|rounded| rounded.checked_add(ALIGNMENT));
        let (Some(rounded), Some(reserved)) = (rounded, reserved) else {
            let message = format!("{len} bytes are mapped, which is more than there are addresses");
            return Err(io::Error::new(ErrorKind::InvalidInput, message));
        };
        if len == 0 {
            let start = NonNull::dangling();
            return Ok(Region { start, len });
        }
        if len < ALIGNMENT {
            let start = map(ptr::null_mut(), len, MapFlags::empty())?;
            // SAFETY: the caller promises that the bytes were mapped there.
            return unsafe { Region::at(start, len) };
        }

        // Systems choose multiples of their pages. So that huge pages fit, addresses are reserved
        // that contain a multiple of the alignment, and what lies around the map is given back.
        // SAFETY: the system chooses addresses that are free.
        let around = unsafe {
            mmap_anonymous(
                ptr::null_mut(),
                reserved,
                ProtFlags::empty(),
                MapFlags::PRIVATE | RESERVED,
            )
        }?;
        let before = around.cast::<u8>().align_offset(ALIGNMENT);
        if before > ALIGNMENT {
            // SAFETY: the addresses were reserved above, and nothing refers to them.
            unsafe { munmap(around, reserved) }?;
            return Err(io::Error::other("the addresses of a map cannot be aligned"));
        }
        // SAFETY: `before` is less than what was reserved beyond the map.
        let start = unsafe { around.byte_add(before) };
        if let Err(error) = map(start, len, MapFlags::FIXED) {
            // SAFETY: the addresses were reserved above, and nothing refers to them.
            unsafe { munmap(around, reserved) }?;
            return Err(error.into());
        }
        let after = reserved - before - rounded;
        // SAFETY: both parts were reserved above, lie outside the map, and are whole pages. If the
        // system keeps them, this costs addresses but no memory.
        unsafe {
            if before > 0 {
                let _ = munmap(around, before);
            }
            if after > 0 {
                let _ = munmap(start.byte_add(rounded), after);
            }
        }
        // SAFETY: the caller promises that the bytes were mapped there.
        unsafe { Region::at(start, len) }
    }

    /// The region of a map.
    ///
    /// # Safety
    ///
    /// At this address, as many bytes are mapped, and nobody else unmaps them.
    unsafe fn at(start: *mut c_void, len: usize) -> io::Result<Region> {
        let Some(start) = NonNull::new(start.cast()) else {
            return Err(io::Error::other("a map begins at address 0"));
        };
        Ok(Region { start, len })
    }

    pub(crate) fn start(&self) -> *const u8 {
        self.start.as_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The bytes of a region, for writing.
    ///
    /// # Safety
    ///
    /// The region is [`writable`](Region::writable), of [`zeros`](Region::zeros), or of private
    /// pages of a file. Meanwhile, no other process and no other map of this process writes its
    /// bytes, or reads what is written here.
    pub(crate) unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the addresses belong to this value, which is borrowed; the caller vouches for the
        // rest. All values of a byte are valid.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

const READ_AND_WRITE: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

/// Reserved addresses take no memory, where the system can be told so.
#[cfg(any(target_os = "linux", target_os = "android"))]
const RESERVED: MapFlags = MapFlags::NORESERVE;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const RESERVED: MapFlags = MapFlags::empty();

impl Drop for Region {
    fn drop(&mut self) {
        if self.len > 0 {
            // SAFETY: the addresses belong to this value, and borrows of it have ended. The call
            // fails only if there are too many maps to split one of them, and then the addresses
            // stay mapped.
            let _ = unsafe { munmap(self.start.as_ptr().cast(), self.len) };
        }
    }
}
