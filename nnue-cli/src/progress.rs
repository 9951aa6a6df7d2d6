//! Progress on a terminal, on standard error.

use std::io::Write;

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar whose stages have names, below a text that is redrawn with it: the message, whose
/// lines have ends. The name of a stage is the prefix.
pub(crate) fn stages() -> ProgressBar {
    with_template("{msg}{bar:40} {prefix}")
}

/// A progress bar. Measurements draw it only between their parts, because drawing would disturb
/// them.
pub(crate) fn bar() -> ProgressBar {
    with_template("{bar:40} {pos} of {len}, {eta} left")
}

/// A progress bar of a match, whose message is the score so far.
pub(crate) fn bar_with_standing() -> ProgressBar {
    with_template("{bar:20} {pos} of {len} games, {eta} left: {msg}")
}

/// The messages while networks are compiled.
pub(crate) const COMPILING: &str =
    "compiling, which takes a minute or more the first time and less when the spec is the same";

/// Names the work in a line on standard error, where nobody would see the bar: in a file or a pipe,
/// minutes of silence look as if the program hung.
pub(crate) fn say(bar: &ProgressBar, what: &str) {
    if bar.is_hidden() {
        let _ = writeln!(anstream::stderr(), "{what}");
    }
}

fn with_template(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
