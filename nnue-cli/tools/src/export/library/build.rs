//! What cargo makes of the package.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use nnue_compiler::format;

use super::package::check;
use super::{Error, Library};
use crate::files::{Error as FileError, own, write};
use crate::measure::project::Project;
use crate::measure::workspace::{Turn, Workspace};

/// The most bytes of a library, which may have a net in it.
const LONGEST_LIBRARY: u64 = 1 << 34;

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

/// A file that is built from a package: the name that cargo gives it, and the path that it gets.
type Product = (String, PathBuf);

/// The files that are built from the package of a library.
struct Products {
    header: PathBuf,
    static_library: Option<Product>,
    shared_library: Option<Product>,
    /// What a program is linked with, on Windows, to load the shared library.
    import: Option<Product>,
}

impl Products {
    fn of(library: &Library<'_>, kinds: Kinds, out: &Path) -> Products {
        let (made, name) = (library.crate_name(), library.name());
        let is_msvc = cfg!(target_env = "msvc");
        let product = |has: bool, of: &dyn Fn(&str) -> String| -> Option<Product> {
            has.then(|| (of(&made), out.join(of(name))))
        };
        let has_import = cfg!(target_os = "windows") && kinds.has_shared();
        Products {
            header: library.header_in(out),
            static_library: product(kinds.has_static(), &|name| {
                if is_msvc {
                    format!("{name}.lib")
                } else {
                    format!("lib{name}.a")
                }
            }),
            shared_library: product(kinds.has_shared(), &|name| {
                format!("{DLL_PREFIX}{name}{DLL_SUFFIX}")
            }),
            import: product(has_import, &|name| {
                if is_msvc {
                    format!("{name}.dll.lib")
                } else {
                    format!("lib{name}.dll.a")
                }
            }),
        }
    }

    fn libraries(&self) -> impl Iterator<Item = &Product> {
        let all = [&self.static_library, &self.shared_library, &self.import];
        all.into_iter().flatten()
    }
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

/// The workspace for libraries in a folder for caches.
///
/// # Errors
///
/// Those of [`Workspace::open`].
pub fn libraries(cache: &Path, project: Project) -> Result<Workspace, Error> {
    Ok(Workspace::open(cache, "capi", project)?)
}

impl Library<'_> {
    /// Refuses a folder that has other files of the names of the library and its header.
    ///
    /// # Errors
    ///
    /// [`Error::OtherFile`] for such a file, [`Error::File`] if it cannot be read.
    pub fn check_products(&self, kinds: Kinds, out: &Path) -> Result<(), Error> {
        self.check_header(out)?;
        let function = format!("{}_evaluator_push_checked", self.name());
        for (_, to) in Products::of(self, kinds, out).libraries() {
            check(to, |bytes| has(bytes, function.as_bytes()))?;
        }
        Ok(())
    }

    /// Compiles the library and writes it and its header into a folder. If another run compiles,
    /// `waiting` is called with the folder for compiled files, and it waits.
    ///
    /// # Errors
    ///
    /// Those of [`check_products`](Library::check_products); the package cannot be written or
    /// compiled, or the folder cannot be written to.
    pub fn build(
        &self,
        workspace: &Workspace,
        kinds: Kinds,
        out: &Path,
        waiting: impl FnOnce(&Path),
    ) -> Result<Built, Error> {
        self.check_products(kinds, out)?;
        let products = Products::of(self, kinds, out);
        let turn = workspace.turn(waiting)?;
        // A library may have the name of cargo's folder, `target`.
        let package = workspace.folder.join(self.crate_name());
        // A net of an earlier run is not part of this package.
        own::remove(&package.join("net.nnue"))?;
        self.write(&package, &workspace.project, kinds.crate_types())?;
        let system_libraries = self.compile(&turn, &package, kinds)?;
        fs::create_dir_all(out).map_err(|error| FileError::unwritable(out, error))?;
        write(&products.header, self.header())?;
        for (from, to) in products.libraries() {
            write(to, own::read(&turn.release(from), LONGEST_LIBRARY)?)?;
        }
        let path = |product: Option<Product>| product.map(|(_, path)| path);
        Ok(Built {
            header: products.header,
            static_library: path(products.static_library),
            shared_library: path(products.shared_library),
            system_libraries,
        })
    }

    /// Compiles the package, and returns the libraries of the system that a static one needs.
    fn compile(&self, turn: &Turn<'_>, package: &Path, kinds: Kinds) -> Result<String, Error> {
        let needed = package.join("system-libraries");
        let mut arguments = vec![OsString::from("--lib"), "--".into()];
        if kinds.has_static() {
            let mut print = OsString::from("--print=native-static-libs=");
            print.push(&needed);
            arguments.push(print);
        }
        // Programs look for the library by this name, not by that of the crate.
        let name = format!("{DLL_PREFIX}{}{DLL_SUFFIX}", self.name());
        if cfg!(target_os = "linux") {
            arguments.push(format!("-Clink-arg=-Wl,-soname,{name}").into());
        } else if cfg!(target_os = "macos") {
            arguments.push(format!("-Clink-arg=-Wl,-install_name,@rpath/{name}").into());
        }
        let compiled = turn.cargo(package, "rustc", arguments)?;
        compiled.map_err(|words| crate::measure::Error::Compiler {
            spec: format::foreign(package.display()).to_string(),
            words,
        })?;
        if !kinds.has_static() {
            return Ok(String::new());
        }
        let text = own::read(&needed, LONGEST_LIBRARY)?;
        let text = String::from_utf8_lossy(&text);
        Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// Whether the bytes of a library have the name of a function.
fn has(bytes: &[u8], name: &[u8]) -> bool {
    bytes.windows(name.len()).any(|found| found == name)
}
