//! Compilers of C++, and the sanitizers that they add.

use std::path::{Path, PathBuf};
use std::process::Command;

use nnue_test_support::fixtures::run;

/// A compiler with the options for a way of checking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compiler {
    pub(crate) name: &'static str,
    /// What is compiled and checked, as options.
    pub(crate) options: &'static [&'static str],
}

/// All compilers that there are, with each sanitizer once. It says which are not there.
pub(crate) fn compilers() -> Vec<Compiler> {
    let all = [
        ("g++", &["-O2"][..]),
        ("g++", &["-O1", "-g", "-fsanitize=thread"]),
        ("clang++", &["-O2"]),
        (
            "clang++",
            &[
                "-O1",
                "-g",
                "-fsanitize=address,undefined",
                "-fno-sanitize-recover=all",
            ],
        ),
    ];
    let compilers = all.map(|(name, options)| Compiler { name, options });
    let is_there = |compiler: &Compiler| {
        let found = Command::new(compiler.name).arg("--version").output();
        if found.is_err() {
            eprintln!("SKIPPED: there is no {compiler:?}");
        }
        found.is_ok()
    };
    compilers.into_iter().filter(is_there).collect()
}

impl Compiler {
    /// Compiles a program and links it with a library in a folder. Without warnings.
    pub(crate) fn compile(self, source: &Path, libraries: &Path, names: &[&str]) -> PathBuf {
        let program = libraries.join("program");
        let mut compiler = Command::new(self.name);
        compiler
            .args(["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
            .args(self.options)
            .arg("-I")
            .arg(libraries)
            .arg(source)
            .args(
                names
                    .iter()
                    .map(|name| libraries.join(format!("lib{name}.a"))),
            )
            .args(["-lpthread", "-ldl", "-lm", "-o"])
            .arg(&program);
        run(&mut compiler);
        program
    }
}
