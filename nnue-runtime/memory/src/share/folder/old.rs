//! Files that nobody uses any more.

use std::fs::{self, DirEntry};
use std::path::Path;
use std::time::Duration;

use super::Paths;
use super::lock::Lock;

/// The time without use after which files are removed.
const AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Removes files that were not used for 30 days. Files that cannot be removed stay. Processes that
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
    // A process that has the lock writes an old file anew.
    let Ok(Some(lock)) = Lock::attempt(&paths.lock) else {
        return;
    };
    // The file of an old lock is removed with the lock.
    if entry.path() != paths.lock && is_old(entry) {
        let _ = fs::remove_file(entry.path());
    }
    drop(lock);
}

/// The key of a file, if its name is that of a file made here.
fn key_of(entry: &DirEntry) -> Option<String> {
    let name = entry.file_name().into_string().ok()?;
    let (key, kind) = name.split_once('.')?;
    let is_key = key.len() == 64 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_ours = is_key && ["weights", "part", "lock"].contains(&kind);
    is_ours.then(|| key.to_owned())
}

fn is_old(entry: &DirEntry) -> bool {
    let modified = entry.metadata().and_then(|metadata| metadata.modified());
    // Clocks can be wrong, so a file that seems to come from the future is not old.
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > AGE))
}
