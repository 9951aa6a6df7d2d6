//! A UCI engine: principal variation search with a network of `nnue-runtime`.

mod bench;
pub mod evaluation;
pub mod game;
mod genfens;
pub mod ordering;
pub mod search;
pub mod table;
pub mod time;
pub mod uci;
mod words;

/// Lets a thread that panics end the program: the others would wait for it.
pub fn end_with_any_thread() {
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("{panic}");
        std::process::exit(101);
    }));
}
