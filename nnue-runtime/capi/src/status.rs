//! The result of a call, as a code and as text.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;

/// `nnue_status`: 0 if all is well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Status(pub i32);

impl Status {
    /// All is well.
    pub const OK: Status = Status(0);
    /// A pointer is null that must not be.
    pub const NULL_POINTER: Status = Status(1);
    /// The net file cannot be read, or is not this network's.
    pub const NET_FILE: Status = Status(2);
    /// There is no such level, or this machine lacks it.
    pub const LEVEL: Status = Status(3);
    /// The position breaks the contract of positions.
    pub const POSITION: Status = Status(4);
    /// The move has a wrong piece or square, or does not fit the position.
    pub const MOVE: Status = Status(5);
    /// The network has no bucket of that number.
    pub const BUCKET: Status = Status(6);
}

thread_local! {
    /// The text of the thread's last error.
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// Stores the text of a call's result, and returns its code.
#[cold]
pub(crate) fn fail(status: Status, error: impl Display) -> Status {
    let text = error.to_string().replace('\0', "\u{fffd}");
    // There is no zero byte left, and in a thread that ends the text has no reader.
    if let Ok(text) = CString::new(text) {
        let _ = LAST.try_with(|last| last.replace(Some(text)));
    }
    status
}

/// The error for a null pointer.
#[cold]
pub(crate) fn null(name: &str) -> Status {
    let error = format_args!("`{name}` is a null pointer, expected one that is not");
    fail(Status::NULL_POINTER, error)
}

/// `P_last_error`: the text of the thread's last error, which is valid until its next error.
#[must_use]
pub fn last_error() -> *const c_char {
    let text = LAST.try_with(|last| last.borrow().as_ref().map(|text| text.as_ptr()));
    text.ok().flatten().unwrap_or(c"".as_ptr())
}
