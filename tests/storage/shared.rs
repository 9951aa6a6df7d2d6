//! Weights in memory that processes share. What the crate `nnue-memory` does with segments has its
//! tests there.

#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::{env, fs};

use nnue_runtime::{Level, Network, Storage};
use nnue_tests::small128;

use super::{NET, check, expected, values};

type Small = Network<small128::Net>;

/// The variable that makes the test `plays_a_part` another process's program: the net that it
/// shares.
const PART: &str = "NNUE_STORAGE_PART";

/// A net that no other test shares, whose values are those of the file.
fn net_of(test: &str) -> Vec<u8> {
    let description = format!("{test} of process {}", std::process::id());
    let mut file = NET[..8].to_vec();
    file.extend((description.len() as u32).to_le_bytes());
    file.extend(description.as_bytes());
    let len = u32::from_le_bytes([NET[8], NET[9], NET[10], NET[11]]) as usize;
    file.extend(&NET[12 + len..]);
    file
}

/// Another process that shares a net, says what it has, and waits for the end of its input.
struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(net: &str, level: &str, shell: &str) -> Process {
        let program = env::current_exe().expect("this program has a path");
        let test = "shared::plays_a_part";
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                &format!("{shell} exec \"$0\" --exact {test} --nocapture"),
            ])
            .arg(program)
            .env(PART, net)
            .env("NNUE_LEVEL", level)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("there is a shell");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Process {
            child,
            input,
            output,
        }
    }

    /// What it says, and its values.
    fn says(&mut self) -> (String, Vec<i32>) {
        loop {
            let mut line = String::new();
            let len = self.output.read_line(&mut line).expect("a pipe");
            assert!(len > 0, "the process ended");
            if let Some((storage, values)) = line.trim_end().split_once(" | ") {
                let values = values.split(' ').map(|value| value.parse().unwrap());
                // The test's name may stand before it.
                let storage = storage.rsplit("... ").next().unwrap_or(storage);
                return (storage.to_owned(), values.collect());
            }
        }
    }

    fn end(mut self) {
        drop(self.input.take());
        let mut rest = String::new();
        let _ = self.output.read_to_string(&mut rest);
        assert!(self.child.wait().expect("it is a child").success());
    }
}

/// What stands before the path of a file that is mapped, and evaluated once more when a line comes.
const CUT: &str = "cut:";

#[test]
fn plays_a_part() {
    let Ok(test) = env::var(PART) else { return };
    if let Some(path) = test.strip_prefix(CUT) {
        // SAFETY: what happens if this promise is broken is what the test shows.
        let net = unsafe { Small::map(path) }.unwrap();
        for _ in 0..2 {
            let values: Vec<String> = values(&net).iter().map(ToString::to_string).collect();
            println!("{} | {}", net.storage(), values.join(" "));
            std::io::stdout().flush().unwrap();
            std::io::stdin().read_line(&mut String::new()).unwrap();
        }
        return;
    }
    let net = Small::shared(test_net(&test).as_slice()).unwrap();
    let storage = match net.not_shared() {
        Some(reason) => reason.to_owned(),
        None => net.storage().to_string(),
    };
    let values: Vec<String> = values(&net).iter().map(ToString::to_string).collect();
    println!("{storage} | {}", values.join(" "));
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

fn test_net(path: &str) -> Vec<u8> {
    fs::read(path).expect("the test has written it")
}

/// A file with a net of its own, removed at the end.
struct NetFile(String);

impl NetFile {
    fn new(test: &str) -> NetFile {
        let path = env::temp_dir().join(format!("nnue-storage-{}-{test}", std::process::id()));
        fs::write(&path, net_of(test)).expect("the folder for temporary files is writable");
        NetFile(path.to_string_lossy().into_owned())
    }
}

impl Drop for NetFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

const FIRST: &str = "in memory that processes share, loaded by this one";
const OTHER: &str = "in memory that processes share, loaded by another one";

#[test]
fn networks_share_one_memory_and_evaluate_as_on_the_heap() {
    let bytes = net_of("one process");
    let first = Small::shared(&bytes).unwrap();
    let second = Small::shared(&bytes).unwrap();
    assert_eq!(first.storage(), Storage::Shared { is_first: true });
    assert_eq!(second.storage(), Storage::Shared { is_first: false });
    assert!(second.to_bytes() == bytes);
    assert_eq!(
        second.description(),
        b"one process of process "
            .iter()
            .copied()
            .chain(std::process::id().to_string().bytes())
            .collect::<Vec<u8>>()
    );
    let (copy, level) = (second.clone(), second.level());
    assert_eq!(copy.storage(), second.storage());
    // Another level takes nothing away from those who share.
    for level in Level::available() {
        assert_eq!(values(&copy.clone().with_level(level)), expected(level));
    }
    drop(first);
    assert_eq!(values(&second), expected(level));
    assert!(Small::shared(NET).unwrap().not_shared().is_none());
    check(Small::shared(NET).unwrap());
}

#[test]
fn processes_share_whatever_their_levels_are() {
    let net = NetFile::new("levels");
    let levels: Vec<Level> = Level::available().collect();
    let mut processes: Vec<Process> = Vec::new();
    for level in &levels {
        let mut process = Process::start(&net.0, level.name(), "");
        let (storage, values) = process.says();
        let expected_storage = if processes.is_empty() { FIRST } else { OTHER };
        assert_eq!(storage, expected_storage, "{level}");
        assert_eq!(values, expected(*level), "{level}");
        processes.push(process);
    }
    processes.into_iter().for_each(Process::end);
    // Nothing is left when all have ended.
    let mut process = Process::start(&net.0, "scalar", "");
    assert_eq!(process.says().0, FIRST);
    process.end();
}

#[test]
fn others_go_on_when_the_first_is_killed() {
    let net = NetFile::new("killed");
    let level = Level::detect();
    let mut first = Process::start(&net.0, level.name(), "");
    assert_eq!(first.says().0, FIRST);
    let mut second = Process::start(&net.0, level.name(), "");
    assert_eq!(second.says().0, OTHER);
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    let mut third = Process::start(&net.0, level.name(), "");
    assert_eq!(third.says(), (OTHER.to_owned(), expected(level)));
    second.end();
    third.end();
}

#[test]
fn weights_are_on_the_heap_where_they_cannot_be_shared() {
    let net = NetFile::new("not shared");
    let level = Level::detect();
    // Files of 512 KB, and thus memory that processes share, are too small.
    let mut process = Process::start(&net.0, level.name(), "ulimit -f 1000;");
    let (reason, values) = process.says();
    println!("{reason}");
    assert!(reason.contains("a file may have"), "{reason}");
    assert_eq!(values, expected(level));
    process.end();
}

/// The same network, which another build calls by another name: to it, the layout is another.
mod renamed {
    nnue_runtime::nnue_net!(inline = "name = 'small128, renamed'\nlike = 'small128'");
}

#[test]
fn builds_of_different_layout_do_not_meet() {
    let bytes = net_of("two builds");
    let level = Level::detect();
    let one = Small::shared(&bytes).unwrap();
    let other = Network::<renamed::Net>::shared(&bytes).unwrap();
    assert_eq!(one.storage(), Storage::Shared { is_first: true });
    assert_eq!(other.storage(), Storage::Shared { is_first: true });
    assert_eq!(values(&one), expected(level));
    assert_eq!(values(&other), expected(level));
    let again = Network::<renamed::Net>::shared(&bytes).unwrap();
    assert_eq!(again.storage(), Storage::Shared { is_first: false });
}

#[test]
fn files_are_shared_as_bytes_are() {
    let net = NetFile::new("file");
    let one = Small::open_shared(&net.0).unwrap();
    let other = Small::shared(&fs::read(&net.0).unwrap()).unwrap();
    assert_eq!(one.storage(), Storage::Shared { is_first: true });
    assert_eq!(other.storage(), Storage::Shared { is_first: false });
    assert_eq!(values(&one), expected(Level::detect()));

    let missing = Small::open_shared("no/such/file").unwrap_err();
    assert_eq!(missing, Small::open("no/such/file").unwrap_err());
    let mut wrong = fs::read(&net.0).unwrap();
    wrong[4] ^= 1;
    fs::write(&net.0, wrong).unwrap();
    let error = Small::open_shared(&net.0).unwrap_err();
    assert_eq!(error, Small::open(&net.0).unwrap_err());
}

/// A program that cuts a mapped file breaks a promise. No wrong value comes of it: the system ends
/// the process.
#[test]
fn a_file_that_is_cut_while_it_is_mapped_ends_its_users() {
    use std::os::unix::process::ExitStatusExt;

    const SIGBUS: i32 = 7;
    let file = NetFile::new("cut");
    let net = Small::from_bytes(NET).unwrap();
    net.write_laid_out(fs::File::create(&file.0).unwrap())
        .unwrap();
    let part = format!("{CUT}{}", file.0);
    let mut process = Process::start(&part, Level::detect().name(), "");
    assert_eq!(process.says().1, expected(Level::detect()));
    let cut = fs::File::options().write(true).open(&file.0).unwrap();
    cut.set_len(4096).unwrap();
    process.input.as_mut().unwrap().write_all(b"\n").unwrap();
    let mut rest = String::new();
    process.output.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains(" | "), "{rest}");
    assert_eq!(process.child.wait().unwrap().signal(), Some(SIGBUS));
}

#[test]
fn wrong_files_are_refused_as_anywhere() {
    let net = net_of("refused");
    for bytes in [&net[..net.len() - 1], b"no net", b""] {
        let shared = Small::shared(bytes).unwrap_err();
        assert_eq!(shared, Small::from_bytes(bytes).unwrap_err());
    }
}

/// Proportional set size in KiB: memory, in which each process counts its part of shared pages.
fn pss(process: u32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .expect("a number of KiB")
}

#[test]
fn eight_processes_take_little_more_memory_than_one() {
    let net = NetFile::new("eight");
    let level = Level::detect();
    let start = || {
        let mut process = Process::start(&net.0, level.name(), "");
        process.says();
        process
    };
    let mut processes = vec![start()];
    let one = pss(processes[0].child.id());
    processes.extend((1..8).map(|_| start()));
    let eight: u64 = processes
        .iter()
        .map(|process| pss(process.child.id()))
        .sum();
    println!("PSS of one process: {one} KiB, of eight: {eight} KiB");
    // The net is small: seven programs and their stacks count.
    let programs = 7 * 3000;
    assert!(eight < one + programs, "{one} and {eight} KiB");
    processes.into_iter().for_each(Process::end);
}
