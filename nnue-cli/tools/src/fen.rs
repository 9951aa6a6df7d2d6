//! Positions as text: FEN, EPD, and the forms of programs.
//!
//! All positions that this crate reads as text come through here: data, books, lists, golden
//! vectors, arguments, and tags of PGN. So whatever one of them reads, all of them read:
//!
//! * two to six fields: the last four may be missing,
//! * operations of EPD behind four fields or six, with or without a `;` before them, and a `;` at
//!   the end,
//! * castling rights as in FEN, X-FEN (`KQkq` are the outermost rooks) and Shredder-FEN,
//! * counters that are too large or zero, and en passant squares that nobody can use,
//! * the mark of UTF-8 that some editors put before a text.

use std::fmt;

use cozy_chess::{BoardBuilder, BoardBuilderError, File, Rank};
use nnue_compiler::format::foreign;
use nnue_runtime::{Board, Color, FenError, Piece, Position, Role, Square};

use crate::data::Record;

/// The start of a game, which may also be written as the word `startpos`, as in UCI.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The first bytes of a text in UTF-8, if a program puts the mark of its encoding there.
pub(crate) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The largest number of a clock that boards of games have: the game is over then.
const MOST_HALF_MOVES: u16 = 100;

/// A position that was read.
pub(crate) struct Fen<'a> {
    /// The text of the fields alone; [`START`] for `startpos`.
    pub(crate) text: &'a str,
    pub(crate) board: Board,
    pub(crate) rest: Rest,
}

impl<'a> Fen<'a> {
    /// Reads a position, whether or not a game can reach it.
    ///
    /// # Errors
    ///
    /// [`FenError`] if the text is no position.
    pub(crate) fn parse(text: &'a str) -> Result<Fen<'a>, FenError> {
        let text = match text.trim_start_matches('\u{feff}').trim_ascii() {
            "startpos" => START,
            text => text,
        };
        let (text, fields) = last_fields(text);
        let board = Board::from_fen(text)?;
        let rest = Rest::read(fields, board.side_to_move());
        Ok(Fen { text, board, rest })
    }

    /// The position as part of a game.
    ///
    /// # Errors
    ///
    /// A message that names the field which no game has.
    pub(crate) fn game(&self) -> Result<cozy_chess::Board, String> {
        game(&self.board, &self.rest)
    }
}

/// The text without the operations of EPD and without a `;` at its end, and its fields after the side
/// to move. Operations come after four fields or six, and begin with a letter, as no clock does.
fn last_fields(text: &str) -> (&str, [Option<&str>; 4]) {
    let mut fields = text.split_ascii_whitespace().skip(2);
    let castling = fields.next();
    let Some(en_passant) = fields.next() else {
        return (text, [castling, None, None, None]);
    };
    let offset = |part: &str| part.as_ptr().addr() - text.as_ptr().addr();
    let is_letter = |text: &str| text.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let from = offset(en_passant);
    if let Some(mark) = text[from..].find(';') {
        let (before, behind) = text.split_at(from + mark);
        let behind = behind.trim_start_matches([';', ' ', '\t']);
        // Only an operation may follow a `;`: scores would be lost in silence.
        if behind.is_empty() || is_letter(behind) {
            return last_fields(before.trim_ascii_end());
        }
    }
    let (clock, number) = (fields.next(), fields.next());
    let others = [clock, number, fields.next()];
    // Moves, as UCI has them, make another position of it: nothing that can be skipped.
    let operation = others
        .into_iter()
        .flatten()
        .find(|field| is_letter(field))
        .filter(|field| *field != "moves");
    let is_counter = |field: &&str| !is_letter(field);
    let clock = clock.filter(is_counter);
    let fields = [
        castling,
        Some(en_passant),
        clock,
        clock.and(number).filter(is_counter),
    ];
    match operation {
        Some(operation) => (text[..offset(operation)].trim_ascii_end(), fields),
        None => (text, fields),
    }
}

/// The fields of FEN that no network reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// Castling rights as FEN has them, followed by zeros; all zeros if there are no rights.
    pub castling: [u8; 4],
    /// The en passant square: the square behind a pawn that has just moved two squares.
    pub en_passant: Option<Square>,
    /// Half moves since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// Half moves since the start of the game: 0 before white's first move, 1 before black's; if
    /// known.
    pub ply: Option<u16>,
}

impl Rest {
    /// Reads the last four fields of a FEN that was checked.
    fn read(fields: [Option<&str>; 4], side_to_move: Color) -> Rest {
        let [castling, en_passant, clock, moves] = fields;
        let mut rest = Rest {
            castling: [0; 4],
            en_passant: en_passant.and_then(|square| square.parse().ok()),
            halfmove_clock: number(clock).unwrap_or(0),
            ply: number(moves).map(|moves| ply(moves, side_to_move)),
        };
        if let Some(castling) = castling.filter(|field| *field != "-") {
            for (right, letter) in rest.castling.iter_mut().zip(castling.bytes()) {
                *right = letter;
            }
        }
        rest
    }

    /// The fields of a board. Castling rights are those of FEN where all kings and rooks stand as at
    /// the start of an ordinary game, and otherwise the files of the rooks.
    pub(crate) fn of(board: &cozy_chess::Board) -> Rest {
        let is_usual = castles_as_usual(board);
        let rights = cozy_chess::Color::ALL.into_iter().flat_map(|color| {
            let rights = board.castle_rights(color);
            [(rights.short, 'k'), (rights.long, 'q')]
                .into_iter()
                .filter_map(move |(file, usual)| {
                    let file = char::from(file?);
                    let letter = if is_usual { usual } else { file };
                    Some(match color {
                        cozy_chess::Color::White => letter.to_ascii_uppercase(),
                        cozy_chess::Color::Black => letter,
                    })
                })
        });
        let mut castling = [0; 4];
        for (place, right) in castling.iter_mut().zip(rights) {
            *place = right as u8;
        }
        let en_passant = board.en_passant().map(|file| {
            let rank = Rank::Third.relative_to(!board.side_to_move());
            cozy_chess::Square::new(file, rank).into()
        });
        Rest {
            castling,
            en_passant,
            halfmove_clock: board.halfmove_clock().into(),
            ply: Some(ply(board.fullmove_number(), board.side_to_move().into())),
        }
    }
}

impl fmt::Display for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rights = self.castling.iter().take_while(|right| **right != 0);
        let rights: String = rights.map(|right| char::from(*right)).collect();
        write!(f, " {} ", if rights.is_empty() { "-" } else { &rights })?;
        match self.en_passant {
            Some(square) => write!(f, "{square}")?,
            None => f.write_str("-")?,
        }
        match self.ply {
            Some(ply) => write!(f, " {} {}", self.halfmove_clock, ply / 2 + 1),
            None => Ok(()),
        }
    }
}

/// The number of a clock; numbers that are too large become the largest.
fn number(field: Option<&str>) -> Option<u16> {
    Some(field?.parse().unwrap_or(u16::MAX))
}

/// The half moves before the move of this number, counted from 1.
fn ply(number: u16, side_to_move: Color) -> u16 {
    let moves = number.saturating_sub(1).saturating_mul(2);
    moves.saturating_add(u16::from(side_to_move == Color::Black))
}

/// The board of a game from a position and the fields of its FEN. An en passant square that nobody
/// can use is left out, and the clock ends at 100.
///
/// # Errors
///
/// A message that names the field which no game has.
pub(crate) fn game(position: &impl Position, rest: &Rest) -> Result<cozy_chess::Board, String> {
    let mut builder = BoardBuilder::empty();
    for piece in Piece::ALL {
        let of_piece = Some((piece.role.into(), piece.color.into()));
        for square in position.pieces(piece) {
            *builder.square_mut(square.into()) = of_piece;
        }
    }
    builder.side_to_move = position.side_to_move().into();
    builder.halfmove_clock = rest.halfmove_clock.min(MOST_HALF_MOVES) as u8;
    builder.fullmove_number = rest.ply.unwrap_or(0) / 2 + 1;
    // The placement comes first, so that the message is not about a right which depends on it.
    let placed = builder.build().ok();
    placed
        .filter(|board| board.checkers().len() < 3)
        .ok_or_else(|| placement(position))?;
    for letter in rest.castling.into_iter().take_while(|letter| *letter != 0) {
        let (color, file, is_short) = right(position, letter)?;
        let rights = builder.castle_rights_mut(color.into());
        let of_side = if is_short {
            &mut rights.short
        } else {
            &mut rights.long
        };
        if of_side.replace(file).is_some_and(|other| other != file) {
            return Err(format!(
                "the castling field has two rights of {color} on one side of its king, allowed is one"
            ));
        }
    }
    builder.en_passant = rest.en_passant.map(Into::into);
    let board = match builder.build() {
        Err(BoardBuilderError::InvalidEnPassant) => {
            builder.en_passant = None;
            builder.build()
        }
        built => built,
    };
    board.map_err(|error| error.to_string().trim_end_matches('.').to_lowercase())
}

/// Why no game reaches a placement with two kings and no misplaced pawn.
fn placement(position: &impl Position) -> String {
    for color in Color::ALL {
        let of = |role| position.pieces(Piece::new(color, role)).len();
        let pawns = of(Role::Pawn);
        if pawns > 8 {
            return format!("the placement has {pawns} pawns of {color}, allowed are up to 8");
        }
        let pieces: usize = Role::ALL.map(of).into_iter().sum();
        if pieces > 16 {
            return format!("the placement has {pieces} pieces of {color}, allowed are up to 16");
        }
    }
    let player = position.side_to_move();
    let turned = Record {
        side_to_move: !player,
        ..Record::new(position)
    };
    if turned.is_check() {
        format!(
            "the placement has {} in check, but {player} is to move",
            !player
        )
    } else {
        format!("the placement has {player} in check by three pieces, allowed are two")
    }
}

/// The player, the rook's file, and whether it is to the right of the king, of a castling right.
fn right(position: &impl Position, letter: u8) -> Result<(Color, File, bool), String> {
    let letter = char::from(letter);
    let color = if letter.is_ascii_uppercase() {
        Color::White
    } else {
        Color::Black
    };
    let king = cozy_chess::Square::from(position.king(color));
    let rank = Rank::First.relative_to(color.into());
    let rooks = position.pieces(Piece::new(color, Role::Rook));
    let is_rook = |file: &File| rooks.contains(cozy_chess::Square::new(*file, rank).into());
    let mut files = File::ALL.into_iter().filter(is_rook);
    let found = match letter.to_ascii_lowercase() {
        _ if king.rank() != rank => None,
        'k' => files.next_back().filter(|file| *file > king.file()),
        'q' => files.next().filter(|file| *file < king.file()),
        named => files.find(|file| char::from(*file) == named),
    };
    let file = found.ok_or_else(|| {
        format!(
            "the castling field has the right `{}`, but the king of {color} on {king} has no such rook on its rank",
            foreign(letter)
        )
    })?;
    Ok((color, file, file > king.file()))
}

/// Whether all kings and rooks with castling rights stand as at the start of an ordinary game.
pub(crate) fn castles_as_usual(board: &cozy_chess::Board) -> bool {
    cozy_chess::Color::ALL.into_iter().all(|color| {
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

    const FOUR: &str = "4k3/8/8/8/8/8/8/4K3 w - -";

    #[test]
    fn operations_are_no_part_of_the_fields() {
        for operations in [
            "",
            ";",
            " ;",
            " bm Kd2; id \"caf\u{e9}; 1\";",
            " ;D1 5 ;D2 25",
            "; bm Kd2",
            "\t hmvc 3;",
        ] {
            for fields in [FOUR.to_string(), format!("{FOUR} 3 40")] {
                let text = format!("\u{feff} {fields}{operations}\r\n");
                let read = Fen::parse(&text).unwrap();
                assert_eq!(read.text, fields, "{text:?}");
                assert_eq!(read.board, Board::from_fen(&fields).unwrap());
            }
        }
    }

    /// A score behind a `;` would be lost.
    #[test]
    fn what_is_no_operation_is_refused() {
        for behind in [
            " 0 1;25;1.0",
            " 0 1; 0.5",
            ";1",
            " 0 1 2",
            " 0 1 1-0",
            " -1 1",
            " moves e1e2",
            " 0 1 moves e1e2",
        ] {
            assert!(Fen::parse(&format!("{FOUR}{behind}")).is_err(), "{behind}");
        }
        assert!(Fen::parse("4k3/8/8/8/8/8/8/4K3 w bm Kd2;").is_err());
    }

    #[test]
    fn counters_may_be_missing_zero_or_too_large() {
        for (counters, clock, number) in [
            ("", 0, 1),
            (" 0 0", 0, 1),
            (" 7", 7, 1),
            (" 99 60", 99, 60),
            (" 300 99999", 100, 32768),
        ] {
            let text = format!("{FOUR}{counters}");
            let board = Fen::parse(&text).unwrap().game().unwrap();
            assert_eq!(u16::from(board.halfmove_clock()), clock, "{text}");
            assert_eq!(board.fullmove_number(), number, "{text}");
        }
    }

    /// The square in front of a pawn that moved one step, and one that a check makes impossible.
    #[test]
    fn en_passant_squares_that_nobody_can_use_are_left_out() {
        for (fen, is_kept) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
                false,
            ),
            ("4k3/8/5N2/8/2pP4/8/8/4K3 b - d3 0 1", false),
            ("4k3/8/8/8/8/8/8/4K3 b - e6 0 1", false),
            ("4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 1", true),
        ] {
            let board = Fen::parse(fen).unwrap().game().unwrap();
            assert_eq!(board.en_passant().is_some(), is_kept, "{fen}");
        }
    }

    #[test]
    fn rights_are_those_of_rooks_in_every_dialect() {
        for (fen, shredder) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "HAha",
            ),
            (
                "rkbqnbrn/pppppppp/8/8/8/8/PPPPPPPP/RKBQNBRN w KQkq - 0 1",
                "GAga",
            ),
            (
                "rkbqnbrn/pppppppp/8/8/8/8/PPPPPPPP/RKBQNBRN w GAga - 0 1",
                "GAga",
            ),
            // Of two rooks on a side, X-FEN means the outer one and names the inner one.
            ("4k3/8/8/8/8/8/8/1K3R1R w K - 0 1", "H"),
            ("4k3/8/8/8/8/8/8/1K3R1R w F - 0 1", "F"),
            ("rr2k3/8/8/8/8/8/8/4K3 b q - 0 1", "a"),
            ("rr2k3/8/8/8/8/8/8/4K3 b b - 0 1", "b"),
        ] {
            let board = Fen::parse(fen).unwrap().game().unwrap();
            let written = format!("{board:#}");
            assert_eq!(written.split(' ').nth(2), Some(shredder), "{fen}");
        }
    }

    #[test]
    fn rights_are_written_as_their_game_has_them() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rkbqnbrn/pppppppp/8/8/8/8/PPPPPPPP/RKBQNBRN b GAga - 3 9",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1",
            "4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 1",
        ] {
            let read = Fen::parse(fen).unwrap();
            let rest = Rest::of(&read.game().unwrap());
            assert_eq!(format!("{}{rest}", read.board), fen);
        }
    }

    #[test]
    fn messages_name_the_field() {
        for (fen, words) in [
            (
                "4k3/8/8/8/8/8/8/4K2R w Q - 0 1",
                "the castling field has the right `Q`, but the king of white on e1",
            ),
            (
                "4k3/8/8/8/8/4K3/8/7R w K - 0 1",
                "the castling field has the right `K`, but the king of white on e3",
            ),
            (
                "4k3/8/8/8/8/8/8/4K2R w D - 0 1",
                "the castling field has the right `D`",
            ),
            (
                "4k3/8/8/8/8/8/8/1K3R1R w HF - 0 1",
                "the castling field has two rights of white on one side",
            ),
            (
                "4k3/8/8/8/8/8/8/K3R3 w - - 0 1",
                "the placement has black in check, but white is to move",
            ),
            (
                "k3r3/8/8/8/8/3n1n2/8/4K3 w - - 0 1",
                "the placement has white in check by three pieces",
            ),
            (
                "4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1",
                "the placement has 9 pawns of black",
            ),
            (
                "4k3/8/8/8/8/QQQQQQQQ/QQQQQQQQ/4K3 w - - 0 1",
                "the placement has 17 pieces of white",
            ),
        ] {
            let wrong = Fen::parse(fen).unwrap().game().unwrap_err();
            assert!(wrong.starts_with(words), "{fen}: {wrong}");
        }
    }

    /// Texts with random changes are refused, or survive reading and writing.
    #[test]
    fn damaged_texts_are_refused_or_come_out_as_they_went_in() {
        let mut random = fastrand::Rng::with_seed(3);
        let alphabet = b"12345678pnbrqkPNBRQK/ w-KQkqAHah36;x\xEF\xBB\xBF";
        let mut games = 0;
        for _ in 0..30_000 {
            let mut text = if random.bool() {
                START.as_bytes().to_vec()
            } else {
                b"r3k2r/8/8/4pP2/8/8/8/R3K2R w KQkq e6 0 12 id \"x\";".to_vec()
            };
            for _ in 0..=random.usize(..3) {
                let at = random.usize(..text.len());
                match random.usize(..3) {
                    0 => drop(text.remove(at)),
                    1 => text.insert(at, alphabet[random.usize(..alphabet.len())]),
                    _ => text[at] = alphabet[random.usize(..alphabet.len())],
                }
            }
            let text = String::from_utf8_lossy(&text);
            let Ok(read) = Fen::parse(&text) else {
                continue;
            };
            match read.game() {
                Ok(game) => {
                    let written = format!("{}{}", read.board, Rest::of(&game));
                    let again = Fen::parse(&written).expect("a FEN").game();
                    assert_eq!(again.as_ref(), Ok(&game), "{text}");
                    games += 1;
                }
                Err(wrong) => assert!(
                    wrong.starts_with("the placement has ")
                        || wrong.starts_with("the castling field has "),
                    "{text}: {wrong}"
                ),
            }
        }
        assert!(games > 1000, "only {games} texts are still of games");
    }

    #[test]
    fn the_start_of_a_game_has_a_word() {
        assert_eq!(Fen::parse("startpos").unwrap().text, START);
        assert!(Fen::parse("startpos w - -").is_err());
    }
}
