//! Documents name files and sections that exist.

use std::fs;
use std::path::{Path, PathBuf};

/// The beginnings of links to the repository in documents that are read elsewhere too.
const REPOSITORY: [&str; 2] = [
    "https://github.com/nnue-compiler/nnue-compiler/blob/main/",
    "https://github.com/nnue-compiler/nnue-compiler/tree/main/",
];

#[test]
fn documents_name_files_and_sections_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut missing = Vec::new();
    let mut found = 0;
    for document in documents(&root) {
        let text = fs::read_to_string(root.join(&document)).unwrap();
        let prose = without_code_blocks(&text);
        let folder = root.join(&document).parent().unwrap().to_path_buf();
        for link in links(&prose) {
            found += 1;
            let (file, section) = link.split_once('#').unwrap_or((link, ""));
            let in_repository = REPOSITORY.iter().find_map(|start| file.strip_prefix(start));
            let path = match in_repository {
                Some(path) => root.join(path),
                None if file.is_empty() => root.join(&document),
                None => folder.join(file),
            };
            let is_there = path.exists() && (section.is_empty() || has_section(&path, section));
            if !is_there {
                missing.push(format!("{document}: the link to {link}"));
            }
        }
        let paths: Vec<&str> = quoted(&prose)
            .filter(|path| is_path(&root, &document, path))
            .collect();
        // A table of files names the folder of its files.
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
    assert!(found > 500, "{found} paths found: documents are misread");
}

/// The paths of all documents in the repository, except logs of changes.
fn documents(root: &Path) -> Vec<String> {
    let mut documents = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = folder.join(&name);
            if entry.file_type().unwrap().is_dir() {
                let is_built = name == "target" || name == "node_modules";
                if !name.starts_with('.') && !is_built {
                    folders.push(path);
                }
            } else if name.ends_with(".md") && name != "CHANGELOG.md" {
                documents.push(path.display().to_string().replace('\\', "/"));
            }
        }
    }
    documents.sort();
    documents
}

/// Whether a document has a heading that links call by this name.
fn has_section(document: &Path, section: &str) -> bool {
    let text = fs::read_to_string(document).unwrap();
    let prose = without_code_blocks(&text);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let mut names: Vec<String> = Vec::new();
    for heading in headings {
        let name = name_in_links(heading.trim_start_matches('#').trim());
        let before = names.iter().filter(|other| **other == name).count();
        if (before == 0 && name == section) || format!("{name}-{before}") == section {
            return true;
        }
        names.push(name);
    }
    false
}

/// The name that GitHub gives a heading in links.
fn name_in_links(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let name = heading.to_lowercase();
    let name = name.chars().filter(kept);
    name.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn without_code_blocks(text: &str) -> String {
    let outside = text.split("```").step_by(2);
    outside.collect()
}

/// The targets of links and pictures in the repository.
fn links(prose: &str) -> impl Iterator<Item = &str> {
    let links = prose.split("](").skip(1);
    let links = links.filter_map(|rest| rest.split(')').next());
    let pictures = prose.split("<img src=\"").skip(1);
    let pictures = pictures.filter_map(|rest| rest.split('"').next());
    let is_in_repository = |target: &&str| {
        let absolute = REPOSITORY.iter().any(|start| target.starts_with(start));
        !target.is_empty() && (absolute || !target.contains("://"))
    };
    links.chain(pictures).filter(is_in_repository)
}

/// The texts in backticks.
fn quoted(prose: &str) -> impl Iterator<Item = &str> {
    prose.split('`').skip(1).step_by(2)
}

/// Whether a quotation is a path of the repository: something in one of its folders or, on the page
/// about the code, a source file. `NAME` stands for files that a reader makes, and files in
/// `target` exist only after a build.
fn is_path(root: &Path, document: &str, quoted: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if !quoted.chars().all(allowed) || quoted.contains("NAME") || quoted.contains("..") {
        return false;
    }
    let is_source = document == "ARCHITECTURE.md" && quoted.ends_with(".rs");
    let first = quoted.split_once('/').map(|(first, _)| first);
    is_source || first.is_some_and(|first| first != "target" && root.join(first).exists())
}
