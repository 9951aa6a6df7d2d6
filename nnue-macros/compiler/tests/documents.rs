//! Documents name files that exist.

use std::fs;
use std::path::{Path, PathBuf};

const DOCUMENTS: &[&str] = &[
    "ARCHITECTURE.md",
    "README.md",
    "docs/bullet.md",
    "docs/data.md",
    "docs/describe.md",
    "docs/levels.md",
    "docs/loop.md",
    "docs/match.md",
    "docs/net-files.md",
    "docs/openbench.md",
    "docs/performance.md",
    "docs/quantisation.md",
    "docs/training.md",
    "docs/variants.md",
    "docs/versions.md",
    "examples/engine/README.md",
    "nnue-cli/README.md",
    "nnue-cli/data/README.md",
    "nnue-cli/dummy/README.md",
    "nnue-cli/networks/README.md",
    "nnue-cli/replay/README.md",
    "nnue-cli/trace/README.md",
    "nnue-macros/README.md",
    "nnue-macros/compiler/README.md",
    "nnue-runtime/README.md",
    "nnue-runtime/format/README.md",
    "nnue-runtime/interpreter/README.md",
    "nnue-runtime/levels/README.md",
    "specs/README.md",
    "tests/README.md",
    "trainer/README.md",
];

/// What links to the repository begin with, in documents that are read elsewhere too.
const REPOSITORY: [&str; 2] = [
    "https://github.com/nnue-compiler/nnue-compiler/blob/main/",
    "https://github.com/nnue-compiler/nnue-compiler/tree/main/",
];

#[test]
fn documents_name_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut missing = Vec::new();
    let mut found = 0;
    for document in DOCUMENTS {
        let text = fs::read_to_string(root.join(document)).unwrap();
        let prose = without_code_blocks(&text);
        let folder = root.join(document).parent().unwrap().to_path_buf();
        for link in links(&prose) {
            found += 1;
            let in_repository = REPOSITORY.iter().find_map(|start| link.strip_prefix(start));
            let path = in_repository.map_or(folder.join(link), |path| root.join(path));
            if !path.exists() {
                missing.push(format!("{document}: the link to {link}"));
            }
        }
        let paths: Vec<&str> = quoted(&prose)
            .filter(|path| is_path(&root, document, path))
            .collect();
        // Tables of files say in which folder these are.
        let named = paths.iter().map(|path| root.join(path));
        let mut folders: Vec<PathBuf> = named.filter(|path| path.is_dir()).collect();
        folders.extend([root.clone(), folder]);
        for path in paths {
            found += 1;
            if !folders.iter().any(|folder| folder.join(path).exists()) {
                missing.push(format!("{document}: `{path}`"));
            }
        }
    }
    assert!(missing.is_empty(), "there is no\n{}", missing.join("\n"));
    assert!(found > 100, "{found} paths found: documents are misread");
}

fn without_code_blocks(text: &str) -> String {
    let outside = text.split("```").step_by(2);
    outside.collect()
}

/// The targets of Markdown links to the repository.
fn links(prose: &str) -> impl Iterator<Item = &str> {
    let targets = prose.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split([')', '#']).next());
    let is_in_repository = |target: &&str| {
        let absolute = REPOSITORY.iter().any(|start| target.starts_with(start));
        !target.is_empty() && (absolute || !target.contains("://"))
    };
    targets.filter(is_in_repository)
}

/// What stands in backticks.
fn quoted(prose: &str) -> impl Iterator<Item = &str> {
    prose.split('`').skip(1).step_by(2)
}

/// Whether a quotation is a path of the repository: something in one of its folders or, on the page
/// about the code, a source file. Files to be made are called `NAME`, and what is in `target` is built
/// first.
fn is_path(root: &Path, document: &str, quoted: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if !quoted.chars().all(allowed) || quoted.contains("NAME") || quoted.contains("..") {
        return false;
    }
    let is_source = document == "ARCHITECTURE.md" && quoted.ends_with(".rs");
    let first = quoted.split_once('/').map(|(first, _)| first);
    is_source || first.is_some_and(|first| first != "target" && root.join(first).exists())
}
