//! The engine stays as short as its README says.

use std::fs;
use std::path::Path;

/// How many of a text's lines are neither empty nor a comment.
fn lines_of_code(text: &str) -> usize {
    let lines = text.lines().map(str::trim_start);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    code.count()
}

#[test]
fn the_engine_has_at_most_960_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut lines = 0;
    for entry in fs::read_dir(folder).expect("the engine's source") {
        let path = entry.expect("a file").path();
        assert!(path.is_file(), "{} is not counted", path.display());
        lines += lines_of_code(&fs::read_to_string(path).expect("source text"));
    }
    assert!((1..=960).contains(&lines), "{lines} lines");
}
