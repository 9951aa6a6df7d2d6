//! A registry of files: the packages as they would be published, and what else they need.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nnue_test_support::fixtures::{alone, run};
use sha2::{Digest, Sha256};

use crate::published::{published, workspace};

/// Cargo in a folder, as its user would run it.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut cargo = alone(env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.current_dir(folder);
    cargo
}

/// A folder in which cargo finds packages in a registry of files, in place of crates.io.
///
/// The project's packages are made by `cargo package`, all at once, which cargo can since 1.90.
/// The others are copied from the user's cache, in the versions of the project's `Cargo.lock`:
/// `cargo fetch --locked` gets them there.
pub(crate) struct Registry {
    folder: PathBuf,
    packages: PathBuf,
}

impl Registry {
    /// Anew, because cargo takes a package of a registry that it has compiled once for the same
    /// forever.
    pub(crate) fn new(name: &str) -> Registry {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("what an earlier run made can be removed");
        }
        let packages = folder.join("packages");
        fs::create_dir_all(folder.join(".cargo")).expect("folders can be made");
        let registry = Registry { folder, packages };
        let options = ["--offline", "--locked", "--quiet", "--versioned-dirs"];
        run(cargo(&workspace())
            .arg("vendor")
            .args(options)
            .arg(&registry.packages));
        registry.add_published();
        let config = format!(
            "[source.crates-io]\nreplace-with = \"packages\"\n\n\
             [source.packages]\ndirectory = {:?}\n",
            registry.packages
        );
        fs::write(registry.config(), config).expect("cargo can be configured");
        registry
    }

    /// Makes the project's packages, and unpacks them beside the others.
    fn add_published(&self) {
        let target = self.folder.join("target");
        let mut package = cargo(&workspace());
        package
            .args(["package", "--no-verify", "--offline", "--allow-dirty"])
            .arg("--target-dir")
            .arg(&target);
        let published = published();
        for own in &published {
            package.args(["-p", own.name()]);
        }
        run(&mut package);
        for own in &published {
            let name = format!("{}-{}", own.name(), own.version());
            let file = target.join("package").join(format!("{name}.crate"));
            run(Command::new("tar")
                .arg("-xzf")
                .arg(&file)
                .arg("-C")
                .arg(&self.packages));
            let hash = Sha256::digest(fs::read(&file).expect("packages can be read"));
            let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            let checksum = format!("{{\"files\": {{}}, \"package\": \"{hash}\"}}");
            let place = self.packages.join(name).join(".cargo-checksum.json");
            fs::write(place, checksum).expect("packages can be completed");
        }
    }

    /// Where crates that use the packages may lie.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What tells cargo of the registry. Cargo reads it in all folders in here.
    pub(crate) fn config(&self) -> PathBuf {
        self.folder.join(".cargo/config.toml")
    }

    /// A file of one of the project's packages, which must have it.
    pub(crate) fn file(&self, package: &str, path: &str) -> PathBuf {
        let version = published()[0].version().to_owned();
        let folder = self.packages.join(format!("{package}-{version}"));
        let file = folder.join(path);
        assert!(file.is_file(), "the package {package} has no {path}");
        file
    }
}
