//! The README's quick start.

use std::fs;

use crate::published::workspace;

/// What the README's section says.
pub(crate) struct QuickStart {
    /// The arguments of `cargo` that add the dependencies, without the paths of a version that is
    /// not published.
    pub(crate) dependencies: Vec<Vec<String>>,
    /// `src/main.rs`.
    pub(crate) program: String,
    /// What the program prints.
    pub(crate) output: String,
}

impl QuickStart {
    pub(crate) fn read() -> QuickStart {
        let readme = fs::read_to_string(workspace().join("README.md")).expect("there is a README");
        let (_, section) = readme.split_once("## Quick start\n").expect("the section");
        let (_, program) = section
            .split_once("`src/main.rs`, complete:\n\n```rust\n")
            .expect("the program follows its name");
        let (program, after) = program.split_once("```").expect("the program ends");
        let (_, output) = after
            .split_once("    $ cargo run --release\n")
            .expect("the program is run after it was shown");
        let commands = section
            .lines()
            .filter_map(|line| line.strip_prefix("    cargo "));
        let dependencies = commands
            .filter(|command| command.starts_with("add "))
            .map(without_path);
        let output = output
            .lines()
            .map_while(|line| line.strip_prefix("    "))
            .map(|line| format!("{line}\n"));
        QuickStart {
            dependencies: dependencies.collect(),
            program: program.to_owned(),
            output: output.collect(),
        }
    }
}

fn without_path(command: &str) -> Vec<String> {
    let mut words = command.split_whitespace();
    let mut arguments = Vec::new();
    while let Some(word) = words.next() {
        if word == "--path" {
            words.next();
        } else {
            arguments.push(word.to_owned());
        }
    }
    arguments
}

#[test]
fn the_quick_start_is_read_as_it_stands() {
    let found = QuickStart::read();
    let dependencies: Vec<String> = found
        .dependencies
        .iter()
        .map(|words| words.join(" "))
        .collect();
    assert_eq!(
        dependencies,
        ["add nnue-runtime --features cozy-chess", "add cozy-chess"]
    );
    assert!(found.program.starts_with("use ") && found.program.ends_with("}\n"));
    assert_eq!(found.output.lines().count(), 6, "{}", found.output);
}
