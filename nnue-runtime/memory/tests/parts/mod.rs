//! Other processes: a test runs its own program again, which then plays a part instead of testing.
//!
//! What is told to it is in its environment, what it says is on lines that begin with `> `, and it
//! goes on when its input has a line or ends.

#![allow(dead_code, reason = "each test program needs some of it")]

use std::env;
use std::io::{self, BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nnue_memory::{Key, Segment, ShareError, share, share_in_folder};

/// How long processes wait for one another, unless a test is about that. Machines with other work
/// and sanitizers take half a minute to run 200 processes.
pub(crate) const LONG: Duration = Duration::from_secs(600);

/// The test of each program that plays the part. There is nothing to test in it otherwise.
pub(crate) const TEST: &str = "plays_its_part";

const PART: &str = "NNUE_MEMORY_PART";

/// What a process is to do. It shares a segment, says whether it has filled or found it or what
/// failed, and holds it until it may go on.
pub(crate) struct Part {
    command: Command,
}

impl Part {
    pub(crate) fn new(key: &Key, len: usize) -> Part {
        Part::named("share", key, len)
    }

    pub(crate) fn named(name: &str, key: &Key, len: usize) -> Part {
        Part::with(Command::new(env::current_exe().unwrap()), name, key, len)
    }

    /// As a user without rights, which only root can do.
    pub(crate) fn as_nobody(name: &str, key: &Key, len: usize) -> Part {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(env::current_exe().unwrap());
        Part::with(command, name, key, len)
    }

    fn with(mut command: Command, name: &str, key: &Key, len: usize) -> Part {
        command.args(["--exact", TEST, "--nocapture", "--test-threads=1"]);
        command
            .env(PART, name)
            .env("KEY", hex(key))
            .env("LEN", len.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Part { command }
    }

    /// It waits with sharing until it may go on.
    pub(crate) fn waits(self) -> Part {
        self.is("WAITS", "1")
    }

    /// It takes long enough to fill that others come meanwhile.
    pub(crate) fn slowly(self) -> Part {
        self.is("SLOWLY", "1")
    }

    /// It stops for ever when it has filled that many tenths.
    pub(crate) fn stops_at(self, tenth: usize) -> Part {
        self.is("STOPS_AT", &tenth.to_string())
    }

    pub(crate) fn patience(self, patience: Duration) -> Part {
        self.is("PATIENCE", &patience.as_millis().to_string())
    }

    pub(crate) fn in_folder(self, folder: &Path) -> Part {
        self.is("FOLDER", folder.to_str().unwrap())
    }

    pub(crate) fn is(mut self, name: &str, value: &str) -> Part {
        self.command.env(name, value);
        self
    }

    pub(crate) fn play(mut self) -> Player {
        let mut child = self.command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Player { child, lines }
    }
}

/// A process that plays a part. It is killed when dropped.
pub(crate) struct Player {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Player {
    /// The next line that it prints.
    pub(crate) fn says(&mut self) -> String {
        for line in &mut self.lines {
            if let Some(said) = line.unwrap().strip_prefix("> ") {
                return said.to_owned();
            }
        }
        panic!("a process has ended without a word");
    }

    pub(crate) fn goes_on(&mut self) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(b"\n").unwrap();
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// With `SIGKILL`.
    pub(crate) fn gets_killed(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.end();
    }
}

pub(crate) fn say(what: &str) {
    println!("\n> {what}");
}

pub(crate) fn wait() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
}

pub(crate) fn told(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// The name of the part that this process plays, if it plays one, with its key and length.
pub(crate) fn part() -> Option<(String, Key, usize)> {
    let name = told(PART)?;
    let digits = told("KEY")?;
    let byte = |index: usize| u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).unwrap();
    let key = std::array::from_fn(byte);
    Some((name, key, told("LEN")?.parse().unwrap()))
}

/// Plays the part `share`.
pub(crate) fn play_sharing(key: &Key, len: usize) {
    if told("WAITS").is_some() {
        wait();
    }
    let stops_at: Option<usize> = told("STOPS_AT").map(|tenth| tenth.parse().unwrap());
    let patience = told("PATIENCE").map_or(LONG, |patience| {
        Duration::from_millis(patience.parse().unwrap())
    });
    let mut fill = |bytes: &mut [u8]| {
        if let Some(tenth) = stops_at {
            let filled = bytes.len() * tenth / 10;
            write_values(key, &mut bytes[..filled]);
            say("filling");
            wait();
            // Its input has not ended: it is killed here.
        }
        write_values(key, bytes);
        if told("SLOWLY").is_some() {
            std::thread::sleep(Duration::from_millis(300));
        }
        Ok::<(), io::Error>(())
    };
    let shared = match told("FOLDER") {
        None => share(key, len as u64, patience, &mut fill),
        Some(folder) => {
            let folder = Path::new(&folder);
            // SAFETY: what the tests change in the folder, nobody has mapped.
            unsafe { share_in_folder(folder, key, len as u64, patience, &mut fill) }
        }
    };
    let segment = match shared {
        Ok(segment) => segment,
        Err(ShareError::System(error)) => return say(&format!("error {:?}", error.kind())),
        Err(ShareError::Fill(error)) => return say(&format!("fill {error}")),
    };
    let map = segment.map(0, len).unwrap();
    match check_values(key, &map) {
        Err(error) => say(&error),
        Ok(()) if segment.is_first() => say("filled"),
        Ok(()) => say("found"),
    }
    wait();
    say(if check_values(key, &map).is_ok() {
        "still right"
    } else {
        "wrong"
    });
    say(&format!("huge {:?}", nnue_memory::huge_bytes(&map)));
    say(&format!("inode {}", smaps(&map).inode));
    wait();
}

/// A key that no other test and no other run has.
pub(crate) fn key() -> Key {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_nanos() as u64;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let words = [now, u64::from(std::process::id()), count, !now];
    std::array::from_fn(|index| words[index / 8].to_le_bytes()[index % 8])
}

pub(crate) fn hex(key: &Key) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fills memory with values that differ between keys and places.
pub(crate) fn write_values(key: &Key, bytes: &mut [u8]) {
    for (index, word) in bytes.chunks_mut(8).enumerate() {
        let value = value(key, index).to_le_bytes();
        word.copy_from_slice(&value[..word.len()]);
    }
}

pub(crate) fn check_values(key: &Key, bytes: &[u8]) -> Result<(), String> {
    for (index, word) in bytes.chunks(8).enumerate() {
        if *word != value(key, index).to_le_bytes()[..word.len()] {
            return Err(format!("wrong value at word {index}"));
        }
    }
    Ok(())
}

fn value(key: &Key, index: usize) -> u64 {
    let seed = u64::from(key[0]) << 8 | u64::from(key[16]);
    let base = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    base.wrapping_add((index as u64).wrapping_mul(0x2545_f491_4f6c_dd1d))
}

/// Shares with a function that counts its calls.
pub(crate) fn share_counting(key: &Key, len: usize, patience: Duration) -> (Segment, usize) {
    let mut fills = 0;
    let mut fill = |bytes: &mut [u8]| {
        assert!(
            bytes.iter().all(|&byte| byte == 0),
            "memory that is to be filled is not zero"
        );
        write_values(key, bytes);
        fills += 1;
        Ok::<(), io::Error>(())
    };
    let segment = share(key, len as u64, patience, &mut fill).unwrap();
    (segment, fills)
}

/// What the kernel says about the map that begins with some memory.
pub(crate) struct Smaps {
    pub(crate) inode: u64,
    pub(crate) resident: usize,
    pub(crate) proportional: usize,
}

pub(crate) fn smaps(memory: &[u8]) -> Smaps {
    let start = format!("{:x}-", memory.as_ptr().addr());
    let text = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&start));
    let first = lines.next().unwrap_or_default();
    let inode = first
        .split_whitespace()
        .nth(4)
        .map_or(0, |inode| inode.parse().unwrap());
    let mut field = |name: &str| {
        let line = lines
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or("0 kB");
        let number = line.trim().trim_end_matches(" kB");
        number.parse::<usize>().unwrap() * 1024
    };
    Smaps {
        inode,
        resident: field("Rss:"),
        proportional: field("Pss:"),
    }
}

/// Says on the terminal that something was not tested, which tests cannot otherwise.
pub(crate) fn skipped(what: &str) {
    let _ = writeln!(io::stderr(), "\n!!! SKIPPED: {what}\n");
}

/// Whether this is root, who can play other users. Says so if not.
pub(crate) fn is_root(what: &str) -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skipped(&format!("{what}, which only root can test"));
    }
    is_root
}
