//! The folders in which networks are compiled: each is kept, so that only changes are compiled.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::files::{Error as FileError, Lock};
use crate::measure::project::{Project, toml, write};
use crate::measure::{Error, ProgramError};

/// A folder in which cargo compiles packages that need those of the project.
#[derive(Debug)]
pub struct Workspace {
    pub(crate) folder: PathBuf,
    pub(crate) project: Project,
}

impl Workspace {
    /// The workspace of this name in a folder for caches.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if the folder cannot be made, [`Error::OtherFiles`] if it is no workspace:
    /// all its files would be overwritten, and compiled files are removed if they are damaged.
    pub fn open(cache: &Path, name: &str, project: Project) -> Result<Workspace, Error> {
        let folder = cache.join(name);
        let unwritable = |error| FileError::unwritable(&folder, error);
        fs::create_dir_all(&folder).map_err(unwritable)?;
        let folder = fs::canonicalize(&folder).map_err(unwritable)?;
        let mut entries =
            fs::read_dir(&folder).map_err(|error| FileError::unreadable(&folder, error))?;
        // A workspace has the lock of its first run.
        if entries.next().is_none() || Lock::is_known_in(&folder) {
            Ok(Workspace { folder, project })
        } else {
            Err(Error::OtherFiles { folder })
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
            workspace: self,
            _lock: lock,
        })
    }
}

/// A workspace while no other run uses it: until its compiled programs have started.
#[derive(Debug)]
pub struct Turn<'w> {
    pub(crate) workspace: &'w Workspace,
    _lock: Lock,
}

impl Turn<'_> {
    /// The folder for what cargo makes.
    pub(crate) fn target(&self) -> PathBuf {
        self.workspace.folder.join("target")
    }

    /// A file that cargo has made.
    pub(crate) fn release(&self, name: &str) -> PathBuf {
        self.target().join("release").join(name)
    }

    /// Runs a command of cargo, with optimisation, in a folder of the workspace. Returns the
    /// messages of the compiler if it fails.
    pub(crate) fn cargo(
        &self,
        folder: &Path,
        command: &str,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Result<Result<(), ProgramError>, Error> {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args([command, "--release", "--quiet", "--target-dir"]);
        cargo.arg(self.target()).args(arguments);
        // The settings with which cargo has run this program are not for these packages.
        cargo.env_remove("CARGO_TARGET_DIR").current_dir(folder);
        let output = cargo.stdin(Stdio::null()).output();
        let output = output.map_err(Error::NoCargo)?;
        Ok(if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).trim_end().into())
        })
    }
}

/// A package that compiles the network of a spec.
pub(crate) struct Package<'a> {
    pub(crate) name: &'a str,
    /// The packages that it needs, by their names, as a manifest has them.
    pub(crate) dependencies: Value,
    /// The text of the spec, in the file `spec.toml`.
    pub(crate) spec: &'a str,
    /// The name of the file of its code, and its code.
    pub(crate) code: (&'a str, String),
}

impl Package<'_> {
    /// Writes the package. Its manifest begins with `mark`, and has the keys of the object `more`
    /// too.
    pub(crate) fn write(&self, folder: &Path, mark: &str, mut more: Value) -> Result<(), Error> {
        more["package"] = json!({ "name": self.name, "version": "0.0.0", "edition": "2024" });
        more["dependencies"] = self.dependencies.clone();
        write(
            &folder.join("Cargo.toml"),
            format!("{mark}{}", toml(&more)?),
        )?;
        write(&folder.join("spec.toml"), self.spec)?;
        write(&folder.join(self.code.0), &self.code.1)
    }
}

/// How networks are optimised. As a single unit, a network is as good as in several units that are
/// then optimised together, and takes half of the processor's time after each edit.
pub(crate) fn profile() -> Value {
    json!({ "codegen-units": 1, "package": { "*": { "codegen-units": 16 } } })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder for caches may have a folder `bench` that belongs to a project.
    #[test]
    fn a_folder_of_something_else_is_not_written_over() {
        let cache = tempfile::tempdir().expect("temporary folders can be made");
        let open = || {
            let project = Project::new(None, &[]).expect("nothing is needed");
            Workspace::open(cache.path(), "bench", project)
        };
        let manifest = cache.path().join("bench/Cargo.toml");
        fs::create_dir(cache.path().join("bench")).unwrap();
        fs::write(&manifest, "[package]").unwrap();
        let refused = open().expect_err("it is refused");
        assert!(matches!(refused, Error::OtherFiles { .. }), "{refused}");
        assert_eq!(fs::read(&manifest).unwrap(), b"[package]");
        fs::remove_file(&manifest).unwrap();
        drop(open().expect("it is empty").turn(|_| {}).unwrap());
        fs::write(&manifest, "[workspace]").unwrap();
        open().expect("it is its own");
    }
}
