//! What `docs/porting.md` quotes is what the engines are.

use std::fs;
use std::path::Path;

/// The blocks of code that begin with the name of a file, as `// examples/ports/src/net.rs`.
fn quotes(page: &str) -> Vec<(&str, Vec<&str>)> {
    let blocks = page.split("```rust\n// examples/ports/").skip(1);
    blocks
        .map(|block| {
            let (code, _) = block.split_once("\n```").expect("the block ends");
            let mut lines = code.lines();
            let name = lines.next().expect("the name of a file");
            (name, lines.collect())
        })
        .collect()
}

/// Lines without what they are indented by.
fn trimmed<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    lines
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn quotes_are_the_text_of_the_engines() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(package.join("../../docs/porting.md")).expect("the page");
    let quotes = quotes(&page);
    assert!(quotes.len() >= 6, "{} quotes", quotes.len());
    for (name, quoted) in quotes {
        let source = fs::read_to_string(package.join(name)).expect("the file that is quoted");
        let source = trimmed(source.lines());
        let quoted = trimmed(quoted.into_iter());
        let is_there = source.windows(quoted.len()).any(|lines| lines == quoted);
        assert!(is_there, "{name} has no lines\n{}", quoted.join("\n"));
    }
}
