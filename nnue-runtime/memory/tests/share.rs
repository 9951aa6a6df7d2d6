//! Segments of Linux and the processes that share them.
#![cfg(target_os = "linux")]

mod parts;

use std::convert::Infallible;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nnue_memory::{ALIGNMENT, Key, ShareError, huge_bytes, share};
use parts::{LONG, Part, check_values, hex, key, play_sharing, share_counting, skipped, smaps};
use rustix::mm::{MapFlags, ProtFlags, mmap};
use rustix::process::{Pid, Signal, kill_process};

const LEN: usize = 2 * ALIGNMENT + 4096 * 3 + 17;

#[test]
fn plays_its_part() {
    match parts::part() {
        Some((name, key, len)) if name == "share" => play_sharing(&key, len),
        Some(_) => unreachable!(),
        None => {}
    }
}

/// The segments that are published for a key.
fn names(key: &Key) -> Vec<String> {
    let sockets = fs::read("/proc/net/unix").unwrap();
    let sockets = String::from_utf8_lossy(&sockets);
    let names = sockets
        .lines()
        .filter_map(|line| Some(line.split_once('@')?.1.to_owned()));
    let of_key = hex(key)[..32].to_owned();
    names.filter(|name| name.contains(&of_key)).collect()
}

/// The names, once only `count` are left. Programs that other tests start have all descriptors of
/// this process for a moment, before they are other programs. So it may take that long.
fn names_left(key: &Key, count: usize) -> Vec<String> {
    let begin = Instant::now();
    loop {
        let names = names(key);
        if names.len() == count {
            return names;
        }
        assert!(begin.elapsed() < Duration::from_secs(5), "{names:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

fn assert_nothing_is_left(key: &Key) {
    names_left(key, 0);
}

#[test]
fn two_processes_see_the_same_pages() {
    let key = key();
    let (segment, fills) = share_counting(&key, LEN, LONG);
    assert!(segment.is_first() && fills == 1 && segment.len() == LEN as u64);
    let map = segment.map(0, LEN).unwrap();
    check_values(&key, &map).unwrap();
    let alone = smaps(&map);
    assert_eq!(alone.resident, alone.proportional);

    let mut other = Part::new(&key, LEN).play();
    assert_eq!(other.says(), "found");
    let both = smaps(&map);
    assert!(both.inode != 0);
    assert!(both.resident >= LEN, "{} of {LEN}", both.resident);
    // Each has half of what both have.
    assert!(
        both.proportional <= both.resident / 2 + 4096,
        "{}",
        both.proportional
    );
    other.goes_on();
    assert_eq!(other.says(), "still right");
    other.says();
    assert_eq!(other.says(), format!("inode {}", both.inode));
}

#[test]
fn a_process_finds_its_own() {
    let key = key();
    let (first, _) = share_counting(&key, LEN, LONG);
    let (second, fills) = share_counting(&key, LEN, LONG);
    assert!(!second.is_first() && fills == 0);
    drop(first);
    let (third, fills) = share_counting(&key, LEN, LONG);
    assert!(!third.is_first() && fills == 0);
    drop((second, third));
    assert_nothing_is_left(&key);
    let (again, fills) = share_counting(&key, LEN, LONG);
    assert!(again.is_first() && fills == 1);
}

#[test]
fn two_hundred_processes_at_once_fill_one() {
    let key = key();
    let part = || Part::new(&key, LEN).waits().slowly().play();
    let mut players: Vec<_> = (0..200).map(|_| part()).collect();
    for player in &mut players {
        player.goes_on();
    }
    let said: Vec<_> = players.iter_mut().map(|player| player.says()).collect();
    let count = |what| said.iter().filter(|said| *said == what).count();
    assert_eq!((count("filled"), count("found")), (1, 199), "{said:?}");
    names_left(&key, 200);
    drop(players);
    assert_nothing_is_left(&key);
}

#[test]
fn threads_that_come_while_others_finish_fill_one() {
    // A segment that takes no time to fill is finished before others look.
    for _ in 0..400 {
        let (key, count) = (key(), AtomicUsize::new(0));
        let share = || {
            share(&key, 64, LONG, &mut |_| {
                count.fetch_add(1, Ordering::Relaxed);
                Ok::<(), Infallible>(())
            })
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(share)).collect();
            // All are held until the last has its own.
            let segments: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
            assert!(segments.iter().all(|segment| matches!(segment, Ok(Ok(_)))));
        });
        assert_eq!(count.into_inner(), 1);
    }
}

#[test]
fn who_gets_killed_while_it_fills_is_followed_by_the_next() {
    for tenth in 0..=10 {
        let key = key();
        let mut first = Part::new(&key, LEN).stops_at(tenth).play();
        assert_eq!(first.says(), "filling");
        // One waits for it already, and one comes later.
        let mut waiting = Part::new(&key, LEN).play();
        thread::sleep(Duration::from_millis(20));
        first.gets_killed();
        assert_eq!(waiting.says(), "filled");
        let begin = Instant::now();
        let (segment, fills) = share_counting(&key, LEN, LONG);
        assert!(begin.elapsed() < Duration::from_secs(5));
        assert!(!segment.is_first() && fills == 0);
        check_values(&key, &segment.map(0, LEN).unwrap()).unwrap();
        drop((segment, waiting));
        assert_nothing_is_left(&key);
    }
}

#[test]
fn what_fails_is_followed_by_the_next() {
    let key = key();
    let failed = share(&key, LEN as u64, LONG, &mut |bytes| {
        bytes.fill(1);
        Err("no network")
    });
    assert!(matches!(failed, Err(ShareError::Fill("no network"))));
    let panicked = std::panic::catch_unwind(|| {
        let _ = share::<()>(&key, LEN as u64, LONG, &mut |_| panic!("within a fill"));
    });
    assert!(panicked.is_err());
    assert_nothing_is_left(&key);
    let (_, fills) = share_counting(&key, LEN, LONG);
    assert_eq!(fills, 1);
}

#[test]
fn the_first_may_end_while_others_read() {
    let key = key();
    let mut first = Part::new(&key, LEN).play();
    assert_eq!(first.says(), "filled");
    let mut second = Part::new(&key, LEN).play();
    assert_eq!(second.says(), "found");
    first.gets_killed();
    second.goes_on();
    assert_eq!(second.says(), "still right");
    let (segment, fills) = share_counting(&key, LEN, LONG);
    assert!(!segment.is_first() && fills == 0);
    let map = segment.map(0, LEN).unwrap();
    drop(segment);
    second.gets_killed();
    check_values(&key, &map).unwrap();
    // The map is not held for others.
    assert_nothing_is_left(&key);
}

#[test]
fn nobody_hangs_behind_a_stopped_process() {
    let key = key();
    let first = {
        let mut first = Part::new(&key, LEN).stops_at(5).play();
        assert_eq!(first.says(), "filling");
        first
    };
    let id = Pid::from_raw(first.id().cast_signed()).unwrap();
    kill_process(id, Signal::STOP).unwrap();
    let begin = Instant::now();
    let patience = Duration::from_millis(300);
    let result = share::<Infallible>(&key, LEN as u64, patience, &mut |_| unreachable!());
    let waited = begin.elapsed();
    let Err(ShareError::System(error)) = result else {
        panic!("{result:?}");
    };
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!((patience..LONG).contains(&waited), "{waited:?}");
    // It goes on where it was.
    kill_process(id, Signal::CONT).unwrap();
    first.gets_killed();
}

#[test]
fn the_kernel_refuses_writes() {
    let key = key();
    let (segment, _) = share_counting(&key, LEN, LONG);
    let names = names_left(&key, 1);
    let mut place = names[0].rsplit('-');
    let (descriptor, process) = (place.next().unwrap(), place.next().unwrap());
    let path = format!("/proc/{process}/fd/{descriptor}");
    let mut file = File::options().read(true).write(true).open(path).unwrap();
    let denied = |result: io::Result<()>| {
        assert_eq!(result.unwrap_err().kind(), ErrorKind::PermissionDenied);
    };
    denied(file.write_all(b"x"));
    denied(file.set_len(1));
    denied(file.set_len(2 * LEN as u64));
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the system chooses the addresses, and nothing refers to them.
    let map = unsafe {
        mmap(
            std::ptr::null_mut(),
            LEN,
            access,
            MapFlags::SHARED,
            &file,
            0,
        )
    };
    assert_eq!(map.unwrap_err(), rustix::io::Errno::PERM);
    check_values(&key, &segment.map(0, LEN).unwrap()).unwrap();
}

#[test]
fn maps_begin_at_huge_pages_wherever_they_begin_in_the_segment() {
    let key = key();
    let (segment, _) = share_counting(&key, LEN, LONG);
    let all = segment.map(0, LEN).unwrap();
    let maps = [
        (0, LEN),
        (0, ALIGNMENT),
        (ALIGNMENT, LEN - ALIGNMENT),
        (ALIGNMENT, ALIGNMENT + 1),
    ];
    for (offset, len) in maps {
        let map = segment.map(offset as u64, len).unwrap();
        assert_eq!(map.as_ptr().addr() % ALIGNMENT, 0);
        assert!(*map == all[offset..offset + len]);
    }
    let rest = segment.map(2 * ALIGNMENT as u64, 17).unwrap();
    assert!(*rest == all[2 * ALIGNMENT..][..17]);
    assert!(segment.map(0, 0).unwrap().is_empty());
    let kind = |offset, len| segment.map(offset, len).unwrap_err().kind();
    assert_eq!(kind(4096, 1), ErrorKind::InvalidInput);
    assert_eq!(kind(0, LEN + 1), ErrorKind::UnexpectedEof);
    assert_eq!(kind(ALIGNMENT as u64, usize::MAX), ErrorKind::UnexpectedEof);
    let none = share::<Infallible>(&key, 0, LONG, &mut |_| unreachable!());
    assert!(
        matches!(none, Err(ShareError::System(error)) if error.kind() == ErrorKind::InvalidInput)
    );
}

#[test]
fn it_lies_in_huge_pages() {
    // 140 MiB, as a network has.
    let (key, len) = (key(), 70 * ALIGNMENT);
    let (segment, _) = share_counting(&key, len, LONG);
    let map = segment.map(0, len).unwrap();
    let huge = huge_bytes(&map).unwrap();
    let mut other = Part::new(&key, len).play();
    assert_eq!(other.says(), "found");
    other.goes_on();
    assert_eq!(other.says(), "still right");
    assert_eq!(other.says(), format!("huge {:?}", Some(huge)));
    if huge == 0 && !can_be_huge() {
        skipped("huge pages, which this kernel does not give on demand");
        return;
    }
    // Memory may be in too small pieces for some.
    assert!(huge > len / 2, "{huge} bytes of {len} lie in huge pages");
}

fn can_be_huge() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release
        .split('.')
        .map(|number| number.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap(), numbers.next().unwrap());
    let set = |name| {
        let path = format!("/sys/kernel/mm/transparent_hugepage/{name}");
        fs::read_to_string(path).unwrap_or("[deny] [never]".into())
    };
    version >= (6, 1)
        && !set("shmem_enabled").contains("[deny]")
        && !set("enabled").contains("[never]")
}
