//! A package of drawn networks, made in a folder for it: compiled by cargo, and tested like the
//! committed ones.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use super::Specimen;

/// The manifest of the package, without the networks. Its path dependencies are the tests' support
/// and the runtime.
const MANIFEST: &str = r#"[package]
name = "drawn"
version = "0.0.0"
edition = "2024"
publish = false

[workspace]

[dependencies]
nnue-runtime = { path = "RUNTIME", features = ["cozy-chess"] }
nnue-test-support = { path = "SUPPORT" }

[profile.dev]
debug = false
incremental = false

# To optimise a network on all levels, or the macro, takes longer than to run it once without. What
# makes nets and asks the interpreter runs for long.
[profile.dev.package.nnue-interpreter]
opt-level = 2

[profile.dev.package.nnue-format]
opt-level = 2

[profile.dev.package.nnue-test-support]
opt-level = 2

[profile.dev.package.nnue-runtime]
opt-level = 2

[profile.dev.package.sha2]
opt-level = 2

[lib]
path = "empty.rs"
test = false
doctest = false
"#;

/// The package in its folder.
#[derive(Clone, Debug)]
pub struct Scratch {
    folder: PathBuf,
}

/// A network that does not compile, or differs from the interpreter.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The specimen's name.
    pub name: String,
    /// The file with its spec, which is kept for the user.
    pub spec: PathBuf,
    /// The end of what cargo wrote.
    pub message: String,
}

impl Scratch {
    /// A package in this folder, which is created if it does not exist.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written.
    pub fn new(folder: &Path) -> io::Result<Scratch> {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path_of = |path: &Path| path.display().to_string().replace('\\', "/");
        let manifest = MANIFEST
            .replace("RUNTIME", &path_of(&package.join("../../nnue-runtime")))
            .replace("SUPPORT", &path_of(&package.join("../support")));
        fs::create_dir_all(folder.join("tests"))?;
        fs::create_dir_all(folder.join("specs"))?;
        fs::write(folder.join("Cargo.toml"), manifest)?;
        fs::write(folder.join("empty.rs"), "")?;
        // Cargo removes what is not needed, and needs no network because all versions are fixed.
        fs::copy(package.join("../../Cargo.lock"), folder.join("Cargo.lock"))?;
        Ok(Scratch {
            folder: folder.to_path_buf(),
        })
    }

    /// Compiles and tests networks. Those that fail are found one by one.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written, or cargo cannot be run.
    pub fn check(&self, specimens: &[Specimen]) -> io::Result<Vec<Failure>> {
        let Some(said) = self.test(specimens)? else {
            return Ok(Vec::new());
        };
        if let [specimen] = specimens {
            return Ok(vec![Failure {
                name: specimen.name.clone(),
                spec: self.keep(specimen)?,
                message: last_lines(&said, 40),
            }]);
        }
        let mut failures = Vec::new();
        for specimen in specimens {
            // If the tests ran, their output says which failed. Otherwise a network did not
            // compile, and any can be the one.
            let is_suspect = said.contains(&format!("test {} ... FAILED", specimen.name))
                || !said.contains("test result:");
            if is_suspect {
                failures.extend(self.check(std::slice::from_ref(specimen))?);
            }
        }
        Ok(failures)
    }

    /// Runs the tests, and returns their output if one failed.
    fn test(&self, specimens: &[Specimen]) -> io::Result<Option<String>> {
        let mut source = String::from("nnue_test_support::differential! {\n");
        for specimen in specimens {
            let Specimen { name, text, check } = specimen;
            let _ = writeln!(source, "    {name}: \"specs/{name}.toml\", {check};");
            fs::write(self.spec(specimen), text)?;
        }
        source.push_str("}\n");
        fs::write(self.folder.join("tests/drawn.rs"), source)?;
        let output = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()))
            .current_dir(&self.folder)
            .env_remove("CARGO_TARGET_DIR")
            .args(["test", "--offline", "--color=never", "--test=drawn"])
            .output()?;
        let said = [output.stderr, output.stdout].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let failed = !output.status.success();
        if !failed {
            for specimen in specimens {
                fs::remove_file(self.spec(specimen))?;
            }
        }
        Ok(failed.then_some(said))
    }

    fn spec(&self, specimen: &Specimen) -> PathBuf {
        self.folder.join(format!("specs/{}.toml", specimen.name))
    }

    fn keep(&self, specimen: &Specimen) -> io::Result<PathBuf> {
        let folder = self.folder.join("failing");
        fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{}.toml", specimen.name));
        fs::write(&path, &specimen.text)?;
        Ok(path)
    }
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
