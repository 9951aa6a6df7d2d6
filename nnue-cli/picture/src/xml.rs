//! Text in SVG and HTML.
//!
//! Pages are XML too, so that programs can read them, and text may be somebody else's, with letters
//! that XML does not have. Template engines for HTML promise neither.

use nnue_compiler::format::is_hidden;

/// Text as it stands in XML, between tags and in attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' => escaped.push(letter),
            // XML has no other controls, and the rest would be read as something else than it is.
            letter if is_hidden(letter) => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}
