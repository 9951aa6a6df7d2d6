//! JSON on standard output, which may be a terminal.

use std::io::{self, Write};

use nnue_compiler::format::is_hidden;

/// Writes JSON without characters that a terminal would obey or not show. They become `\u202e` and
/// the like, which readers take for the same character.
///
/// # Errors
///
/// The errors of the writer.
pub(crate) fn write_plain(json: &str, out: &mut dyn Write) -> io::Result<()> {
    // Hidden characters other than the ends of lines are always in strings.
    let is_escaped = |letter: char| is_hidden(letter) && letter != '\n';
    let mut shown = 0;
    for (start, hidden) in json.match_indices(is_escaped) {
        out.write_all(&json.as_bytes()[shown..start])?;
        for unit in hidden.encode_utf16() {
            write!(out, "\\u{unit:04x}")?;
        }
        shown = start + hidden.len();
    }
    out.write_all(&json.as_bytes()[shown..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_see_the_same_text_and_terminals_nothing() {
        let text = "é\x1b[31m\u{7f}\u{9b}2J\u{202e}\u{e0041}\n\"\\";
        for value in [
            serde_json::json!(text),
            serde_json::json!({"a": [text, 1], text: null}),
        ] {
            let json = serde_json::to_string_pretty(&value).unwrap();
            let mut plain = Vec::new();
            write_plain(&json, &mut plain).unwrap();
            let plain = String::from_utf8(plain).unwrap();
            let read: serde_json::Value = serde_json::from_str(&plain).unwrap();
            assert_eq!(read, value);
            let is_hidden = |letter: char| is_hidden(letter) && letter != '\n';
            assert!(!plain.contains(is_hidden), "{plain:?}");
            assert!(
                plain.contains('é') && plain.contains(r"\udb40\udc41"),
                "{plain}"
            );
        }
    }
}
