//! The pages about the spec language tell the truth: their specs compile to the networks that they
//! show, and each mistake gives the error that they show.

use std::fs;

use crate::golden;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::feature_set::piece_square::KING_TABLES;
use nnue_compiler::{analyse, diagram};

/// The page of the worked example, which errors of all pages are about.
const EXAMPLE: &str = "../../specs/README.md";

const PAGES: [&str; 3] = [
    EXAMPLE,
    "../../docs/spec-language.md",
    "../../docs/spec-mistakes.md",
];

#[test]
fn the_pages_show_what_the_compiler_says() {
    let example = fs::read_to_string(golden::path(EXAMPLE)).unwrap();
    let example = worked_example(&example);
    let (mut diagrams, mut errors) = (0, 0);
    for page in PAGES {
        let path = golden::path(page);
        let page = fs::read_to_string(&path).unwrap();
        let mut corrected = page.clone();
        for shown in blocks(&page, "text") {
            let found = if shown.starts_with("error: ") {
                errors += 1;
                error(&page, example, shown)
            } else if shown.contains("computed as") {
                diagrams += 1;
                diagram_of_spec_above(&page, shown)
            } else {
                continue;
            };
            corrected = corrected.replace(shown, &found);
        }
        golden::compare(&path, &corrected).unwrap_or_else(|difference| panic!("{difference}"));
    }
    assert!(diagrams == 1 && errors >= 6, "{diagrams}, {errors}");
}

/// The reference draws each named table as a board, and no other.
#[test]
fn the_reference_shows_the_tables_of_king_buckets() {
    let page = fs::read_to_string(golden::path("../../docs/spec-language.md")).unwrap();
    let mut boards = blocks(&page, "text").into_iter();
    let first = KING_TABLES[0].name;
    let boards = boards.find(|block| block.starts_with(first)).unwrap();
    let mut shown = Vec::new();
    for board in boards.split("\n\n") {
        let mut lines = board.lines();
        let names: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
        let numbers = lines.map(|line| line.split_whitespace().map(|n| n.parse::<u8>().unwrap()));
        let mut ranks: Vec<Vec<u8>> = numbers.map(Iterator::collect).collect();
        ranks.reverse();
        for (index, name) in names.into_iter().enumerate() {
            let half = ranks.iter().flat_map(|rank| &rank[4 * index..][..4]);
            shown.push((name, half.copied().collect::<Vec<u8>>()));
        }
    }
    let tables = KING_TABLES
        .iter()
        .map(|table| (table.name, table.half.to_vec()));
    assert_eq!(shown, tables.collect::<Vec<_>>());
}

/// The fenced blocks of a language.
fn blocks<'t>(page: &'t str, language: &str) -> Vec<&'t str> {
    let fence = format!("```{language}\n");
    let starts = page.split(fence.as_str()).skip(1);
    starts
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

/// The spec that the page calls `my-net.toml`.
fn worked_example(page: &str) -> &str {
    let mut specs = blocks(page, "toml").into_iter();
    specs
        .find(|spec| spec.starts_with("name = \"Small\""))
        .unwrap()
}

/// The last spec before something that the page shows.
fn spec_above<'t>(page: &'t str, shown: &str) -> &'t str {
    let above = &page[..page.find(shown).unwrap()];
    blocks(above, "toml").last().unwrap()
}

/// The diagram of the last spec before the one that the page shows.
fn diagram_of_spec_above(page: &str, shown: &str) -> String {
    let file = SourceFile::new("my-net.toml", spec_above(page, shown));
    diagram(&analyse(&file).unwrap_or_else(|errors| panic!("{errors}")))
}

/// The compiler's errors about the mistake that an error of the page quotes.
fn error(page: &str, example: &str, shown: &str) -> String {
    let (_, place) = shown.split_once("--> ").unwrap();
    let (path, _) = place.split_once(':').unwrap();
    let spec = match path {
        "my-net.toml" => with_shown_lines(example, shown),
        "mine.toml" => spec_above(page, shown).to_string(),
        _ => {
            let spec = fs::read_to_string(golden::path("../..").join(path)).unwrap();
            with_shown_lines(&spec, shown)
        }
    };
    let file = SourceFile::new(path, spec);
    let Err(errors) = analyse(&file) else {
        panic!("no error, but the page shows\n{shown}");
    };
    errors
        .rendered()
        .map(|error| format!("error: {error}\n"))
        .collect()
}

/// The spec in which the lines that an error quotes, such as `17 | ...`, replace the lines with
/// these numbers. One of them is the mistake.
fn with_shown_lines(spec: &str, shown: &str) -> String {
    let mut lines: Vec<&str> = spec.lines().collect();
    for line in shown.lines() {
        if let Some((number, text)) = line.split_once(" | ")
            && let Ok(number) = number.trim().parse::<usize>()
        {
            lines[number - 1] = text;
        }
    }
    lines.join("\n")
}
