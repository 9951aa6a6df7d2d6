//! Reads the TOML of a text: tables and values, each with its place.

use toml::de::{DeTable, Error};
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use crate::diagnostics::{Diagnostics, SourceFile, Span};

/// The largest number of bytes of a spec. The longest spec of an engine has two thousand bytes. The
/// mistakes in a text of more than a million bytes could take minutes to find and report.
const LONGEST: usize = 1 << 20;

/// The most dots in a key. Each is a table in a table. The crate toml allows 80 in each of 80
/// inline tables; to drop a tree of 6,400 tables takes megabytes of stack.
const MOST_DOTS: usize = 8;

/// The keys and values of a text. `what` is what errors call it.
pub(super) fn document<'t>(
    what: &str,
    file: &'t SourceFile,
    diagnostics: &mut Diagnostics,
) -> Option<DeTable<'t>> {
    let len = file.text.len();
    if len > LONGEST {
        let message = format!("{what} has {len} bytes, allowed are at most {LONGEST}");
        diagnostics.error(first_line(file), message);
        return None;
    }
    if let Some(dot) = one_dot_too_many(&file.text) {
        let message = format!("this key has more dots than {MOST_DOTS}, which no spec needs");
        diagnostics.error(dot, message);
        return None;
    }
    let (document, syntax_errors) = DeTable::parse_recoverable(&file.text);
    report_syntax_errors(file, &syntax_errors, diagnostics);
    // A file that was read only in part lacks keys for reasons that the user has just been told.
    syntax_errors.is_empty().then(|| document.into_inner())
}

pub(super) fn first_line(file: &SourceFile) -> Span {
    Span {
        start: 0,
        end: file.text.lines().next().map_or(0, str::len),
    }
}

/// The first dot that would make a key too deep. Ends of lines end no key here, because after a
/// syntax error the crate toml may read on.
fn one_dot_too_many(text: &str) -> Option<Span> {
    let mut dots = 0;
    let dot = Source::new(text).lex().find(|token| {
        match token.kind() {
            TokenKind::Dot => dots += 1,
            TokenKind::Equals
            | TokenKind::Comma
            | TokenKind::LeftSquareBracket
            | TokenKind::RightSquareBracket
            | TokenKind::LeftCurlyBracket
            | TokenKind::RightCurlyBracket => dots = 0,
            _ => {}
        }
        dots > MOST_DOTS
    })?;
    let (start, end) = (dot.span().start(), dot.span().end());
    Some(Span { start, end })
}

/// Reports the errors of TOML's syntax: only the first of each line, because the others follow from
/// it.
fn report_syntax_errors(file: &SourceFile, errors: &[Error], diagnostics: &mut Diagnostics) {
    let end = file.text.len();
    let place = |error: &Error| Span::from(error.span().unwrap_or(end..end));
    let mut errors: Vec<_> = errors.iter().map(|error| (place(error), error)).collect();
    errors.sort_by_key(|(span, _)| *span);
    let is_on_one_line = |first: Span, second: Span| {
        let between = file.text.get(first.start..second.start);
        between.is_some_and(|text| !text.contains('\n'))
    };
    errors.dedup_by(|later, first| is_on_one_line(first.0, later.0));
    for (span, error) in errors {
        let message = error.message();
        let is_duplicate_list =
            message == "duplicate key" && file.text[..span.start].ends_with("[[");
        let error = diagnostics.error(span, message).label("TOML syntax");
        if is_duplicate_list {
            let key = &file.text[span.start..span.end];
            error.help(format!(
                "`[{key}]` above is one table, not a list of tables: write `[[{key}]]` there too"
            ));
        }
    }
}
