//! Access to what all tests of programs check: output, messages, exit codes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// What a run wrote to standard output.
pub(crate) fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).expect("text")
}

/// What it wrote to standard error.
pub(crate) fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).expect("text")
}

/// The standard output of a run, after checking that it succeeded.
pub(crate) fn printed(output: &Output) -> &str {
    assert_eq!((output.status.code(), stderr(output)), (Some(0), ""));
    stdout(output)
}

/// Asserts that a run printed nothing, failed with that code, and said why in these words.
pub(crate) fn assert_refused(output: &Output, code: i32, words: &[&str]) {
    let message = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert_eq!(stdout(output), "");
    assert!(message.starts_with("error: "), "{message}");
    for word in words {
        assert!(message.contains(word), "no `{word}` in {message}");
    }
}

/// A file that only the test of that name uses.
pub(crate) fn scratch(name: &str, content: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).expect("the folder for tests is writable");
    path
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("the project's path is text")
}
