//! Bytes that are mapped instead of read.

#[cfg_attr(unix, path = "mapping/unix.rs")]
#[cfg_attr(windows, path = "mapping/windows.rs")]
#[cfg_attr(not(any(unix, windows)), path = "mapping/other.rs")]
mod region;

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Deref;

pub(crate) use self::region::Region;
use crate::{ALIGNMENT, ShareError};

/// Read-only bytes of a file or of a [segment](crate::Segment), unmapped when dropped.
///
/// Everybody who maps the same part of the same file or segment sees the same physical memory. The
/// bytes can be read from any thread.
// INVARIANT: the region's bytes can be read, and nobody changes them while the region is there.
pub struct Mapping {
    region: Region,
}

impl Mapping {
    /// Maps `len` bytes of a file, read-only, from an offset that is a multiple of [`ALIGNMENT`].
    ///
    /// The map stays when the file is closed, and when it is removed. Pages come from the disk when
    /// they are first read, and the system may drop them and read them again.
    ///
    /// # Safety
    ///
    /// Nobody may change those bytes of the file, or make it shorter, while the map is there: a
    /// change is undefined behaviour, since a `&[u8]` promises that its bytes stay, and reading
    /// bytes that were cut off ends the process (`SIGBUS` on Unix). No call can prevent this,
    /// because any process that may write the file can do so. The promise holds where programs
    /// replace files as a whole, by renaming a new file, and do not write into old files. On
    /// Windows, a file that is mapped cannot be made shorter. [`share`](crate::share()) on Linux
    /// closes the gap: the kernel refuses all writes to its segments.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidInput`] if the offset is no multiple of [`ALIGNMENT`],
    /// [`ErrorKind::UnexpectedEof`] if the file is shorter, [`ErrorKind::Unsupported`] where files
    /// cannot be mapped, and those of the system.
    pub unsafe fn of_file(file: &File, offset: u64, len: usize) -> io::Result<Mapping> {
        check_part(file.metadata()?.len(), offset, len)?;
        // SAFETY: the file has these bytes, and the caller promises that they stay.
        let region = unsafe { Region::of_file(file, offset, len) }?;
        Ok(Mapping { region })
    }

    /// Memory of `len` bytes. The first `head` bytes are those of a file. Whole pages of the head
    /// are the file's own pages, read-only for everybody, and are not copied. The rest belongs to
    /// this process: `fill` gets all of the memory, and writes behind the head, where there are
    /// zeros.
    ///
    /// # Safety
    ///
    /// The promise of [`Self::of_file`], for the head.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidInput`] if the head is longer than the whole,
    /// [`ErrorKind::UnexpectedEof`] if the file is shorter than the head, [`ErrorKind::Unsupported`]
    /// on other systems than Unix, those of the system, and that of `fill`.
    pub unsafe fn of_file_and_memory<E>(
        file: &File,
        head: usize,
        len: usize,
        fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<Mapping, ShareError<E>> {
        check_part(file.metadata()?.len(), 0, head)?;
        if head > len {
            let message = format!("{head} bytes of a file are mapped, of {len} bytes in all");
            return Err(io::Error::new(ErrorKind::InvalidInput, message).into());
        }
        #[cfg(unix)]
        {
            // SAFETY: the file has the head, and the caller promises that it stays.
            let region = unsafe { Region::of_file_and_memory(file, head, len, fill) }?;
            Ok(Mapping { region })
        }
        #[cfg(not(unix))]
        {
            let _ = fill;
            Err(io::Error::from(ErrorKind::Unsupported).into())
        }
    }

    /// The mapping of a region.
    ///
    /// # Safety
    ///
    /// The region's bytes can be read, and nobody changes them while the region is there.
    #[cfg(windows)]
    pub(crate) unsafe fn of_region(region: Region) -> Mapping {
        Mapping { region }
    }
}

/// Fails if `total` bytes do not have this part, or if the part cannot be mapped.
pub(crate) fn check_part(total: u64, offset: u64, len: usize) -> io::Result<()> {
    if !offset.is_multiple_of(ALIGNMENT as u64) {
        let message = format!("offset {offset} is mapped, which must be a multiple of {ALIGNMENT}");
        return Err(io::Error::new(ErrorKind::InvalidInput, message));
    }
    let end = offset.checked_add(len as u64);
    if end.is_none_or(|end| end > total) {
        let message = format!("{len} bytes at {offset} are mapped, of {total} that there are");
        return Err(io::Error::new(ErrorKind::UnexpectedEof, message));
    }
    Ok(())
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the invariant; what is borrowed keeps the region.
        unsafe { std::slice::from_raw_parts(self.region.start(), self.region.len()) }
    }
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Mapping");
        debug.field("start", &self.region.start());
        debug.field("len", &self.region.len()).finish()
    }
}
