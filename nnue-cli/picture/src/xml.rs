//! Text in SVG and HTML.
//!
//! Pages are XML too, so that programs can read them, and text may be somebody else's, with letters
//! that XML does not have.

use maud::{Markup, PreEscaped, html};
use nnue_compiler::format::is_hidden;

/// Text as it stands in XML, between tags and in attributes.
pub(crate) fn escaped(text: &str) -> String {
    visible(&html! { (text) }.into_string())
}

/// XML with blanks instead of letters that it cannot have, or that are not shown as what they are.
pub(crate) fn visible(xml: &str) -> String {
    let letters = xml.chars();
    letters
        .map(|letter| match is_hidden(letter) && letter != '\n' {
            true => ' ',
            false => letter,
        })
        .collect()
}

/// An element without contents as XML closes it, and HTML too may.
pub(crate) fn closed(element: Markup) -> Markup {
    let PreEscaped(mut element) = element;
    element.insert(element.len() - 1, '/');
    PreEscaped(element)
}
