//! The styles of texts on a terminal. Standard output drops the styles if it is no terminal.
//!
//! Terminals have light and dark backgrounds, so only colours that can be read on both are used.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// The style of numbers that are good for the player from whose view they are.
const GOOD: Style = AnsiColor::Green.on_default();
/// The style of numbers that are bad for that player.
const BAD: Style = AnsiColor::Red.on_default();
/// The style of ordinary text.
pub(crate) const PLAIN: Style = Style::new();
/// The style of white's pieces.
pub(crate) const WHITE: Style = Style::new().bold();
/// The style of black's pieces.
pub(crate) const BLACK: Style = AnsiColor::Magenta.on_default().bold();
/// The style of the most important values.
pub(crate) const STRONG: Style = Style::new().bold();
/// The style of the table row of the chosen bucket.
pub(crate) const CHOSEN: Style = AnsiColor::Cyan.on_default().bold();
/// The style of lines and captions, which should not distract.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// The style of a warning, which the user should not overlook.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// The style of a number by its sign; zero has no style.
pub(crate) fn of_sign(value: i32) -> Style {
    match value.signum() {
        1 => GOOD,
        -1 => BAD,
        _ => PLAIN,
    }
}

/// A text in a style. Padding must be added to the text before: the result has more characters than
/// a terminal shows.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_ends_with_its_text() {
        assert_eq!(paint(BAD, format!("{:>6}", -12)), "\x1b[31m   -12\x1b[0m");
        assert_eq!(paint(of_sign(0), 0), "0");
        assert_ne!(of_sign(1), of_sign(-1));
    }
}
