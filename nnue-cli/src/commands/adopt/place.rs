//! Where the files that `--out` writes belong, as the package sees them that will have them.

use std::path::{Path, PathBuf, absolute};

use nnue_tools::files::own;

/// A folder for the files of a network, and the package around it.
pub(super) struct Place {
    folder: PathBuf,
    /// The folder of the package, if there is one.
    package: Option<PathBuf>,
}

impl Place {
    pub(super) fn of(folder: &Path) -> Place {
        let folder = absolute(folder).unwrap_or_else(|_| folder.into());
        let mut around = folder.ancestors();
        let package = around.find(|around| is_package(around));
        Place {
            package: package.map(Path::to_path_buf),
            folder,
        }
    }

    /// The path of the spec in the module: from the folder of the package's manifest. Without a
    /// package, the file is to be put there.
    pub(super) fn spec(&self, name: &str) -> String {
        self.within_package(&self.folder.join(name))
            .unwrap_or_else(|| name.into())
    }

    /// The path of the net in the module's test, which cargo runs in the package's folder.
    pub(super) fn net(&self, net: &Path) -> String {
        if self.package.is_none() {
            return super::file_name(net);
        }
        let whole = absolute(net).unwrap_or_else(|_| net.into());
        self.within_package(&whole)
            .unwrap_or_else(|| slashes(&whole))
    }

    /// The next steps with the files, in lines.
    pub(super) fn next_steps(&self, [spec, code]: [&str; 2], net: &Path) -> Vec<String> {
        let module = code.trim_end_matches(".rs");
        let test = format!("`cargo test {module}::` then checks the network along some moves");
        let Some(package) = &self.package else {
            let net = super::file_name(net);
            return vec![
                format!(
                    "Next: put `{spec}` and `{net}` beside the `Cargo.toml` of the engine, and `{code}` \
                     into its `src`;"
                ),
                format!(
                    "write `mod {module};` into its `main.rs` or `lib.rs`, and `nnue-runtime` among its \
                     dependencies. {test}."
                ),
            ];
        };
        let sources = package.join("src");
        let line = match self.folder.strip_prefix(&sources) {
            Ok(within) if within == Path::new("") => format!("mod {module};"),
            Ok(within) => format!("#[path = \"{}/{code}\"] mod {module};", slashes(within)),
            Err(_) => {
                let folder = self.folder.strip_prefix(package).unwrap_or(&self.folder);
                let folder = match slashes(folder) {
                    root if root.is_empty() => root,
                    folder => folder + "/",
                };
                format!("#[path = \"../{folder}{code}\"] mod {module};")
            }
        };
        vec![format!(
            "Next: write `{line}` into `src/main.rs` or `src/lib.rs`, and `nnue-runtime` among the \
             dependencies. {test}."
        )]
    }

    fn within_package(&self, path: &Path) -> Option<String> {
        let within = path.strip_prefix(self.package.as_ref()?).ok()?;
        Some(slashes(within))
    }
}

/// Whether a folder has the manifest of a package. That of a workspace alone has no sources.
fn is_package(folder: &Path) -> bool {
    let manifest = own::read(&folder.join("Cargo.toml"), super::LONGEST_TEXT);
    let text = manifest.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    text.is_ok_and(|text| text.lines().any(|line| line.trim() == "[package]"))
}

/// A path as sources have it on every system.
fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.into_owned()
    }
}
