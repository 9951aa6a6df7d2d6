//! Errors of the compiler as users see them: what rustc says of each file in `messages/` and
//! `unsafe/` is in the file of the same name that ends in `.stderr`. `UPDATE_GOLDEN=1` writes what
//! it says now.
//!
//! The runtime is checked once, and rustc is called for each file, as cargo would call it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use nnue_test_support::fixtures::{Fixtures, run};

#[test]
fn the_macro_says_what_is_wrong() {
    check("messages", |_| true);
}

/// The macros of generated code are exported. They must not allow anybody to avoid `unsafe`.
#[test]
fn exported_macros_let_nobody_past_unsafe() {
    let is_for_this_machine =
        |name: &str| cfg!(target_arch = "x86_64") || !name.starts_with("dispatch_");
    check("unsafe", is_for_this_machine);
}

/// Compiles the files of a folder, and compares what rustc says of them.
fn check(folder: &str, is_wanted: impl Fn(&str) -> bool) {
    let compiler = Compiler::new(folder);
    let update = env::var_os("UPDATE_GOLDEN").is_some();
    let mut failures = String::new();
    let mut count = 0;
    for case in cases(folder) {
        let name = case.file_stem().unwrap_or_default().to_string_lossy();
        if !is_wanted(&name) {
            println!("{name}: not for this processor");
            continue;
        }
        count += 1;
        let expected_file = case.with_extension("stderr");
        let found = compiler.errors_of(&case);
        if update {
            fs::write(&expected_file, &found).expect("goldens can be written");
            continue;
        }
        let expected = fs::read_to_string(&expected_file).unwrap_or_default();
        if found != expected {
            failures += &format!("=== {name}, expected:\n{expected}\n=== found:\n{found}\n");
        }
    }
    assert!(count > 0, "no cases in `{folder}`");
    assert!(
        failures.is_empty(),
        "{failures}`UPDATE_GOLDEN=1` accepts this"
    );
}

fn cases(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(package().join("ui").join(folder)).expect("the folder is there");
    let mut cases: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    cases.sort();
    cases
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// rustc, for crates that depend on the runtime alone.
struct Compiler {
    /// The file with the runtime's metadata.
    runtime: PathBuf,
    /// The folders of what the runtime depends on: of crates, and of the macro.
    dependencies: [PathBuf; 2],
    /// Where the macro looks for the files that the cases name; nothing else is written.
    manifest_dir: PathBuf,
}

impl Compiler {
    fn new(name: &str) -> Compiler {
        let fixtures = Fixtures::new(env!("CARGO_TARGET_TMPDIR"));
        let messages = run(fixtures
            .cargo("check")
            .args(["--package=nnue-runtime", "--message-format=json"]));
        let runtime = messages
            .split('"')
            .find(|text| text.contains("libnnue_runtime-") && text.ends_with(".rmeta"))
            .expect("cargo tells where the runtime's metadata are");
        let manifest_dir = fixtures.scratch(&format!("ui-{name}"));
        write_files(&manifest_dir);
        let runtime = PathBuf::from(runtime);
        let crates = runtime.parent().expect("a file is in a folder").to_owned();
        Compiler {
            dependencies: [crates, fixtures.built_for_host("deps")],
            runtime,
            manifest_dir,
        }
    }

    /// What rustc says of a file that must not compile, in paths that are the same everywhere.
    fn errors_of(&self, case: &Path) -> String {
        let path = case.strip_prefix(package()).expect("a case of the package");
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or("rustc".into()));
        rustc
            .current_dir(package())
            .env("CARGO_MANIFEST_DIR", &self.manifest_dir)
            .args(["--edition=2024", "--crate-type=bin", "--emit=metadata"])
            .arg("--color=never")
            .arg("--out-dir")
            .arg(&self.manifest_dir)
            .arg(format!("--extern=nnue_runtime={}", self.runtime.display()));
        for folder in &self.dependencies {
            rustc.arg(format!("-Ldependency={}", folder.display()));
        }
        let output = rustc.arg(path).output().expect("rustc can be run");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{} compiles", path.display());
        let root = package().parent().expect("the project's folder");
        let said = stderr
            .replace(&*self.manifest_dir.to_string_lossy(), "$DIR")
            .replace(&*root.to_string_lossy(), "$WORKSPACE");
        // The number of errors and the reference to their explanation are left out.
        let blocks: Vec<String> = said
            .split("\n\n")
            .filter(|block| {
                let ends = [
                    "error: aborting due to",
                    "For more information about",
                    "Some errors have",
                ];
                !ends.iter().any(|end| block.starts_with(end)) && !block.trim().is_empty()
            })
            .map(without_source_of_the_project)
            .collect();
        blocks.join("\n\n") + "\n"
    }
}

/// An error without the lines of the project that it quotes, which are others after every change
/// there.
fn without_source_of_the_project(error: &str) -> String {
    if !error.contains("$WORKSPACE") {
        return error.trim_end().to_owned();
    }
    let mut lines = Vec::new();
    let mut is_of_the_project = false;
    for line in error.lines() {
        let text = line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
        let number = line[..line.len() - text.len()].trim();
        if text.starts_with("-->") || text.starts_with(":::") {
            is_of_the_project = text.contains("$WORKSPACE");
            let place = match text.find(".rs:") {
                Some(end) if is_of_the_project => &text[..end + ".rs".len()],
                _ => text,
            };
            lines.push(format!("  {place}"));
        } else if text.starts_with('|') || text.starts_with("...") {
            if !is_of_the_project {
                lines.push(format!("{number:>2} {text}"));
            }
        } else if text.starts_with("= ") {
            lines.push(format!("   {text}"));
        } else {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n")
}

/// The files that the cases name.
fn write_files(folder: &Path) {
    let root = package().join("..");
    let read = |path: &str| fs::read(root.join(path)).expect("files of the project can be read");
    fs::create_dir_all(folder).expect("the target folder can be written");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).expect("the target folder can be written");
    };

    write("sfnnv5.toml", &read("specs/sfnnv5.toml"));
    write("small128.toml", &read("specs/small128.toml"));
    let factorised = read("tests/specs/features/factorised.toml");
    write("factorised.toml", &factorised);
    let mut net = read("examples/nets/nn-37f18f62d772.nnue");
    write("small128.nnue", &net);
    write("cut-off.nnue", &net[..net.len() - 1000]);
    // The hash of the last stack stands before the biases and weights of its 3 layers.
    let stack = 4 + (16 + 32 + 1) * 4 + 16 * 128 + 32 * 32 + 32;
    let hash = net.len() - stack;
    net[hash] ^= 1;
    write("damaged.nnue", &net);
}
