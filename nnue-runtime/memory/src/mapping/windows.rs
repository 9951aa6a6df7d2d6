//! Maps of Windows, which calls them views.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr::{self, NonNull};

use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP, FILE_MAP_READ, MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile,
    PAGE_READONLY, UnmapViewOfFile,
};

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
    /// Bytes of a file, for reading.
    ///
    /// # Safety
    ///
    /// The file has these bytes, and nobody changes them while the region is there.
    pub(super) unsafe fn of_file(file: &File, offset: u64, len: usize) -> io::Result<Region> {
        if len == 0 {
            return Ok(Region::empty());
        }
        // SAFETY: the handle is open, and the only pointers are null.
        let section = unsafe {
            let none = ptr::null();
            CreateFileMappingW(file.as_raw_handle(), none, PAGE_READONLY, 0, 0, none.cast())
        };
        if section.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle was opened above, and nothing else closes it.
        let section = unsafe { OwnedHandle::from_raw_handle(section) };
        // A view keeps its section open.
        Region::of_section(section.as_handle(), FILE_MAP_READ, offset, len)
    }

    /// An empty region, for which there is no view.
    pub(crate) fn empty() -> Region {
        let start = NonNull::dangling();
        Region { start, len: 0 }
    }

    /// Bytes of a section, at least one byte.
    pub(crate) fn of_section(
        section: BorrowedHandle<'_>,
        access: FILE_MAP,
        offset: u64,
        len: usize,
    ) -> io::Result<Region> {
        if len > isize::MAX as usize {
            let message = format!("{len} bytes are mapped, which is more than there are addresses");
            return Err(io::Error::new(ErrorKind::InvalidInput, message));
        }
        let (high, low) = ((offset >> 32) as u32, offset as u32);
        // SAFETY: the handle is open, and the system chooses addresses that are free.
        let view = unsafe { MapViewOfFile(section.as_raw_handle(), access, high, low, len) };
        let Some(start) = NonNull::new(view.Value.cast()) else {
            return Err(io::Error::last_os_error());
        };
        Ok(Region { start, len })
    }

    pub(crate) fn start(&self) -> *const u8 {
        self.start.as_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The region cut to a length. Dropping it unmaps the rest too.
    pub(crate) fn shortened(mut self, len: usize) -> Region {
        self.len = self.len.min(len);
        self
    }

    /// The bytes of a view for writing.
    ///
    /// # Safety
    ///
    /// The view was made for writing, and no other process and no other view of this one writes or
    /// reads its bytes meanwhile.
    pub(crate) unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the addresses belong to this value, which is borrowed; the caller vouches for the
        // rest. All values of a byte are valid.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if self.len > 0 {
            let view = MEMORY_MAPPED_VIEW_ADDRESS {
                Value: self.start.as_ptr().cast(),
            };
            // SAFETY: the addresses belong to this value, and borrows of it have ended.
            unsafe { UnmapViewOfFile(view) };
        }
    }
}
