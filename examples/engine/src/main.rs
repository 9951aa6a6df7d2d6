//! The engine: arguments are UCI commands, after which the program ends; without any, commands are
//! read from standard input.

use nnue_engine::{end_with_any_thread, uci};

fn main() -> Result<(), String> {
    end_with_any_thread();
    let mut arguments = std::env::args().skip(1).peekable();
    match arguments.peek() {
        Some(_) => uci::obey(arguments, true),
        None => uci::obey(std::io::stdin().lines().map_while(Result::ok), false),
    }
}
