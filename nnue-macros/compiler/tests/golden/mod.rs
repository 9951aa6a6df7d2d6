//! Files of expected text. With `UPDATE_GOLDEN=1`, the tests of a package write what they found into
//! them; read the diff to see whether it is right. Tests of `nnue-cli` use this file too.

use std::fs;
use std::path::{Path, PathBuf};

/// Differing lines that are shown at most.
const SHOWN_LINES: usize = 12;

/// A file or folder of this package.
pub(crate) fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// Confirms that `file` says `found`, or makes it say so when `UPDATE_GOLDEN` is set.
///
/// # Errors
///
/// The first lines that differ.
pub(crate) fn compare(file: &Path, found: &str) -> Result<(), String> {
    let expected = fs::read_to_string(file).unwrap_or_default();
    if expected == found {
        return Ok(());
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        return fs::write(file, found)
            .map_err(|error| format!("cannot write {}: {error}", file.display()));
    }
    Err(format!(
        "{} differs: - expected, + found\n{}\n`UPDATE_GOLDEN=1 cargo test -p {}` accepts what was found",
        file.display(),
        difference(&expected, found),
        env!("CARGO_PKG_NAME")
    ))
}

/// From the first line that differs on, until the texts meet again or enough was shown.
fn difference(expected: &str, found: &str) -> String {
    let (expected, found): (Vec<&str>, Vec<&str>) =
        (expected.lines().collect(), found.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let first = expected.iter().zip(&found).take_while(same).count();
    let (expected, found) = (&expected[first..], &found[first..]);
    let last = expected.iter().rev().zip(found.iter().rev());
    let last = last.take_while(same).count();
    let marked = |mark: &str, lines: &[&str]| {
        let changed = &lines[..lines.len() - last];
        let shown = changed.iter().take(SHOWN_LINES);
        let mut text: Vec<String> = shown.map(|line| format!("{mark} {line}")).collect();
        if changed.len() > SHOWN_LINES {
            text.push(format!("{mark} ... {} lines", changed.len()));
        }
        text
    };
    let mut text = vec![format!("line {}:", first + 1)];
    text.extend(marked("-", expected));
    text.extend(marked("+", found));
    text.join("\n")
}
