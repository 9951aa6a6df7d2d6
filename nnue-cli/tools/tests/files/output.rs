//! A file is replaced, never written over.

use std::fs;
use std::path::{Path, PathBuf};

use nnue_tools::files::Output;

/// An empty folder that only the test of that name uses.
pub(super) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("folders can be made");
    folder
}

/// A program that still has the old file open, or by another name, sees nothing of the new file: a
/// copy of the new bytes into the old file would show there, and half of them after a kill.
#[test]
fn an_old_file_is_left_as_it_was_under_its_other_name() {
    let folder = folder("replaced");
    let [path, other] = ["net", "other"].map(|name| folder.join(name));
    fs::write(&path, "old").expect("files can be written");
    fs::hard_link(&path, &other).expect("files can be linked");
    nnue_tools::files::write(&path, "new and longer").expect("it can be written");
    assert_eq!(fs::read(&path).expect("it is there"), b"new and longer");
    assert_eq!(fs::read(&other).expect("it is there"), b"old");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("it is read").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
    names.sort();
    names
}

/// What others have named alike is not of a killed program.
#[test]
fn what_a_killed_program_has_left_is_removed() {
    let folder = folder("left");
    let path = folder.join("net");
    let others = ["net.part", "net.nnue-x.part", "other.nnue-0.part"];
    for name in others.into_iter().chain(["net.nnue-0.part"]) {
        fs::write(folder.join(name), "half").expect("files can be written");
    }
    nnue_tools::files::write(&path, "new").expect("it can be written");
    assert_eq!(
        names(&folder),
        ["net", "net.nnue-x.part", "net.part", "other.nnue-0.part"]
    );
    // A folder of that name is not ours, and is in nobody's way.
    fs::create_dir(folder.join("net.nnue-0.part")).expect("folders can be made");
    nnue_tools::files::write(&path, "newer").expect("it can be written");
    assert!(folder.join("net.nnue-0.part").is_dir());
    assert_eq!(fs::read(&path).expect("it is there"), b"newer");
}

#[test]
fn living_programs_keep_what_they_write() {
    let folder = folder("living");
    let path = folder.join("net");
    let mut outputs = ["first", "second", "third"].map(|text| {
        let mut output = Output::create(&path).expect("it can be written");
        output.add(text.as_bytes()).expect("it can be written");
        output
    });
    outputs.reverse();
    for (output, text) in outputs.into_iter().zip(["third", "second", "first"]) {
        output.finish().expect("nobody has removed it");
        assert_eq!(fs::read(&path).expect("it is there"), text.as_bytes());
    }
    assert_eq!(names(&folder), ["net"]);
}

/// New code for what runs with the rights of another user would be a way to become that user.
#[cfg(unix)]
#[test]
fn access_is_kept_and_rights_of_programs_are_not() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    let path = folder("access").join("net");
    fs::write(&path, "old").expect("files can be written");
    // Only root can give files away.
    let is_given = chown(&path, Some(65_534), Some(65_534)).is_ok();
    let mode = fs::Permissions::from_mode(0o4750);
    fs::set_permissions(&path, mode).expect("it is ours");
    let before = fs::metadata(&path).expect("it is there");
    nnue_tools::files::write(&path, "new").expect("it can be written");
    let after = fs::metadata(&path).expect("it is there");
    assert_eq!(after.mode() & 0o7777, 0o750);
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    if !is_given {
        eprintln!("LEFT OUT: only root can write files of others, whose owners are to be kept");
    }
}

/// A file without a name, which some program has open, has only the path of its handle.
#[cfg(target_os = "linux")]
#[test]
fn what_has_no_name_any_more_gets_none() {
    use std::os::fd::AsRawFd;

    let folder = folder("nameless");
    let path = folder.join("net");
    fs::write(&path, "old and longer").expect("files can be written");
    let file = fs::File::options().read(true).write(true).open(&path);
    let file = file.expect("it is there");
    fs::remove_file(&path).expect("it is ours");
    let handle = format!("/proc/self/fd/{}", file.as_raw_fd());
    nnue_tools::files::write(Path::new(&handle), "new").expect("it can be written");
    assert_eq!(std::io::read_to_string(&file).expect("it is open"), "new");
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0);
}
