//! A UCI engine: principal variation search with a network of `nnue-runtime`.
//!
//! Arguments are UCI commands, after which the program ends; without any, commands are read from
//! standard input. `selfplay` is a program of its own.

mod evaluation;
mod game;
mod ordering;
mod search;
mod table;
mod time;
mod tools;
mod uci;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use crate::tools::selfplay::Selfplay;

fn main() -> ExitCode {
    // Otherwise the others would wait for a thread that is no longer there.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("{panic}");
        std::process::exit(101);
    }));
    let mut arguments = std::env::args().skip(1).peekable();
    match arguments.peek().map(String::as_str) {
        Some("selfplay") => return Selfplay::parse_from(arguments).run(),
        Some(_) => uci::obey(arguments, true),
        None => uci::obey(io::stdin().lines().map_while(Result::ok), false),
    }
    ExitCode::SUCCESS
}
