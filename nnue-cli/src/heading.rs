//! The lines above a report: which network it is about.

use std::io::{self, Write};

use crate::evaluation::Evaluate;
use crate::style::{FAINT, STRONG, WARNING, paint};

/// Writes the network's name, the file's name, how the network is used, the file's description, and
/// the loader's warnings.
///
/// # Errors
///
/// The errors of the writer.
pub fn write(net: &dyn Evaluate, file: &str, usage: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} · {file} · {usage}", paint(STRONG, net.name()))?;
    let description = one_line(net.description());
    if !description.is_empty() {
        writeln!(out, "{}", paint(FAINT, description))?;
    }
    for warning in net.warnings() {
        writeln!(out, "{} {warning}", paint(WARNING, "warning:"))?;
    }
    Ok(())
}

/// A description as one short line, without control characters that a terminal would obey.
fn one_line(description: &[u8]) -> String {
    const LIMIT: usize = 160;

    let text = String::from_utf8_lossy(description).replace(char::is_control, " ");
    let text = text.trim();
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_stay_on_their_line() {
        assert_eq!(one_line(b" a\tb\x1B[31m\nc\0"), "a b [31m c");
        assert_eq!(one_line(b"\xFF"), "\u{FFFD}");
        let long = one_line(&[b'x'; 1000]);
        assert!(long.len() < 200 && long.ends_with('…'));
    }
}
