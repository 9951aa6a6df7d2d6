//! Runs of the program, as a person meets it, in this package's folder.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) fn nnue(arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nnue"));
    command.args(arguments);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.env_remove("NNUE_LEVEL");
    command
}

pub(crate) fn run(arguments: &[impl AsRef<OsStr>]) -> Output {
    nnue(arguments).output().expect("the program starts")
}

/// Standard output of a run that must succeed, silently but for that.
pub(crate) fn output(arguments: &[impl AsRef<OsStr>]) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = run(arguments);
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success() && stderr.is_empty(), "{status}, {stderr}");
    String::from_utf8(stdout).expect("output is text")
}

/// Standard error of a run that must fail with an exit code, and print nothing else.
pub(crate) fn refusal(code: i32, arguments: &[impl AsRef<OsStr>]) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = run(arguments);
    let stderr = String::from_utf8(stderr).expect("errors are text");
    assert_eq!(status.code(), Some(code), "{stderr}");
    assert!(stdout.is_empty(), "{}", String::from_utf8_lossy(&stdout));
    stderr
}

/// A file that only the test of that name uses.
pub(crate) fn scratch(name: &str, content: &[u8]) -> String {
    let path = scratch_path(name);
    std::fs::write(&path, content).expect("temporary files can be written");
    text(&path)
}

/// The path of a file that only the test of that name uses, and that is not there.
pub(crate) fn scratch_path(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().expect("the project's path is text").into()
}
