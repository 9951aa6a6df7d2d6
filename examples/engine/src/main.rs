//! A UCI engine: principal variation search with a network of `nnue-runtime`.
//!
//! Arguments are UCI commands, after which the program ends; without any, commands are read from
//! standard input.

mod bench;
mod evaluation;
mod genfens;
mod ordering;
mod search;
mod selfplay;
mod table;
mod time;
mod uci;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use crate::uci::Engine;

fn main() -> ExitCode {
    // Otherwise the others would wait for a thread that is no longer there.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("{panic}");
        std::process::exit(101);
    }));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "selfplay") {
        return match selfplay::Selfplay::parse_from(&arguments).run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let mut engine = Engine::new();
    if arguments.is_empty() {
        for line in io::stdin().lines().map_while(Result::ok) {
            if !engine.obey(&line) {
                break;
            }
        }
    } else {
        for line in arguments {
            if !engine.obey(&line) {
                break;
            }
            engine.finish();
        }
    }
    engine.stop();
    ExitCode::SUCCESS
}
