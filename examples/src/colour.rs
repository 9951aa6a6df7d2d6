//! Colour where the reader is a person at a terminal.

use std::env;
use std::fmt;
use std::io::IsTerminal;

/// The role of a text, which decides its colour. Terminals have light and dark backgrounds, so only
/// colours that can be read on both are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Good for the player from whose view numbers are.
    Good,
    /// Bad for that player.
    Bad,
    /// A piece of white's.
    White,
    /// A piece of black's.
    Black,
    /// A value that matters more than those around it.
    Strong,
    /// The table row of the chosen bucket.
    Chosen,
    /// Lines and captions, which should not distract.
    Faint,
    /// A warning, which the user should not overlook.
    Warning,
}

impl Style {
    /// The style of a number by its sign; zero has none.
    pub fn of_sign(value: i32) -> Option<Style> {
        match value.signum() {
            1 => Some(Style::Good),
            -1 => Some(Style::Bad),
            _ => None,
        }
    }

    /// The parameters of the escape sequence that begins it.
    const fn code(self) -> &'static str {
        match self {
            Style::Good => "32",
            Style::Bad => "31",
            Style::White | Style::Strong => "1",
            Style::Black => "1;35",
            Style::Chosen => "1;36",
            Style::Faint => "2",
            Style::Warning => "1;33",
        }
    }
}

/// Whether to write colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colours(bool);

impl Colours {
    /// Colours are always written.
    pub const ON: Colours = Colours(true);
    /// Colours are never written.
    pub const OFF: Colours = Colours(false);

    /// Colours if `output` is a terminal that has them, and the environment variable `NO_COLOR` is
    /// not set or empty.
    pub fn for_output(output: &impl IsTerminal) -> Colours {
        let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let impossible = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        Colours(output.is_terminal() && !unwanted && !impossible)
    }

    /// A text in a style, or as it is if there is none. Padding ignores the escape sequences.
    pub fn paint<T: fmt::Display>(self, style: impl Into<Option<Style>>, text: T) -> Painted<T> {
        Painted {
            style: style.into().filter(|_| self.0),
            text,
        }
    }
}

/// A text in a style.
pub struct Painted<T> {
    style: Option<Style>,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(style) = self.style else {
            return self.text.fmt(f);
        };
        write!(f, "\x1B[{}m", style.code())?;
        self.text.fmt(f)?;
        f.write_str("\x1B[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_counts_what_is_seen() {
        let painted = Colours::ON.paint(Style::Bad, -12);
        assert_eq!(format!("{painted:>6}"), "\x1B[31m   -12\x1B[0m");
        let plain = Colours::OFF.paint(Style::Bad, -12);
        assert_eq!(format!("{plain:>6}"), "   -12");
    }

    #[test]
    fn zero_has_no_colour() {
        assert_eq!(Colours::ON.paint(Style::of_sign(0), "0").to_string(), "0");
        assert_ne!(Style::of_sign(1), Style::of_sign(-1));
    }
}
