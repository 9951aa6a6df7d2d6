//! The lines above a report: which network it is about.

use std::io::{self, Write};

use nnue_compiler::format::foreign;

use crate::inputs::ChosenNet;
use crate::style::{FAINT, STRONG, WARNING, paint};

/// Writes the network's name, the file's name, how the network is used, the file's description, and
/// the loader's warnings.
pub(crate) fn write(net: &ChosenNet, usage: &str, out: &mut dyn Write) -> io::Result<()> {
    let name = paint(STRONG, foreign(&net.file.network.name));
    writeln!(out, "{name} · {} · {usage}", foreign(&net.name))?;
    let description = one_line(&net.file.loaded.description);
    if !description.is_empty() {
        writeln!(out, "{}", paint(FAINT, description))?;
    }
    for warning in net.file.warnings() {
        writeln!(out, "{} {warning}", paint(WARNING, "warning:"))?;
    }
    Ok(())
}

/// A description as one short line. Some files fill it up with zeros.
fn one_line(description: &[u8]) -> String {
    let text = String::from_utf8_lossy(description);
    let words: Vec<&str> = text.trim_end_matches('\0').split_whitespace().collect();
    foreign(words.join(" ")).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_stay_on_their_line() {
        assert_eq!(one_line(b" a\tb\x1B[31m\nc\0"), r"a b\u{1b}[31m c");
        assert_eq!(one_line(b"\xFF"), "\u{FFFD}");
        let long = one_line(&[b'x'; 1000]);
        assert!(long.len() < 200 && long.ends_with("..."));
    }
}
