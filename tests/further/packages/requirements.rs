//! How old the packages of others may be in an engine that uses this project. Engines commit their
//! `Cargo.lock`, and cargo changes nothing that it pins to make room for another package: what asks
//! for newer versions than it needs cannot be added.
//!
//! These tests need crates.io, for the versions are none of the workspace's own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use nnue_test_support::fixtures::run;
use nnue_test_support::goldens::golden_positions;

use crate::published::{published, workspace};
use crate::registry::cargo;

/// An engine with the net of small128, which reads a FEN and prints its value. The macro embeds the
/// net, and a build script compiles the same spec.
const MAIN: &str = r#"
mod net {
    nnue_runtime::nnue_net!("specs/small128.toml", weights = "small128.nnue");
}

mod built {
    include!(concat!(env!("OUT_DIR"), "/small128.rs"));
}

fn main() {
    let fen = std::env::args().nth(1).expect("a FEN");
    let board = nnue_runtime::Board::from_fen(&fen).expect("a position");
    let net = net::Network::embedded_shared();
    let value = net.evaluate(&net::Accumulator::new(&net, &board), &board).value;
    let built = built::Network::open("small128.nnue").expect("a net");
    let same = built.evaluate(&built::Accumulator::new(&built, &board), &board).value;
    assert_eq!(value, same);
    println!("{value}");
}
"#;

const BUILD: &str = r#"
fn main() -> Result<(), nnue_build::Error> {
    nnue_build::compile("specs/small128.toml")
}
"#;

/// The packages that an engine may name, and their features.
const USED: [(&str, &str, &str); 4] = [
    (
        "nnue-runtime",
        "nnue-runtime",
        "cozy-chess,explain,shared,zstd",
    ),
    ("nnue-interpreter", "nnue-runtime/interpreter", "zstd"),
    ("nnue-capi", "nnue-runtime/capi", ""),
    ("nnue-build", "nnue-macros/build", "zstd"),
];

/// The folder of an engine, with its sources, but without a manifest.
fn engine(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for part in ["src", "specs"] {
        fs::create_dir_all(folder.join(part)).expect("folders can be made");
    }
    fs::write(folder.join("src/main.rs"), MAIN).expect("code can be written");
    fs::write(folder.join("build.rs"), BUILD).expect("code can be written");
    for (from, to) in [
        ("specs/small128.toml", "specs/small128.toml"),
        ("examples/nets/nn-37f18f62d772.nnue", "small128.nnue"),
    ] {
        fs::copy(workspace().join(from), folder.join(to)).expect("files can be copied");
    }
    folder
}

/// Whether cargo has all that the engine needs. Says so where it cannot be downloaded.
///
/// # Panics
///
/// If cargo finds no versions that fit each other, or fails for another reason.
fn fetched(folder: &Path, what: &str) -> bool {
    let output = cargo(folder)
        .args(["fetch", "--color=never"])
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return true;
    }
    let unreachable = ["failed to download", "download of ", "failed to query"];
    assert!(
        unreachable.iter().any(|words| errors.contains(words)),
        "{errors}"
    );
    let _ = writeln!(
        io::stderr(),
        "\n!!! SKIPPED: {what}, for crates.io cannot be reached\n"
    );
    false
}

/// Builds the engine, and compares the value of a position with that of the original engine.
fn evaluates(folder: &Path) {
    let goldens = golden_positions("real/nn-37f18f62d772").expect("there are goldens");
    let run_engine = [
        "run",
        "--quiet",
        "--offline",
        "--locked",
        "--target-dir=target",
        "--",
    ];
    let printed = run(cargo(folder).args(run_engine).arg(&goldens[0].fen));
    assert_eq!(printed, format!("{}\n", goldens[0].engine));
}

/// What the packages require of others, for running and building: names and versions.
fn required() -> BTreeMap<String, String> {
    let mut required = BTreeMap::new();
    for package in published() {
        for dependency in package.dependencies() {
            let (name, version) = (&dependency["name"], &dependency["req"]);
            if dependency["path"].is_null() && dependency["kind"] != "dev" {
                let [name, version] = [name, version].map(|text| text.as_str().expect("a text"));
                let version = version.trim_start_matches('^');
                required.insert(name.to_owned(), version.to_owned());
            }
        }
    }
    required
}

/// The versions of packages in `Cargo.lock`.
fn locked(folder: &Path) -> Vec<(String, String)> {
    let lock = fs::read_to_string(folder.join("Cargo.lock")).expect("there is a lock file");
    let mut versions = Vec::new();
    let mut lines = lock.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("name = ") {
            let version = lines
                .next()
                .and_then(|line| line.strip_prefix("version = "));
            let version = version.expect("a version follows the name");
            let text = |quoted: &str| quoted.trim_matches('"').to_owned();
            versions.push((text(name), text(version)));
        }
    }
    versions
}

#[test]
#[ignore = "compiles an engine with old versions of packages, from crates.io: a minute"]
fn the_lowest_versions_that_are_required_are_enough() {
    let folder = engine("lowest-versions");
    let own = |kind: fn(&str) -> bool| {
        let mut lines = String::new();
        for (name, path, features) in USED.iter().filter(|(name, ..)| kind(name)) {
            let path = workspace().join(path);
            let features: Vec<&str> = features.split_terminator(',').collect();
            writeln!(
                lines,
                "{name} = {{ path = {path:?}, features = {features:?} }}"
            )
            .expect("texts can be written");
        }
        lines
    };
    let head = "[package]\nname = \"engine\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
                [workspace]\n\n[build-dependencies]\n";
    let manifest = |pinned: &str| {
        let [build, other] = [
            own(|name| name == "nnue-build"),
            own(|name| name != "nnue-build"),
        ];
        format!("{head}{build}\n[dependencies]\n{other}{pinned}")
    };
    let write =
        |text: &str| fs::write(folder.join("Cargo.toml"), text).expect("files can be written");
    // What an engine does not compile, such as serde, is the command's.
    fs::copy(workspace().join("Cargo.lock"), folder.join("Cargo.lock"))
        .expect("files can be copied");
    write(&manifest(""));
    run(cargo(&folder).args(["metadata", "--offline", "--format-version=1"]));
    let used = locked(&folder);
    let required = required();
    let lowest = required
        .iter()
        .filter(|(name, _)| used.iter().any(|(used, _)| used == *name));
    let mut pinned = String::new();
    for (name, version) in lowest.clone() {
        writeln!(
            pinned,
            "{name} = {{ version = \"={version}\", default-features = false }}"
        )
        .expect("texts can be written");
    }
    write(&manifest(&pinned));
    if !fetched(&folder, "the lowest versions that are required") {
        return;
    }
    let found = locked(&folder);
    let mut number = 0;
    for (name, version) in lowest {
        let mut versions = found.iter().filter(|(found, _)| found == name);
        let is_lowest = |(_, found): &(String, String)| found.split('+').next() == Some(version);
        assert!(versions.any(is_lowest), "{name} {version}: {found:?}");
        number += 1;
    }
    assert!(number >= 8, "{number} packages of others");
    evaluates(&folder);
}

#[test]
#[ignore = "compiles an engine with old versions of packages, from crates.io: a minute"]
fn an_engine_keeps_what_its_lock_file_pins() {
    let folder = engine("locked-engine");
    let old = workspace().join("tests/further/packages/locked");
    for file in ["Cargo.toml", "Cargo.lock"] {
        fs::copy(old.join(file), folder.join(file)).expect("files can be copied");
    }
    let what = "an engine with an old lock file";
    if !fetched(&folder, what) {
        return;
    }
    let pinned = locked(&folder);
    assert!(pinned.len() > 10 && pinned.contains(&("proc-macro2".into(), "1.0.89".into())));
    for (name, path, features) in USED {
        let mut add = cargo(&folder);
        add.args(["add", "--quiet", "--path"])
            .arg(workspace().join(path));
        if name == "nnue-build" {
            add.arg("--build");
        }
        if !features.is_empty() {
            add.args(["--features", features]);
        }
        run(&mut add);
    }
    if !fetched(&folder, what) {
        return;
    }
    let found = locked(&folder);
    for package in &pinned {
        assert!(
            found.contains(package),
            "cargo changes {package:?}: {found:?}"
        );
    }
    evaluates(&folder);
}
