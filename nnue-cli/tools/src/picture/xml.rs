//! Text in SVG and HTML.
//!
//! Pages are XML too, so that programs can read them. Text may come from others, with letters that
//! XML cannot have.

use maud::{Markup, PreEscaped, html};
use nnue_compiler::format::is_hidden;

/// The text with escapes for XML, between tags and in attributes.
pub(crate) fn escaped(text: &str) -> String {
    visible(&html! { (text) }.into_string())
}

/// The XML with blanks for letters that it cannot have, or that are not shown as what they are.
pub(crate) fn visible(xml: &str) -> String {
    let letters = xml.chars();
    letters
        .map(|letter| match is_hidden(letter) && letter != '\n' {
            true => ' ',
            false => letter,
        })
        .collect()
}

/// An element without contents, closed as in XML, which HTML allows too.
pub(crate) fn closed(element: Markup) -> Markup {
    let PreEscaped(mut element) = element;
    element.insert(element.len() - 1, '/');
    PreEscaped(element)
}
