//! Openings, all different: random ones that a seed generates, or those of a file.

use std::collections::HashSet;

use cozy_chess::{Board, Color, File, Move, Piece, get_king_moves};
use nnue_compiler::format::foreign;
use nnue_dummy::random::Xorshift;

use super::game::can_move;
use crate::Failure;
use crate::positions::{Given, Lines};

/// Openings that are made of random legal moves.
#[derive(Clone, Debug)]
pub(crate) struct RandomBook {
    pub(crate) seed: u32,
    pub(crate) plies: u8,
    pub(crate) chess960: bool,
    /// How much material, in pawns, a player may be ahead when the captures are over.
    pub(crate) imbalance: u8,
}

/// Xorshift needs some numbers until those of similar seeds differ.
fn random(seed: u32) -> Xorshift {
    let mut random = Xorshift::new((u64::from(seed) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    for _ in 0..8 {
        random.draw();
    }
    random
}

impl RandomBook {
    /// So many openings, the first of which are the same however many there are.
    ///
    /// # Errors
    ///
    /// [`Failure`] if there are not so many, as far as trying shows.
    pub(crate) fn openings(&self, count: usize) -> Result<Vec<Board>, Failure> {
        /// Attempts for one opening.
        const ATTEMPTS: usize = 20_000;

        let mut random = random(self.seed);
        let mut seen = HashSet::new();
        let mut openings = Vec::new();
        while openings.len() < count {
            let next = (0..ATTEMPTS).find_map(|_| {
                let board = self.attempt(&mut random)?;
                seen.insert(board.hash()).then_some(board)
            });
            match next {
                Some(board) => openings.push(board),
                None => {
                    return Err(Failure::Work(format!(
                        "{} random moves give only {} different openings, and {count} pairs need \
                         one each; use more `--opening-plies`",
                        self.plies,
                        openings.len()
                    )));
                }
            }
        }
        Ok(openings)
    }

    /// Random moves that may be no opening.
    fn attempt(&self, random: &mut Xorshift) -> Option<Board> {
        let mut board = match self.chess960 {
            true => Board::chess960_startpos(random.below(960) as u32),
            false => Board::default(),
        };
        for _ in 0..self.plies {
            let mut moves: Vec<Move> = Vec::new();
            board.generate_moves(|of_piece| {
                moves.extend(of_piece);
                false
            });
            if moves.is_empty() {
                return None;
            }
            board.play_unchecked(moves[random.below(moves.len())]);
        }
        let ahead = after_captures(&board, -i32::MAX, i32::MAX).unsigned_abs();
        let is_good =
            board.checkers().is_empty() && can_move(&board) && ahead <= u32::from(self.imbalance);
        is_good.then_some(board)
    }
}

fn pawns(piece: Piece) -> i32 {
    match piece {
        Piece::Pawn => 1,
        Piece::Knight | Piece::Bishop => 3,
        Piece::Rook => 5,
        Piece::Queen => 9,
        Piece::King => 0,
    }
}

fn material(board: &Board, color: Color) -> i32 {
    let of = |piece| board.colored_pieces(color, piece).len() as i32 * pawns(piece);
    Piece::ALL.into_iter().map(of).sum()
}

/// By how many pawns the player to move is ahead when nobody wants to capture any more.
fn after_captures(board: &Board, mut alpha: i32, beta: i32) -> i32 {
    let us = board.side_to_move();
    alpha = alpha.max(material(board, us) - material(board, !us));
    if alpha >= beta {
        return alpha;
    }
    let mut captures: Vec<(i32, Move)> = Vec::new();
    board.generate_moves(|mut of_piece| {
        of_piece.to &= board.colors(!us);
        let worth = |capture: Move| board.piece_on(capture.to).map_or(0, pawns);
        captures.extend(
            of_piece
                .into_iter()
                .map(|capture| (worth(capture), capture)),
        );
        false
    });
    captures.sort_by_key(|(worth, _)| -worth);
    for (_, capture) in captures {
        let mut after = board.clone();
        after.play_unchecked(capture);
        alpha = alpha.max(-after_captures(&after, -beta, -alpha));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

/// So many openings of a list, in an order that a seed chooses.
///
/// # Errors
///
/// [`Failure`] if a position is wrong or over, or if there are not so many.
pub(crate) fn from_list(
    mut list: Lines,
    seed: u32,
    chess960: bool,
    count: usize,
) -> Result<Vec<Board>, Failure> {
    let mut openings: Vec<Board> = Vec::new();
    let mut seen = HashSet::new();
    while let Some(line) = list.next()? {
        let board = opening(&line, chess960).map_err(|error| Failure::Work(list.wrong(error)))?;
        if seen.insert(board.hash()) {
            openings.push(board);
        }
    }
    if openings.len() < count {
        return Err(Failure::Work(format!(
            "{} has {} different positions, and {count} pairs need one each",
            list.source,
            openings.len()
        )));
    }
    let mut random = random(seed);
    for chosen in 0..count {
        let other = chosen + random.below(openings.len() - chosen);
        openings.swap(chosen, other);
    }
    openings.truncate(count);
    Ok(openings)
}

/// A position from which a game can be played, or what is wrong with it.
fn opening(line: &str, chess960: bool) -> Result<Board, String> {
    let fen = Given::parse(line).map_err(|error| error.to_string())?.fen;
    let mut fields: Vec<&str> = fen.split_ascii_whitespace().collect();
    // EPD has no clocks.
    let clocks = ["0", "1"];
    let given = fields.len().saturating_sub(4).min(2);
    fields.extend(&clocks[given..]);
    let board: Board = { fields.join(" ").parse() }
        .map_err(|error| format!("`{}` is no position of a game: {error}", foreign(&fen)))?;
    // What else no game can reach is refused with the text.
    if get_king_moves(board.king(Color::White)).has(board.king(Color::Black)) {
        return Err(format!(
            "`{}` is no position of a game: the kings stand side by side",
            foreign(&fen)
        ));
    }
    if !can_move(&board) || board.halfmove_clock() >= 100 {
        return Err(format!("`{}` is the end of a game", foreign(&fen)));
    }
    if !chess960 && !castles_as_usual(&board) {
        return Err(format!(
            "`{}` castles as in Chess960, which needs `--chess960`",
            foreign(&fen)
        ));
    }
    Ok(board)
}

/// Whether all kings and rooks that may castle stand where they do at the start of a game.
fn castles_as_usual(board: &Board) -> bool {
    Color::ALL.into_iter().all(|color| {
        let rights = board.castle_rights(color);
        let none = rights.short.is_none() && rights.long.is_none();
        let usual = board.king(color).file() == File::E
            && rights.short.is_none_or(|file| file == File::H)
            && rights.long.is_none_or(|file| file == File::A);
        none || usual
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: RandomBook = RandomBook {
        seed: 1,
        plies: 8,
        chess960: false,
        imbalance: 1,
    };

    #[test]
    fn openings_are_those_of_their_seed() {
        let few = BOOK.openings(20).unwrap();
        let many = BOOK.openings(200).unwrap();
        assert_eq!(few, many[..20]);
        let other = RandomBook { seed: 2, ..BOOK }.openings(20).unwrap();
        assert!(other.iter().all(|board| !many.contains(board)));
    }

    #[test]
    fn openings_differ_and_are_balanced_and_quiet() {
        let openings = BOOK.openings(500).unwrap();
        let different: HashSet<u64> = openings.iter().map(Board::hash).collect();
        assert_eq!(different.len(), 500);
        for board in &openings {
            assert!(board.checkers().is_empty() && can_move(board), "{board}");
            assert_eq!(board.fullmove_number(), 5);
            let ahead = after_captures(board, -i32::MAX, i32::MAX);
            assert!(ahead.abs() <= 1, "{board}");
        }
        let any = RandomBook {
            imbalance: u8::MAX,
            ..BOOK
        };
        let any = any.openings(500).unwrap();
        let ahead = |board: &Board| after_captures(board, -i32::MAX, i32::MAX).abs();
        assert!(any.iter().filter(|board| ahead(board) > 1).count() > 50);
    }

    #[test]
    fn starts_of_chess960_are_drawn_too() {
        let chess960 = RandomBook {
            chess960: true,
            ..BOOK
        };
        let openings = chess960.openings(50).unwrap();
        assert!(openings.iter().any(|board| !castles_as_usual(board)));
    }

    #[test]
    fn there_are_only_so_many_openings() {
        let one = RandomBook { plies: 1, ..BOOK };
        assert_eq!(one.openings(20).unwrap().len(), 20);
        let message = one.openings(21).unwrap_err().message();
        assert!(
            message.starts_with("1 random moves give only 20 different"),
            "{message}"
        );
    }

    #[test]
    fn captures_are_played_out() {
        for (fen, ahead) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
            // A queen that stands on a protected square, and one that does not.
            ("4k3/2p5/3p4/8/8/8/3Q4/4K3 w - - 0 1", 7),
            ("4k3/8/3p4/8/8/8/3Q4/4K3 w - - 0 1", 9),
            ("4k3/8/3q4/8/8/3Q4/8/4K3 b - - 0 1", 9),
            // One that is taken back.
            ("4k3/8/3q4/8/8/8/3Q4/4K3 b - - 0 1", 0),
        ] {
            let board: Board = fen.parse().unwrap();
            assert_eq!(after_captures(&board, -i32::MAX, i32::MAX), ahead, "{fen}");
        }
    }

    fn list(text: &'static str) -> Lines {
        Lines::of("a book".into(), Box::new(text.as_bytes()))
    }

    const THREE: &str = "\
4k3/8/8/8/8/8/4P3/4K3 w - - id \"one\";
4k3/8/8/8/8/8/3P4/4K3 w - - 0 1
4k3/8/8/8/8/8/3P4/4K3 w - - 5 9
4k3/8/8/8/8/8/2P5/4K3 b - -
";

    #[test]
    fn a_list_is_shuffled_without_what_it_repeats() {
        let all = from_list(list(THREE), 1, false, 3).unwrap();
        let different: HashSet<u64> = all.iter().map(Board::hash).collect();
        assert_eq!(different.len(), 3);
        let orders = (0..20).map(|seed| from_list(list(THREE), seed, false, 3).unwrap()[0].hash());
        assert_eq!(orders.collect::<HashSet<_>>(), different);
        let message = from_list(list(THREE), 1, false, 4).unwrap_err().message();
        assert_eq!(
            message,
            "a book has 3 different positions, and 4 pairs need one each"
        );
    }

    #[test]
    fn positions_without_a_game_are_refused() {
        for (text, reason) in [
            ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "is the end of a game"),
            ("4k3/8/8/8/8/8/8/4K2R w H - 100 90", "is the end of a game"),
            ("4k3/8/8/8/8/8/8/K3R3 w - - 0 1", "is no position of a game"),
            (
                "8/8/8/3k4/3K4/8/P7/8 w - - 0 1",
                "the kings stand side by side",
            ),
            (
                "8/8/8/3k4/4K3/8/P7/8 b - - 0 1",
                "the kings stand side by side",
            ),
            ("1k6/8/8/8/8/8/8/RK6 w A - 0 1", "needs `--chess960`"),
        ] {
            let message = from_list(list(text), 1, false, 1).unwrap_err().message();
            assert!(message.starts_with("line 1 of a book: "), "{message}");
            assert!(message.contains(reason), "{message}");
        }
        let chess960 = from_list(list("1k6/8/8/8/8/8/8/RK6 w A - 0 1"), 1, true, 1);
        assert_eq!(chess960.unwrap().len(), 1);
    }
}
