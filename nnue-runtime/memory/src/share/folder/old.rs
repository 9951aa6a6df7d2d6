//! Files that nobody uses any more.

use std::fs::{self, DirEntry};
use std::path::Path;
use std::time::Duration;

use super::Paths;
use super::lock::Lock;

/// After how long without use files are removed.
const AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Removes what has not been used for 30 days, and what cannot be removed stays. Processes that
/// have mapped a file keep it.
pub(super) fn remove(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if let Some(key) = key_of(&entry)
            && is_old(&entry)
        {
            remove_one(folder, &key, &entry);
        }
    }
}

fn remove_one(folder: &Path, key: &str, entry: &DirEntry) {
    let paths = Paths::new(folder, key);
    // Who has the lock writes what is old as new.
    let Ok(Some(lock)) = Lock::attempt(&paths.lock) else {
        return;
    };
    // An old lock goes with the lock.
    if entry.path() != paths.lock && is_old(entry) {
        let _ = fs::remove_file(entry.path());
    }
    drop(lock);
}

/// The key of a file, if files that are made here have such a name.
fn key_of(entry: &DirEntry) -> Option<String> {
    let name = entry.file_name().into_string().ok()?;
    let (key, kind) = name.split_once('.')?;
    let is_key = key.len() == 64 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_ours = is_key && ["weights", "part", "lock"].contains(&kind);
    is_ours.then(|| key.to_owned())
}

fn is_old(entry: &DirEntry) -> bool {
    let modified = entry.metadata().and_then(|metadata| metadata.modified());
    // Clocks go wrong, and what seems to come from the future is not old.
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > AGE))
}
