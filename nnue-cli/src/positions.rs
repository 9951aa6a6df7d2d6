//! The positions that nets are evaluated on.

use std::path::Path;

use nnue_runtime::Board;

use crate::Failure;
use crate::eval::position;
use crate::inputs;

/// From the beginning of a game to its end, with both players to move.
const BUILT_IN: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
    "8/8/4k3/3p4/3P4/4K3/8/8 w - - 0 1",
];

/// A position, and the text that it was read from.
pub(crate) struct Given {
    pub(crate) fen: String,
    pub(crate) board: Board,
}

/// The positions of a file with a FEN or EPD in each line, or a few that are part of the program. Empty
/// lines, and those that begin with `#`, are no positions.
pub(crate) fn read(path: Option<&Path>) -> Result<Vec<Given>, Failure> {
    let Some(path) = path else {
        return parse(&BUILT_IN.join("\n"), "the built-in positions");
    };
    let name = path.display().to_string();
    let text = String::from_utf8(inputs::read(path)?)
        .map_err(|_| Failure::Work(format!("`{name}` is not UTF-8 text, expected FENs")))?;
    let positions = parse(&text, &format!("`{name}`"))?;
    match positions.is_empty() {
        true => Err(Failure::Work(format!("`{name}` has no positions"))),
        false => Ok(positions),
    }
}

fn parse(text: &str, source: &str) -> Result<Vec<Given>, Failure> {
    let lines = text.lines().enumerate();
    let lines = lines.map(|(number, line)| (number + 1, line.trim()));
    let fens = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let boards = fens.map(|(number, fen)| {
        let (fen, board) = position::parse(fen)
            .map_err(|error| Failure::Work(format!("line {number} of {source}: {error}")))?;
        Ok(Given {
            fen: fen.to_string(),
            board,
        })
    });
    boards.collect()
}
