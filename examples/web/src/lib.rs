//! A network in a web page: the functions that the page calls. `exchange` says how both talk.

mod exchange;
mod page;

use exchange::answer;

pub use exchange::{input, output, panic_message};
pub use page::{Evaluation, Loaded, Measured, Page, Piece};

use Page as State;

/// Loads the net file that was written to [`input`]: [`Page::load`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn load() -> usize {
    answer(|page, net| page.load(&net))
}

/// Evaluates the FEN that was written to [`input`]: [`Page::evaluate`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn evaluate() -> usize {
    answer(|page, fen| page.evaluate(&fen))
}

/// Evaluates moves from the FEN that was written to [`input`], at least `evaluations` times:
/// [`Page::measure`]. The page takes the time.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn measure(evaluations: usize) -> usize {
    answer(|page, fen| page.measure(&fen, evaluations))
}
