//! Maps of files.
#![cfg(any(unix, windows))]

use std::fs::File;
use std::io::{ErrorKind, Write};

use nnue_memory::{ALIGNMENT, Mapping};

const LEN: usize = 2 * ALIGNMENT + 5000;

fn byte(index: usize) -> u8 {
    (index * 31 + index / 4096) as u8
}

fn file() -> File {
    let mut file = tempfile::tempfile().unwrap();
    let bytes: Vec<u8> = (0..LEN).map(byte).collect();
    file.write_all(&bytes).unwrap();
    file
}

fn map(file: &File, offset: u64, len: usize) -> std::io::Result<Mapping> {
    // SAFETY: the file has no name, and no test writes it once it is mapped.
    unsafe { Mapping::of_file(file, offset, len) }
}

fn check(map: &[u8], offset: usize, len: usize) {
    assert_eq!(map.len(), len);
    assert!(
        map.iter()
            .enumerate()
            .all(|(index, &value)| value == byte(offset + index))
    );
    if cfg!(unix) && len >= ALIGNMENT {
        assert_eq!(map.as_ptr().addr() % ALIGNMENT, 0);
    }
}

#[test]
fn parts_are_mapped_where_huge_pages_begin() {
    let file = file();
    let parts = [
        (0, LEN),
        (0, 1),
        (0, ALIGNMENT),
        (0, ALIGNMENT - 1),
        (0, ALIGNMENT + 1),
        (1, ALIGNMENT),
        (1, ALIGNMENT + 5000),
        (2, 5000),
        (2, 0),
    ];
    for (piece, len) in parts {
        let offset = piece * ALIGNMENT;
        check(&map(&file, offset as u64, len).unwrap(), offset, len);
    }
}

#[test]
fn maps_outlive_the_file_and_go_to_other_threads() {
    let map = {
        let file = file();
        map(&file, 0, LEN).unwrap()
    };
    let map = &map;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || check(map, 0, LEN));
        }
    });
}

#[test]
fn wrong_parts_are_refused() {
    let file = file();
    let kind = |offset, len| map(&file, offset, len).unwrap_err().kind();
    assert_eq!(kind(4096, 1), ErrorKind::InvalidInput);
    assert_eq!(kind(0, LEN + 1), ErrorKind::UnexpectedEof);
    assert_eq!(kind(3 * ALIGNMENT as u64, 1), ErrorKind::UnexpectedEof);
    assert_eq!(kind(ALIGNMENT as u64, usize::MAX), ErrorKind::UnexpectedEof);
    assert_eq!(
        kind(u64::MAX - ALIGNMENT as u64 + 1, ALIGNMENT),
        ErrorKind::UnexpectedEof
    );
}

#[test]
#[cfg(target_os = "linux")]
fn all_addresses_are_given_back() {
    let addresses = || {
        let maps = std::fs::read_to_string("/proc/self/statm").unwrap();
        maps.split(' ').next().unwrap().parse::<usize>().unwrap() * 4096
    };
    let file = file();
    drop(map(&file, 0, LEN).unwrap());
    let before = addresses();
    for _ in 0..400 {
        drop(map(&file, 0, LEN).unwrap());
    }
    // Other tests run at the same time and have some maps and threads.
    assert!(addresses() < before + 40 * LEN);
}
