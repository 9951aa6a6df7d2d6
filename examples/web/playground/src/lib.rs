//! The playground in a web page: the functions that the page calls. `exchange` says how both talk.
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
#[path = "../../src/exchange.rs"]
mod exchange;
mod file;
mod gallery;
mod playground;
mod tensors;

use exchange::answer;

pub use adopted::{Adopted, Guess};
pub use checked::{Checked, Diagnostic, Labelled, Place, Related, Shown};
pub use evaluation::{Evaluated, Part, Piece};
pub use exchange::{input, output, panic_message};
pub use file::{Dropped, Fit};
pub use gallery::{Gallery, Spec};
pub use playground::{Playground, Text};
pub use tensors::{Row, Tensors};

use Playground as State;

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
    use std::panic;

    use super::exchange::EXCHANGE;
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
