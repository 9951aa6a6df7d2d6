//! The specs of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// The specs in a folder of the repository, such as `tests/specs`, and in the folders in it, sorted.
///
/// # Panics
///
/// If a folder cannot be read.
#[must_use]
pub fn specs_in(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the repository has the folder") {
            let path = entry.expect("folders can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "toml") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
