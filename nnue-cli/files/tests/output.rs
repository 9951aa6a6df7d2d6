//! A file is replaced, never written over.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use nnue_files::Output;

/// An empty folder that only the test of that name uses.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("folders can be made");
    folder
}

/// Whoever still has the old file open, or by another name, sees none of the new one: a copy of the
/// new bytes into the old file would show there, and half of them after a kill.
#[test]
fn an_old_file_is_left_as_it_was_under_its_other_name() {
    let folder = folder("replaced");
    let [path, other] = ["net", "other"].map(|name| folder.join(name));
    fs::write(&path, "old").expect("files can be written");
    fs::hard_link(&path, &other).expect("files can be linked");
    nnue_files::write(&path, "new and longer").expect("it can be written");
    assert_eq!(fs::read(&path).expect("it is there"), b"new and longer");
    assert_eq!(fs::read(&other).expect("it is there"), b"old");
}

#[test]
fn nothing_is_left_of_what_is_not_finished() {
    let folder = folder("unfinished");
    let path = folder.join("net");
    fs::write(&path, "old").expect("files can be written");
    let mut output = Output::create(&path).expect("it can be written");
    output.write_all(b"half").expect("it can be written");
    output.flush().expect("it can be written");
    assert_eq!(fs::read(&path).expect("it is there"), b"old");
    drop(output);
    let left = fs::read_dir(&folder).expect("the folder is there");
    let left: Vec<_> = left
        .map(|entry| entry.expect("it is read").file_name())
        .collect();
    assert_eq!(left, ["net"]);
    assert_eq!(fs::read(&path).expect("it is there"), b"old");
}
