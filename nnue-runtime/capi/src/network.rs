//! Networks: loading, sharing and giving back.
//!
//! C has a pointer to the network within an [`Arc`]. Each evaluator has a share of its own, so that
//! the order in which they are given back does not matter.

use std::ffi::{CStr, CString, c_char};
use std::slice;
use std::sync::{Arc, LazyLock};

use nnue_runtime::{Architecture, Embedded, Level, LoadError, Network};

use crate::status::{Status, fail, null};

/// `P_network_open`.
///
/// # Safety
///
/// Pointers are null or valid: `path` and `level` point to texts that end with a zero byte,
/// `network` to a pointer that may be written.
pub unsafe fn open<A: Architecture>(
    path: *const c_char,
    level: *const c_char,
    network: *mut *mut Network<A>,
) -> Status {
    if path.is_null() {
        return null("path");
    }
    // SAFETY: the caller vouches for it.
    let path = unsafe { CStr::from_ptr(path) };
    // SAFETY: the same contract.
    unsafe { load(level, network, || open_path(path)) }
}

fn open_path<A: Architecture>(path: &CStr) -> Result<Network<A>, Status> {
    let loaded = match path.to_str() {
        Ok(path) => Network::open(path),
        Err(_) => open_bytes(path.to_bytes())?,
    };
    loaded.map_err(|error| {
        let path = path.to_string_lossy();
        fail(
            Status::NET_FILE,
            format_args!("cannot load `{path}`: {error}"),
        )
    })
}

/// Opens a path that is not UTF-8, which only Unix has.
#[cfg(unix)]
fn open_bytes<A: Architecture>(path: &[u8]) -> Result<Result<Network<A>, LoadError>, Status> {
    use std::os::unix::ffi::OsStrExt;

    Ok(Network::open(std::ffi::OsStr::from_bytes(path)))
}

#[cfg(not(unix))]
fn open_bytes<A: Architecture>(path: &[u8]) -> Result<Result<Network<A>, LoadError>, Status> {
    let path = String::from_utf8_lossy(path);
    let error = format_args!("cannot load `{path}`: found a path that is not UTF-8");
    Err(fail(Status::NET_FILE, error))
}

/// `P_network_from_bytes`.
///
/// # Safety
///
/// Pointers are null or valid: `bytes` points to `len` bytes, `level` to a text that ends with a
/// zero byte, `network` to a pointer that may be written.
pub unsafe fn from_bytes<A: Architecture>(
    bytes: *const u8,
    len: usize,
    level: *const c_char,
    network: *mut *mut Network<A>,
) -> Status {
    if bytes.is_null() {
        return null("bytes");
    }
    // SAFETY: the caller vouches for it. There is no object of more than half of all addresses, so
    // such a length is that of no valid pointer; it is not let through to where it would be
    // undefined behaviour.
    let bytes = unsafe { slice::from_raw_parts(bytes, len.min(isize::MAX as usize)) };
    let loaded = || {
        Network::from_bytes(bytes).map_err(|error| {
            fail(
                Status::NET_FILE,
                format_args!("cannot load the net: {error}"),
            )
        })
    };
    // SAFETY: the same contract.
    unsafe { load(level, network, loaded) }
}

/// `P_network_embedded`.
///
/// # Safety
///
/// Pointers are null or valid: `level` points to a text that ends with a zero byte, `network` to a
/// pointer that may be written.
pub unsafe fn embedded<A: Embedded>(level: *const c_char, network: *mut *mut Network<A>) -> Status {
    // SAFETY: the same contract.
    unsafe { load(level, network, || Ok(Network::embedded())) }
}

/// Hands over a network at a level.
///
/// # Safety
///
/// As for [`embedded`].
unsafe fn load<A: Architecture>(
    level: *const c_char,
    network: *mut *mut Network<A>,
    loaded: impl FnOnce() -> Result<Network<A>, Status>,
) -> Status {
    if network.is_null() {
        return null("network");
    }
    // SAFETY: the caller vouches for it.
    let level = match unsafe { level_of(level) } {
        Ok(level) => level,
        Err(status) => return status,
    };
    match loaded() {
        Ok(loaded) => {
            let loaded = match level {
                Some(level) => loaded.with_level(level),
                None => loaded,
            };
            // SAFETY: it is not null, and the caller vouches for the rest.
            unsafe { network.write(Arc::into_raw(Arc::new(loaded)).cast_mut()) };
            Status::OK
        }
        Err(status) => status,
    }
}

/// The level of a name; `None` for a null pointer.
///
/// # Safety
///
/// `name` is null or points to a text that ends with a zero byte.
unsafe fn level_of(name: *const c_char) -> Result<Option<Level>, Status> {
    if name.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller vouches for it.
    let name = unsafe { CStr::from_ptr(name) };
    match Level::by_name(&name.to_string_lossy()) {
        Ok(level) => Ok(Some(level)),
        Err(error) => Err(fail(Status::LEVEL, error)),
    }
}

/// The names of all levels that there are here, as C reads them.
static LEVELS: LazyLock<Vec<(Level, CString)>> = LazyLock::new(|| {
    let names =
        Level::available().filter_map(|level| Some((level, CString::new(level.name()).ok()?)));
    names.collect()
});

/// `P_level_name`.
#[must_use]
pub fn level_name(index: usize) -> *const c_char {
    let name = LEVELS.get(index);
    name.map_or(std::ptr::null(), |(_, name)| name.as_ptr())
}

/// `P_network_level`.
///
/// # Safety
///
/// `network` is null or a network that was not freed.
pub unsafe fn level<A: Architecture>(network: *const Network<A>) -> *const c_char {
    // SAFETY: the caller vouches for it.
    let Some(network) = (unsafe { network.as_ref() }) else {
        return std::ptr::null();
    };
    let level = network.level();
    let name = LEVELS.iter().find(|(known, _)| *known == level);
    name.map_or(std::ptr::null(), |(_, name)| name.as_ptr())
}

/// `P_network_free`.
///
/// # Safety
///
/// `network` is null or a network that was not freed.
pub unsafe fn free<A: Architecture>(network: *const Network<A>) {
    if !network.is_null() {
        // SAFETY: it is from `Arc::into_raw`, and the caller gives up the only use of it.
        drop(unsafe { Arc::from_raw(network) });
    }
}

/// Another share of a network.
///
/// # Safety
///
/// `network` is null or a network that was not freed.
pub(crate) unsafe fn share<A: Architecture>(
    network: *const Network<A>,
) -> Result<Arc<Network<A>>, Status> {
    if network.is_null() {
        return Err(null("network"));
    }
    // SAFETY: it is from `Arc::into_raw`, and C still has its own share.
    unsafe {
        Arc::increment_strong_count(network);
        Ok(Arc::from_raw(network))
    }
}
