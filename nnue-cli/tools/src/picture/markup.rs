//! Elements of HTML and SVG, with escapes for text.
//!
//! Pages are XML too, so that programs can read them. Text may come from others, with letters that
//! XML cannot have.

use std::fmt::Write;

use nnue_compiler::format::is_hidden;

/// A part of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Markup(String);

impl Markup {
    /// Text that is markup already.
    pub(crate) fn raw(xml: impl Into<String>) -> Markup {
        Markup(xml.into())
    }

    /// The part with more parts after it.
    pub(crate) fn followed_by(mut self, parts: impl IntoIterator<Item = Markup>) -> Markup {
        for Markup(part) in parts {
            self.0 += &part;
        }
        self
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

/// Text is escaped.
impl From<&str> for Markup {
    fn from(text: &str) -> Markup {
        let mut escaped = String::with_capacity(text.len());
        for letter in text.chars() {
            match letter {
                '&' => escaped.push_str("&amp;"),
                '<' => escaped.push_str("&lt;"),
                '>' => escaped.push_str("&gt;"),
                '"' => escaped.push_str("&quot;"),
                _ => escaped.push(letter),
            }
        }
        Markup(escaped)
    }
}

impl From<String> for Markup {
    fn from(text: String) -> Markup {
        (&*text).into()
    }
}

impl From<&String> for Markup {
    fn from(text: &String) -> Markup {
        (&**text).into()
    }
}

impl From<Vec<Markup>> for Markup {
    fn from(parts: Vec<Markup>) -> Markup {
        parts.into_iter().collect()
    }
}

impl<const N: usize> From<[Markup; N]> for Markup {
    fn from(parts: [Markup; N]) -> Markup {
        parts.into_iter().collect()
    }
}

impl FromIterator<Markup> for Markup {
    fn from_iter<T: IntoIterator<Item = Markup>>(parts: T) -> Markup {
        Markup(parts.into_iter().map(|Markup(part)| part).collect())
    }
}

/// Text, escaped.
pub(crate) fn text(text: impl Into<Markup>) -> Markup {
    text.into()
}

/// An element with contents.
pub(crate) fn tag(name: &str, contents: impl Into<Markup>) -> Markup {
    element(name, &[], contents)
}

/// An element with attributes and contents.
pub(crate) fn element(
    name: &str,
    attributes: &[(&str, &str)],
    contents: impl Into<Markup>,
) -> Markup {
    let mut element = start(name, attributes);
    let Markup(contents) = contents.into();
    let _ = write!(element, ">{contents}</{name}>");
    Markup(element)
}

/// An element that has no contents, closed as in XML, which HTML allows too.
pub(crate) fn closed(name: &str, attributes: &[(&str, &str)]) -> Markup {
    Markup(start(name, attributes) + "/>")
}

/// The start of an element, without the `>`.
fn start(name: &str, attributes: &[(&str, &str)]) -> String {
    let mut start = format!("<{name}");
    for (attribute, value) in attributes {
        let Markup(value) = (*value).into();
        let _ = write!(start, " {attribute}=\"{value}\"");
    }
    start
}

/// The text with escapes for XML, between tags and in attributes.
pub(crate) fn escaped(text: &str) -> String {
    visible(&Markup::from(text).into_string())
}

/// The XML with blanks for letters that it cannot have, or that are not shown as what they are.
pub(crate) fn visible(xml: &str) -> String {
    let letters = xml.chars();
    letters
        .map(|letter| {
            if is_hidden(letter) && letter != '\n' {
                ' '
            } else {
                letter
            }
        })
        .collect()
}
