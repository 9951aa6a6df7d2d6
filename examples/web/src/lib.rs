//! A network in a web page: the functions that the page calls.
//!
//! The page and this module share the module's memory. The page asks for room with [`input`],
//! writes the bytes of a net file or a FEN there, calls one of the other functions, which return
//! the length of their answer, and reads the answer, JSON, at [`output`].

mod page;

use std::cell::RefCell;

use serde::Serialize;

pub use page::{Evaluation, Loaded, Measured, Page, Piece};

/// What the page and this module exchange, and what stays between two calls.
#[derive(Default)]
struct Exchange {
    page: Page,
    input: Vec<u8>,
    output: String,
}

thread_local! {
    static EXCHANGE: RefCell<Exchange> = RefCell::default();
}

/// What every answer is.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Answer<T> {
    Ok(T),
    Error(String),
}

fn answer<T: Serialize>(act: impl FnOnce(&mut Page, &[u8]) -> Result<T, String>) -> usize {
    EXCHANGE.with_borrow_mut(|exchange| {
        let answer = match act(&mut exchange.page, &exchange.input) {
            Ok(found) => Answer::Ok(found),
            Err(error) => Answer::Error(error),
        };
        exchange.output = serde_json::to_string(&answer).unwrap_or_default();
        exchange.output.len()
    })
}

/// Makes room for `bytes` bytes, and returns where they are to be written. The room is there until
/// the next call.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    EXCHANGE.with_borrow_mut(|exchange| {
        exchange.input.clear();
        exchange.input.resize(bytes, 0);
        exchange.input.as_mut_ptr()
    })
}

/// Where the last answer is, until the next call.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output() -> *const u8 {
    EXCHANGE.with_borrow(|exchange| exchange.output.as_ptr())
}

/// Loads the net file that was written to [`input`]: [`Page::load`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn load() -> usize {
    answer(Page::load)
}

/// Evaluates the FEN that was written to [`input`]: [`Page::evaluate`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn evaluate() -> usize {
    answer(Page::evaluate)
}

/// Evaluates moves from the FEN that was written to [`input`], at least `evaluations` times:
/// [`Page::measure`]. The page takes the time.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn measure(evaluations: usize) -> usize {
    answer(|page, fen| page.measure(fen, evaluations))
}
