//! `nnue loop` that is killed at any moment, or that finds its files damaged.
//!
//! Shell scripts take the place of cargo, of the engine's programs and of the trainer, so that a loop
//! takes a second. The script for cargo compiles nothing, so that the loop ends at its verification,
//! after what is tested here.
#![cfg(unix)]

mod program;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::program::{nnue, scratch_path, stderr, stdout, text};

const RUN: &str = "\
spec = \"768x64.toml\"
positions = 100

[engine]
folder = \"engine\"

[trainer]
command = [\"./trainer\"]

[selfplay]
games = 20
nodes = 10
";

/// Says who runs, and that two of a kind run at the same time if they do.
const ALONE: &str = "\
alone() {
    echo $$ >> PIDS
    if [ -s \"$1\" ] && kill -0 \"$(cat \"$1\")\" 2> /dev/null; then echo \"$1\" >> TWICE; fi
    echo $$ > \"$1\"
}
";

/// Installs the script for self-play; anything else than `install` fails.
const CARGO: &str = "\
[ \"$1\" = install ] || { echo 'there is no compiler'; exit 1; }
while [ $# -gt 0 ]; do [ \"$1\" = --root ] && root=$2; shift; done
mkdir -p \"$root/bin\"
echo engine > \"$root/bin/nnue-engine\"
sleep 0.1
cp SELFPLAY \"$root/bin/nnue-selfplay\"
";

/// Writes a line for each game, slowly, by a process of its own.
const SELFPLAY: &str = "\
while [ $# -gt 0 ]; do [ \"$1\" = --out ] && out=$2; shift; done
alone \"$out.pid\"
sh -c \"echo \\$\\$ >> PIDS; : > '$out'
for game in 1 2 3 4 5 6 7 8 9 10; do echo position \\$game >> '$out'; sleep 0.04; done\"
";

/// Goes on from where it was, and adds up what it has read.
const TRAINER: &str = "\
[ \"$1\" = --help ] && exit 0
while [ $# -gt 0 ]; do
    [ \"$1\" = --out ] && out=$2
    [ \"$1\" = --data ] && data=$2
    shift
done
mkdir -p \"$out\"
alone \"$out.pid\"
touch \"$out/checkpoint\"
tail -n +$(($(wc -l < \"$out/checkpoint\") + 1)) \"$data\" | while read -r line; do
    echo \"learnt $line\" >> \"$out/checkpoint\"
    sleep 0.04
done
cp \"$out/checkpoint\" \"$out/network.nnue\"
echo golden > \"$out/golden.txt\"
echo '{}' > \"$out/summary.json\"
";

/// A run file with the scripts, in a folder of its own.
struct Loop {
    folder: PathBuf,
}

impl Loop {
    fn new(name: &str) -> Loop {
        let folder = scratch_path(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("engine")).expect("folders can be made");
        let made = Loop { folder };
        let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/loops/768x64.toml");
        fs::copy(spec, made.path("768x64.toml")).expect("the spec is in the repository");
        made.write("run.toml", RUN);
        for (file, script) in [
            ("cargo", CARGO),
            ("selfplay", SELFPLAY),
            ("trainer", TRAINER),
        ] {
            let script = format!("#!/bin/sh\n{ALONE}{script}");
            let script = ["PIDS", "TWICE", "SELFPLAY"]
                .iter()
                .fold(script, |text, word| {
                    let path = made.path(&word.to_lowercase());
                    text.replace(word, &crate::text(&path))
                });
            made.write(file, &script);
            fs::set_permissions(made.path(file), fs::Permissions::from_mode(0o755))
                .expect("it is ours");
        }
        made
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.path(name), content).expect("temporary files can be written");
    }

    fn command(&self) -> Command {
        let run = text(&self.path("run.toml"));
        let out = text(&self.path("out"));
        let mut command = nnue(&["loop", &run, "--out", &out]);
        command.current_dir(&self.folder);
        command.env("CARGO", self.path("cargo"));
        command
    }

    fn start(&self) -> Child {
        let mut command = self.command();
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the program starts")
    }

    /// Goes as far as scripts can go, and returns what is printed.
    fn to_the_end(&self) -> String {
        let output = self.command().output().expect("the program starts");
        let (printed, said) = (stdout(&output), stderr(&output));
        // The script for cargo or the values of the trainer's script: either way it is over here.
        assert!(said.contains("error: verification: "), "{printed}{said}");
        printed.into()
    }

    /// What the stages have made.
    fn products(&self) -> [String; 2] {
        ["out/positions.txt", "out/training/network.nnue"]
            .map(|file| fs::read_to_string(self.path(file)).expect("it is made"))
    }

    /// Waits until nothing runs that a loop has started.
    fn wait_until_all_have_ended(&self) {
        let pids = fs::read_to_string(self.path("pids")).unwrap_or_default();
        for pid in pids.lines() {
            let runs = || Path::new("/proc").join(pid).join("exe").exists();
            for _ in 0..1200 {
                if !runs() {
                    break;
                }
                sleep(Duration::from_millis(50));
            }
            assert!(!runs(), "process {pid} goes on without its loop");
        }
    }
}

/// Kills loops after times that a seed chooses, and returns what the last one made.
fn killed(name: &str, kills: u64, seed: u64) -> [String; 2] {
    let made = Loop::new(name);
    let mut state = seed;
    for _ in 0..kills {
        let mut child = made.start();
        // Constants of Knuth's MMIX.
        state =
            (state.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(1_442_695_040_888_963_407);
        sleep(Duration::from_millis((state >> 33) % 1500));
        child.kill().expect("it is ours");
        child.wait().expect("it was killed");
    }
    made.to_the_end();
    made.wait_until_all_have_ended();
    assert!(!made.path("twice").exists(), "two ran on the same file");
    made.products()
}

fn undisturbed(name: &str) -> [String; 2] {
    let made = Loop::new(name);
    made.to_the_end();
    made.products()
}

#[test]
fn a_loop_that_is_killed_makes_the_same() {
    let expected = undisturbed("loop-undisturbed");
    assert_eq!(expected[0].lines().count(), 10);
    assert_eq!(expected[1].lines().count(), 10);
    assert_eq!(killed("loop-killed", 8, 1), expected);
}

#[test]
#[ignore = "kills two hundred loops: five minutes"]
fn a_loop_that_is_killed_two_hundred_times_makes_the_same() {
    let expected = undisturbed("loop-undisturbed-long");
    for seed in 0..20 {
        assert_eq!(
            killed("loop-killed-long", 10, seed),
            expected,
            "seed {seed}"
        );
    }
}

#[test]
fn what_a_loop_has_started_ends_with_it_and_another_is_refused() {
    let made = Loop::new("loop-children");
    let mut child = made.start();
    while fs::read_to_string(made.path("pids")).map_or(0, |pids| pids.lines().count()) < 2 {
        assert_eq!(
            child.try_wait().expect("it can be asked"),
            None,
            "it ends before its games"
        );
        sleep(Duration::from_millis(10));
    }
    let second = made.command().output().expect("the program starts");
    assert!(
        stderr(&second).contains("another `nnue loop` works in `"),
        "{}",
        stderr(&second)
    );
    child.kill().expect("it is ours");
    child.wait().expect("it was killed");
    made.wait_until_all_have_ended();
}

#[test]
fn a_stage_is_done_when_its_record_says_so() {
    let made = Loop::new("loop-records");
    let done = |printed: &str| {
        let lines = printed
            .lines()
            .filter(|line| line.ends_with(" s  done before"));
        lines.count()
    };
    assert_eq!(done(&made.to_the_end()), 0);
    let expected = made.products();
    assert_eq!(done(&made.to_the_end()), 3);

    // Files that are there and have nothing in them.
    for file in [
        "out/positions.txt",
        "out/training/network.nnue",
        "out/engine/bin/nnue-engine",
    ] {
        made.write(file, "");
        let printed = made.to_the_end();
        assert!(printed.contains("is done again: `"), "{printed}");
        assert!(printed.contains("has 0 bytes, and "), "{printed}");
        assert_eq!(done(&printed), 2, "{printed}");
        assert_eq!(made.products(), expected);
    }

    made.write(
        "run.toml",
        &RUN.replace("positions = 100", "positions = 200"),
    );
    let printed = made.to_the_end();
    let told = "training is done again: `positions` was 100 and is 200";
    assert!(printed.contains(told), "{printed}");
    assert_eq!(done(&printed), 2, "{printed}");

    made.write("run.toml", &RUN.replace("games = 20", "games = 30"));
    let printed = made.to_the_end();
    assert!(
        printed.contains("games is done again: `--games` was 20 and is 30"),
        "{printed}"
    );

    let spec = fs::read_to_string(made.path("768x64.toml")).expect("it is there");
    made.write("768x64.toml", &format!("{spec}\n# a change\n"));
    let printed = made.to_the_end();
    for stage in ["engine", "training"] {
        let line = printed
            .lines()
            .find(|line| line.starts_with(&format!("{stage} is done again: ")));
        let line = line.unwrap_or_else(|| panic!("no reason for {stage} in {printed}"));
        assert!(line.contains("spec.toml` has changed"), "{line}");
    }
}
