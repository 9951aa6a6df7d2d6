//! Segments of Windows: sections with a name, which end with their last handle or view.
//!
//! A section has the segment's bytes and, from the next multiple of [`ALIGNMENT`] on, a header,
//! whose first word is written last. A section without that word belongs to a process that is
//! filling it or has ended while it did. The process that fills holds a mutex, which also ends with
//! its process.

use std::io::{self, ErrorKind};
use std::os::windows::io::{
    AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle, RawHandle,
};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use windows_sys::Win32::Foundation::{
    ERROR_ALREADY_EXISTS, INVALID_HANDLE_VALUE, LUID, WAIT_ABANDONED, WAIT_OBJECT_0, WAIT_TIMEOUT,
};
use windows_sys::Win32::Security::{
    AdjustTokenPrivileges, LUID_AND_ATTRIBUTES, LookupPrivilegeValueW, SE_LOCK_MEMORY_NAME,
    SE_PRIVILEGE_ENABLED, TOKEN_ADJUST_PRIVILEGES, TOKEN_PRIVILEGES,
};
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP, FILE_MAP_LARGE_PAGES, FILE_MAP_READ, FILE_MAP_WRITE,
    GetLargePageMinimum, OpenFileMappingW, PAGE_READWRITE, SEC_COMMIT, SEC_LARGE_PAGES,
};
use windows_sys::Win32::System::Threading::{
    CreateMutexW, GetCurrentProcess, OpenProcessToken, ReleaseMutex, WaitForSingleObject,
};

use super::request::Request;
use crate::mapping::Region;
use crate::{ALIGNMENT, Mapping, ShareError};

/// A section whose bytes are final.
pub(super) struct Section {
    handle: OwnedHandle,
    is_large: bool,
}

impl Section {
    /// Maps a part of the section, which must be there.
    pub(super) fn map(&self, offset: u64, len: usize) -> io::Result<Mapping> {
        let region = if len == 0 {
            Region::empty()
        } else {
            let (access, mapped) = view(FILE_MAP_READ, self.is_large, len);
            Region::of_section(self.handle.as_handle(), access, offset, mapped)?.shortened(len)
        };
        // SAFETY: the view can be read, and nobody writes into a section that is ready.
        Ok(unsafe { Mapping::of_region(region) })
    }
}

/// The access and the number of bytes with which a section is mapped, for `len` bytes of it. The
/// header's page makes the section long enough.
fn view(access: FILE_MAP, is_large: bool, len: usize) -> (FILE_MAP, usize) {
    if is_large {
        // Views in large pages consist of whole pages.
        (
            access | FILE_MAP_LARGE_PAGES,
            len.next_multiple_of(ALIGNMENT),
        )
    } else {
        (access, len)
    }
}

/// The section of a segment, and whether this call filled it.
pub(super) fn share<E>(
    request: &Request,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<(Section, bool), ShareError<E>> {
    // The length is a part of the name, because the ready word of another length is elsewhere.
    let name = wide(&format!(r"Local\nnue-{}-{:x}", request.key, request.len));
    if let Some(section) = find(&name, request) {
        return Ok((section, false));
    }
    let _lock = Lock::take(request)?;
    // Between the search and the lock, another process may have filled the segment.
    if let Some(section) = find(&name, request) {
        return Ok((section, false));
    }
    Ok((make(&name, request, fill)?, true))
}

fn find(name: &[u16], request: &Request) -> Option<Section> {
    // SAFETY: the name ends with a zero.
    let handle = unsafe { OpenFileMappingW(FILE_MAP_READ, 0, name.as_ptr()) };
    let handle = own(handle).ok()?;
    let header = Header::map(handle.as_handle(), FILE_MAP_READ, request).ok()?;
    let is_large = header.read(request)?;
    Some(Section { handle, is_large })
}

/// Makes and fills a section while the lock is held.
fn make<E>(
    name: &[u16],
    request: &Request,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<Section, ShareError<E>> {
    let (handle, is_new, is_large) = create(name, request)?;
    if !is_new {
        // Other processes may be reading the section, or it was left half filled by a process that
        // has ended, and another process still has a handle. In either case nobody may write into
        // it any more.
        let message = "a section of this name is there and cannot be used";
        return Err(io::Error::new(ErrorKind::AlreadyExists, message).into());
    }
    let (access, mapped) = view(FILE_MAP_WRITE | FILE_MAP_READ, is_large, request.bytes);
    let region = Region::of_section(handle.as_handle(), access, 0, mapped)?;
    let mut region = region.shortened(request.bytes);
    // SAFETY: the view is for writing. The section is new, and others use a section only after its
    // header is written.
    let bytes = unsafe { region.bytes_mut() };
    fill(bytes).map_err(ShareError::Fill)?;
    drop(region);
    let header = Header::map(handle.as_handle(), FILE_MAP_WRITE | FILE_MAP_READ, request)?;
    header.write(request, is_large);
    Ok(Section { handle, is_large })
}

/// A section, whether it is new and not left by a process that has ended while it filled it, and
/// whether it is in large pages.
fn create(name: &[u16], request: &Request) -> io::Result<(OwnedHandle, bool, bool)> {
    let size = header_offset(request).and_then(|offset| offset.checked_add(ALIGNMENT as u64));
    let size = size.ok_or(ErrorKind::InvalidInput)?;
    let try_with = |flags| {
        let (high, low) = ((size >> 32) as u32, size as u32);
        // SAFETY: the name ends with a zero, and all other pointers are null.
        let handle = unsafe {
            let (file, access) = (INVALID_HANDLE_VALUE, PAGE_READWRITE | SEC_COMMIT | flags);
            CreateFileMappingW(file, ptr::null(), access, high, low, name.as_ptr())
        };
        // The error is read at once, because later calls overwrite it.
        let exists =
            io::Error::last_os_error().raw_os_error() == Some(ERROR_ALREADY_EXISTS.cast_signed());
        own(handle).map(|handle| (handle, !exists))
    };
    if may_lock_pages()
        && let Ok((handle, is_new)) = try_with(SEC_LARGE_PAGES)
    {
        // A section of another process may have small pages, which can be mapped in any case.
        return Ok((handle, is_new, is_new));
    }
    let (handle, is_new) = try_with(0)?;
    Ok((handle, is_new, false))
}

/// Whether the process can have large pages: the system has large pages that fit, and the user has
/// the privilege, which must be turned on for the process.
fn may_lock_pages() -> bool {
    // SAFETY: the function has no arguments.
    let minimum = unsafe { GetLargePageMinimum() };
    if minimum == 0 || !ALIGNMENT.is_multiple_of(minimum) {
        return false;
    }
    let mut token = ptr::null_mut();
    // SAFETY: the process is this one, and the token is written to a variable.
    if unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES, &mut token) } == 0 {
        return false;
    }
    let Ok(token) = own(token) else {
        return false;
    };
    let mut luid = LUID::default();
    // SAFETY: the name is a constant of the system's, and the number is written to a variable.
    if unsafe { LookupPrivilegeValueW(ptr::null(), SE_LOCK_MEMORY_NAME, &mut luid) } == 0 {
        return false;
    }
    let privileges = TOKEN_PRIVILEGES {
        PrivilegeCount: 1,
        Privileges: [LUID_AND_ATTRIBUTES {
            Luid: luid,
            Attributes: SE_PRIVILEGE_ENABLED,
        }],
    };
    let (none, token) = (ptr::null_mut(), token.as_raw_handle());
    // The call succeeds without the privilege too. Then there is no section in large pages.
    // SAFETY: the token is open, and the privileges are as many as they say.
    unsafe { AdjustTokenPrivileges(token, 0, &privileges, 0, none, none.cast()) != 0 }
}

/// The offset of the header.
fn header_offset(request: &Request) -> Option<u64> {
    request.len.checked_next_multiple_of(ALIGNMENT as u64)
}

/// The header of a section, which says that it is ready and how it was made.
struct Header {
    region: Region,
}

/// The words of a header. They have 32 bits, because processes that read them may not write them:
/// an atomic load of more bits can be a write where a processor has no wider load.
type Words = [AtomicU32; 4];

/// The first word of a section that is ready.
const READY: u32 = u32::from_le_bytes(*b"rdy!");

impl Header {
    fn map(section: BorrowedHandle<'_>, access: FILE_MAP, request: &Request) -> io::Result<Header> {
        let offset = header_offset(request).ok_or(ErrorKind::InvalidInput)?;
        let region = Region::of_section(section, access, offset, size_of::<Words>())?;
        Ok(Header { region })
    }

    /// The ready word, the lower and the upper half of the length in bytes, and whether there are
    /// large pages.
    fn words(&self) -> &Words {
        // SAFETY: the region has as many bytes and begins at a page. Other processes may write them
        // meanwhile, so they are atomic; a process that may only read does not write.
        unsafe { &*self.region.start().cast() }
    }

    /// Whether a section has large pages, if it is ready.
    fn read(&self, request: &Request) -> Option<bool> {
        let [ready, low, high, is_large] = self.words();
        if ready.load(Ordering::Relaxed) != READY {
            return None;
        }
        // For memory that can only be read, Rust promises only relaxed loads.
        fence(Ordering::Acquire);
        let [low, high] = [low, high].map(|half| u64::from(half.load(Ordering::Relaxed)));
        let is_right = high << 32 | low == request.len;
        is_right.then(|| is_large.load(Ordering::Relaxed) != 0)
    }

    fn write(&self, request: &Request, large: bool) {
        let [ready, low, high, is_large] = self.words();
        low.store(request.len as u32, Ordering::Relaxed);
        high.store((request.len >> 32) as u32, Ordering::Relaxed);
        is_large.store(large.into(), Ordering::Relaxed);
        ready.store(READY, Ordering::Release);
    }
}

/// A mutex that this thread has.
struct Lock {
    mutex: OwnedHandle,
}

impl Lock {
    fn take(request: &Request) -> io::Result<Lock> {
        let name = wide(&format!(
            r"Local\nnue-{}-{:x}-filling",
            request.key, request.len
        ));
        // SAFETY: the name ends with a zero.
        let mutex = own(unsafe { CreateMutexW(ptr::null(), 0, name.as_ptr()) })?;
        // The greatest number would mean to wait for ever.
        let patience = request.patience.as_millis().min(u128::from(u32::MAX - 1));
        // SAFETY: the handle is open.
        let state = unsafe { WaitForSingleObject(mutex.as_raw_handle(), patience as u32) };
        match state {
            // The process that had the mutex has ended without releasing it.
            WAIT_OBJECT_0 | WAIT_ABANDONED => Ok(Lock { mutex }),
            WAIT_TIMEOUT => Err(request.timed_out()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and the value has stayed on the thread that has the mutex.
        unsafe { ReleaseMutex(self.mutex.as_raw_handle()) };
    }
}

fn wide(name: &str) -> Vec<u16> {
    name.encode_utf16().chain([0]).collect()
}

fn own(handle: RawHandle) -> io::Result<OwnedHandle> {
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle has just been opened by a call, and nothing else closes it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}
