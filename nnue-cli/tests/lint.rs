//! The lint that forbids the tool's crates to open files but through `nnue_tools::files`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{scratch_folder, stderr};

/// What a new subcommand might write, line by line.
const PLANTED: [&str; 15] = [
    "fs::write(path, text)",
    "fs::read(path)",
    "fs::read_to_string(path)",
    "fs::copy(path, path)",
    "fs::rename(path, path)",
    "fs::hard_link(path, path)",
    "fs::remove_file(path)",
    "fs::remove_dir(path)",
    "fs::remove_dir_all(path)",
    "fs::set_permissions(path, permissions)",
    "fs::File::create(path)",
    "fs::File::create_new(path)",
    "fs::File::open(path)",
    "fs::File::options()",
    "fs::OpenOptions::new()",
];

#[test]
fn every_other_way_to_a_file_is_forbidden() {
    let clippy = |arguments: &[&str], folder: &Path| {
        let mut command = Command::new(env!("CARGO"));
        command.arg("clippy").args(arguments).current_dir(folder);
        // The crates below `nnue-cli` find the file there.
        command.env("CLIPPY_CONF_DIR", env!("CARGO_MANIFEST_DIR"));
        command
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .expect("cargo is there")
    };
    let folder = scratch_folder().join("planted");
    fs::create_dir_all(folder.join("src")).expect("folders can be made");
    if !clippy(&["--version"], &folder).status.success() {
        println!("LEFT OUT: clippy is not installed");
        return;
    }
    let lines = PLANTED.map(|call| format!("    let _ = {call};\n"));
    let code = format!(
        "use std::{{fs, path::Path}};\n\n\
         pub fn planted(path: &Path, text: &str, permissions: fs::Permissions) {{\n{}}}\n",
        lines.concat()
    );
    fs::write(folder.join("src/lib.rs"), code).expect("files can be written");
    let manifest = "[package]\nname = \"planted\"\nedition = \"2024\"\n\n[workspace]\n";
    fs::write(folder.join("Cargo.toml"), manifest).expect("files can be written");
    let run = clippy(&["--offline", "--color=never"], &folder);
    let said = stderr(&run);
    for call in PLANTED {
        let line = format!("let _ = {call};");
        let found = said.split("\n\n").any(|warning| {
            warning.contains("use of a disallowed method") && warning.contains(&line)
        });
        assert!(found, "no warning about `{call}`: {said}");
    }
    assert!(!said.contains("error"), "{said}");
}
