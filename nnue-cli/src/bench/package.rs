//! The packages into which networks are compiled, in a folder that is kept for the next time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use nnue_compiler::network::Network;

use crate::Failure;
use crate::inputs::unwritable;
use crate::known::SpecChoice;

/// A spec that is compiled.
pub(crate) struct Spec {
    /// The spec as the user named it.
    pub(crate) choice: SpecChoice,
    /// What it says.
    pub(crate) text: String,
    /// What that means.
    pub(crate) network: Network,
}

impl Spec {
    /// Reads a spec that the user names.
    pub(crate) fn read(choice: &SpecChoice) -> Result<Spec, Failure> {
        let (text, network) = choice.read()?;
        Ok(Spec {
            choice: choice.clone(),
            text,
            network,
        })
    }
}

/// Where networks are compiled.
#[derive(Args, Debug)]
pub(crate) struct PackageOptions {
    /// The project's folder, which has the runtime; without it, the one from which this program was
    /// built, or crates.io if that is where it is from
    #[arg(long, value_name = "DIR")]
    runtime: Option<PathBuf>,
    /// Where networks are compiled, and what is compiled stays; without it, the system's folder for
    /// caches
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

impl PackageOptions {
    /// The workspace in the folder for caches.
    pub(crate) fn open(&self) -> Result<Packages, Failure> {
        let no_folder = "this system has no folder for caches: `--cache DIR` names one";
        let cache = match &self.cache {
            Some(cache) => cache.clone(),
            None => dirs::cache_dir()
                .map(|caches| caches.join("nnue"))
                .ok_or_else(|| Failure::Work(no_folder.into()))?,
        };
        Packages::new(&cache, self.runtime.as_deref())
    }
}

/// A workspace with a package for each spec, and the runtime that all of them use.
///
/// A spec's package is the same each time, so that only what has changed is compiled.
pub(crate) struct Packages {
    folder: PathBuf,
    runtime: Runtime,
}

/// Where the packages of the project are from.
#[derive(Debug)]
enum Runtime {
    /// The project's folder.
    Folder(PathBuf),
    /// The registry, in the version of this program.
    Registry,
}

/// The packages that the programs need, by their folders in the project.
const NEEDED: [&str; 2] = ["nnue-runtime", "nnue-cli/replay"];

impl Runtime {
    /// A folder that the user names, or else the one from which this program was built. That is
    /// the project's, unless cargo has built a package of the registry.
    fn new(named: Option<&Path>) -> Result<Runtime, Failure> {
        let folder = match named {
            Some(folder) => folder,
            None => Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")),
        };
        let lacks = |package: &&str| !folder.join(package).join("Cargo.toml").is_file();
        match (NEEDED.into_iter().find(lacks), named) {
            (None, _) => Ok(Runtime::Folder(absolute(folder)?)),
            (Some(_), None) => Ok(Runtime::Registry),
            (Some(package), Some(_)) => Err(Failure::Work(format!(
                "`{}` has no `{package}`: `--runtime DIR` names the folder of the project, which has it",
                folder.display()
            ))),
        }
    }

    /// The lines of a manifest that name the packages.
    fn dependencies(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let place = |package: &str| match self {
            Runtime::Folder(folder) => format!("path = {:?}", folder.join(package)),
            Runtime::Registry => format!("version = \"={version}\""),
        };
        let [runtime, replay] = NEEDED.map(place);
        format!(
            "nnue-runtime = {{ {runtime}, features = [\"zstd\"] }}\nnnue-replay = {{ {replay} }}\n"
        )
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    fs::canonicalize(path).map_err(|error| unwritable(path, &error))
}

impl Packages {
    /// The workspace in a cache folder, for the runtime in a folder of the project, or the one that
    /// this program was built with.
    fn new(cache: &Path, runtime: Option<&Path>) -> Result<Packages, Failure> {
        let runtime = Runtime::new(runtime)?;
        let folder = cache.join("bench");
        fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        Ok(Packages {
            folder: absolute(&folder)?,
            runtime,
        })
    }

    /// The folder of a spec's package.
    pub(crate) fn of(&self, spec: &Spec) -> PathBuf {
        self.folder.join(name(spec))
    }

    /// Compiles the packages of some specs, all at once. For each of them there is the path of its
    /// program, or what the compiler says.
    pub(crate) fn build(&self, specs: &[Spec]) -> Result<Vec<Result<PathBuf, String>>, Failure> {
        for spec in specs {
            self.write_package(spec)?;
        }
        self.write_workspace(specs)?;
        let names: Vec<String> = specs.iter().map(name).collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        if self.cargo(&names)?.is_ok() {
            return Ok(names.iter().map(|name| Ok(self.program(name))).collect());
        }
        // Those that compile are compiled by now: this finds out which ones do not.
        let each = names.iter().map(|name| {
            let built = self.cargo(std::slice::from_ref(name))?;
            Ok(built.map(|()| self.program(name)))
        });
        each.collect()
    }

    fn program(&self, name: &str) -> PathBuf {
        let program = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.folder.join("target/release").join(program)
    }

    fn write_package(&self, spec: &Spec) -> Result<(), Failure> {
        let folder = self.of(spec);
        let bucket = match spec.network.stacks.by_pieces {
            Some(_) => "ByPieces",
            None => "FirstBucket",
        };
        let manifest = format!(
            "[package]\nname = {:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{}",
            name(spec),
            self.runtime.dependencies(),
        );
        let main = format!(
            "mod net {{\n    nnue_runtime::nnue_net!(\"spec.toml\");\n}}\n\n\
             fn main() -> std::process::ExitCode {{\n    \
             nnue_replay::serve::<net::Net, _>(nnue_replay::{bucket})\n}}\n"
        );
        write(&folder.join("Cargo.toml"), &manifest)?;
        write(&folder.join("spec.toml"), &spec.text)?;
        write(&folder.join("src/main.rs"), &main)
    }

    fn write_workspace(&self, specs: &[Spec]) -> Result<(), Failure> {
        let mut members: Vec<String> = (specs.iter())
            .map(|spec| format!("{:?}", name(spec)))
            .collect();
        // A spec may be measured with several nets.
        members.sort();
        members.dedup();
        let manifest = format!(
            "[workspace]\nresolver = \"3\"\nmembers = [{}]\n",
            members.join(", ")
        );
        write(&self.folder.join("Cargo.toml"), &manifest)?;
        // The versions that the project is tested with; cargo adds the packages.
        let own = self.folder.join("Cargo.lock");
        if let Runtime::Folder(project) = &self.runtime {
            let lock = project.join("Cargo.lock");
            if lock.is_file() && !own.is_file() {
                fs::copy(&lock, &own).map_err(|error| unwritable(&own, &error))?;
            }
        }
        Ok(())
    }

    fn cargo(&self, packages: &[String]) -> Result<Result<(), String>, Failure> {
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
        // What the command itself was run with is not for these packages.
        cargo
            .env_remove("CARGO_TARGET_DIR")
            .current_dir(&self.folder);
        let output = cargo.stdin(Stdio::null()).output().map_err(|error| {
            Failure::Work(format!(
                "cannot run cargo, which compiles the networks: {error}"
            ))
        })?;
        Ok(match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).trim_end().into()),
        })
    }
}

/// A package's name: that of the file, and a number for its whole path.
fn name(spec: &Spec) -> String {
    let path = match &spec.choice {
        SpecChoice::Known(known) => known.name.into(),
        SpecChoice::File(path) => fs::canonicalize(path).unwrap_or_else(|_| path.clone()),
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let letters = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_lowercase(),
        false => '_',
    };
    let stem: String = stem.chars().map(letters).collect();
    format!(
        "net_{stem}_{:016x}",
        hash(path.to_string_lossy().as_bytes())
    )
}

/// FNV-1a: the same each time, which is all that is asked of it.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// Writes a file, unless it is as it should be: cargo compiles what is newer.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
    parent
        .and_then(|()| fs::write(path, text))
        .map_err(|error| unwritable(path, &error))
}
