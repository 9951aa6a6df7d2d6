//! Which files packages hold.

use std::fs;

use nnue_test_support::fixtures::run;

use crate::published::{Package, published, workspace};
use crate::registry::cargo;

/// All packages together, before they are compressed. The small net takes 3.5 MB, the recorded
/// search 0.7 MB; crates.io takes up to 10 MB of one package.
const BYTES: u64 = 9_000_000;

#[test]
fn packages_hold_documents_and_licences_and_nothing_large() {
    let mut bytes = 0;
    for package in published() {
        let (name, folder) = (package.name(), package.folder());
        let files = files(&package);
        for document in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(
                files.iter().any(|file| file == document),
                "{name}: no {document}"
            );
        }
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let read = |folder| fs::read_to_string(folder).expect("licences can be read");
            let own = read(folder.join(licence));
            assert_eq!(own, read(workspace().join(licence)), "{name}: {licence}");
        }
        let changes = fs::read_to_string(folder.join("CHANGELOG.md")).expect("there are changes");
        let heading = format!("\n## {} - ", package.version());
        assert!(
            changes.contains(&heading),
            "{name}: no `{}`",
            heading.trim()
        );
        // Cargo itself writes some of the files.
        let sizes = files.iter().map(|file| fs::metadata(folder.join(file)));
        bytes += sizes.flatten().map(|file| file.len()).sum::<u64>();
    }
    assert!((1_000_000..=BYTES).contains(&bytes), "{bytes} bytes");
}

/// The files of a package, as paths in its folder.
fn files(package: &Package) -> Vec<String> {
    let options = ["--list", "--offline", "--allow-dirty", "--quiet", "-p"];
    let mut list = cargo(&workspace());
    list.arg("package").args(options).arg(package.name());
    run(&mut list).lines().map(str::to_owned).collect()
}
