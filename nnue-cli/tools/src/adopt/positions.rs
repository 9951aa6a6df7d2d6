//! The positions on which a guess is tested: those of games, with pieces taken away so that
//! material differs, and moves that change little.

use nnue_runtime::{Board, Color, Delta, Position, Role, Square};

/// Positions of all phases of a game.
const FENS: [&str; 14] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2kr3r/pp1n1ppp/2p1pn2/q7/3P4/2N2N2/PPP1BPPP/R2Q1RK1 w - - 4 12",
    "r2q1rk1/1b2bppp/p2ppn2/1p6/3NPP2/1BN5/PPP3PP/R1BQ1R1K b - - 1 13",
    "3r1rk1/pp3ppp/2n1b3/q3p3/4P3/2N1BP2/PPQ3PP/2KR3R w - - 0 16",
    "2r3k1/pp3ppp/4b3/3p4/3N4/4P3/PP3PPP/2R3K1 w - - 0 22",
    "8/pp3k1p/2n2pp1/3p4/3P1P2/2P1N3/PP3KPP/8 b - - 1 28",
    "4r1k1/5pp1/1q5p/3Q4/8/6P1/5P1P/3R2K1 w - - 0 33",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/5k2/3r4/1p1p4/1P1P4/2R5/5K2/8 w - - 0 45",
    "1k6/1p4pp/p7/8/8/P7/1P4PP/1K6 b - - 0 40",
];

/// The values of pieces in pawns, by their roles.
const VALUES: [f64; 6] = [1.0, 3.0, 3.0, 5.0, 9.0, 0.0];

/// The value of a piece in pawns.
fn value_of(role: Role) -> f64 {
    VALUES[role.index()]
}

/// How many pawns the side to move is ahead.
pub(crate) fn material(board: &Board) -> f64 {
    let pieces = Square::ALL.into_iter().filter_map(|at| board.piece_at(at));
    let signed = pieces.map(|piece| {
        if piece.color == board.side_to_move() {
            value_of(piece.role)
        } else {
            -value_of(piece.role)
        }
    });
    signed.sum()
}

/// The positions of games, each for white to move.
fn of_games() -> impl Iterator<Item = Board> {
    FENS.into_iter().filter_map(|fen| {
        let mut board = Board::from_fen(fen).ok()?;
        board.set_side_to_move(Color::White);
        Some(board)
    })
}

/// Pairs of positions in which the player to move has a pawn on its second rank, and on its seventh,
/// where the other king cannot stop it.
pub(crate) fn advances() -> Vec<[Board; 2]> {
    let pairs = (0..8).flat_map(|file| {
        let empty = |count: usize| match count {
            0 => String::new(),
            count => count.to_string(),
        };
        let row = |pawn: char| format!("{}{pawn}{}", empty(file), empty(7 - file));
        let far = |king: char| match file {
            0..4 => format!("7{king}"),
            _ => format!("{king}7"),
        };
        let (white, black) = (row('P'), row('p'));
        [
            [
                format!("8/8/8/{}/8/8/{white}/4K3 w", far('k')),
                format!("8/{white}/8/{}/8/8/8/4K3 w", far('k')),
            ],
            [
                format!("4k3/{black}/8/8/{}/8/8/8 b", far('K')),
                format!("4k3/8/8/8/{}/8/{black}/8 b", far('K')),
            ],
        ]
    });
    let boards = pairs.filter_map(|pair| {
        let [back, ahead] = pair.map(|fen| Board::from_fen(&fen).ok());
        Some([back?, ahead?])
    });
    boards.collect()
}

/// Positions in which material differs, each for white to move.
pub(crate) fn positions() -> Vec<Board> {
    let mut boards = Vec::new();
    for (number, board) in of_games().enumerate() {
        boards.push(board.clone());
        let taken: Vec<Square> = Square::ALL
            .into_iter()
            .filter(|at| {
                let piece = board.piece_at(*at);
                piece.is_some_and(|piece| piece.role != Role::King)
            })
            .collect();
        // White and black lose pieces in turn, and single ones as well as three at once.
        for step in 0..6 {
            let mut fewer = board.clone();
            for also in 0..=(step % 3) {
                let at = taken[(7 * number + 5 * step + 3 * also) % taken.len()];
                fewer = fewer.without(at);
            }
            boards.push(fewer);
        }
    }
    boards
}

/// Pairs of positions that differ by one piece, which stands a square further in the second one.
pub(crate) fn steps() -> Vec<[Board; 2]> {
    let mut pairs = Vec::new();
    for board in of_games() {
        let found = Square::ALL.into_iter().filter_map(|at| {
            let piece = board.piece_at(at)?;
            let beside = Square::from_file_rank(at.file() + 1, at.rank())?;
            let is_free = board.piece_at(beside).is_none();
            (is_free && piece.role != Role::King).then_some((piece, at, beside))
        });
        for (piece, at, beside) in found.take(4) {
            let mut moved = board.clone();
            if moved.apply(&Delta::quiet(piece, at, beside)).is_ok() {
                moved.set_side_to_move(Color::White);
                pairs.push([board.clone(), moved]);
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_differs_between_positions() {
        let boards = positions();
        assert_eq!(boards.len(), 7 * FENS.len());
        let ahead = boards.iter().filter(|board| material(board) > 2.0).count();
        let behind = boards.iter().filter(|board| material(board) < -2.0).count();
        assert!(ahead > 10 && behind > 10, "{ahead} {behind}");
        assert!(steps().len() > 30);
        assert_eq!(advances().len(), 16);
    }
}
