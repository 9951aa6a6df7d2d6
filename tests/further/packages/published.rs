//! Which packages are published, as cargo sees them, and what their manifests must say.

use std::path::{Path, PathBuf};

use nnue_test_support::fixtures::run;
use serde_json::Value;

use crate::registry::cargo;

/// The folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().expect("the workspace has a folder")
}

/// A package, as `cargo metadata` has it.
pub(crate) struct Package {
    metadata: Value,
}

impl Package {
    pub(crate) fn name(&self) -> &str {
        self.text("name")
    }

    pub(crate) fn version(&self) -> &str {
        self.text("version")
    }

    pub(crate) fn rust_version(&self) -> &str {
        self.text("rust_version")
    }

    pub(crate) fn folder(&self) -> &Path {
        let manifest = Path::new(self.text("manifest_path"));
        manifest.parent().expect("manifests lie in folders")
    }

    /// A string of the manifest, which it must have.
    fn text(&self, key: &str) -> &str {
        let value = self.metadata[key].as_str();
        value.unwrap_or_else(|| panic!("{} has no `{key}`", self.metadata["name"]))
    }

    /// A list of strings of the manifest.
    fn texts(&self, key: &str) -> Vec<&str> {
        let list = self.metadata[key].as_array().expect("a list");
        let texts = list.iter().map(|text| text.as_str().expect("a string"));
        texts.collect()
    }

    /// What it depends on, as `cargo metadata` has it.
    pub(crate) fn dependencies(&self) -> &[Value] {
        let list = self.metadata["dependencies"].as_array();
        list.expect("a list")
    }

    fn is_published(&self) -> bool {
        self.metadata["publish"].is_null()
    }
}

/// Those of the workspace that are published.
pub(crate) fn published() -> Vec<Package> {
    let options = ["--no-deps", "--offline", "--format-version=1"];
    let metadata = run(cargo(&workspace()).arg("metadata").args(options));
    let mut metadata: Value = serde_json::from_str(&metadata).expect("cargo writes JSON");
    let Value::Array(packages) = metadata["packages"].take() else {
        panic!("cargo lists no packages");
    };
    let packages = packages.into_iter().map(|metadata| Package { metadata });
    packages.filter(Package::is_published).collect()
}

#[test]
fn manifests_say_what_a_registry_shows() {
    let packages = published();
    assert!(packages.len() >= 9, "{} packages", packages.len());
    for package in &packages {
        let name = package.name();
        for key in ["description", "license", "repository", "readme"] {
            assert!(!package.text(key).is_empty(), "{name}: {key}");
        }
        // The limits of crates.io.
        let keywords = package.texts("keywords");
        assert!((1..=5).contains(&keywords.len()), "{name}: {keywords:?}");
        for keyword in keywords {
            let allowed = |c: char| c.is_ascii_alphanumeric() || "_-+".contains(c);
            assert!(
                keyword.len() <= 20
                    && keyword.starts_with(|c: char| c.is_ascii_alphanumeric())
                    && keyword.chars().all(allowed),
                "{name}: keyword `{keyword}`"
            );
        }
        let categories = package.texts("categories");
        assert!(
            (1..=5).contains(&categories.len()),
            "{name}: {categories:?}"
        );
    }
}

#[test]
fn packages_need_each_other_in_their_own_version() {
    let packages = published();
    let version = packages[0].version();
    let mut dependencies = 0;
    for package in &packages {
        let name = package.name();
        assert_eq!(package.version(), version, "{name}");
        assert_eq!(package.rust_version(), packages[0].rust_version(), "{name}");
        let all = package.dependencies().iter();
        for dependency in all.filter(|needed| needed["path"].is_string()) {
            let needed = dependency["name"].as_str().expect("a name");
            let required = dependency["req"].as_str().expect("a version");
            if dependency["kind"] == "dev" {
                // Cargo leaves out those that have no version.
                assert_eq!(required, "*", "{name}: {needed}");
                continue;
            }
            assert_eq!(required, format!("={version}"), "{name}: {needed}");
            assert!(
                packages.iter().any(|package| package.name() == needed),
                "{name} needs {needed}, which is not published"
            );
            dependencies += 1;
        }
    }
    assert!(dependencies > 20, "{dependencies} dependencies found");
}
