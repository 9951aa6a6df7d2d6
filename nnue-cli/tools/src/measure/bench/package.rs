//! The packages into which networks are compiled.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::own;
use crate::nets::specs::{Spec, SpecChoice};
use serde_json::{Value, json};

use crate::measure::project::{Project, toml, write};
use crate::measure::workspace::{Package, Turn, Workspace, profile};
use crate::measure::{Error, ProgramError};

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

/// The workspace with a package for each spec, in a folder for caches. The project is in the given
/// folder, or in the folder from which this program was built. The package of a spec is the same
/// each time.
///
/// # Errors
///
/// [`Error::NoProject`], and those of [`Workspace::open`].
pub fn packages(cache: &Path, project: Option<&Path>) -> Result<Workspace, Error> {
    Workspace::open(cache, "bench", Project::new(project, &NEEDED)?)
}

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

impl Turn<'_> {
    /// The folder of a spec's package.
    pub fn folder_of(&self, spec: &Spec) -> PathBuf {
        self.workspace.folder.join(name(spec, Main::Serve))
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
        if self.compile_in_sound_cache(&names)?.is_ok() {
            return Ok(names.iter().map(|name| Ok(self.program(name))).collect());
        }
        // All packages without errors are compiled now. This finds out which packages have errors.
        let each = names.iter().map(|name| {
            let built = self.compile(std::slice::from_ref(name))?;
            Ok(built.map(|()| self.program(name)))
        });
        each.collect()
    }

    fn program(&self, name: &str) -> PathBuf {
        self.release(&format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    fn write_package(&self, spec: &Spec, main: Main) -> Result<(), Error> {
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
        let code = format!(
            "mod net {{\n    nnue_runtime::nnue_net!(\"spec.toml\"{check});\n}}\n\n\
             fn main() -> std::process::ExitCode {{\n    {call}\n}}\n"
        );
        let name = name(spec, main);
        let package = Package {
            name: &name,
            dependencies: dependencies(&self.workspace.project, main)?,
            spec: &spec.text,
            code: ("src/main.rs", code),
        };
        package.write(&self.workspace.folder.join(&name), "", json!({}))
    }

    fn write_workspace(&self, names: &[String]) -> Result<(), Error> {
        let mut members = names.to_vec();
        // A spec may be there twice, with several nets.
        members.sort();
        members.dedup();
        let manifest = toml(&json!({
            "workspace": { "resolver": "3", "members": members },
            "profile": { "release": profile() },
        }))?;
        let Workspace { folder, project } = self.workspace;
        write(&folder.join("Cargo.toml"), &manifest)?;
        project.write_lock(folder)
    }

    /// Compiles some packages. If packages do not compile that the project's tests have compiled,
    /// an earlier run has left damaged files: then everything is compiled anew.
    fn compile_in_sound_cache(
        &self,
        packages: &[String],
    ) -> Result<Result<(), ProgramError>, Error> {
        let built = self.compile(packages)?;
        match &built {
            Err(errors) if self.target().is_dir() && !is_of_specs(&errors.0) => {
                own::remove(&self.target())?;
                self.compile(packages)
            }
            _ => Ok(built),
        }
    }

    fn compile(&self, packages: &[String]) -> Result<Result<(), ProgramError>, Error> {
        let packages = packages.iter().flat_map(|package| ["--package", package]);
        let arguments = ["--keep-going"].into_iter().chain(packages);
        self.cargo(&self.workspace.folder, "build", arguments)
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
