//! The packages into which networks are compiled, in a folder that is kept for the next time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::files::{Error as FileError, Lock, own};
use crate::nets::specs::SpecChoice;
use nnue_compiler::network::Network;
use serde_json::{Value, json};

use crate::measure::project::{Project, toml, write};
use crate::measure::{Error, ProgramError};

/// A spec whose network is compiled.
pub struct Spec {
    /// The spec as the user named it.
    pub choice: SpecChoice,
    /// The text of the spec.
    pub text: String,
    /// The network that the spec describes.
    pub network: Network,
}

impl Spec {
    /// Reads a spec that the user names.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the spec is wrong.
    pub fn read(choice: &SpecChoice) -> Result<Spec, crate::nets::Error> {
        let (text, network) = choice.read()?;
        Ok(Spec {
            choice: choice.clone(),
            text,
            network,
        })
    }
}

/// A workspace with a package for each spec, and the runtime that all of them use.
///
/// The package of a spec is the same each time, so that only changes are compiled.
pub struct Packages {
    folder: PathBuf,
    project: Project,
}

/// What the program of a package does.
#[derive(Clone, Copy)]
enum Main {
    /// It answers requests to evaluate.
    Serve,
    /// It checks the network's code.
    Check,
}

/// The packages that the programs need, by their folders in the project.
const NEEDED: [&str; 3] = ["nnue-runtime", "nnue-cli/trace", "nnue-cli/wiring"];

/// The dependencies of a program on the needed packages, as its manifest has them.
fn dependencies(project: &Project, main: Main) -> Result<Value, Error> {
    let [runtime, trace, wiring] = NEEDED.map(|package| project.dependency(package));
    let mut runtime = runtime?;
    runtime["features"] = json!(["zstd"]);
    Ok(match main {
        Main::Serve => {
            let mut trace = trace?;
            trace["features"] = json!(["serve"]);
            json!({ "nnue-runtime": runtime, "nnue-trace": trace })
        }
        Main::Check => json!({ "nnue-runtime": runtime, "nnue-wiring": wiring? }),
    })
}

impl Packages {
    /// The workspace in a cache folder. The runtime is in the given folder of the project, or in
    /// the folder from which this program was built.
    ///
    /// # Errors
    ///
    /// [`Error::NoProject`], and [`Error::File`] if the cache folder cannot be made.
    pub fn new(cache: &Path, runtime: Option<&Path>) -> Result<Packages, Error> {
        let project = Project::new(runtime, &NEEDED)?;
        let folder = cache.join("bench");
        fs::create_dir_all(&folder).map_err(|error| FileError::unwritable(&folder, error))?;
        Ok(Packages {
            folder: fs::canonicalize(&folder)
                .map_err(|error| FileError::unwritable(&folder, error))?,
            project,
        })
    }

    /// Refuses a folder that is no workspace of this crate: all its files would be overwritten, and
    /// compiled files are removed if they are damaged. A workspace has the lock of its first run.
    ///
    /// # Errors
    ///
    /// [`Error::OtherFiles`] for such a folder.
    pub fn refuse_others(&self) -> Result<(), Error> {
        let Packages { folder, .. } = self;
        let mut entries =
            fs::read_dir(folder).map_err(|error| FileError::unreadable(folder, error))?;
        if entries.next().is_none() || Lock::is_known_in(folder) {
            Ok(())
        } else {
            Err(Error::OtherFiles {
                folder: folder.clone(),
            })
        }
    }

    /// Waits until no other run uses the workspace. If another run does, `waiting` is called with
    /// the folder first.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if the folder cannot be used.
    pub fn turn(&self, waiting: impl FnOnce(&Path)) -> Result<Turn<'_>, Error> {
        let lock = Lock::wait_for_folder(&self.folder, || waiting(&self.folder))?;
        Ok(Turn {
            packages: self,
            _lock: lock,
        })
    }
}

/// The workspace while no other run uses it: until the compiled programs have started.
pub struct Turn<'p> {
    packages: &'p Packages,
    _lock: Lock,
}

impl Turn<'_> {
    /// The folder of a spec's package.
    pub fn folder_of(&self, spec: &Spec) -> PathBuf {
        self.packages.folder.join(name(spec, Main::Serve))
    }

    /// Compiles the packages of some specs, all at once. Returns the path of each program, or the
    /// messages of the compiler.
    ///
    /// # Errors
    ///
    /// The packages cannot be written, or cargo cannot be run.
    pub fn build(&self, specs: &[Spec]) -> Result<Vec<Result<PathBuf, ProgramError>>, Error> {
        self.build_as(specs, Main::Serve)
    }

    /// The same with programs that check the networks' code.
    ///
    /// # Errors
    ///
    /// Those of [`build`](Self::build).
    pub fn build_checks(
        &self,
        specs: &[Spec],
    ) -> Result<Vec<Result<PathBuf, ProgramError>>, Error> {
        self.build_as(specs, Main::Check)
    }

    fn build_as(
        &self,
        specs: &[Spec],
        main: Main,
    ) -> Result<Vec<Result<PathBuf, ProgramError>>, Error> {
        for spec in specs {
            self.write_package(spec, main)?;
        }
        let names: Vec<String> = specs.iter().map(|spec| name(spec, main)).collect();
        self.write_workspace(&names)?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        if self.cargo_of_sound_cache(&names)?.is_ok() {
            return Ok(names.iter().map(|name| Ok(self.program(name))).collect());
        }
        // All packages without errors are compiled now. This finds out which packages have errors.
        let each = names.iter().map(|name| {
            let built = self.cargo(std::slice::from_ref(name))?;
            Ok(built.map(|()| self.program(name)))
        });
        each.collect()
    }

    fn program(&self, name: &str) -> PathBuf {
        let program = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.packages.folder.join("target/release").join(program)
    }

    fn write_package(&self, spec: &Spec, main: Main) -> Result<(), Error> {
        let folder = self.packages.folder.join(name(spec, main));
        let bucket = match spec.network.stacks.by_pieces {
            Some(_) => "ByPieces",
            None => "FirstBucket",
        };
        let (check, call) = match main {
            Main::Serve => (
                "",
                format!("nnue_trace::serve::<net::Net, _>(nnue_trace::{bucket})"),
            ),
            Main::Check => (
                ", check = \"wiring\"",
                "nnue_wiring::report::<net::Net>()".into(),
            ),
        };
        let manifest = toml(&json!({
            "package": { "name": name(spec, main), "version": "0.0.0", "edition": "2024" },
            "dependencies": dependencies(&self.packages.project, main)?,
        }))?;
        let main = format!(
            "mod net {{\n    nnue_runtime::nnue_net!(\"spec.toml\"{check});\n}}\n\n\
             fn main() -> std::process::ExitCode {{\n    {call}\n}}\n"
        );
        write(&folder.join("Cargo.toml"), &manifest)?;
        write(&folder.join("spec.toml"), &spec.text)?;
        write(&folder.join("src/main.rs"), &main)
    }

    fn write_workspace(&self, names: &[String]) -> Result<(), Error> {
        let mut members = names.to_vec();
        // A spec may be there twice, with several nets.
        members.sort();
        members.dedup();
        // Each network is a crate of its own. Optimised as a single unit it is as good as in
        // several units that are then optimised together, and takes half of the processor's time
        // after each edit.
        let manifest = toml(&json!({
            "workspace": { "resolver": "3", "members": members },
            "profile": { "release": {
                "codegen-units": 1,
                "package": { "*": { "codegen-units": 16 } },
            } },
        }))?;
        let Packages { folder, project } = self.packages;
        write(&folder.join("Cargo.toml"), &manifest)?;
        project.write_lock(folder)
    }

    /// Compiles some packages. If packages do not compile that the project's tests have compiled,
    /// an earlier run has left damaged files: then everything is compiled anew.
    fn cargo_of_sound_cache(&self, packages: &[String]) -> Result<Result<(), ProgramError>, Error> {
        let built = self.cargo(packages)?;
        let target = self.packages.folder.join("target");
        match &built {
            Err(errors) if target.is_dir() && !is_of_specs(&errors.0) => {
                own::remove(&target)?;
                self.cargo(packages)
            }
            _ => Ok(built),
        }
    }

    fn cargo(&self, packages: &[String]) -> Result<Result<(), ProgramError>, Error> {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args([
            "build",
            "--release",
            "--quiet",
            "--keep-going",
            "--target-dir",
            "target",
        ]);
        for package in packages {
            cargo.args(["--package", package]);
        }
        // The settings with which cargo has run this program are not for these packages.
        cargo
            .env_remove("CARGO_TARGET_DIR")
            .current_dir(&self.packages.folder);
        let output = cargo.stdin(Stdio::null()).output();
        let output = output.map_err(Error::NoCargo)?;
        Ok(if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).trim_end().into())
        })
    }
}

/// The name of a package: the name of the spec's file, and a number for its whole path.
fn name(spec: &Spec, main: Main) -> String {
    let path = match &spec.choice {
        SpecChoice::Known(known) => known.name.into(),
        SpecChoice::File(path) => fs::canonicalize(path).unwrap_or_else(|_| path.clone()),
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let letters = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    let stem: String = stem.chars().map(letters).collect();
    let check = match main {
        Main::Serve => "",
        Main::Check => "_check",
    };
    format!(
        "net_{stem}_{:016x}{check}",
        hash(path.as_os_str().as_encoded_bytes())
    )
}

/// FNV-1a: a hash that is the same on every machine and in every run.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// Whether cargo's errors are errors of specs, whose packages do not compile.
fn is_of_specs(errors: &str) -> bool {
    let mut failed = errors.split("could not compile `").skip(1).peekable();
    // A damaged file is found only when a package that needs it is compiled.
    let is_unreadable = ["E0460", "E0463", "E0786"]
        .iter()
        .any(|code| errors.contains(code));
    failed.peek().is_some() && failed.all(|name| name.starts_with("net_")) && !is_unreadable
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder for caches may have a folder `bench` that belongs to a project.
    #[test]
    fn a_folder_of_something_else_is_not_written_over() {
        let cache = std::env::temp_dir().join(format!("nnue-cache-{}", std::process::id()));
        let manifest = cache.join("bench/Cargo.toml");
        fs::create_dir_all(cache.join("bench")).unwrap();
        fs::write(&manifest, "[package]").unwrap();
        let packages = Packages::new(&cache, None).unwrap();
        let refused = packages.refuse_others().expect_err("it is refused");
        assert!(matches!(refused, Error::OtherFiles { .. }), "{refused}");
        assert_eq!(fs::read(&manifest).unwrap(), b"[package]");
        fs::remove_file(&manifest).unwrap();
        packages.refuse_others().expect("it is empty");
        drop(packages.turn(|_| {}).unwrap());
        fs::write(&manifest, "[workspace]").unwrap();
        packages.refuse_others().expect("it is its own");
        fs::remove_dir_all(cache).unwrap();
    }

    #[test]
    fn only_errors_of_specs_leave_the_cache_as_it_is() {
        let spec = "error: too much code\nerror: could not compile `net_a_1` (bin \"net_a_1\") due to 1 previous error";
        assert!(is_of_specs(spec));
        for damaged in [
            "error: failed to parse lock file at: Cargo.lock",
            "error: could not compile `nnue-runtime` (lib)",
            "error[E0786]: found invalid metadata files\nerror: could not compile `net_a_1`",
        ] {
            assert!(!is_of_specs(damaged), "{damaged}");
        }
    }
}
