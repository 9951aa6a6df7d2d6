//! Commands that are killed while they write, or find the disk full: each file is the old one or the
//! new one, as a whole.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use nnue_test_support::net_file::random_net_file;
use nnue_test_support::synthetic::synthetic_net;

use crate::networks::network;
use crate::program::{nnue, scratch_folder, stderr};

const SPEC: &str = include_str!("../../specs/bullet/simple.toml");

const OLD: &[u8] = b"the only copy of something";

/// A command that writes into the folder `out`, and its files there.
type Writer = (&'static str, &'static [&'static str]);

const WRITERS: &[Writer] = &[
    (
        "convert net out/net --spec spec.toml --to spec.toml",
        &["net"],
    ),
    (
        "quantise floats out/net --spec spec.toml --fens fens",
        &["net"],
    ),
    ("data convert positions --out out/positions", &["positions"]),
    (
        "data convert positions --shards 2 --out out",
        &["0001.txt", "0002.txt"],
    ),
    (
        "report net --spec spec.toml --fens fens --out out/page",
        &["page"],
    ),
    ("draw spec.toml --out out/drawing.svg", &["drawing.svg"]),
    (
        "reorder trace --net wide --spec sfnnv5 --out out/wide",
        &["wide"],
    ),
];

/// What ends a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// A kill at any moment of it.
    Killed,
    /// A kill as soon as something of what it writes can be seen, or a little later.
    KilledWriting,
    /// A signal in the midst of a write, after some blocks: the kill that cannot miss.
    CutOff,
    /// Writes are refused after some blocks.
    Refused,
    /// A disk of its own is full after some pages.
    Full,
}

const ENDS: [End; 5] = [
    End::Killed,
    End::KilledWriting,
    End::CutOff,
    End::Refused,
    End::Full,
];

/// How the system is asked for a disk of a command's own, if it allows that.
static PRIVATE_DISKS: LazyLock<Option<&str>> = LazyLock::new(|| {
    let works = |options: &&str| {
        let mut command = Command::new("unshare");
        command.args([options, "mount", "-t", "tmpfs", "none", "/tmp"]);
        command.output().is_ok_and(|output| output.status.success())
    };
    let found = ["-m", "-rm"].into_iter().find(works);
    if found.is_none() {
        eprintln!(
            "LEFT OUT: no disk can be made here; limits of a file's size stand for full ones"
        );
    }
    found
});

/// A folder with inputs, and with the folder `out`.
struct Folder {
    path: PathBuf,
    inputs: Vec<(&'static str, Vec<u8>)>,
    random: Rng,
}

impl Folder {
    fn new(name: &str) -> Folder {
        let path = scratch_folder().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("folders can be made");
        let positions =
            (1..=3000).map(|number| format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number} | 85 | 1.0\n"));
        let inputs = vec![
            ("net", random_net_file(&network(SPEC), 1)),
            ("floats", vec![0; 4 * 98_689]),
            ("spec.toml", SPEC.into()),
            ("fens", b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n".into()),
            ("positions", positions.collect::<String>().into()),
            ("wide", synthetic_net("v5")),
            (
                "trace",
                b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1; = e2e4 d7d5 = - - =\n"
                    .into(),
            ),
        ];
        for (name, bytes) in &inputs {
            fs::write(path.join(name), bytes).expect("files can be written");
        }
        let random = Rng::with_seed(7);
        Folder {
            path,
            inputs,
            random,
        }
    }

    /// An empty folder in this one.
    fn emptied(&self, name: &str) -> PathBuf {
        let path = self.path.join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("folders can be made");
        path
    }

    fn nnue(&self, command: &str) -> Command {
        let words: Vec<&str> = command.split(' ').collect();
        let mut command = nnue(&words);
        command.current_dir(&self.path).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Runs a shell's words, then the command as `"$@"`.
    fn shell(&self, before: &[&str], words: &str, command: &str) -> Output {
        let mut all = before.to_vec();
        all.extend(["sh", "-c", words, "sh", env!("CARGO_BIN_EXE_nnue")]);
        all.extend(command.split(' '));
        let mut shell = Command::new(all[0]);
        shell.args(&all[1..]).current_dir(&self.path);
        shell.stdin(Stdio::null());
        shell.output().expect("there is a shell")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A command that is interrupted, and what it writes if it is not.
struct Interrupted<'f> {
    folder: &'f mut Folder,
    command: &'static str,
    outputs: &'static [&'static str],
    new: Vec<Vec<u8>>,
    takes: Duration,
}

impl Interrupted<'_> {
    fn new<'f>(folder: &'f mut Folder, (command, outputs): &Writer) -> Interrupted<'f> {
        let out = folder.emptied("out");
        let start = Instant::now();
        let status = folder.nnue(command).status();
        assert!(status.expect("the program starts").success(), "{command}");
        let takes = start.elapsed();
        let new = outputs.iter().map(|name| fs::read(out.join(name)));
        let new = new.map(|bytes| bytes.expect("it was written")).collect();
        Interrupted {
            folder,
            command,
            outputs,
            new,
            takes,
        }
    }

    /// Ends it in that way, and checks what is left.
    fn end(&mut self, end: End) {
        match end {
            End::Killed => {
                let after = self.folder.random.u64(..self.takes.as_micros() as u64 + 1);
                self.kill(|_| thread::sleep(Duration::from_micros(after)));
            }
            End::KilledWriting => {
                self.kill_writing();
                self.end_well();
            }
            End::CutOff => {
                self.old_files();
                let words = format!(r#"ulimit -c 0; ulimit -f {}; exec "$@""#, self.blocks());
                let run = self.folder.shell(&[], &words, self.command);
                assert!(run.status.signal().is_some(), "{}", stderr(&run));
                let (others, old) = self.left("out");
                let is_cut = !others.is_empty() && old > 0;
                assert!(is_cut, "{}: nothing was cut", self.command);
                self.end_well();
            }
            End::Refused => {
                self.old_files();
                let blocks = self.blocks();
                let words = format!(r#"trap '' XFSZ; ulimit -f {blocks}; exec "$@""#);
                let run = self.folder.shell(&[], &words, self.command);
                self.assert_refused(&run, "out");
            }
            End::Full => match *PRIVATE_DISKS {
                Some(options) => self.fill(options),
                None => self.end(End::Refused),
            },
        }
        for (name, bytes) in &self.folder.inputs {
            if self.command.split(' ').any(|word| word == *name) {
                let found = fs::read(self.folder.path.join(name)).expect("no run removes it");
                assert!(found == *bytes, "{} changed {name}", self.command);
            }
        }
    }

    fn old_files(&self) {
        let out = self.folder.emptied("out");
        for name in self.outputs {
            fs::write(out.join(name), OLD).expect("files can be written");
        }
    }

    /// Blocks of 512 bytes, fewer than the largest file has.
    fn blocks(&mut self) -> usize {
        let largest = self.new.iter().map(Vec::len).max().expect("a file");
        self.folder.random.usize(..largest / 512)
    }

    /// Kills it at a moment that `waits` waits for. Whether it was in the midst of writing.
    fn kill(&mut self, waits: impl FnOnce(&mut dyn FnMut() -> bool)) -> bool {
        self.old_files();
        let mut child = self.folder.nnue(self.command).spawn().expect("it starts");
        waits(&mut || child.try_wait().expect("it is ours").is_some());
        let _ = child.kill();
        let status = child.wait().expect("it is ours");
        let (others, old) = self.left("out");
        status.signal().is_some() && old > 0 && others.iter().any(|name| is_part(name))
    }

    /// Kills it again and again, until it was in the midst of writing.
    fn kill_writing(&mut self) {
        let out = self.folder.path.join("out");
        let outputs = self.outputs;
        let is_writing = || {
            let is_old = |name: &str| {
                let file = fs::metadata(out.join(name));
                file.is_ok_and(|file| file.len() == OLD.len() as u64)
            };
            let mut entries = fs::read_dir(&out).expect("it is there").flatten();
            entries.any(|entry| is_part(&entry.file_name().to_string_lossy()))
                || !outputs.iter().all(|name| is_old(name))
        };
        for _ in 0..500 {
            let later = Duration::from_micros(self.folder.random.u64(..500));
            let hit = self.kill(|has_ended| {
                while !is_writing() && !has_ended() {
                    thread::yield_now();
                }
                let seen = Instant::now();
                while seen.elapsed() < later {
                    std::hint::spin_loop();
                }
            });
            if hit {
                return;
            }
        }
        panic!("{}: no kill of 500 came while it was writing", self.command);
    }

    /// Lets it end: nothing is left then of the run before.
    fn end_well(&self) {
        let status = self.folder.nnue(self.command).status();
        assert!(
            status.expect("the program starts").success(),
            "{}",
            self.command
        );
        let (others, _) = self.left("out");
        assert!(others.is_empty(), "{}: {others:?}", self.command);
    }

    /// Lets it write to a disk that has too few pages for what is new.
    fn fill(&mut self, options: &str) {
        const PAGE: usize = 4096;

        self.old_files();
        self.folder.emptied("after");
        let pages: usize = self.new.iter().map(|new| new.len().div_ceil(PAGE)).sum();
        let old = self.outputs.len();
        let size = (old + self.folder.random.usize(..pages - old)) * PAGE;
        // The other commands' disk has the old files, and is gone with the shell.
        let words = format!(
            r#"cp -R out old && mount -t tmpfs -o size={size} none out && cp old/* out && "$@"
            code=$?; rm -R old; cp -R out/. after; exit $code"#
        );
        let run = self
            .folder
            .shell(&["unshare", options], &words, self.command);
        self.assert_refused(&run, "after");
    }

    /// A full disk is said, and nothing is left of what was written.
    fn assert_refused(&self, run: &Output, out: &str) {
        let message = stderr(run);
        assert_eq!(run.status.code(), Some(1), "{}: {message}", self.command);
        assert!(message.contains("cannot write `out/"), "{message}");
        let (others, old) = self.left(out);
        assert!(others.is_empty() && old > 0, "{}: {others:?}", self.command);
    }

    /// Files that are neither old nor new, which have names of their own, and how many old ones there
    /// are.
    fn left(&self, out: &str) -> (Vec<String>, usize) {
        let out = self.folder.path.join(out);
        let entries = fs::read_dir(&out).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut others: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
        others.retain(|name| !self.outputs.contains(&&**name));
        for name in &others {
            assert!(is_part(name), "{}: {name}", self.command);
        }
        let mut old = 0;
        for (name, new) in self.outputs.iter().zip(&self.new) {
            let found = fs::read(out.join(name)).expect("no run removes it");
            let (command, len) = (self.command, found.len());
            assert!(
                found == OLD || found == *new,
                "{command}: {len} bytes of {name}"
            );
            old += usize::from(found == OLD);
        }
        (others, old)
    }
}

fn is_part(name: &str) -> bool {
    name.ends_with(".part")
}

/// Interrupts commands so often, each in all ways in turn.
fn interrupt(name: &str, runs: usize) {
    let mut folder = Folder::new(name);
    let mut ends = BTreeMap::new();
    for (index, writer) in WRITERS.iter().enumerate() {
        let mut interrupted = Interrupted::new(&mut folder, writer);
        let own = (0..runs).filter(|run| run % WRITERS.len() == index);
        for run in own {
            let end = ENDS[run / WRITERS.len() % ENDS.len()];
            interrupted.end(end);
            *ends.entry(end).or_insert(0) += 1;
        }
    }
    eprintln!("{runs} runs of {} commands: {ends:?}", WRITERS.len());
    assert_eq!(ends.len(), ENDS.len());
}

#[test]
fn interrupted_writing_loses_no_file() {
    interrupt("interrupted", WRITERS.len() * ENDS.len());
}

#[test]
#[ignore = "two hundred runs that are killed or find the disk full: a minute"]
fn two_hundred_interruptions_lose_no_file() {
    interrupt("interrupted-often", 200);
}
