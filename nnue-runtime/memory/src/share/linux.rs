//! Segments of Linux: memfds, which are sealed, and which are found by names of sockets.
//!
//! A process that has the segment binds a socket to a name in the abstract namespace that says
//! where the segment is: `nnue-<user>-<key>-<process>-<descriptor>`. Nobody listens there. A
//! process that searches the segment reads the names in `/proc/net/unix` and opens
//! `/proc/<process>/fd/<descriptor>`. The name may be stale or another program's, so the opened
//! file must be a memfd with the full key in its own name, of the right length and user, and with
//! all seals. A file that fails a check is skipped.
//!
//! A process that has found the segment publishes it too, so that it is found after the first
//! process has ended.

mod socket;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::process;

use rustix::fs::{
    FallocateFlags, MemfdFlags, OFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, memfd_create,
};
use rustix::io::Errno;

use self::socket::{Attempt, Lock};
use super::request::{Request, check_file_size};
use crate::mapping::Region;
use crate::{Mapping, ShareError, pages};

/// A sealed memfd.
pub(super) struct Memory {
    file: File,
    /// Other processes find the memory while this socket is open. `None` if the name was taken.
    _name: Option<OwnedFd>,
}

impl Memory {
    /// Maps a part of the memory, which must be there.
    pub(super) fn map(&self, offset: u64, len: usize) -> io::Result<Mapping> {
        // SAFETY: the seals keep the bytes and the length as they are.
        unsafe { Mapping::of_file(&self.file, offset, len) }
    }
}

/// The memory of a segment, and whether this call filled it.
pub(super) fn share<E>(
    request: &Request,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<(Memory, bool), ShareError<E>> {
    let names = Names::new(request);
    let mut lock = Lock::new(&names.lock);
    // The lock is held until the memory that this process has filled can be found.
    let _taken = loop {
        if let Some(file) = find(request, &names) {
            return Ok((publish(file, &names), false));
        }
        match lock.attempt(request)? {
            Attempt::Taken(socket) => break Some(socket),
            Attempt::Ended => {}
            Attempt::Foreign => break None,
        }
    };
    // Between the search and the lock, another process may have filled the segment.
    if let Some(file) = find(request, &names) {
        return Ok((publish(file, &names), false));
    }
    let file = make(request, &names, fill)?;
    Ok((publish(file, &names), true))
}

/// The names of a segment's sockets and of its memory.
struct Names {
    /// The beginning of names that say where the memory is.
    prefix: String,
    lock: String,
    memory: String,
}

impl Names {
    fn new(request: &Request) -> Names {
        // Names of sockets have at most 107 bytes. The memory's own name has the whole key.
        let user = rustix::process::geteuid().as_raw();
        let prefix = format!("nnue-{user}-{}-", &request.key[..32]);
        Names {
            lock: format!("{prefix}filling"),
            prefix,
            memory: format!("nnue-{}", request.key),
        }
    }
}

/// The memory that another process or this process has filled.
fn find(request: &Request, names: &Names) -> Option<File> {
    // Without /proc, no segment can be found, and each process fills a segment of its own.
    let sockets = fs::read("/proc/net/unix").ok()?;
    let mut places = sockets.split(|&byte| byte == b'\n').filter_map(|line| {
        let at = line.iter().position(|&byte| byte == b'@')?;
        let place = line[at + 1..].strip_prefix(names.prefix.as_bytes())?;
        let (process, descriptor) = str::from_utf8(place).ok()?.split_once('-')?;
        Some((process.parse().ok()?, descriptor.parse().ok()?))
    });
    places.find_map(|(process, descriptor)| open(process, descriptor, request, names))
}

fn open(process: u32, descriptor: RawFd, request: &Request, names: &Names) -> Option<File> {
    let path = format!("/proc/{process}/fd/{descriptor}");
    // Opening a device or a pipe has effects, so these are sorted out first.
    if !is_right(&fs::metadata(&path).ok()?, request) {
        return None;
    }
    let mut options = OpenOptions::new();
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    options.read(true).custom_flags(flags.bits().cast_signed());
    let file = options.open(path).ok()?;
    // The descriptor may have become that of another file meanwhile.
    let is_right = is_right(&file.metadata().ok()?, request)
        && fcntl_get_seals(&file).ok()?.contains(SEALS)
        && name_of(&file).ok()? == format!("/memfd:{} (deleted)", names.memory).as_bytes();
    is_right.then_some(file)
}

fn is_right(metadata: &Metadata, request: &Request) -> bool {
    metadata.is_file()
        && metadata.len() == request.len
        && metadata.uid() == rustix::process::geteuid().as_raw()
}

fn name_of(file: &File) -> io::Result<Vec<u8>> {
    let link = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    Ok(link.as_os_str().as_bytes().to_vec())
}

/// The seals that fix all bytes, the length and the seals themselves. No file has all of them
/// unless it is a memfd that was sealed.
const SEALS: SealFlags = SealFlags::WRITE
    .union(SealFlags::SHRINK)
    .union(SealFlags::GROW)
    .union(SealFlags::SEAL);

fn make<E>(
    request: &Request,
    names: &Names,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<File, ShareError<E>> {
    check_file_size(request.len)?;
    let file = create(&names.memory)?;
    file.set_len(request.len)?;
    if commits_strictly() {
        // If a page is refused when it is first written, the process ends.
        rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, request.len)
            .map_err(io::Error::from)?;
    }
    let mut region = Region::writable(&file, request.bytes)?;
    // SAFETY: the region is writable. No other process knows the memfd, because it is published
    // after it is sealed, and this process maps it once.
    let bytes = unsafe { region.bytes_mut() };
    pages::prepare(bytes);
    fill(bytes).map_err(ShareError::Fill)?;
    // The kernel seals only memory that nobody can write any more.
    drop(region);
    fcntl_add_seals(&file, SEALS).map_err(io::Error::from)?;
    Ok(file)
}

/// Whether the system gives only as much memory as it is sure to have.
fn commits_strictly() -> bool {
    let mode = fs::read_to_string("/proc/sys/vm/overcommit_memory");
    mode.is_ok_and(|mode| mode.trim() == "2")
}

fn create(name: &str) -> io::Result<File> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Some administrators allow only memory that cannot be executed. Linux before 6.3 does not know
    // that flag.
    let memory = match memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL) {
        Err(Errno::INVAL) => memfd_create(name, flags),
        result => result,
    };
    Ok(File::from(memory?))
}

/// Lets others find a segment, as long as the value is there.
fn publish(file: File, names: &Names) -> Memory {
    let place = format!("{}{}-{}", names.prefix, process::id(), file.as_raw_fd());
    let name = socket::bind(&place).ok();
    Memory { file, _name: name }
}
