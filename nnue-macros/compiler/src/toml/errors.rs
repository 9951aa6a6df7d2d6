//! What is wrong with a text, in words.

use toml_parser::{ErrorSink, Expected, ParseError};

use crate::diagnostics::{Span, Spanned};

/// The errors that were found, in the order in which they were found.
pub(super) struct Errors {
    pub(super) found: Vec<Spanned<String>>,
    /// The place of errors that have no other.
    end: Span,
}

impl Errors {
    pub(super) fn new(text: &str) -> Errors {
        let end = text.len();
        Errors {
            found: Vec::new(),
            end: Span { start: end, end },
        }
    }

    pub(super) fn report(&mut self, span: Span, message: impl Into<String>) {
        self.found.push(Spanned::new(message.into(), span));
    }

    pub(super) fn report_at_end(&mut self, message: &str) {
        self.report(self.end, message);
    }
}

impl ErrorSink for Errors {
    fn report_error(&mut self, error: ParseError) {
        let mut message = error.description().to_string();
        if let Some(expected) = error.expected() {
            let names: Vec<String> = expected.iter().map(name).collect();
            message += ", expected ";
            message += &if names.is_empty() {
                "nothing".to_string()
            } else {
                names.join(", ")
            };
        }
        let span = error.unexpected().map_or(self.end, span);
        self.report(span, message);
    }
}

/// The name that messages have for something that is expected.
fn name(expected: &Expected) -> String {
    match expected {
        Expected::Literal("\n") => "newline".to_string(),
        Expected::Literal("`") => "'`'".to_string(),
        Expected::Literal(text) if text.chars().all(|c| c.is_ascii_control()) => {
            format!("`{}`", text.escape_debug())
        }
        Expected::Literal(text) => format!("`{text}`"),
        Expected::Description(text) => text.to_string(),
        _ => "etc".to_string(),
    }
}

pub(super) fn span(span: toml_parser::Span) -> Span {
    Span {
        start: span.start(),
        end: span.end(),
    }
}
