//! Text in messages that comes from others: from files, engines and networks.

use core::fmt::{self, Display, Write};

/// The largest number of characters of a text that are shown.
const LIMIT: usize = 120;

/// Shows text that somebody else wrote, so that a message stays a short line and a terminal obeys
/// nothing in the text: at most 120 characters, after which `...` stands for the rest. Characters
/// that are [hidden](is_hidden) are written as Rust writes them, as `\n` or `\u{1b}`.
///
/// The argument is text, or anything else that has a [`Display`]: a path, the error of another
/// crate, or the [`escape_ascii`](slice::escape_ascii) of bytes.
///
/// ```
/// use nnue_format::foreign;
///
/// assert_eq!(foreign("e2e4").to_string(), "e2e4");
/// assert_eq!(foreign("\x1b[31mred").to_string(), "\\u{1b}[31mred");
/// assert_eq!(foreign("x".repeat(1 << 20)).to_string(), "x".repeat(120) + "...");
/// ```
pub fn foreign<T: Display>(text: T) -> Foreign<T> {
    Foreign(text)
}

/// Text that [`foreign`] shows.
#[derive(Clone, Copy, Debug)]
pub struct Foreign<T>(T);

impl<T: Display> Display for Foreign<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = EscapingWriter {
            out: f,
            room: Some(LIMIT),
        };
        write!(shown, "{}", self.0)
    }
}

/// Whether a character controls a terminal, changes the order of the characters around it, or shows
/// nothing: controls, separators of lines, and the characters that Unicode calls ignorable.
///
/// ```
/// use nnue_format::is_hidden;
///
/// assert!(is_hidden('\x1b') && is_hidden('\u{202e}') && is_hidden('\u{200b}'));
/// assert!(!is_hidden('é') && !is_hidden(' ') && !is_hidden('\\'));
/// ```
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            // Separators of lines and of paragraphs, and marks and levels of direction.
            '\u{061c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Blanks that are letters or signs: the fillers of Hangul, and Braille without dots.
            | '\u{115f}'..='\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
            // The other ignorable characters, with the tags, which can hide a whole text.
            | '\u{00ad}' | '\u{034f}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Writes a text with escapes, as far as it is shown.
struct EscapingWriter<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    /// The number of characters for which there is room; `None` after the text was cut.
    room: Option<usize>,
}

impl Write for EscapingWriter<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            let Some(room) = self.room else { break };
            let escaped = is_hidden(letter).then(|| letter.escape_default());
            let width = escaped.as_ref().map_or(1, ExactSizeIterator::len);
            self.room = room.checked_sub(width);
            match (self.room, escaped) {
                (None, _) => self.out.write_str("...")?,
                (_, Some(escaped)) => write!(self.out, "{escaped}")?,
                (_, None) => self.out.write_char(letter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};

    use super::*;

    #[test]
    fn text_without_tricks_is_shown_as_it_is() {
        for text in ["", "Nf3", r#"C:\nets "é" 棋 '♞' `x`"#, &"ß".repeat(LIMIT)] {
            assert_eq!(foreign(text).to_string(), text);
        }
    }

    #[test]
    fn nothing_hidden_is_left_and_nothing_is_lost() {
        let text = "a\r\n\t\0\u{7f}\u{9b}31m\u{2028}\u{202e}cba\u{200b}\u{feff}\u{3164}";
        let shown = foreign(text).to_string();
        assert!(!shown.chars().any(is_hidden), "{shown}");
        assert_eq!(
            shown,
            r"a\r\n\t\u{0}\u{7f}\u{9b}31m\u{2028}\u{202e}cba\u{200b}\u{feff}\u{3164}"
        );
    }

    #[test]
    fn every_hidden_character_is_escaped() {
        for letter in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let shown = foreign(letter).to_string();
            if is_hidden(letter) {
                assert!(shown.starts_with('\\') && shown.is_ascii(), "{shown}")
            } else {
                assert_eq!(shown, String::from(letter))
            }
        }
    }

    #[test]
    fn escapes_count_as_they_are_shown_and_are_not_cut() {
        let shown = foreign("\x1b".repeat(1000)).to_string();
        assert_eq!(shown, "\\u{1b}".repeat(LIMIT / 6) + "...");
        // No later character is shown, even if it would fit, after a character that did not fit.
        let text = "x".repeat(LIMIT - 1) + "\x1b" + "y";
        assert_eq!(foreign(text).to_string(), "x".repeat(LIMIT - 1) + "...");
    }

    #[test]
    fn what_is_written_in_pieces_is_one_text() {
        let (a, b, c) = ("a".repeat(70), "b".repeat(40), "c".repeat(40));
        let shown = foreign(format_args!("{a}{b}\n{c}")).to_string();
        assert_eq!(shown, format!("{a}{b}\\n{}...", &c[..8]));
    }
}
