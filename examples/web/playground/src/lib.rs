//! The playground in a web page: the functions that the page calls.
//!
//! The page and this module share the module's memory. The page asks for room with [`input`],
//! writes a text or the bytes of a file there, calls one of the other functions, which return the
//! length of their answer, and reads the answer, JSON, at [`output`]: `{"ok": ...}` or
//! `{"error": "text"}`. A function that traps has found a mistake of this project or no memory:
//! [`panic_message`] says which, and after that the page loads the module again.
//!
//! | module | has |
//! |---|---|
//! | `playground` | what stays between two calls, and the functions |
//! | `gallery` | the specs of the project |
//! | `checked` | the mistakes of a spec, or its network |
//! | `tensors` | the tensors of a network's files |
//! | `file` | the net file, and whether networks read it |
//! | `adopted` | the specs that fit it |
//! | `evaluation` | the evaluation of a position |

mod adopted;
mod checked;
mod evaluation;
mod file;
mod gallery;
mod playground;
mod tensors;

use std::cell::RefCell;
use std::panic;
use std::sync::Once;

use serde::Serialize;

pub use adopted::{Adopted, Guess};
pub use checked::{Checked, Diagnostic, Labelled, Place, Related, Shown};
pub use evaluation::{Evaluated, Part, Piece};
pub use file::{Dropped, Fit};
pub use gallery::{Gallery, Spec};
pub use playground::{Playground, Text};
pub use tensors::{Row, Tensors};

/// What the page and this module exchange, and what stays between two calls.
#[derive(Default)]
struct Exchange {
    playground: Playground,
    input: Vec<u8>,
    output: String,
}

thread_local! {
    static EXCHANGE: RefCell<Exchange> = RefCell::default();
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What every answer is.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Answer<T> {
    Ok(T),
    Error(String),
}

/// Answers by `act`. While it acts, it has all that stays, so that [`output`] can be read even if it
/// panics.
fn answer<T: Serialize>(act: impl FnOnce(&mut Playground, Vec<u8>) -> Result<T, String>) -> usize {
    keep_panics();
    let mut exchange = EXCHANGE.take();
    let answer = match act(
        &mut exchange.playground,
        std::mem::take(&mut exchange.input),
    ) {
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

/// The specs of the project: [`Gallery::all`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn gallery() -> usize {
    answer(|_, _| Ok(Gallery::all()))
}

/// Checks the spec that was written to [`input`]: [`Playground::check`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn check() -> usize {
    answer(|playground, text| playground.check(text))
}

/// The tensors of the last network: [`Playground::tensors`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn tensors() -> usize {
    answer(|playground, _| playground.tensors())
}

/// The plan for the level that was written to [`input`]: [`Playground::plan`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn plan() -> usize {
    answer(|playground, level| playground.plan(&level))
}

/// The code for the level that was written to [`input`]: [`Playground::code`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn code() -> usize {
    answer(|playground, level| playground.code(&level))
}

/// The last spec, written out: [`Playground::whole`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn whole() -> usize {
    answer(|playground, _| playground.whole())
}

/// Takes the net file that was written to [`input`]: [`Playground::drop`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn drop() -> usize {
    answer(Playground::drop)
}

/// Whether the last network reads the last file: [`Playground::fits`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn fits() -> usize {
    answer(|playground, _| playground.fits())
}

/// The specs that fit the last file: [`Playground::adopt`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn adopt() -> usize {
    answer(|playground, _| playground.adopt())
}

/// Evaluates the position that was written to [`input`]: [`Playground::evaluate`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn evaluate() -> usize {
    answer(|playground, position| playground.evaluate(&position))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said() -> String {
        EXCHANGE.with_borrow(|exchange| exchange.output.clone())
    }

    #[test]
    fn answers_are_json_with_what_was_found_or_an_error() {
        assert!(!input(4).is_null());
        assert_eq!(check(), said().len());
        assert!(said().starts_with("{\"ok\":{\"diagnostics\":[{\"severity\":\"error\","));
        plan();
        assert_eq!(
            said(),
            "{\"error\":\"found no spec without mistakes, expected one to be checked first\"}"
        );
    }

    #[test]
    fn there_is_no_room_for_more_than_all_memory() {
        assert!(input(usize::MAX).is_null());
        assert!(!input(0).is_null());
    }

    #[test]
    fn the_message_of_a_panic_is_kept_until_it_is_asked_for() {
        let caught = panic::catch_unwind(|| answer::<()>(|_, _| panic!("a planted mistake")));
        assert!(caught.is_err());
        assert_eq!(panic_message(), said().len());
        assert!(said().contains("src/lib.rs") && said().contains("a planted mistake"));
        assert_eq!(panic_message(), 0);
        assert!(gallery() > 100_000, "the next call works");
    }
}
