//! Progress on a terminal, on standard error.

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

fn with_template(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
