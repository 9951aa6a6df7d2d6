//! Specs with mistakes, and as comments under each mistake what the compiler must say of it:
//!
//! ```toml
//! width = 1000
//! #       ^^^^ error{width 1000 is not a multiple of 128}
//! #            label{896 or 1024 would fit}
//! #            help{...}
//! ```
//!
//! `^` underlines what an error is about and `-` the other places that it shows, with
//! `related{...}` beside them; a place in a known spec is named with file, line and column, under
//! the error itself. A `#` in the first column stands for a mark itself when what is
//! marked begins there. A file must have exactly the errors that it says, at exactly these columns.

use std::fs;
use std::path::PathBuf;

use crate::golden;
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::{Errors, SourceFile, Span};

/// The words before the braces.
const KINDS: [&str; 4] = ["error", "label", "help", "related"];

#[test]
fn bad_specs_have_exactly_the_errors_that_they_say() {
    let files = bad_specs();
    assert!(files.len() > 50, "found only {} bad specs", files.len());
    let failures: Vec<String> = files
        .into_iter()
        .filter_map(|file| check(file).err())
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}

/// The whole text as users see it, places and underlined lines included.
#[test]
fn the_rendered_text_shows_every_error_with_its_line() {
    let path = golden::path("tests/rendered/many.toml");
    let source = SourceFile::new("specs/many.toml", fs::read_to_string(&path).unwrap());
    let errors = analyse(&source).unwrap_err();
    golden::compare(&path.with_extension("txt"), &format!("{errors}\n"))
        .unwrap_or_else(|difference| panic!("{difference}"));
}

/// A spec that was saved by an editor on Windows has the same errors at the same places.
#[test]
fn line_endings_and_byte_order_marks_change_no_place() {
    let path = golden::path("tests/rendered/many.toml");
    let text = fs::read_to_string(path).unwrap();
    let rendered = |text: String| {
        analyse(&SourceFile::new("spec", text))
            .unwrap_err()
            .to_string()
    };
    let expected = rendered(text.clone());
    assert_eq!(rendered(text.replace('\n', "\r\n")), expected);
    assert_eq!(rendered(format!("\u{FEFF}{text}")), expected);
}

/// The paths of all wrong specs.
pub(crate) fn bad_specs() -> Vec<PathBuf> {
    let folders = fs::read_dir(golden::path("tests/diagnostics")).unwrap();
    let mut files: Vec<PathBuf> = folders
        .flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    files
}

fn check(path: PathBuf) -> Result<(), String> {
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let spec = spec_of(&text);
    let Err(errors) = analyse(&SourceFile::new("spec.toml", spec.as_str())) else {
        return Err(format!("{} has no errors", path.display()));
    };
    let annotated = annotate(&spec, &errors);
    let annotated = annotated.map_err(|problem| format!("{}: {problem}", path.display()))?;
    golden::compare(&path, &annotated)
}

/// A wrong spec without the comments.
pub(crate) fn spec_of(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !is_expectation(line)).collect()
}

fn is_expectation(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|comment| {
        let said = comment.trim_start_matches([' ', '^', '-']);
        KINDS.iter().any(|kind| {
            said.strip_prefix(kind)
                .is_some_and(|rest| rest.starts_with('{'))
        })
    })
}

/// The spec with its errors as comments.
fn annotate(spec: &str, errors: &Errors) -> Result<String, String> {
    let mut lines: Vec<String> = spec.lines().map(String::from).collect();
    // A file ends where the line behind its last line begins.
    lines.push(String::new());
    let mut comments = vec![String::new(); lines.len()];
    for error in &errors.found {
        let mut said = vec![("error", &error.message)];
        said.extend((!error.label.is_empty()).then_some(("label", &error.label)));
        said.extend(error.help.as_ref().map(|help| ("help", help)));
        let (line, comment) = comment(errors, error.span, '^', &said)?;
        comments[line - 1] += &comment;
        for (span, label) in &error.related {
            let (file, place) = errors.place(*span);
            if file.path != errors.file.path {
                let (line_of_known, column) = file.line_and_column(place.start);
                let label = format!("{}:{line_of_known}:{column} {label}", file.path);
                let marks = self::comment(errors, error.span, '^', &[("related", &label)])?.1;
                comments[line - 1] += &marks.replace('^', "-");
                continue;
            }
            let (line, comment) = self::comment(errors, *span, '-', &[("related", label)])?;
            comments[line - 1] += &comment;
        }
    }
    let end = lines
        .pop()
        .zip(comments.pop())
        .map_or(String::new(), |(_, comment)| comment);
    let lines = lines.into_iter().zip(comments);
    Ok(lines
        .map(|(line, comment)| format!("{line}\n{comment}"))
        .collect::<String>()
        + &end)
}

/// The line (from one) of a place, and the comment that belongs under it.
fn comment(
    errors: &Errors,
    span: Span,
    mark: char,
    said: &[(&str, &String)],
) -> Result<(usize, String), String> {
    let (line, column) = errors.file.line_and_column(span.start);
    let spanned = errors.file.text.get(span.start..span.end).unwrap_or("");
    let first_line = spanned.lines().next().unwrap_or("").trim_end();
    let marks = mark.to_string().repeat(first_line.chars().count().max(1));
    let underline = match column {
        1 => format!("#{}", &marks[1..]),
        2 => {
            return Err(format!(
                "no mark fits under column 2 of line {line}: indent it"
            ));
        }
        _ => format!("#{}{marks}", " ".repeat(column - 2)),
    };
    let indent = format!("#{}", " ".repeat(underline.len() - 1));
    let comment = said.iter().enumerate().map(|(index, (kind, text))| {
        let before = if index == 0 { &underline } else { &indent };
        format!("{before} {kind}{{{text}}}\n")
    });
    Ok((line, comment.collect()))
}
