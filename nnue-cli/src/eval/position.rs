//! Positions as people write them: FEN, or EPD with its operations.

use nnue_runtime::{Board, FenError};

/// Reads a position, and returns the part of the text that says it: all of a FEN, or what comes
/// before the operations of EPD.
///
/// # Errors
///
/// [`FenError`] if the text is no position.
pub fn parse(text: &str) -> Result<(&str, Board), FenError> {
    let fen = without_operations(text);
    Ok((fen, Board::from_fen(fen)?))
}

/// Operations come after four fields, and begin with a letter, as no clock of FEN does.
fn without_operations(text: &str) -> &str {
    let fields = text.split_ascii_whitespace().skip(4);
    let mut operations =
        fields.filter(|field| field.starts_with(|c: char| c.is_ascii_alphabetic()));
    match operations.next() {
        Some(first) => {
            let offset = first.as_ptr().addr() - text.as_ptr().addr();
            text[..offset].trim_end()
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_no_part_of_the_position() {
        for (text, fen) in [
            ("4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 w - -"),
            (
                "4k3/8/8/8/8/8/8/4K3 w - - bm Kd2; id \"caf\u{e9}; 1\";",
                "4k3/8/8/8/8/8/8/4K3 w - -",
            ),
            (
                "4k3/8/8/8/8/8/8/4K3\tb\t-  - \thmvc 3;",
                "4k3/8/8/8/8/8/8/4K3\tb\t-  -",
            ),
            (
                "4k3/8/8/8/8/8/8/4K3 b - - 3 40 bm Kd2;",
                "4k3/8/8/8/8/8/8/4K3 b - - 3 40",
            ),
        ] {
            let (found, board) = parse(text).unwrap();
            assert_eq!(found, fen);
            assert_eq!(board, Board::from_fen(fen).unwrap());
        }
    }

    #[test]
    fn other_fields_are_checked() {
        for text in [
            "4k3/8/8/8/8/8/8/4K3 w bm Kd2;",
            "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1 2",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
