//! Runs of the program, as a person meets it, in this package's folder.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::ffi::OsStr;
#[cfg(unix)]
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use nnue_tools::files::Lock;

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

/// Standard output of a run that must succeed, and print nothing on standard error.
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

/// What a run wrote to standard output.
pub(crate) fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).expect("output is text")
}

/// What it wrote to standard error.
pub(crate) fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).expect("errors are text")
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

/// The standard output of a run that must have succeeded, with nothing on standard error.
pub(crate) fn printed(output: &Output) -> &str {
    assert_eq!((output.status.code(), stderr(output)), (Some(0), ""));
    stdout(output)
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

/// A file of that name for the test that asks.
pub(crate) fn scratch(name: &str, content: &[u8]) -> String {
    let path = scratch_path(name);
    std::fs::write(&path, content).expect("temporary files can be written");
    text(&path)
}

/// The path of a file of that name for the test that asks. The file is not there.
pub(crate) fn scratch_path(name: &str) -> PathBuf {
    let path = scratch_folder().join(name);
    let _ = std::fs::remove_file(&path);
    path
}

/// A folder for the thread that asks, and so for a test: many run in one program and at the same
/// time. It is empty at first.
pub(crate) fn scratch_folder() -> PathBuf {
    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static FOLDER: PathBuf = {
            let number = TAKEN.fetch_add(1, Ordering::Relaxed);
            let folder = OF_THIS_PROCESS.0.join(number.to_string());
            std::fs::create_dir(&folder).expect("temporary files can be written");
            folder
        };
    }
    FOLDER.with(PathBuf::clone)
}

/// The folder in which `nnue` compiles networks, for one test at a time: in a folder of its own, each
/// test would compile the runtime again.
pub(crate) fn cache() -> (MutexGuard<'static, ()>, String) {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    (turn, text(&OF_THIS_PROCESS.0.join("cache")))
}

/// The first folder that no other process of tests has, and what keeps it.
static OF_THIS_PROCESS: LazyLock<(PathBuf, Lock)> = LazyLock::new(|| {
    let folders =
        (0..).map(|number| Path::new(env!("CARGO_TARGET_TMPDIR")).join(number.to_string()));
    let claimed = folders.map(|folder| {
        std::fs::create_dir_all(&folder).expect("temporary files can be written");
        let lock = Lock::folder(&folder).ok()?;
        let files = folder.join("files");
        let _ = std::fs::remove_dir_all(&files);
        std::fs::create_dir(&files).expect("what a test has left can be removed");
        Some((files, lock))
    });
    claimed.flatten().next().expect("there is no last one")
});

/// Writes a program that can be started. Another process writes it: while this one has a file open,
/// a program that another test starts at the same moment inherits it, and the system runs no file
/// that somebody writes.
#[cfg(unix)]
pub(crate) fn write_executable(path: &Path, script: &str) {
    let mut shell = Command::new("/bin/sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("there is a shell");
    let mut input = shell.stdin.take().expect("it is piped");
    input.write_all(script.as_bytes()).expect("the shell reads");
    drop(input);
    let status = shell.wait().expect("nobody else waits for it");
    assert!(
        status.success(),
        "{} cannot be written: {status}",
        path.display()
    );
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().expect("the project's path is text").into()
}
