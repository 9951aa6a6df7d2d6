//! The engine: arguments are UCI commands, after which the program ends; without any, commands are
//! read from standard input.

use std::io::{BufRead, stdin};

use nnue_engine::{end_with_any_thread, uci};

fn main() -> Result<(), String> {
    end_with_any_thread();
    let arguments = std::env::args_os().skip(1);
    match arguments.len() {
        0 => uci::obey(stdin().lock().split(b'\n').map_while(Result::ok), false),
        _ => uci::obey(arguments.map(std::ffi::OsString::into_encoded_bytes), true),
    }
}
