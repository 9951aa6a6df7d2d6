//! Where subcommands write: never over what they read, and into devices and pipes as they are.

#![cfg(unix)]

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::thread;

use nnue_test_support::net_file::random_net_file;

use crate::match_engine;
use crate::networks::network;
use crate::program::{nnue, scratch_folder, stderr, write_executable};

const SPEC: &str = include_str!("../../specs/bullet/simple.toml");

/// A net file of it.
static NET: LazyLock<Vec<u8>> = LazyLock::new(|| random_net_file(&network(SPEC), 1));

/// A net file whose spec is found by what is in it.
static KNOWN: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let path = "../examples/nets/nn-37f18f62d772.nnue";
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("the net is there")
});

/// A program that plays matches.
fn engine() -> String {
    let (path, arguments) = (match_engine::path(), match_engine::ARGUMENTS.join(" "));
    format!("#!/bin/sh\nexec '{path}' {arguments}\n")
}

const POSITIONS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 85 | 1.0\n";

/// A folder that only the test of that name uses, with the inputs that subcommands read.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = scratch_folder().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("shards")).expect("folders can be made");
        let folder = Folder(path);
        folder.refill();
        folder
    }

    /// Writes all inputs anew.
    fn refill(&self) {
        let floats = vec![0; 4 * 98_689];
        for (name, bytes) in [
            ("net", NET.as_slice()),
            ("floats", &floats),
            ("spec.toml", SPEC.as_bytes()),
            ("to.toml", SPEC.as_bytes()),
            ("fens", b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n"),
            ("more-fens", b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n"),
            ("positions", POSITIONS.as_bytes()),
            ("small", &KNOWN),
        ] {
            let path = self.path(name);
            let _ = fs::remove_file(&path);
            fs::write(path, bytes).expect("files can be written");
        }
        write_executable(&self.path("engine"), &engine());
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Runs a writer with this output.
    fn run(&self, writer: &str, out: &str) -> Output {
        let run = self.nnue(&arguments(writer, out)).output();
        run.expect("the program starts")
    }

    fn nnue(&self, arguments: &[&str]) -> Command {
        let mut command = nnue(arguments);
        command.current_dir(&self.0).stdin(Stdio::null());
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A way to write, as words, with `OUT` for the output; and the files that it reads.
type Writer = (&'static str, &'static [&'static str]);

/// All subcommands with an output, but `nnue bench` and `nnue loop`, which write into folders of
/// their own.
const WRITERS: &[Writer] = &[
    (
        "convert net OUT --spec spec.toml --to to.toml",
        &["net", "spec.toml", "to.toml"],
    ),
    (
        "quantise floats OUT --spec spec.toml --to to.toml --fens fens --calibrate more-fens",
        &["floats", "spec.toml", "to.toml", "fens", "more-fens"],
    ),
    (
        "draw spec.toml --net net --fens fens --out OUT",
        &["net", "spec.toml", "fens"],
    ),
    ("draw spec.toml --out OUT", &["spec.toml"]),
    (
        "report net --spec spec.toml --fens fens --out OUT",
        &["net", "spec.toml", "fens"],
    ),
    ("onnx spec.toml --net net --out OUT", &["net", "spec.toml"]),
    (
        "verify net --spec spec.toml --fens fens --write OUT",
        &["net", "spec.toml", "fens"],
    ),
    ("spec small --out OUT", &["small"]),
    ("data convert positions --out OUT", &["positions"]),
    (
        "data batches spec.toml positions --positions OUT",
        &["positions", "spec.toml"],
    ),
    (
        "match net fens --engine ./engine --book more-fens --nodes 1 --games 2 --pgn OUT",
        &["net", "fens", "engine", "more-fens"],
    ),
    (
        "match net fens --engine ./engine --book more-fens --nodes 1 --games 2 --state OUT",
        &["net", "fens", "engine", "more-fens"],
    ),
    (
        "reorder positions --net net --spec spec.toml --out OUT",
        &["net", "spec.toml", "positions"],
    ),
];

/// The output has the ending that the subcommand asks for, if it asks.
fn ending(writer: &str) -> &'static str {
    match writer {
        _ if !writer.starts_with("draw") => "",
        _ if writer.contains("--net") => ".png",
        _ => ".svg",
    }
}

fn arguments<'w>(writer: &'w str, out: &'w str) -> Vec<&'w str> {
    let words = writer.split(' ');
    words
        .map(|word| if word == "OUT" { out } else { word })
        .collect()
}

fn assert_kept(folder: &Folder, input: &str, before: &[u8], run: &Output, how: &str) {
    let code = run.status.code();
    assert!(matches!(code, Some(1 | 2)), "{how}: {code:?}");
    let after = fs::read(folder.path(input)).expect("the input is there");
    assert!(after == before, "{how}: {} bytes are left", after.len());
}

#[test]
fn no_output_is_an_input() {
    let folder = Folder::new("over");
    for (writer, inputs) in WRITERS {
        for input in *inputs {
            let before = fs::read(folder.path(input)).expect("the input is there");
            let out = format!("out{}", ending(writer));
            let path = folder.path(&out);
            // By its name, where the ending does not matter, and through links of both kinds.
            for way in ["path", "dots", "hard link", "link"] {
                let out = match way {
                    "path" => input.to_string(),
                    "dots" => format!("shards/../{input}"),
                    _ => out.clone(),
                };
                let _ = fs::remove_file(&path);
                match way {
                    "hard link" => fs::hard_link(folder.path(input), &path).expect("a link"),
                    "link" => symlink(input, &path).expect("a link"),
                    _ => {}
                }
                let run = folder.run(writer, &out);
                let how = format!("{writer}, over {input} by its {way}");
                assert_kept(&folder, input, &before, &run, &how);
                let message = stderr(&run);
                let is_named = ["which is read", "is there already", "is an SVG"];
                assert!(
                    is_named.iter().any(|words| message.contains(words)),
                    "{how}: {message}"
                );
            }
            let _ = fs::remove_file(&path);
        }
    }
}

#[test]
fn no_output_is_standard_input() {
    let folder = Folder::new("stdin");
    for writer in [
        "quantise floats OUT --spec spec.toml --fens -",
        "report net --spec spec.toml --fens - --out OUT",
        "verify net --spec spec.toml --fens - --write OUT",
        "data convert - --out OUT",
        "data batches spec.toml - --positions OUT",
        "convert - OUT --spec spec.toml --to to.toml",
        "onnx spec.toml --net - --out OUT",
    ] {
        let input = match writer {
            _ if writer.starts_with("data") => "positions",
            _ if writer.contains("--fens") => "fens",
            _ => "net",
        };
        let before = fs::read(folder.path(input)).expect("the input is there");
        let mut command = folder.nnue(&arguments(writer, input));
        command.stdin(File::open(folder.path(input)).expect("the input is there"));
        let run = command.output().expect("the program starts");
        assert_kept(&folder, input, &before, &run, writer);
        assert!(
            stderr(&run).contains("standard input, which is read"),
            "{}",
            stderr(&run)
        );
    }
}

/// A spec beside a net is read although nobody names it.
#[test]
fn no_output_is_an_input_that_nobody_has_named() {
    let folder = Folder::new("unnamed");
    fs::copy(folder.path("net"), folder.path("told.bin")).expect("files can be written");
    fs::write(folder.path("told.toml"), SPEC).expect("files can be written");
    for writer in [
        "report told.bin --fens fens --out OUT",
        "convert told.bin OUT --layout scalar",
        "verify told.bin --fens fens --write OUT",
    ] {
        for out in ["told.toml", "shards/../told.toml"] {
            let run = folder.run(writer, out);
            assert_kept(&folder, "told.toml", SPEC.as_bytes(), &run, writer);
            let message = stderr(&run);
            assert!(message.contains("which is read"), "{writer}: {message}");
        }
        let run = folder.run(writer, "out");
        assert!(run.status.success(), "{writer}: {}", stderr(&run));
    }
}

/// By the names that headers, libraries and packages have.
#[test]
fn libraries_go_over_nothing_of_others() {
    let folder = Folder::new("libraries");
    let spec = include_bytes!("../../specs/small128.toml");
    let others = [
        ("static/libx.a", &KNOWN[..]),
        ("shared/libx.so", &KNOWN[..]),
        ("header/x.h", &spec[..]),
        ("package/Cargo.toml", b"[package]\nname = \"engine\"\n"),
        ("package/src/lib.rs", b"//! An engine.\n"),
        ("code/main.c", b"int main(void) { return 0; }\n"),
    ];
    for (name, bytes) in others {
        let path = folder.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders can be made");
        fs::write(path, bytes).expect("files can be written");
    }
    let mut made = folder.nnue(&arguments("capi small128 --name x --source made", ""));
    assert!(made.status().expect("the program starts").success());
    fs::write(folder.path("made/src/lib.rs"), "//! Mine.\n").expect("files can be written");
    for command in [
        "capi header/x.h --name x --out header",
        "capi header/x.h --name x --source header",
        "capi small128 --name x --net static/libx.a --out static",
        "capi small128 --name x --net shared/libx.so --out shared",
        "capi small128 --name x --out static",
        "capi small128 --name x --source package",
        "capi small128 --name x --source code",
        "capi small128 --name x --source made",
    ] {
        let run = folder.run(command, "");
        for (name, bytes) in others
            .into_iter()
            .chain([("made/src/lib.rs", &b"//! Mine.\n"[..])])
        {
            assert_kept(&folder, name, bytes, &run, command);
        }
        let message = stderr(&run);
        let words = ["`nnue capi` has not made it", "files of something else"];
        let is_said = words.iter().any(|words| message.contains(words));
        assert!(
            is_said && message.starts_with("error: "),
            "{command}: {message}"
        );
    }
}

/// As `>> net` does, where what is printed would be added to the net.
#[test]
fn what_is_printed_goes_into_no_input() {
    let folder = Folder::new("printed");
    for (command, input) in [
        ("info net --spec spec.toml", "net"),
        ("info net --spec spec.toml", "spec.toml"),
        ("check spec.toml", "spec.toml"),
        ("describe spec.toml", "spec.toml"),
        ("diff small net", "small"),
        ("eval --net net --spec spec.toml --fens fens", "fens"),
        ("spec small", "small"),
        ("data info positions", "positions"),
        (
            "report net --spec spec.toml --fens fens --out page",
            "spec.toml",
        ),
    ] {
        let before = fs::read(folder.path(input)).expect("the input is there");
        let words: Vec<&str> = command.split(' ').collect();
        let end = File::options().append(true).open(folder.path(input));
        let run = folder
            .nnue(&words)
            .stdout(end.expect("the input is there"))
            .output()
            .expect("the program starts");
        let how = format!("{command} >> {input}");
        assert_kept(&folder, input, &before, &run, &how);
        let message = stderr(&run);
        assert!(
            message.contains("cannot write standard output: it is the same file as"),
            "{how}: {message}"
        );
    }
}

/// Complaints about a list would be read as further lines of it, for ever.
#[test]
fn errors_go_into_no_input() {
    let folder = Folder::new("complaints");
    for (command, input) in [
        ("eval --net net --spec spec.toml --fens fens", "fens"),
        ("check spec.toml", "spec.toml"),
        (
            "match net fens --engine ./engine --book more-fens --nodes 1 --games 2",
            "net",
        ),
    ] {
        let before = fs::read(folder.path(input)).expect("the input is there");
        let end = File::options().append(true).open(folder.path(input));
        let mut command = folder.nnue(&arguments(command, ""));
        let status = command.stderr(end.expect("the input is there")).status();
        assert_eq!(status.expect("the program starts").code(), Some(2));
        let after = fs::read(folder.path(input)).expect("the input is there");
        // The one complaint is that.
        let added = String::from_utf8_lossy(&after[before.len()..]).into_owned();
        assert!(
            after.starts_with(&before) && added.lines().count() < 4,
            "{added}"
        );
        assert!(added.contains("cannot write `/dev/stderr`"), "{added}");
        folder.refill();
    }
}

/// By another name than `-`: a shell has its file open, and may go on where the command ends.
#[cfg(target_os = "linux")]
#[test]
fn standard_output_is_not_replaced_by_any_name() {
    let folder = Folder::new("stdout");
    let convert = "convert net /dev/stdout --spec spec.toml --to to.toml";
    let piped = folder.nnue(&arguments(convert, "")).output();
    assert!(piped.expect("the program starts").stdout == *NET);
    for out in ["/dev/stdout", "log"] {
        let log = folder.path("log");
        fs::write(&log, "before\n").expect("files can be written");
        let mut end = File::options().append(true).open(&log).expect("a file");
        let command = format!("convert net {out} --spec spec.toml --to to.toml");
        let mut command = folder.nnue(&arguments(&command, ""));
        command.stdout(end.try_clone().expect("a handle"));
        assert!(command.status().expect("the program starts").success());
        end.write_all(b"after\n").expect("it is open");
        let found = fs::read(&log).expect("it is there");
        let expected = [b"before\n", NET.as_slice(), b"after\n"].concat();
        assert!(found == expected, "{out}: {} bytes", found.len());
    }
}

#[test]
fn shards_and_streams_go_over_no_input() {
    let folder = Folder::new("shards");
    fs::hard_link(folder.path("positions"), folder.path("shards/0002.txt")).expect("a link");
    let run = folder
        .nnue(&["data", "convert", "positions", "--shards=2", "--out=shards"])
        .output()
        .expect("the program starts");
    assert_kept(&folder, "positions", POSITIONS.as_bytes(), &run, "shards");
    // As `>> positions` does.
    let end = File::options().append(true).open(folder.path("positions"));
    let run = folder
        .nnue(&["data", "batches", "spec.toml", "positions"])
        .stdout(end.expect("the input is there"))
        .output()
        .expect("the program starts");
    assert_kept(
        &folder,
        "positions",
        POSITIONS.as_bytes(),
        &run,
        "the stream",
    );
    // Two outputs in one file.
    let both = "match net fens --engine floats --nodes 1 --games 2 --pgn games --state ./games";
    let run = folder.run(both, "");
    assert_eq!(run.status.code(), Some(2), "{}", stderr(&run));
    assert!(
        stderr(&run).contains("which is written too"),
        "{}",
        stderr(&run)
    );
}

/// Those that can write to what is no file. The state of a match is read again; the nets that `nnue
/// reorder` writes are large, and have tests of their own beside its others.
fn streams() -> impl Iterator<Item = &'static str> {
    let writers = WRITERS.iter().map(|(writer, _)| *writer);
    writers.filter(|writer| !writer.starts_with("reorder") && !writer.contains("--state"))
}

#[test]
fn pipes_stay_pipes() {
    let folder = Folder::new("pipe");
    for writer in streams() {
        let name = format!("pipe{}", ending(writer));
        let path = folder.path(&name);
        let made = Command::new("mkfifo")
            .arg(&path)
            .status()
            .expect("there is `mkfifo`");
        assert!(made.success());
        let reader = {
            let path = path.clone();
            thread::spawn(move || fs::read(path).expect("pipes can be read"))
        };
        let run = folder.run(writer, &name);
        let kind = fs::symlink_metadata(&path)
            .expect("it is there")
            .file_type();
        assert!(kind.is_fifo(), "{writer}: the pipe was replaced");
        assert!(run.status.success(), "{writer}: {}", stderr(&run));
        assert!(!reader.join().expect("it is read").is_empty(), "{writer}");
        fs::remove_file(path).expect("it is there");
    }
}

/// A device of the folder's own, which may be replaced without harm. Only root can make it.
#[cfg(target_os = "linux")]
#[test]
fn devices_stay_devices() {
    let folder = Folder::new("device");
    for writer in streams() {
        let name = format!("null{}", ending(writer));
        let path = folder.path(&name);
        let made = Command::new("mknod")
            .arg(&path)
            .args(["c", "1", "3"])
            .output();
        if !made.expect("there is `mknod`").status.success() {
            eprintln!("LEFT OUT: only root can make the devices into which commands would write");
            return;
        }
        let run = folder.run(writer, &name);
        assert!(run.status.success(), "{writer}: {}", stderr(&run));
        let kind = fs::symlink_metadata(&path)
            .expect("it is there")
            .file_type();
        assert!(kind.is_char_device(), "{writer}: the device was replaced");
        fs::remove_file(path).expect("it is there");
    }
}

/// The words of games but those of comments, which say how long each move took.
fn without_times(games: &[u8]) -> Vec<u8> {
    let games = String::from_utf8_lossy(games);
    let parts = games
        .split('{')
        .map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    let words: Vec<&str> = parts.flat_map(str::split_whitespace).collect();
    words.join(" ").into()
}

#[test]
fn standard_output_has_the_file_and_nothing_else() {
    let folder = Folder::new("standard");
    for writer in streams().filter(|writer| !writer.starts_with("data batches")) {
        let name = format!("out{}", ending(writer));
        let file = folder.run(writer, &name);
        assert!(file.status.success(), "{writer}: {}", stderr(&file));
        let run = folder.run(writer, "-");
        let expected = fs::read(folder.path(&name)).expect("it was written");
        let [found, expected] = if writer.starts_with("match") {
            [&run.stdout, &expected].map(|games| without_times(games))
        } else {
            [run.stdout, expected]
        };
        assert!(run.status.success() && found == expected, "{writer}");
        fs::remove_file(folder.path(&name)).expect("it is there");
    }
    assert!(!folder.path("-").exists());
}

#[test]
fn links_and_permissions_are_kept() {
    let folder = Folder::new("links");
    let target = folder.path("target");
    fs::write(&target, "old").expect("files can be written");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("it is ours");
    symlink("target", folder.path("link")).expect("links can be made");
    let writer = "convert net OUT --spec spec.toml --to to.toml";
    for (out, path) in [("link", "target"), ("dangling", "new")] {
        if out == "dangling" {
            symlink("new", folder.path(out)).expect("links can be made");
        }
        let run = folder.run(writer, out);
        assert!(run.status.success(), "{}", stderr(&run));
        let link = fs::symlink_metadata(folder.path(out)).expect("it is there");
        assert!(link.is_symlink(), "{out}");
        assert!(
            fs::read(folder.path(path)).expect("it is there") == *NET,
            "{path}"
        );
    }
    let mode = fs::metadata(&target)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn what_has_no_end_is_not_read() {
    let folder = Folder::new("endless");
    let longer = File::create(folder.path("long")).expect("files can be written");
    longer.set_len((1 << 32) + 1).expect("files can have holes");
    for (arguments, words) in [
        (
            ["info", "/dev/zero"],
            "found a device, expected a file; `-` reads standard input",
        ),
        (["info", "shards"], "found a folder"),
        (["check", "/dev/zero"], "allowed are"),
        (["check", "/dev/./zero"], "found a device"),
        (["info", "long"], "more than 4294967296 bytes"),
    ] {
        let run = folder
            .nnue(&arguments)
            .output()
            .expect("the program starts");
        assert!(
            run.status.code().is_some_and(|code| code > 0),
            "{arguments:?}"
        );
        if words != "allowed are" {
            assert!(stderr(&run).contains(words), "{}", stderr(&run));
        }
    }
    // A quarter of a gigabyte more than the spec says is read, to say what else a file is.
    longer
        .set_len(1 << 28 | 1 << 20)
        .expect("files can have holes");
    let run = folder
        .nnue(&["info", "long", "--spec", "spec.toml"])
        .output();
    let run = run.expect("the program starts");
    assert!(
        stderr(&run).contains("`long`: it has more than 2686"),
        "{}",
        stderr(&run)
    );
    let mut info = folder.nnue(&["info", "-", "--spec", "spec.toml"]);
    let mut info = info
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = info.stdin.take().expect("it is piped");
    stdin.write_all(&NET).expect("it is read");
    drop(stdin);
    let output = info.wait_with_output().expect("it ends");
    assert!(output.status.success());
}
