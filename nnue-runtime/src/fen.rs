//! Forsyth-Edwards notation: positions as text.
//!
//! Networks see nothing but the placement, the side to move and the halfmove clock. The other
//! fields are checked all the same, so that a damaged line does not pass for a position.

use alloc::format;
use alloc::string::String;
use core::error::Error;
use core::fmt;

use nnue_format::foreign;

use crate::chess::{Color, Piece, Role, Square};

/// Why a text is no position: what was found, at which offset in bytes from the start of the text,
/// and what is allowed.
#[derive(Clone, PartialEq, Eq)]
pub struct FenError(String);

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

nnue_format::debug_is_message!(FenError);

impl Error for FenError {}

/// Writes the message of an error as `format!` does.
macro_rules! refuse {
    ($($message:tt)*) => {
        Err(FenError(format!($($message)*)))
    };
}

/// The fields of FEN in their order. The first two are required.
const FIELDS: [&str; 6] = [
    "placement",
    "side to move",
    "castling",
    "en passant",
    "halfmove clock",
    "fullmove number",
];

/// Reads a FEN of two to six fields, separated by white space: the placement by squares, the side
/// to move, and the halfmove clock, which is 0 where the field is missing and at most 255.
pub(crate) fn parse(fen: &str) -> Result<([Option<Piece>; 64], Color, u8), FenError> {
    if let Some((offset, found)) = fen.char_indices().find(|(_, found)| !found.is_ascii()) {
        let found = foreign(&found);
        return refuse!("found `{found}` at offset {offset}, expected ASCII only");
    }
    let mut fields = fen.split_ascii_whitespace().map(|text| Field {
        text,
        offset: text.as_ptr().addr() - fen.as_ptr().addr(),
    });
    let found = fields.clone().count();
    if found == 0 {
        return refuse!("found an empty text, expected at least placement and side to move");
    }
    let (Some(placement), Some(side_to_move), 2..=6) = (fields.next(), fields.next(), found) else {
        let word = if found == 1 { "field" } else { "fields" };
        let names = FIELDS.join(", ");
        return refuse!("found {found} {word}, expected 2 to 6: {names}");
    };
    let squares = parse_placement(placement)?;
    let side_to_move = parse_side_to_move(side_to_move)?;
    if let Some(castling) = fields.next() {
        check_castling(castling)?;
    }
    if let Some(en_passant) = fields.next() {
        check_en_passant(en_passant)?;
    }
    let mut numbers = [0; 2];
    for ((field, name), number) in fields.zip(&FIELDS[4..]).zip(&mut numbers) {
        *number = parse_number(field, name)?;
    }
    let [halfmove_clock, _] = numbers;
    Ok((squares, side_to_move, halfmove_clock))
}

/// Writes the first two fields of FEN.
pub(crate) fn write(
    f: &mut fmt::Formatter<'_>,
    squares: &[Option<Piece>; 64],
    side_to_move: Color,
) -> fmt::Result {
    let mut separator = "";
    for rank in squares.rchunks(8) {
        f.write_str(separator)?;
        separator = "/";
        for run in rank.chunk_by(|left, right| left.is_none() && right.is_none()) {
            match run[0] {
                Some(piece) => write!(f, "{piece}")?,
                None => write!(f, "{}", run.len())?,
            }
        }
    }
    f.write_str(match side_to_move {
        Color::White => " w",
        Color::Black => " b",
    })
}

/// One field of a FEN.
#[derive(Clone, Copy)]
struct Field<'a> {
    text: &'a str,
    /// Where the field begins in the FEN.
    offset: usize,
}

impl<'a> Field<'a> {
    /// The characters with their offsets in the FEN.
    fn chars(self) -> impl Iterator<Item = (usize, char)> + 'a {
        (self.offset..).zip(self.text.chars())
    }
}

/// The text and its place, as errors show them.
impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` at offset {}", foreign(self.text), self.offset)
    }
}

fn parse_placement(field: Field<'_>) -> Result<[Option<Piece>; 64], FenError> {
    let found = field.text.split('/').count();
    if found != 8 {
        return refuse!("found {found} ranks in the placement, expected 8 separated by `/`");
    }
    let mut squares = [None; 64];
    let mut offset = field.offset;
    for (text, rank) in field.text.split('/').zip((0..8).rev()) {
        parse_rank(Field { text, offset }, rank, &mut squares)?;
        offset += text.len() + 1;
    }

    let count = |wanted: Piece| {
        squares
            .iter()
            .filter(|&&piece| piece == Some(wanted))
            .count()
    };
    for color in Color::ALL {
        let found = count(Piece::new(color, Role::King));
        if found != 1 {
            return refuse!("found {found} {color} kings, expected 1");
        }
    }
    Ok(squares)
}

/// Reads one rank, 0 to 7, into its squares.
fn parse_rank(
    field: Field<'_>,
    rank: u8,
    squares: &mut [Option<Piece>; 64],
) -> Result<(), FenError> {
    // How ranks are named in errors.
    let name = rank + 1;
    let mut files = 0;
    let mut after_digit = false;
    for (offset, letter) in field.chars() {
        if let Some(empty @ 1..=8) = letter.to_digit(10) {
            if after_digit {
                return refuse!(
                    "found adjacent digits in rank {name} at offset {offset}, expected one digit for each run of empty squares"
                );
            }
            after_digit = true;
            files += empty as usize;
            continue;
        }
        let Some(piece) = Piece::from_char(letter) else {
            let found = foreign(&letter);
            return refuse!(
                "found `{found}` in rank {name} at offset {offset}, expected one of `PNBRQKpnbrqk` or a digit from 1 to 8"
            );
        };
        // A rank that is too long is read to its end, for the error to say how long it is.
        let square = u8::try_from(files)
            .ok()
            .and_then(|file| Square::from_file_rank(file, rank));
        if let Some(square) = square {
            if piece.role == Role::Pawn && matches!(rank, 0 | 7) {
                return refuse!(
                    "found a pawn on {square} at offset {offset}, expected pawns on ranks 2 to 7 only"
                );
            }
            squares[square.index()] = Some(piece);
        }
        after_digit = false;
        files += 1;
    }
    if files != 8 {
        return refuse!("found {files} files in rank {name}, expected 8");
    }
    Ok(())
}

fn parse_side_to_move(field: Field<'_>) -> Result<Color, FenError> {
    match field.text {
        "w" => Ok(Color::White),
        "b" => Ok(Color::Black),
        _ => refuse!("found side to move {field}, expected `w` or `b`"),
    }
}

/// Accepts `-`, or castling rights in any order: `KQkq` of FEN, or the rooks' files of Shredder-FEN
/// and X-FEN.
fn check_castling(field: Field<'_>) -> Result<(), FenError> {
    if field.text == "-" {
        return Ok(());
    }
    for (index, (offset, found)) in field.chars().enumerate() {
        if !matches!(found.to_ascii_lowercase(), 'k' | 'q' | 'a'..='h') {
            let found = foreign(&found);
            return refuse!(
                "found `{found}` in the castling field at offset {offset}, expected `-` alone or letters of `KQkq`, `A` to `H`, `a` to `h`"
            );
        }
        if field.text[..index].contains(found) {
            return refuse!(
                "found `{found}` again in the castling field at offset {offset}, expected each right once"
            );
        }
    }
    for color in Color::ALL {
        let is_of_color = |right: &char| right.is_ascii_uppercase() == (color == Color::White);
        let found = field.text.chars().filter(is_of_color).count();
        if found > 2 {
            return refuse!("found {found} castling rights of {color}, expected at most 2");
        }
    }
    Ok(())
}

fn check_en_passant(field: Field<'_>) -> Result<(), FenError> {
    let is_target = |square: Square| matches!(square.rank(), 2 | 5);
    if field.text == "-" || field.text.parse().is_ok_and(is_target) {
        return Ok(());
    }
    refuse!("found en passant square {field}, expected `-` or a square on rank 3 or 6")
}

/// Reads a number of any length. Those above 255 count as 255.
fn parse_number(field: Field<'_>, name: &'static str) -> Result<u8, FenError> {
    let mut digits = field.text.bytes();
    let number = digits.try_fold(0u8, |number, byte| {
        let digit = byte.is_ascii_digit().then_some(byte.wrapping_sub(b'0'))?;
        Some(number.saturating_mul(10).saturating_add(digit))
    });
    match number {
        Some(number) => Ok(number),
        None => refuse!("found {name} {field}, expected a number"),
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use fastrand::Rng;

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const KINGS: &str = "4k3/8/8/8/8/8/8/4K3";
    struct Written([Option<Piece>; 64], Color);

    impl fmt::Display for Written {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write(f, &self.0, self.1)
        }
    }

    #[track_caller]
    fn refused(fen: &str, message: &str) {
        assert_eq!(parse(fen), Err(FenError(message.into())), "{fen}");
    }

    #[track_caller]
    fn accepted(fen: &str) {
        assert!(parse(fen).is_ok(), "{fen}: {:?}", parse(fen));
    }

    #[test]
    fn the_start_position_is_read() {
        let (squares, side_to_move, clock) = parse(START).unwrap();
        assert_eq!((side_to_move, clock), (Color::White, 0));
        assert_eq!(squares.iter().flatten().count(), 32);
        let at = |square: Square| squares[square.index()];
        assert_eq!(at(Square::A1), Piece::from_char('R'));
        assert_eq!(at(Square::D1), Piece::from_char('Q'));
        assert_eq!(at(Square::H2), Piece::from_char('P'));
        assert_eq!(at(Square::E4), None);
        assert_eq!(at(Square::G8), Piece::from_char('n'));
        assert_eq!(at(Square::E8), Piece::from_char('k'));
    }

    #[test]
    fn the_last_four_fields_may_be_left_out() {
        for end in [2, 3, 4, 5, 6] {
            let fields: Vec<_> = START.split(' ').take(end).collect();
            accepted(&fields.join(" "));
        }
        accepted(&format!("\t {KINGS}   b  -\n"));
    }

    #[test]
    fn castling_rights_of_every_dialect_are_accepted() {
        for castling in ["-", "KQkq", "Qkq", "Kk", "qK", "HAha", "Gg", "BKcq"] {
            accepted(&format!("{KINGS} w {castling} - 0 1"));
        }
    }

    #[test]
    fn odd_but_possible_placements_are_accepted() {
        accepted("kqqqqqqq/qqqqqqqq/qqqqqqqq/qqqqqqq1/8/8/8/K7 b - - 0 1");
        accepted("rnbqkbnr/pppppppp/pppppppp/qqqqqqqq/QQQQQQQQ/PPPPPPPP/PPPPPPPP/RNBQKBNR w");
        accepted("k7/8/8/8/8/8/8/K7 w - e3 150 0");
        accepted("k7/8/8/8/8/8/8/K7 w - d6 0 99999999999999999999");
    }

    #[test]
    fn empty_texts_are_refused() {
        let message = "found an empty text, expected at least placement and side to move";
        refused("", message);
        refused(" \t\n", message);
    }

    #[test]
    fn other_scripts_are_refused() {
        refused(
            &format!("{KINGS} w -é"),
            "found `é` at offset 23, expected ASCII only",
        );
    }

    #[test]
    fn wrong_numbers_of_fields_are_refused() {
        refused(
            KINGS,
            "found 1 field, expected 2 to 6: placement, side to move, castling, en passant, halfmove clock, fullmove number",
        );
        refused(
            &format!("{START} 1-0"),
            "found 7 fields, expected 2 to 6: placement, side to move, castling, en passant, halfmove clock, fullmove number",
        );
    }

    #[test]
    fn wrong_numbers_of_ranks_are_refused() {
        for (placement, found) in [
            ("4k3/8/8/8/8/8/4K3", 7),
            ("4k3/8/8/8/8/8/8/8/4K3", 9),
            ("4k3/8/8/8/8/8/8/4K3/", 9),
        ] {
            refused(
                &format!("{placement} w"),
                &format!("found {found} ranks in the placement, expected 8 separated by `/`"),
            );
        }
    }

    #[test]
    fn ranks_of_other_lengths_are_refused() {
        for (text, found) in [
            ("4P4", 9),
            ("", 0),
            ("7", 7),
            ("8p8", 17),
            ("pppppppppp", 10),
        ] {
            refused(
                &format!("4k3/8/8/8/8/{text}/8/4K3 w"),
                &format!("found {found} files in rank 3, expected 8"),
            );
        }
    }

    #[test]
    fn unknown_letters_are_refused() {
        for found in ['x', '0', '9', '-'] {
            refused(
                &format!("4k3/8/3{found}4/8/8/8/8/4K3 w"),
                &format!(
                    "found `{found}` in rank 6 at offset 7, expected one of `PNBRQKpnbrqk` or a digit from 1 to 8"
                ),
            );
        }
        // Offsets count from the start of the text.
        refused(
            "  Ky6/8/8/8/8/8/8/8 w",
            "found `y` in rank 8 at offset 3, expected one of `PNBRQKpnbrqk` or a digit from 1 to 8",
        );
    }

    #[test]
    fn adjacent_digits_are_refused() {
        refused(
            "4k3/44/8/8/8/8/8/4K3 w",
            "found adjacent digits in rank 7 at offset 5, expected one digit for each run of empty squares",
        );
    }

    #[test]
    fn pawns_on_the_outer_ranks_are_refused() {
        refused(
            "4k3/8/8/8/8/8/8/P3K3 w",
            "found a pawn on a1 at offset 16, expected pawns on ranks 2 to 7 only",
        );
        refused(
            "4k1p1/8/8/8/8/8/8/4K3 w",
            "found a pawn on g8 at offset 3, expected pawns on ranks 2 to 7 only",
        );
    }

    #[test]
    fn each_player_has_one_king() {
        refused("8/8/8/8/8/8/8/4K3 w", "found 0 black kings, expected 1");
        refused("4k3/8/8/8/8/8/8/K6K w", "found 2 white kings, expected 1");
    }

    #[test]
    fn unknown_sides_to_move_are_refused() {
        for found in ["W", "white", "-", "wb"] {
            refused(
                &format!("{KINGS} {found}"),
                &format!("found side to move `{found}` at offset 20, expected `w` or `b`"),
            );
        }
    }

    #[test]
    fn unknown_castling_rights_are_refused() {
        for (field, offset, found) in [("KQi", 24, 'i'), ("--", 22, '-'), ("K-", 23, '-')] {
            refused(
                &format!("{KINGS} w {field} -"),
                &format!(
                    "found `{found}` in the castling field at offset {offset}, expected `-` alone or letters of `KQkq`, `A` to `H`, `a` to `h`"
                ),
            );
        }
        refused(
            &format!("{KINGS} w KkK -"),
            "found `K` again in the castling field at offset 24, expected each right once",
        );
        refused(
            &format!("{KINGS} w Kkqa -"),
            "found 3 castling rights of black, expected at most 2",
        );
    }

    #[test]
    fn impossible_en_passant_squares_are_refused() {
        for found in ["e4", "e2", "e5", "e8", "i3", "e", "--", "0"] {
            refused(
                &format!("{KINGS} b - {found} 0 1"),
                &format!(
                    "found en passant square `{found}` at offset 24, expected `-` or a square on rank 3 or 6"
                ),
            );
        }
    }

    #[test]
    fn clocks_are_numbers() {
        for (fields, field, offset, found) in [
            ("-1 1", "halfmove clock", 26, "-1"),
            ("x 1", "halfmove clock", 26, "x"),
            ("0 +1", "fullmove number", 28, "+1"),
            ("0 1.5", "fullmove number", 28, "1.5"),
        ] {
            refused(
                &format!("{KINGS} b - - {fields}"),
                &format!("found {field} `{found}` at offset {offset}, expected a number"),
            );
        }
    }

    #[test]
    fn the_halfmove_clock_is_read() {
        for (fields, clock) in [
            ("", 0),
            ("17", 17),
            ("017 9", 17),
            ("255 1", 255),
            ("256 1", 255),
            ("99999999999999999999 1", 255),
        ] {
            let (_, _, read) = parse(&format!("{KINGS} w - - {fields}")).unwrap();
            assert_eq!(read, clock, "{fields}");
        }
    }

    #[test]
    fn control_characters_are_shown_escaped() {
        let error = parse(&format!("{KINGS} \0")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "found side to move `\\u{0}` at offset 20, expected `w` or `b`"
        );
    }

    #[test]
    fn random_placements_round_trip() {
        let mut random = Rng::with_seed(0x1234_5678_9abc_def1);
        for _ in 0..2000 {
            let mut squares = [None; 64];
            let white_king = random.usize(..64);
            squares[white_king] = Piece::from_char('K');
            squares[(white_king + 1 + random.usize(..63)) % 64] = Piece::from_char('k');
            for _ in 0..random.usize(..31) {
                let square = Square::ALL[random.usize(..64)];
                let role = Role::ALL[random.usize(..5)];
                let outer = matches!(square.rank(), 0 | 7);
                if squares[square.index()].is_none() && !(role == Role::Pawn && outer) {
                    let color = Color::ALL[random.usize(..2)];
                    squares[square.index()] = Some(Piece::new(color, role));
                }
            }
            let side_to_move = Color::ALL[random.usize(..2)];
            let fen = Written(squares, side_to_move).to_string();
            assert_eq!(parse(&fen), Ok((squares, side_to_move, 0)), "{fen}");
        }
    }

    #[test]
    fn damaged_texts_are_refused_or_read_as_what_they_say() {
        let mut random = Rng::with_seed(0xfeed_0fac_e0ff_1ce5);
        let alphabet = b"12345678pnbrqkPNBRQK/ w-KQkqae09x\0";
        let mut accepted = 0;
        for _ in 0..20_000 {
            let mut fen = START.as_bytes().to_vec();
            for _ in 0..=random.usize(..3) {
                let at = random.usize(..fen.len());
                match random.usize(..3) {
                    0 => drop(fen.remove(at)),
                    1 => fen.insert(at, alphabet[random.usize(..alphabet.len())]),
                    _ => fen[at] = alphabet[random.usize(..alphabet.len())],
                }
            }
            let fen = String::from_utf8(fen).unwrap();
            if let Ok((squares, side_to_move, _)) = parse(&fen) {
                accepted += 1;
                let written = Written(squares, side_to_move).to_string();
                let read = fen.split_ascii_whitespace().take(2);
                assert!(read.eq(written.split(' ')), "{fen}: {written}");
            }
        }
        assert!(accepted > 100, "only {accepted} texts are still positions");
    }
}
