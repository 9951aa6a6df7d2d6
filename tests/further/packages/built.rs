//! What is built from the packages alone, and used.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::Path;
use std::process::Command;

use nnue_test_support::fixtures::{alone, run};
use serde_json::Value;

use crate::published::{published, workspace};
use crate::quick_start::QuickStart;
use crate::registry::{Registry, cargo};

/// A net file and its spec, each from the package that holds it.
const NET: [&str; 2] = ["nnue-cli", "src/inputs/primer.nnue"];
const SPEC: [&str; 2] = ["nnue-cli", "src/inputs/primer.toml"];

#[test]
#[ignore = "compiles the packages: a minute; `cargo fetch --locked` comes before"]
fn packages_build_the_quick_start() {
    let quick_start = QuickStart::read();
    let registry = Registry::new("quick-start");
    let engine = registry.folder().join("my-engine");
    for folder in ["src", "specs"] {
        fs::create_dir_all(engine.join(folder)).expect("folders can be made");
    }
    // As `cargo new` writes it, except for the last line: the folder is in that of another
    // workspace.
    let manifest =
        "[package]\nname = \"my-engine\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    fs::write(engine.join("Cargo.toml"), manifest).expect("manifests can be written");
    fs::write(engine.join("src/main.rs"), &quick_start.program).expect("code can be written");
    for ([package, path], place) in [(SPEC, "specs/primer.toml"), (NET, "primer.nnue")] {
        fs::copy(registry.file(package, path), engine.join(place)).expect("files can be copied");
    }
    for dependency in &quick_start.dependencies {
        run(cargo(&engine).args(dependency).arg("--offline"));
    }
    let printed = run(cargo(&engine).args(["run", "--release", "--offline", "--quiet"]));
    assert_eq!(printed, quick_start.output);
}

#[test]
#[ignore = "compiles the packages: two minutes; `cargo fetch --locked` comes before"]
fn packages_make_the_command() {
    let registry = Registry::new("command");
    let folder = registry.folder();
    let installed = folder.join("installed");
    // As `cargo install nnue-cli` does, but unoptimised, which compiles faster.
    run(cargo(folder)
        .args(["install", "nnue-cli", "--locked", "--offline", "--debug"])
        .arg("--config")
        .arg(registry.config())
        .arg("--root")
        .arg(&installed)
        .env("CARGO_PROFILE_DEV_DEBUG", "false"));
    let program = installed.join("bin").join(format!("nnue{EXE_SUFFIX}"));
    let nnue = |arguments: &[&str]| {
        let mut nnue = alone(&program);
        run(nnue.args(arguments).current_dir(folder))
    };

    let evaluated = nnue(&["eval", "startpos", "--json"]);
    let evaluated: Value = serde_json::from_str(&evaluated).expect("JSON");
    assert_eq!(evaluated["value"], 58, "{evaluated}");

    // A spec that needs the known ones.
    let spec = "name = \"Narrow\"\nlike = \"small128\"\ntransformer.width = 64\n";
    fs::write(folder.join("narrow.toml"), spec).expect("specs can be written");
    let checked = nnue(&["check", "narrow.toml"]);
    let network = "Narrow: HalfKAv2_hm[22528] -> 64 x 2 -> (16 -> 32 -> 1) x 8\n";
    assert!(checked.starts_with(network), "{checked}");

    // It compiles the network with packages of the registry.
    let measured = nnue(&[
        "bench",
        "narrow.toml",
        "--rounds=1",
        "--json",
        "--cache=cache",
    ]);
    let measured: Value = serde_json::from_str(&measured).expect("JSON");
    assert_eq!(measured["errors"], Value::Array(Vec::new()));
    assert_eq!(measured["rows"][0]["network"], "Narrow");
    let manifests = manifests_of(&folder.join("cache/bench"));
    let version = format!("\"={}\"", published()[0].version());
    assert!(
        manifests.contains(&version) && !manifests.contains("path ="),
        "{manifests}"
    );
}

/// The manifests of the packages in a folder.
fn manifests_of(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("the folder can be listed");
    let manifests = entries.map(|entry| entry.expect("it has entries").path().join("Cargo.toml"));
    let texts = manifests.filter_map(|path| fs::read_to_string(path).ok());
    texts.collect()
}

/// `rustup toolchain install` comes before.
#[test]
#[ignore = "compiles all packages with another version of Rust: two minutes"]
fn minimum_rust_is_enough() {
    let packages = published();
    let version = packages[0].rust_version();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("minimum-rust");
    let cargo = |subcommand: &str| {
        let mut cargo: Command = alone("rustup");
        cargo
            .args(["run", version, "cargo", subcommand])
            .args(["--locked", "--offline", "--quiet", "--target-dir"])
            .arg(&target)
            .env_remove("CARGO")
            .current_dir(workspace());
        cargo
    };
    let rustc = run(alone("rustup").args(["run", version, "rustc", "--version"]));
    assert!(rustc.starts_with(&format!("rustc {version}.")), "{rustc}");
    let mut check = cargo("check");
    check.arg("--all-features");
    for package in &packages {
        check.args(["-p", package.name()]);
    }
    run(&mut check);
    let tested = run(cargo("test").args(["-p", "nnue-runtime", "--lib"]));
    assert!(tested.contains("test result: ok"), "{tested}");
}
