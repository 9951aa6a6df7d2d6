//! Segments that are files of a folder.
#![cfg(unix)]

mod parts;

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use nnue_memory::{Key, Segment, ShareError, share_in_folder};
use parts::{LONG, Part, check_values, hex, is_root, key, play_sharing, write_values};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, setrlimit};
use tempfile::TempDir;

const LEN: usize = 2 * nnue_memory::ALIGNMENT + 17;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[test]
fn plays_its_part() {
    let Some((name, key, len)) = parts::part() else {
        return;
    };
    if name == "is limited" {
        let limit = Rlimit {
            current: Some(len as u64 - 1),
            maximum: None,
        };
        setrlimit(Resource::Fsize, limit).unwrap();
    }
    play_sharing(&key, len);
}

fn try_to_share(folder: &Path, key: &Key, len: usize) -> (io::Result<Segment>, usize) {
    let mut fills = 0;
    let mut fill = |bytes: &mut [u8]| {
        write_values(key, bytes);
        fills += 1;
        Ok::<(), io::Error>(())
    };
    // SAFETY: what these tests change in the folder, nobody has mapped.
    let shared = unsafe { share_in_folder(folder, key, len as u64, LONG, &mut fill) };
    let shared = shared.map_err(|error| match error {
        ShareError::System(error) | ShareError::Fill(error) => error,
    });
    (shared, fills)
}

/// Shares, checks the memory, and tells whether it was filled.
fn fills(folder: &Path, key: &Key) -> bool {
    let (segment, fills) = try_to_share(folder, key, LEN);
    let segment = segment.unwrap();
    assert_eq!(segment.is_first(), fills == 1);
    assert_eq!(segment.len(), LEN as u64);
    check_values(key, &segment.map(0, LEN).unwrap()).unwrap();
    fills == 1
}

fn weights(folder: &Path, key: &Key) -> PathBuf {
    folder.join(format!("{}.weights", hex(key)))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn only(key: &Key) -> [String; 1] {
    [format!("{}.weights", hex(key))]
}

#[test]
fn a_file_is_made_once_and_for_the_user_alone() {
    let (outer, key) = (tempfile::tempdir().unwrap(), key());
    let folder = outer.path().join("a/b");
    assert!(fills(&folder, &key));
    assert!(!fills(&folder, &key));
    assert_eq!(names(&folder), only(&key));
    assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    assert_eq!(
        fs::metadata(weights(&folder, &key)).unwrap().mode() & 0o777,
        0o400
    );
}

#[test]
fn two_processes_see_the_same_file() {
    let (folder, key) = (tempfile::tempdir().unwrap(), key());
    let mut first = Part::new(&key, LEN).in_folder(folder.path()).play();
    assert_eq!(first.says(), "filled");
    let mut second = Part::new(&key, LEN).in_folder(folder.path()).play();
    assert_eq!(second.says(), "found");
    first.gets_killed();
    second.goes_on();
    assert_eq!(second.says(), "still right");
    if cfg!(target_os = "linux") {
        second.says();
        let inode = fs::metadata(weights(folder.path(), &key)).unwrap().ino();
        assert_eq!(second.says(), format!("inode {inode}"));
    }
}

#[test]
fn two_hundred_processes_at_once_make_one() {
    let (folder, key) = (tempfile::tempdir().unwrap(), key());
    let part = || {
        Part::new(&key, LEN)
            .in_folder(folder.path())
            .waits()
            .slowly()
            .play()
    };
    let mut players: Vec<_> = (0..200).map(|_| part()).collect();
    for player in &mut players {
        player.goes_on();
    }
    let said: Vec<_> = players.iter_mut().map(|player| player.says()).collect();
    let count = |what| said.iter().filter(|said| *said == what).count();
    assert_eq!((count("filled"), count("found")), (1, 199), "{said:?}");
    assert_eq!(names(folder.path()), only(&key));
}

#[test]
fn what_a_killed_process_has_left_is_taken_over() {
    let (folder, key) = (tempfile::tempdir().unwrap(), key());
    for tenth in 0..=10 {
        let mut first = Part::new(&key, LEN)
            .in_folder(folder.path())
            .stops_at(tenth)
            .play();
        assert_eq!(first.says(), "filling");
        let mut waiting = Part::new(&key, LEN).in_folder(folder.path()).play();
        first.gets_killed();
        assert_eq!(waiting.says(), "filled");
        assert_eq!(names(folder.path()), only(&key));
        fs::remove_file(weights(folder.path(), &key)).unwrap();
    }
    // And without anybody who waits.
    let mut first = Part::new(&key, LEN)
        .in_folder(folder.path())
        .stops_at(5)
        .play();
    assert_eq!(first.says(), "filling");
    first.gets_killed();
    assert_eq!(names(folder.path()).len(), 2);
    assert!(fills(folder.path(), &key));
    assert_eq!(names(folder.path()), only(&key));
}

#[test]
fn nobody_hangs_behind_a_stopped_process() {
    let (folder, key) = (tempfile::tempdir().unwrap(), key());
    let mut first = Part::new(&key, LEN)
        .in_folder(folder.path())
        .stops_at(5)
        .play();
    assert_eq!(first.says(), "filling");
    kill_process(
        Pid::from_raw(first.id().cast_signed()).unwrap(),
        Signal::STOP,
    )
    .unwrap();
    let begin = Instant::now();
    let patience = Duration::from_millis(300);
    let mut part = Part::new(&key, LEN)
        .in_folder(folder.path())
        .patience(patience)
        .play();
    assert_eq!(part.says(), "error TimedOut");
    assert!(begin.elapsed() >= patience && begin.elapsed() < patience * 10);
}

#[test]
fn what_fails_leaves_nothing() {
    let (folder, key) = (tempfile::tempdir().unwrap(), key());
    let mut fill = |_: &mut [u8]| Err("no network");
    // SAFETY: nobody else knows the folder.
    let failed = unsafe { share_in_folder(folder.path(), &key, LEN as u64, LONG, &mut fill) };
    assert!(matches!(failed, Err(ShareError::Fill("no network"))));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn only_whole_files_that_others_cannot_write_are_used() {
    let (folder, key) = (tempfile::tempdir().unwrap(), key());
    let path = weights(folder.path(), &key);
    let mut bytes = vec![0; LEN + 1];
    write_values(&key, &mut bytes);
    let with = |bytes: &[u8], mode| {
        let _ = fs::remove_file(&path);
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        fills(folder.path(), &key)
    };
    // That this one is used gives the others a meaning.
    assert!(!with(&bytes[..LEN], 0o600));
    assert!(with(&bytes[..LEN - 1], 0o600));
    assert!(with(&bytes[..LEN + 1], 0o600));
    assert!(with(&[], 0o600));
    assert!(with(&bytes[..LEN], 0o620));
    assert!(with(&bytes[..LEN], 0o602));

    fs::rename(&path, folder.path().join("other")).unwrap();
    symlink("other", &path).unwrap();
    assert!(fills(folder.path(), &key));
    fs::remove_file(&path).unwrap();
    let made = Command::new("mkfifo")
        .arg("-m600")
        .arg(&path)
        .status()
        .unwrap();
    assert!(made.success());
    assert!(fills(folder.path(), &key));
    // A folder in its place cannot be replaced.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(try_to_share(folder.path(), &key, LEN).0.is_err());
    fs::remove_dir(&path).unwrap();

    if is_root("that a file of another user is not used") {
        assert!(!with(&bytes[..LEN], 0o600));
        chown(&path, Some(65534), Some(65534)).unwrap();
        assert!(fills(folder.path(), &key));
    }
}

#[test]
fn folders_that_others_may_write_are_refused() {
    let (folder, key) = (tempfile::tempdir().unwrap(), key());
    let refused = || {
        let (segment, fills) = try_to_share(folder.path(), &key, LEN);
        let error = segment.unwrap_err();
        assert_eq!((error.kind(), fills), (ErrorKind::PermissionDenied, 0));
        assert_eq!(names(folder.path()), [""; 0]);
        error.to_string()
    };
    for mode in [0o770, 0o707, 0o1777] {
        fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
        assert!(refused().contains(&format!("has mode {mode:o}")));
    }
    fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
    if is_root("that a folder of another user is refused") {
        chown(folder.path(), Some(65534), Some(65534)).unwrap();
        assert!(refused().contains("belongs to user 65534"));
    }
}

#[test]
fn folders_that_cannot_be_written_are_only_read() {
    let (folder, key) = (folder_of_nobody(), key());
    let part = || nobody("share", &key).in_folder(folder.path()).play();
    let set = |mode| fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
    set(0o500);
    assert_eq!(part().says(), "error PermissionDenied");
    set(0o700);
    assert_eq!(part().says(), "filled");
    set(0o500);
    assert_eq!(part().says(), "found");
    set(0o000);
    assert_eq!(part().says(), "error PermissionDenied");
    set(0o700);
}

/// Root may write anywhere, so a user without rights plays its part.
fn nobody(name: &str, key: &Key) -> Part {
    if rustix::process::geteuid().is_root() {
        Part::as_nobody(name, key, LEN)
    } else {
        Part::named(name, key, LEN)
    }
}

fn folder_of_nobody() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    if rustix::process::geteuid().is_root() {
        chown(folder.path(), Some(65534), Some(65534)).unwrap();
    }
    folder
}

#[test]
fn who_may_not_enter_gets_an_error() {
    if !is_root("that the folder of another user is an error") {
        return;
    }
    let (folder, key) = (tempfile::tempdir().unwrap(), key());
    let mut inside = nobody("share", &key)
        .in_folder(&folder.path().join("a"))
        .play();
    assert_eq!(inside.says(), "error PermissionDenied");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    if !is_root("a full disk") {
        return;
    }
    let (folder, key) = (tempfile::tempdir().unwrap(), key());
    let mount = |options: &[&str]| {
        let mut command = Command::new("mount");
        command
            .args(["-t", "tmpfs"])
            .args(options)
            .arg("tmpfs")
            .arg(folder.path());
        command.status().unwrap().success()
    };
    if !mount(&["-o", "size=1m,mode=700"]) {
        parts::skipped("a full disk, since nothing can be mounted here");
        return;
    }
    let (segment, fills) = try_to_share(folder.path(), &key, LEN);
    let left = names(folder.path());
    let small = try_to_share(folder.path(), &key, 4096)
        .0
        .map(|segment| segment.len());
    assert!(
        Command::new("umount")
            .arg(folder.path())
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(
        (segment.unwrap_err().kind(), fills),
        (ErrorKind::StorageFull, 0)
    );
    assert_eq!(left, [""; 0]);
    assert_eq!(small.unwrap(), 4096);
}

#[test]
fn limits_of_the_size_of_files_are_errors() {
    let (folder, key) = (tempfile::tempdir().unwrap(), key());
    let limited = || Part::named("is limited", &key, LEN);
    assert_eq!(
        limited().in_folder(folder.path()).play().says(),
        "error FileTooLarge"
    );
    assert_eq!(names(folder.path()), [""; 0]);
    if cfg!(target_os = "linux") {
        assert_eq!(limited().play().says(), "error FileTooLarge");
    }
}

#[test]
fn what_nobody_uses_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let keys: [Key; 6] = std::array::from_fn(|_| key());
    let make = |name: &str, days: u32| {
        let path = folder.path().join(name);
        fs::write(&path, name).unwrap();
        File::open(&path)
            .unwrap()
            .set_modified(SystemTime::now() - days * DAY)
            .unwrap();
        path
    };
    let [old, left, recent, locked, used, new] = keys.map(|key| hex(&key));
    make(&format!("{old}.weights"), 31);
    make(&format!("{left}.part"), 31);
    make(&format!("{left}.lock"), 31);
    make(&format!("{recent}.weights"), 29);
    make(&format!("{locked}.weights"), 31);
    make("notes.weights", 31);
    make(&format!("{old}.txt"), 31);
    let lock = File::create(folder.path().join(format!("{locked}.lock"))).unwrap();
    lock.lock().unwrap();
    assert!(fills(folder.path(), &keys[4]));
    let used_at = make_old(&weights(folder.path(), &keys[4]));

    // Files that are used become new.
    assert!(!fills(folder.path(), &keys[4]));
    let modified = fs::metadata(weights(folder.path(), &keys[4]))
        .unwrap()
        .modified()
        .unwrap();
    assert!(modified > used_at + 30 * DAY);
    assert!(fills(folder.path(), &keys[5]));
    let mut expected = [
        format!("{recent}.weights"),
        format!("{locked}.weights"),
        format!("{locked}.lock"),
        format!("{used}.weights"),
        format!("{new}.weights"),
        "notes.weights".to_owned(),
        format!("{old}.txt"),
    ];
    expected.sort();
    assert_eq!(names(folder.path()), expected);
}

fn make_old(path: &Path) -> SystemTime {
    let time = SystemTime::now() - 31 * DAY;
    File::open(path).unwrap().set_modified(time).unwrap();
    time
}
