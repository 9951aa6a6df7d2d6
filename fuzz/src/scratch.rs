//! A file for what reads files alone.

use std::path::PathBuf;
use std::{env, fs, process};

/// Writes the file of this process, in memory where the system has a place for that.
///
/// # Panics
///
/// If it cannot be written.
pub fn file(content: &[u8]) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() {
        memory
    } else {
        env::temp_dir()
    };
    let path = folder.join(format!("nnue-fuzz-{}", process::id()));
    fs::write(&path, content).expect("temporary files can be written");
    path
}
