//! One program at a time in a folder.

use std::fs;
use std::sync::mpsc::channel;
use std::thread;

use nnue_tools::files::{Error, Lock};

#[test]
fn a_folder_has_one_lock_at_a_time() {
    let folder = std::env::temp_dir().join(format!("nnue-lock-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("temporary folders can be made");
    let first = Lock::folder(&folder).expect("it is free");
    let second = Lock::folder(&folder);
    assert!(matches!(second, Err(Error::Locked { .. })), "{second:?}");
    let (sender, waits) = channel();
    let waiting = {
        let folder = folder.clone();
        thread::spawn(move || {
            let told = || sender.send(()).expect("the test waits for it");
            Lock::wait_for_folder(&folder, told).map(drop)
        })
    };
    waits.recv().expect("it has to wait");
    drop(first);
    waiting.join().expect("no panic").expect("it is free again");
    Lock::wait_for_folder(&folder, || panic!("nobody has it")).expect("it is free");
    fs::remove_dir_all(folder).expect("it is ours");
}
