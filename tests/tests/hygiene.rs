//! The macro in crates of all sorts: what must compile does, without a warning, and anew when its files change.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::plan::Unroll;
use nnue_compiler::{Options, analyse, emit};
use nnue_tests::fixtures::{Fixtures, run};
use nnue_tests::net_file::net_file;

fn fixtures() -> Fixtures {
    Fixtures::new(env!("CARGO_TARGET_TMPDIR"))
}

/// `cargo clippy`, with every warning an error. Toolchains without clippy check at least what rustc does.
fn clippy(packages: &[&str]) -> Command {
    let installed = Command::new(env!("CARGO"))
        .args(["clippy", "--version"])
        .output()
        .is_ok_and(|output| output.status.success());
    let mut command = if installed {
        fixtures().cargo("clippy")
    } else {
        println!("clippy is not installed: rustc's warnings only");
        fixtures().cargo("check")
    };
    command.args(packages);
    if installed {
        command.args(["--", "-D", "warnings"]);
    }
    command
}

/// Members of a workspace, runtimes under other names or behind other crates, no prelude, misleading names, several
/// networks, forbidden `unsafe`, and every lint: each of the fixtures says in its first line what it is.
#[test]
fn the_macro_works_wherever_it_is_called() {
    run(&mut clippy(&[
        "--workspace",
        "--exclude=expanded",
        "--exclude=no-std",
        "--keep-going",
    ]));
}

/// Alone, for features are unified among the packages of one build.
#[test]
fn the_macro_works_without_std() {
    run(&mut clippy(&["--package=no-std"]));
}

/// Clippy passes over much that comes from macros; as source, generated code has no such protection.
#[test]
fn generated_code_is_clean_as_source() {
    let expand = |spec: &str, unroll| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../specs/{spec}.toml"));
        let text = fs::read_to_string(&path).unwrap();
        let network = analyse(&SourceFile::new(spec, text)).unwrap();
        let options = Options {
            runtime: "::nnue_runtime".parse().unwrap(),
            unroll,
            embedded: None,
        };
        let source = emit(&network, &options).to_string();
        let file = fixtures().scratch(&format!("expanded-{spec}.rs"));
        write_if_other(&file, source.as_bytes());
        file
    };
    let mut command = clippy(&["--package=expanded"]);
    run(command
        .env("EXPANDED_SFNNV5", expand("sfnnv5", Unroll::Auto))
        .env("EXPANDED_SMALL128", expand("small128", Unroll::Full)));
}

/// Nothing is rebuilt for a file that has not changed.
fn write_if_other(path: &Path, content: &[u8]) {
    if fs::read(path).ok().as_deref() != Some(content) {
        fs::write(path, content).unwrap();
    }
}

/// A package whose network and net file change.
struct Changing {
    folder: PathBuf,
}

impl Changing {
    fn new() -> Changing {
        let folder = fixtures().scratch("changing");
        fs::create_dir_all(folder.join("src")).unwrap();
        let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nnue-runtime");
        let manifest = format!(
            "[package]\nname = \"changing\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\nnnue-runtime = {{ path = {:?} }}\n",
            runtime.canonicalize().unwrap()
        );
        let main = r#"
            mod net { nnue_runtime::nnue_net!("net.toml", weights = "net.nnue"); }
            fn main() {
                let net = net::Network::embedded();
                println!("{} {}", net::WIDTH, String::from_utf8_lossy(net.description()));
            }
        "#;
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
        fs::copy(lock, folder.join("Cargo.lock")).unwrap();
        write_if_other(&folder.join("Cargo.toml"), manifest.as_bytes());
        write_if_other(&folder.join("src/main.rs"), main.as_bytes());
        Changing { folder }
    }

    fn write_spec(&self, width: usize) {
        fs::write(self.folder.join("net.toml"), spec(width)).unwrap();
    }

    fn write_net(&self, width: usize, description: &str) {
        let network = analyse(&SourceFile::new("net.toml", spec(width))).unwrap();
        let file = net_file(&network, description, |_, _| 0);
        fs::write(self.folder.join("net.nnue"), file).unwrap();
    }

    fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = fixtures().cargo(subcommand);
        cargo.current_dir(&self.folder);
        cargo
    }

    /// What the program prints, built anew if cargo finds that it must.
    fn output(&self) -> String {
        run(self.cargo("run").arg("--quiet"))
    }

    /// The errors of a build that must fail, as the user sees them.
    fn errors(&self) -> Vec<String> {
        let output = self.cargo("build").arg("--quiet").output().unwrap();
        assert!(!output.status.success());
        let stderr = String::from_utf8(output.stderr).unwrap();
        stderr
            .split("\n\n")
            .filter(|block| !block.starts_with("error: could not compile"))
            .map(str::to_owned)
            .collect()
    }

    /// Whether cargo found nothing to build.
    fn is_fresh(&self) -> bool {
        let messages = run(self.cargo("build").arg("--message-format=json"));
        let message = messages
            .lines()
            .find(|line| line.contains(r#""executable":"/"#))
            .expect("cargo tells of the executable");
        message.contains(r#""fresh":true"#)
    }
}

fn spec(width: usize) -> String {
    format!(
        r#"
        name = "changing"
        features = [{{ set = "HalfKAv2_hm" }}]
        transformer = {{ width = {width}, one = 127, activation = "crelu" }}
        layer = [{{ name = "out", op = "affine", outputs = 1, weights = "i8", one = 8128 }}]
        output = {{ sum = ["out"], one = 8128, divide = 16 }}
        file = {{ format = "stockfish", version = 0x7AF32F20 }}
        "#
    )
}

#[test]
fn crates_follow_their_spec_and_their_net_file() {
    let package = Changing::new();
    package.write_spec(64);
    package.write_net(64, "first");
    assert_eq!(package.output(), "64 first\n");
    assert!(package.is_fresh());

    package.write_net(64, "second");
    assert!(!package.is_fresh());
    assert_eq!(package.output(), "64 second\n");

    // The spec alone: now the net file does not fit, which is an error of the build.
    package.write_spec(128);
    let errors = package.errors();
    let expected = "error: `net.nnue` is no net file for changing: network hash at offset 4 is ";
    assert!(
        errors.len() == 1 && errors[0].starts_with(expected),
        "{errors:?}"
    );

    package.write_net(128, "third");
    assert_eq!(package.output(), "128 third\n");
    assert!(package.is_fresh());

    // Files that are missing are reported once each, and taken up when they are there.
    for name in ["net.toml", "net.nnue"] {
        fs::remove_file(package.folder.join(name)).unwrap();
    }
    let errors = package.errors();
    assert_eq!(errors.len(), 2, "{errors:?}");
    for (error, name) in errors.iter().zip(["net.toml", "net.nnue"]) {
        let path = package.folder.join(name);
        assert!(
            error.starts_with(&format!("error: cannot read `{name}`: ")),
            "{error}"
        );
        assert!(
            error.contains(&format!("looked for `{}`", path.display())),
            "{error}"
        );
    }
    package.write_spec(64);
    package.write_net(64, "fourth");
    assert_eq!(package.output(), "64 fourth\n");
}
