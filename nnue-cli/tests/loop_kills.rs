//! `nnue loop` that is killed at any moment, or that finds its files damaged.
//!
//! Shell scripts take the place of cargo, of the engine's programs and of the trainer, so that a loop
//! takes a second. The script for cargo compiles nothing, so that the loop ends at its verification,
//! after what is tested here.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::program::{assert_refused, nnue, scratch_path, stderr, stdout, text, write_executable};

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
                .fold(script, |script, word| {
                    let path = made.path(&word.to_lowercase());
                    script.replace(word, &text(&path))
                });
            write_executable(&made.path(file), &script);
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

    fn run(&self) -> Output {
        self.command().output().expect("the program starts")
    }

    /// Asserts that a loop with these lines in its run file is refused in these words, and that
    /// what it read and what an earlier one made is as it was.
    fn refuses(&self, lines: &str, words: &[&str]) {
        self.write("run.toml", &format!("{RUN}{lines}"));
        let before = self.products();
        let output = self.run();
        let code = output.status.code().expect("it ends by itself");
        assert_refused(&output, code, words);
        assert_eq!(self.products(), before, "after {lines}");
        self.write("run.toml", RUN);
    }

    fn start(&self) -> Child {
        let mut command = self.command();
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the program starts")
    }

    /// Goes as far as scripts can go, and returns what is printed.
    fn to_the_end(&self) -> String {
        let output = self.run();
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
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
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
#[ignore = "kills two hundred loops: a minute"]
fn a_loop_that_is_killed_two_hundred_times_makes_the_same() {
    let expected = undisturbed("loop-undisturbed-long");
    // Most of the time, they wait to be killed.
    std::thread::scope(|scope| {
        for first in 0..5 {
            let expected = &expected;
            scope.spawn(move || {
                for seed in (first..20).step_by(5) {
                    assert_eq!(killed("loop-killed", 10, seed), *expected, "seed {seed}");
                }
            });
        }
    });
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
    let second = made.run();
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

#[test]
fn nothing_that_a_loop_reads_is_written_over() {
    let made = Loop::new("loop-inputs");
    made.to_the_end();
    made.to_the_end();

    let copy = "copy it out of that folder, or name another folder of the loop with `--out`";
    let current = |rest: &str| format!("\n[current]\nnet = {rest}\n");
    made.refuses(
        &current("\"out/training/network.nnue\""),
        &[copy, "out/training`"],
    );
    fs::hard_link(made.path("out/training/network.nnue"), made.path("linked")).expect("a link");
    made.refuses(&current("\"linked\""), &["network.nnue`", "which is read"]);
    fs::remove_file(made.path("linked")).expect("it is ours");

    let read = [
        "out/positions.txt`: it is the same file as ",
        "which is read",
    ];
    made.refuses("\n[data]\nfiles = [\"out/positions.txt\"]\n", &read);
    made.refuses("\n[data]\nvalidation = [\"out/positions.txt\"]\n", &read);
    let stages = "\n[data]\nvalidation = [\"out/stages/games.json\"]\n";
    made.refuses(stages, &[copy, "out/stages`"]);

    // The other spec would be replaced before it is read.
    let spec = fs::read_to_string(made.path("768x64.toml")).expect("it is there");
    made.write("out/current-spec.toml", &spec);
    let swapped = current("\"768x64.toml\"\nspec = \"out/spec.toml\"");
    made.refuses(&swapped, &["out/spec.toml`: it is the same file as "]);

    made.write("out/spec.toml", RUN);
    let run = text(&made.path("out/spec.toml"));
    let mut command = nnue(&["loop", &run, "--out", &text(&made.path("out"))]);
    let output = command.output().expect("the program starts");
    assert_eq!(fs::read_to_string(&run).expect("it is there"), RUN);
    assert!(!output.status.success());
}

#[test]
fn a_folder_of_something_else_is_refused() {
    let made = Loop::new("loop-folder");
    fs::create_dir(made.path("out")).expect("folders can be made");
    made.write("out/report.html", "of somebody");
    let words = ["out` is no folder of a loop", "name another with `--out`"];
    assert_refused(&made.run(), 2, &words);
    let left = fs::read_dir(made.path("out")).expect("it is there").count();
    assert_eq!(left, 1);
    fs::remove_file(made.path("out/report.html")).expect("it is ours");
    made.to_the_end();
}

#[test]
fn what_has_no_end_is_not_read() {
    let made = Loop::new("loop-devices");
    for lines in [
        "\n[current]\nnet = \"/dev/zero\"\n",
        "\n[data]\nvalidation = [\"/dev/zero\"]\n",
    ] {
        made.write("run.toml", &format!("{RUN}{lines}"));
        let words = ["cannot read `/dev/zero`: found a device, expected a file"];
        assert_refused(&made.run(), 1, &words);
        assert!(!made.path("out").exists());
    }
    made.write("run.toml", RUN);
    made.to_the_end();
    let expected = made.products();

    // Pipes: to open one waits for the other end.
    for file in ["training.json", "training.begun", "running"] {
        let path = made.path("out/stages").join(file);
        let _ = fs::remove_file(&path);
        let status = Command::new("mkfifo").arg(&path).status();
        assert!(status.expect("it is there").success());
    }
    let printed = made.to_the_end();
    assert!(
        printed.contains("training is done again: cannot read `"),
        "{printed}"
    );
    assert!(
        printed.contains("training begins anew: cannot read `"),
        "{printed}"
    );
    assert!(printed.contains("found a pipe"), "{printed}");
    assert_eq!(made.products(), expected);
}

#[test]
fn a_guard_that_cannot_say_what_runs_ends_it() {
    let missing = scratch_path("no-such-folder").join("running");
    let parent = std::process::id().to_string();
    let started = Instant::now();
    let mut guard = nnue(&["guard", &parent, &text(&missing), "--", "sleep", "60"]);
    // The command has the same output, so that this waits for its end too.
    let output = guard.output().expect("the program starts");
    assert_refused(&output, 1, &["cannot write `", "no-such-folder/running`"]);
    assert!(
        started.elapsed() < Duration::from_secs(30),
        "the command goes on"
    );
}

#[test]
fn damaged_records_are_told_in_a_few_plain_words() {
    let made = Loop::new("loop-escapes");
    made.to_the_end();
    let path = made.path("out/stages/training.json");
    let record = fs::read(&path).expect("it is there");
    let mut record: serde_json::Value = serde_json::from_slice(&record).expect("it is JSON");
    // Sequences are left out of what goes to no terminal, but not marks of direction.
    let title = "\u{1b}]0;title\u{7}\u{202e}".repeat(100_000);
    record["basis"]["words"][&title] = title.clone().into();
    record["basis"]["files"][&title] = record["products"]
        .as_object()
        .and_then(|products| products.values().next().cloned())
        .expect("it has products");
    record["name"] = title.into();
    made.write("out/stages/training.json", &record.to_string());
    let printed = made.to_the_end();
    assert!(printed.contains("training is done again: "), "{printed}");
    assert!(
        !printed.contains(['\u{1b}', '\u{202e}']) && printed.len() < 4000,
        "{printed}"
    );
    assert!(
        printed.contains("\\u{1b}]0;title\\u{7}\\u{202e}"),
        "{printed}"
    );
}

#[test]
fn of_a_command_that_fails_the_last_lines_are_shown() {
    let made = Loop::new("loop-talk");
    let talks = "head -c 3000000 /dev/zero | tr '\\0' x; for n in $(seq 100); do echo; echo \
                 \"line $n \u{1b}[31m\"; done; exit 1\n";
    let script = |help: &str| {
        made.write("trainer", &format!("#!/bin/sh\n{help}\n{talks}"));
        let output = made.run();
        let said = stderr(&output);
        assert!(said.contains("\nline 100 \\u{1b}[31m\n"), "{said}");
        assert!(said.contains("... and its last 20 lines:\n"), "{said}");
        assert!(said.len() < 6000 && !said.contains("line 90 "), "{said}");
        said.to_owned()
    };
    let said = script("exec >&2");
    assert!(said.contains("/trainer --help` failed: "), "{said}");
    let said = script("[ \"$1\" = --help ] && exit 0");
    assert!(said.contains("\nthe command was: ./trainer "), "{said}");
}

#[test]
fn a_checkpoint_of_nobody_is_set_aside() {
    let made = Loop::new("loop-checkpoint");
    made.to_the_end();
    let expected = made.products();
    for damage in ["", "{ half"] {
        fs::remove_file(made.path("out/stages/training.json")).expect("it is there");
        let begun = made.path("out/stages/training.begun");
        match damage {
            "" => fs::remove_file(begun).expect("it is there"),
            damage => fs::write(begun, damage).expect("it can be written"),
        }
        made.write("out/training/checkpoint", "learnt something else\n");
        made.to_the_end();
        assert_eq!(made.products(), expected);
        let old = fs::read_to_string(made.path("out/training.old/checkpoint"));
        assert_eq!(old.expect("it is kept"), "learnt something else\n");
    }
}

#[test]
fn what_a_killed_loop_has_written_of_records_is_removed() {
    let made = Loop::new("loop-parts");
    made.to_the_end();
    made.write("out/stages/games.json.x1y2z3.part", "{ half");
    made.to_the_end();
    let entries = fs::read_dir(made.path("out/stages")).expect("it is there");
    let mut names = entries.map(|entry| entry.expect("it can be read").file_name());
    assert!(names.all(|name| !name.to_string_lossy().ends_with(".part")));
}
