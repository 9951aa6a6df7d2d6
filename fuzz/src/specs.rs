//! What must hold of any text that somebody gives the compiler as a spec.

use nnue_compiler::plan::Unroll;
use nnue_compiler::{Levels, Options, emit, file_layout};

/// The widest transformer for which code is written: more takes long and shows nothing else.
const WIDEST: usize = 256;

/// Checks that the text is refused with errors that can be shown, or becomes a network with a
/// layout, plans and code.
///
/// # Panics
///
/// If it is not so.
pub fn examine(text: &str) {
    let Some(network) = crate::examine::examine(text) else {
        return;
    };
    file_layout(&network);
    if network.transformer.width <= WIDEST {
        let options = Options::new(Unroll::Auto, Levels::Portable);
        emit(&network, &options).expect("`analyse` has checked the amount of code");
    }
}
