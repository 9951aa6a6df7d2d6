//! The specs of known networks.

use nnue_compiler::diagnostics::SourceFile;

/// Every `specs/*.toml`, called by its name.
pub(crate) fn all() -> Vec<SourceFile> {
    of("specs")
}

/// The specs of a folder of the project, each called by its name.
pub(crate) fn of(folder: &str) -> Vec<SourceFile> {
    let folder = format!("{}/../../{folder}", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("there are specs")
        .map(|entry| entry.expect("specs can be listed").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    paths.sort();
    let specs = paths.iter().map(|path| {
        let name = path.file_stem().expect("specs have names");
        let text = std::fs::read_to_string(path).expect("specs can be read");
        SourceFile::new(name.to_string_lossy(), text)
    });
    specs.collect()
}
