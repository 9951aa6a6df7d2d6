//! Progress on a terminal, on standard error.

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar. Measurements draw it only in between, because drawing would disturb them.
#[must_use]
pub fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len}, {eta} left");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
