//! How a page and a module of this folder talk.
//!
//! They share the module's memory. The page asks for room with [`input`], writes a text or the bytes
//! of a file there, calls one of the other functions, which return the length of their answer, and
//! reads the answer, JSON, at [`output`]: `{"ok": ...}` or `{"error": "text"}`. A function that traps
//! has found a mistake of this project or no memory: [`panic_message`] says which, and after that the
//! page loads the module again.

use std::cell::RefCell;
use std::panic;
use std::sync::Once;

use serde::Serialize;

use crate::State;

/// What the page and this module exchange, and what stays between two calls.
#[derive(Default)]
pub(crate) struct Exchange {
    state: State,
    input: Vec<u8>,
    pub(crate) output: String,
}

thread_local! {
    pub(crate) static EXCHANGE: RefCell<Exchange> = RefCell::default();
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What every answer is.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Answer<T> {
    Ok(T),
    Error(String),
}

/// Answers by `act`, which is given what was written to [`input`]. While it acts, it has all that
/// stays, so that [`output`] can be read even if it panics.
pub(crate) fn answer<T: Serialize>(
    act: impl FnOnce(&mut State, Vec<u8>) -> Result<T, String>,
) -> usize {
    keep_panics();
    let mut exchange = EXCHANGE.take();
    let input = std::mem::take(&mut exchange.input);
    let answer = match act(&mut exchange.state, input) {
        Ok(found) => Answer::Ok(found),
        Err(error) => Answer::Error(error),
    };
    exchange.output = match serde_json::to_string(&answer) {
        Ok(json) => json,
        Err(error) => format!("{{\"error\": \"the answer is no JSON: {error:?}\"}}"),
    };
    let len = exchange.output.len();
    EXCHANGE.set(exchange);
    len
}

/// Keeps the message of a panic for [`panic_message`].
fn keep_panics() {
    static KEPT: Once = Once::new();
    KEPT.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            PANIC.set(panic.to_string());
            usual(panic);
        }));
    });
}

/// Makes room for `bytes` bytes, and returns where they are to be written. The room is there until
/// the next call. The address is 0 if there is not so much memory.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    EXCHANGE.with_borrow_mut(|exchange| {
        exchange.input = Vec::new();
        if exchange.input.try_reserve_exact(bytes).is_err() {
            return std::ptr::null_mut();
        }
        exchange.input.resize(bytes, 0);
        exchange.input.as_mut_ptr()
    })
}

/// Where the last answer is, until the next call.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output() -> *const u8 {
    EXCHANGE.with_borrow(|exchange| exchange.output.as_ptr())
}

/// The length of the text, no JSON, that says why the last call has trapped; it is at [`output`].
/// The text is empty if there was no panic: then there was no memory.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn panic_message() -> usize {
    EXCHANGE.with_borrow_mut(|exchange| {
        exchange.output = PANIC.take();
        exchange.output.len()
    })
}
