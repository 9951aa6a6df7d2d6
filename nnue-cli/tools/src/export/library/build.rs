//! What cargo makes of the package.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Error, Library};
use crate::files::{Error as FileError, Lock};
use crate::measure::project::{Project, write};

/// Which libraries are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// One that becomes part of a program.
    Static,
    /// One that is loaded when a program starts.
    Shared,
    /// Both.
    Both,
}

impl Kinds {
    fn has_static(self) -> bool {
        self != Kinds::Shared
    }

    fn has_shared(self) -> bool {
        self != Kinds::Static
    }

    /// The names that cargo has for them.
    #[must_use]
    pub fn crate_types(self) -> &'static [&'static str] {
        match self {
            Kinds::Static => &["staticlib"],
            Kinds::Shared => &["cdylib"],
            Kinds::Both => &["staticlib", "cdylib"],
        }
    }
}

/// Where libraries are compiled: a folder that is kept, so that only changes are compiled.
#[derive(Debug)]
pub struct Build {
    folder: PathBuf,
    project: Project,
}

/// A library that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The header.
    pub header: PathBuf,
    /// The static library.
    pub static_library: Option<PathBuf>,
    /// The shared library.
    pub shared_library: Option<PathBuf>,
    /// What a program needs besides the static library, as arguments of the linker.
    pub system_libraries: String,
}

impl Build {
    /// The place in a folder for caches.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if the folder cannot be made, [`Error::Package`] if it has files of
    /// something else, which would be written over.
    pub fn new(cache: &Path, project: Project) -> Result<Build, Error> {
        let folder = cache.join("capi");
        fs::create_dir_all(&folder).map_err(|error| FileError::unwritable(&folder, error))?;
        let folder =
            fs::canonicalize(&folder).map_err(|error| FileError::unwritable(&folder, error))?;
        let mut entries =
            fs::read_dir(&folder).map_err(|error| FileError::unreadable(&folder, error))?;
        match entries.next().is_none() || Lock::is_known_in(&folder) {
            true => Ok(Build { folder, project }),
            false => Err(crate::measure::Error::OtherFiles { folder }.into()),
        }
    }

    /// Compiles a library and writes it and its header into a folder. If another run compiles,
    /// `waiting` is called with the folder for compiled files, and it waits.
    ///
    /// # Errors
    ///
    /// The package cannot be written or compiled, or the folder cannot be written to.
    pub fn build(
        &self,
        library: &Library<'_>,
        kinds: Kinds,
        out: &Path,
        waiting: impl FnOnce(&Path),
    ) -> Result<Built, Error> {
        let _lock = Lock::wait_for_folder(&self.folder, || waiting(&self.folder))?;
        let package = self.folder.join(library.name());
        // A net of an earlier run is not part of this package.
        let _ = fs::remove_file(package.join("net.nnue"));
        library.write(&package, &self.project, kinds.crate_types())?;
        let system_libraries = self.cargo(library, &package, kinds)?;
        let release = self.folder.join("target/release");
        let (made, name) = (library.crate_name(), library.name());
        let copy = |from: String, to: String| -> Result<PathBuf, Error> {
            let (from, to) = (release.join(from), out.join(to));
            let bytes = fs::read(&from).map_err(|error| FileError::unreadable(&from, error))?;
            write(&to, bytes)?;
            Ok(to)
        };
        let header = out.join(format!("{name}.h"));
        write(&header, library.header())?;
        let static_name = |name: &str| match cfg!(target_env = "msvc") {
            true => format!("{name}.lib"),
            false => format!("lib{name}.a"),
        };
        let shared_name = |name: &str| format!("{DLL_PREFIX}{name}{DLL_SUFFIX}");
        let built = |has: bool, of: &dyn Fn(&str) -> String| {
            let made = has.then(|| copy(of(&made), of(name)));
            made.transpose()
        };
        let static_library = built(kinds.has_static(), &static_name)?;
        let shared_library = built(kinds.has_shared(), &shared_name)?;
        if cfg!(target_os = "windows") && kinds.has_shared() {
            // What a program is linked with, to load the other file.
            let import = |name: &str| match cfg!(target_env = "msvc") {
                true => format!("{name}.dll.lib"),
                false => format!("lib{name}.dll.a"),
            };
            copy(import(&made), import(name))?;
        }
        Ok(Built {
            header,
            static_library,
            shared_library,
            system_libraries,
        })
    }

    /// Compiles the package, and returns the libraries of the system that a static one needs.
    fn cargo(&self, library: &Library<'_>, package: &Path, kinds: Kinds) -> Result<String, Error> {
        let target = self.folder.join("target");
        let needed = package.join("system-libraries");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args(["rustc", "--release", "--quiet", "--lib", "--target-dir"]);
        cargo.arg(&target).arg("--");
        let mut print = std::ffi::OsString::from("--print=native-static-libs=");
        print.push(&needed);
        if kinds.has_static() {
            cargo.arg(print);
        }
        if cfg!(target_os = "linux") {
            // Programs look for the library by this name, not by that of the crate.
            let name = format!("{DLL_PREFIX}{}{DLL_SUFFIX}", library.name());
            cargo.arg(format!("-Clink-arg=-Wl,-soname,{name}"));
        } else if cfg!(target_os = "macos") {
            let name = format!("{DLL_PREFIX}{}{DLL_SUFFIX}", library.name());
            cargo.arg(format!("-Clink-arg=-Wl,-install_name,@rpath/{name}"));
        }
        // The settings with which cargo has run this program are not for this package.
        cargo.env_remove("CARGO_TARGET_DIR").current_dir(package);
        let output = cargo
            .stdin(Stdio::null())
            .output()
            .map_err(Error::NoCargo)?;
        if !output.status.success() {
            return Err(Error::Compiler {
                package: package.into(),
                words: String::from_utf8_lossy(&output.stderr).trim_end().into(),
            });
        }
        match kinds.has_static() {
            true => {
                let text = fs::read_to_string(&needed)
                    .map_err(|error| FileError::unreadable(&needed, error))?;
                Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            false => Ok(String::new()),
        }
    }
}
