//! What others may put in the way of segments of Linux: each test forges one thing and expects that
//! it is passed over.
#![cfg(target_os = "linux")]

mod parts;

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nnue_memory::Key;
use parts::{Part, check_values, hex, is_root, key, say, share_counting, wait, write_values};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};

const LEN: usize = 10_000;

#[test]
fn plays_its_part() {
    let Some((name, key, len)) = parts::part() else {
        return;
    };
    // The user whose names are used is root.
    let forged = match &name[..] {
        "publishes" => {
            let (memory, socket) = publish("0", &key, &memory(&key, len, SEALS));
            (Some(memory), socket)
        }
        "locks" => {
            let socket = stream(&format!("nnue-0-{}-filling", &hex(&key)[..32]));
            listen(&socket, 1).unwrap();
            (None, socket)
        }
        _ => unreachable!(),
    };
    say("forged");
    wait();
    drop(forged);
}

const SEALS: SealFlags = SealFlags::WRITE
    .union(SealFlags::SHRINK)
    .union(SealFlags::GROW)
    .union(SealFlags::SEAL);

/// A memfd as a segment has it.
fn memory(key: &Key, len: usize, seals: SealFlags) -> File {
    named_memory(&format!("nnue-{}", hex(key)), key, len, seals)
}

fn named_memory(name: &str, key: &Key, len: usize, seals: SealFlags) -> File {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut file = File::from(memfd_create(name, flags).unwrap());
    let mut bytes = vec![0; len];
    write_values(key, &mut bytes);
    file.write_all(&bytes).unwrap();
    fcntl_add_seals(&file, seals).unwrap();
    file
}

/// Says where a file is, under the name of a user.
fn publish(user: &str, key: &Key, file: &File) -> (File, OwnedFd) {
    let file = file.try_clone().unwrap();
    let place = format!("{}-{}", std::process::id(), file.as_raw_fd());
    let name = format!("nnue-{user}-{}-{place}", &hex(key)[..32]);
    (file, stream(&name))
}

fn stream(name: &str) -> OwnedFd {
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    let address = SocketAddrUnix::new_abstract_name(name.as_bytes()).unwrap();
    bind(&socket, &address).unwrap();
    socket
}

fn user() -> String {
    rustix::process::geteuid().to_string()
}

/// Whether a process takes the published segment.
fn is_taken(key: &Key, file: &File) -> bool {
    let published = publish(&user(), key, file);
    let (segment, fills) = share_counting(key, LEN, Duration::from_secs(10));
    check_values(key, &segment.map(0, LEN).unwrap()).unwrap();
    drop(published);
    assert_eq!(segment.is_first(), fills == 1);
    fills == 0
}

#[test]
fn only_sealed_memory_of_that_key_and_length_is_taken() {
    // That it is forged well enough to be taken is what gives the others a meaning.
    let right = key();
    assert!(is_taken(&right, &memory(&right, LEN, SEALS)));
    for missing in [
        SealFlags::WRITE,
        SealFlags::SHRINK,
        SealFlags::GROW,
        SealFlags::SEAL,
    ] {
        let key = key();
        let file = memory(&key, LEN, SEALS - missing);
        assert!(!is_taken(&key, &file), "without {missing:?}");
    }
    for len in [LEN - 1, LEN + 1, 0] {
        let key = key();
        assert!(!is_taken(&key, &memory(&key, len, SEALS)), "{len}");
    }
    // Names of sockets have half of the key.
    let key = key();
    let mut other = key;
    other[31] ^= 1;
    assert!(!is_taken(&key, &memory(&other, LEN, SEALS)));
    assert!(!is_taken(&key, &named_memory("x", &key, LEN, SEALS)));
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&[0; LEN]).unwrap();
    assert!(!is_taken(&key, &file));
}

#[test]
fn names_that_lead_nowhere_are_passed_over() {
    let key = key();
    let prefix = format!("nnue-{}-{}-", user(), &hex(&key)[..32]);
    let (pipe, _writer) = std::io::pipe().unwrap();
    // To open the pipe for reading would wait for a writer if it had none.
    let pipe = format!("{}-{}", std::process::id(), pipe.as_raw_fd());
    let places = [
        "1-999999",
        "999999999-3",
        "-1-3",
        "x-y",
        "",
        "3",
        "1-2-3",
        "+1-+3",
        &pipe,
    ];
    let names: Vec<_> = places
        .iter()
        .map(|place| stream(&format!("{prefix}{place}")))
        .collect();
    let (_, fills) = share_counting(&key, LEN, Duration::from_secs(10));
    assert_eq!(fills, 1);
    drop(names);
}

#[test]
fn memory_of_another_user_is_passed_over() {
    if !is_root("that memory of another user is not taken") {
        return;
    }
    let key = key();
    let mut other = Part::as_nobody("publishes", &key, LEN).play();
    assert_eq!(other.says(), "forged");
    let (segment, fills) = share_counting(&key, LEN, Duration::from_secs(10));
    assert!(segment.is_first() && fills == 1);
    drop((segment, other));
    // The same by the same user is taken.
    let mut same = Part::named("publishes", &key, LEN).play();
    assert_eq!(same.says(), "forged");
    let (segment, fills) = share_counting(&key, LEN, Duration::from_secs(10));
    assert!(!segment.is_first() && fills == 0);
}

#[test]
fn a_lock_of_another_user_is_not_waited_for() {
    if !is_root("that nobody waits for a lock of another user") {
        return;
    }
    let key = key();
    let mut other = Part::as_nobody("locks", &key, LEN).play();
    assert_eq!(other.says(), "forged");
    let begin = Instant::now();
    let (_, fills) = share_counting(&key, LEN, Duration::from_secs(60));
    assert_eq!(fills, 1);
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn who_has_the_lock_and_does_not_listen_is_not_waited_for() {
    let key = key();
    let _silent = stream(&format!("nnue-{}-{}-filling", user(), &hex(&key)[..32]));
    let begin = Instant::now();
    let (_, fills) = share_counting(&key, LEN, Duration::from_secs(60));
    assert_eq!(fills, 1);
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_full_queue_is_waited_for_no_longer_than_others() {
    let key = key();
    let lock = stream(&format!("nnue-{}-{}-filling", user(), &hex(&key)[..32]));
    listen(&lock, 0).unwrap();
    let patience = Duration::from_millis(300);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let fill = &mut |_: &mut [u8]| Ok::<(), ()>(());
                let error = nnue_memory::share(&key, LEN as u64, patience, fill).unwrap_err();
                let nnue_memory::ShareError::System(error) = error else {
                    unreachable!();
                };
                assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
            });
        }
    });
    assert!(begin.elapsed() < patience * 4);
}
