//! What any net says of positions, without compiling its network. Stockfish's nets tell what they
//! are, others have their spec in `net.toml` beside `net.nnue`, or it is the second argument.
//!
//! `cargo run --release -p nnue-interpreter -- NET [SPEC]`, with a FEN in each line of standard input

use std::error::Error;

use nnue_interpreter::Net;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: interpret NET [SPEC]")?;
    let net = match arguments.next() {
        Some(spec) => Net::with_spec(path, spec)?,
        None => Net::recognise(path)?,
    };
    for fen in std::io::stdin().lines() {
        println!("{}", net.evaluate_fen(&fen?)?);
    }
    Ok(())
}
