//! Names the format of files that are taken for another format.

use super::{Format, bullet, pgn};
use crate::compression::unpacked_name;
use crate::fen::BYTE_ORDER_MARK;

/// How Stockfish's plain text begins. Each position takes six lines.
const PLAIN: &[u8] = b"fen ";

/// The bytes of a record as Stockfish writes them in `.bin` files.
const STOCKFISH_RECORD: usize = 40;

/// The most records that are looked at.
const MOST: usize = 1000;

/// Why a file of this name that begins with these bytes is not read in a format, if it has another.
pub(crate) fn other_format(format: Format, name: &str, start: &[u8]) -> Option<String> {
    let wrong = match format {
        Format::Text | Format::Pgn if is_utf16(start) => "found text in UTF-16, expected UTF-8",
        Format::Text if is_pgn(start) => {
            "found a PGN, expected text: a name that ends in `.pgn` or `--format pgn` says so"
        }
        _ if is_plain(start) => {
            "found Stockfish's plain text, which is not read: Stockfish's tools make a binpack of it"
        }
        _ if start.starts_with(b"version https://git-lfs") => {
            "found a Git LFS pointer: fetch the file with `git lfs pull`"
        }
        _ if is_page(start) => "found a web page: the download failed",
        Format::Bullet if is_bin(name) && has_stockfish_records(start) => {
            "found records of 40 bytes, as Stockfish's `.bin` files have them, which are not read: Stockfish's tools make a binpack of them"
        }
        _ => return None,
    };
    Some(wrong.into())
}

/// Why a list does not have positions, if its first line that is not blank tells it.
pub(crate) fn other_list(line: &str) -> Option<&'static str> {
    match line.as_bytes() {
        line if is_pgn(line) => Some("found a PGN, expected a FEN or EPD a line"),
        line if is_plain(line) => {
            Some("found Stockfish's plain text, expected a FEN or EPD a line")
        }
        _ => None,
    }
}

/// The first line that is neither blank nor a comment of text.
fn first_line(start: &[u8]) -> &[u8] {
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    let mut lines = start.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    first.unwrap_or_default()
}

/// Whether a text begins with the mark of UTF-16, of either order of bytes.
fn is_utf16(start: &[u8]) -> bool {
    start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF])
}

fn is_pgn(start: &[u8]) -> bool {
    let line = first_line(start);
    pgn::is_tag(line) && line.contains(&b'"')
}

fn is_plain(start: &[u8]) -> bool {
    first_line(start).starts_with(PLAIN)
}

fn is_page(start: &[u8]) -> bool {
    let line = first_line(start).to_ascii_lowercase();
    line.starts_with(b"<!doctype html") || line.starts_with(b"<html")
}

/// Whether a name is that of Stockfish's records, and of some files of bulletformat.
fn is_bin(name: &str) -> bool {
    unpacked_name(&name.to_ascii_lowercase())
        .0
        .ends_with(".bin")
}

/// Whether bytes are no boards of bulletformat, and have the results and zeros of Stockfish's
/// records where those would be. Each of the latter is there by chance in 3 of 65,536 records.
fn has_stockfish_records(start: &[u8]) -> bool {
    let (records, _) = start.as_chunks::<STOCKFISH_RECORD>();
    let is_record = |record: &[u8; STOCKFISH_RECORD]| matches!(record[38..], [0 | 1 | 0xFF, 0]);
    !records.is_empty() && records.iter().take(MOST).all(is_record) && !bullet::begins(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_formats_are_named() {
        for (format, start, words) in [
            (
                Format::Text,
                &b"\xEF\xBB\xBF\r\n[White \"one\"]\r\n"[..],
                "found a PGN",
            ),
            (
                Format::Text,
                b"fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1\nmove e1e2\n",
                "plain text",
            ),
            (
                Format::Bullet,
                b"fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1\nmove e1e2\n",
                "plain text",
            ),
            (
                Format::Binpack,
                b"version https://git-lfs.github.com/spec/v1\n",
                "a Git LFS pointer",
            ),
            (Format::Pgn, b"\n<!DOCTYPE html>\n", "a web page"),
            (Format::Pgn, b"\xFF\xFE[\0", "text in UTF-16"),
            (Format::Bullet, &[0; 40], "records of 40 bytes"),
        ] {
            let wrong = other_format(format, "a.bin", start).expect("another format");
            assert!(wrong.contains(words), "{wrong}");
        }
        for (format, name, start) in [
            (
                Format::Text,
                "a.bin",
                &b"# fen \n4k3/8/8/8/8/8/8/4K3 w - - 0 1\n"[..],
            ),
            (Format::Text, "a.bin", b"[x] | 1\n"),
            (Format::Pgn, "a.bin", b"[White \"one\"]\n"),
            (Format::Bullet, "a.bin", &[1; 40]),
            (Format::Bullet, "a.bin", &[0; 39]),
            // Damaged, perhaps.
            (Format::Bullet, "a.bullet", &[0; 40]),
        ] {
            assert_eq!(other_format(format, name, start), None, "{format}");
        }
        assert!(other_list("[Event \"?\"]").is_some());
        assert_eq!(other_list("startpos"), None);
    }
}
