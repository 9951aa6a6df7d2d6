//! How texts look at a terminal. Standard output loses the styles where nobody sees them.
//!
//! Terminals have light and dark backgrounds, so only colours that can be read on both are used.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Good for the player from whose view numbers are.
const GOOD: Style = AnsiColor::Green.on_default();
/// Bad for that player.
const BAD: Style = AnsiColor::Red.on_default();
/// A text like those around it.
pub(crate) const PLAIN: Style = Style::new();
/// A piece of white's.
pub(crate) const WHITE: Style = Style::new().bold();
/// A piece of black's.
pub(crate) const BLACK: Style = AnsiColor::Magenta.on_default().bold();
/// A value that matters more than those around it.
pub(crate) const STRONG: Style = Style::new().bold();
/// The table row of the chosen bucket.
pub(crate) const CHOSEN: Style = AnsiColor::Cyan.on_default().bold();
/// Lines and captions, which should not distract.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// A warning, which the user should not overlook.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// The style of a number by its sign; zero has none.
pub(crate) fn of_sign(value: i32) -> Style {
    match value.signum() {
        1 => GOOD,
        -1 => BAD,
        _ => PLAIN,
    }
}

/// A text in a style. Widths have to be given to the text: a wider result has more characters than
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
