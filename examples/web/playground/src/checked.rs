//! The mistakes of a spec, or its network.

use nnue_compiler::diagnostics::{Errors, Span};
use nnue_compiler::network::Network;
use nnue_compiler::{diagram, file_layout};
use nnue_tools::nets::summary::{self, Memory};
use nnue_tools::picture::drawing;
use serde::Serialize;

/// How many mistakes are shown, as many as `nnue check` shows. The others are only counted.
const MOST: usize = 50;

/// What is said of a spec.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// The mistakes, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The network, if there are no mistakes.
    pub network: Option<Shown>,
}

/// A mistake in a spec.
#[derive(Debug, Serialize)]
pub struct Diagnostic {
    /// `error`; `note` says only that there are more.
    pub severity: &'static str,
    /// What was found and what is allowed.
    pub message: String,
    /// The place of the mistake.
    #[serde(flatten)]
    pub place: Place,
    /// What can be done about it.
    pub help: Option<String>,
    /// Other places that have to do with it, and the text beside the place itself.
    pub related: Vec<Related>,
    /// The mistake as `nnue check` prints it.
    pub shown: String,
}

/// A place that has to do with a mistake.
#[derive(Debug, Serialize)]
pub struct Related {
    /// What is to be said of the place.
    pub message: String,
    /// The place.
    #[serde(flatten)]
    pub place: Place,
}

/// A part of the text, in units of UTF-16, in which JavaScript counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The offset of the first unit.
    pub from: usize,
    /// The offset behind the last unit.
    pub to: usize,
}

/// A network that a spec describes.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// The name.
    pub name: String,
    /// What the network is.
    pub facts: Vec<Labelled>,
    /// What it takes.
    pub memory: Vec<Labelled>,
    /// The drawing of `nnue draw`, an SVG.
    pub drawing: String,
}

/// A text with a label.
#[derive(Debug, Serialize)]
pub struct Labelled {
    /// The label.
    pub label: &'static str,
    /// The text.
    pub value: String,
}

impl Checked {
    /// What is said of a right spec.
    pub(crate) fn right(network: &Network) -> Checked {
        Checked {
            diagnostics: Vec::new(),
            network: Some(Shown::of(network)),
        }
    }

    /// What is said of a wrong spec.
    pub(crate) fn wrong(errors: &Errors) -> Checked {
        let mut rendered = errors.rendered();
        let found = errors.found.iter().take(MOST).zip(rendered.by_ref());
        let mut diagnostics: Vec<Diagnostic> = found
            .map(|(found, shown)| {
                let place = Place::of(errors, found.span);
                let label = (!found.label.is_empty()).then(|| Related {
                    message: found.label.clone(),
                    place,
                });
                let related = found.related.iter();
                let related = related.map(|(span, label)| Related::of(errors, *span, label, place));
                Diagnostic {
                    severity: "error",
                    message: found.message.clone(),
                    place,
                    help: found.help.clone(),
                    related: label.into_iter().chain(related).collect(),
                    shown: format!("error: {shown}"),
                }
            })
            .collect();
        diagnostics.extend(rendered.map(|more| Diagnostic {
            severity: "note",
            message: more.clone(),
            place: Place { from: 0, to: 0 },
            help: None,
            related: Vec::new(),
            shown: more,
        }));
        Checked {
            diagnostics,
            network: None,
        }
    }
}

impl Related {
    /// A place with its text. One in a known spec is shown where the spec names that spec, at
    /// `named`.
    fn of(errors: &Errors, span: Span, label: &str, named: Place) -> Related {
        let (file, there) = errors.place(span);
        let is_here = std::ptr::eq(file, &errors.file);
        Related {
            message: if is_here {
                label.into()
            } else {
                let (line, _) = file.line_and_column(there.start);
                format!("{}, line {line}: {label}", file.path)
            },
            place: if is_here {
                Place::of(errors, span)
            } else {
                named
            },
        }
    }
}

impl Place {
    fn of(errors: &Errors, span: Span) -> Place {
        let text = &errors.file.text;
        let from = units(text, span.start);
        Place {
            from,
            to: units(text, span.end).max(from),
        }
    }
}

/// The number of UTF-16 units before a byte of a text.
fn units(text: &str, byte: usize) -> usize {
    let letters = text.char_indices();
    let before = letters.take_while(|(at, letter)| at + letter.len_utf8() <= byte);
    before.map(|(_, letter)| letter.len_utf16()).sum()
}

impl Shown {
    fn of(network: &Network) -> Shown {
        let text = diagram(network);
        let shape = text.lines().next().unwrap_or_default();
        let shape = shape.strip_prefix(&format!("{}: ", network.name));
        let most = network.features.iter().map(|set| set.max_active);
        let layout = file_layout(network);
        let memory = Memory::of(network);
        let accumulator = format!("{} bytes", thousands(memory.accumulator as u64));
        let len = thousands(layout.max_len());
        Shown {
            name: network.name.clone(),
            facts: vec![
                labelled("shape", shape.unwrap_or(&text)),
                labelled("features", thousands(network.feature_count() as u64)),
                labelled("active at once", format!("at most {}", most.sum::<usize>())),
                labelled("net file", summary::file(network)),
            ],
            memory: vec![
                labelled(
                    "weights",
                    format!("{} bytes", thousands(memory.weights as u64)),
                ),
                labelled("accumulator", accumulator),
                labelled(
                    "net file",
                    match layout.has_fixed_len() {
                        true => format!("{len} bytes"),
                        false => format!("at most {len} bytes"),
                    },
                ),
            ],
            drawing: drawing::svg(network),
        }
    }
}

fn labelled(label: &'static str, value: impl Into<String>) -> Labelled {
    Labelled {
        label,
        value: value.into(),
    }
}

/// A number with a comma between groups of three digits.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<&str> = groups
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_counted_in_units_of_utf_16() {
        let text = "aé€𝄞b";
        // Offsets within a letter are those of its beginning, and there is nothing behind the end.
        let expected = [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 5, 6, 6];
        for (byte, expected) in expected.into_iter().enumerate() {
            assert_eq!(units(text, byte), expected, "{byte}");
        }
    }

    #[test]
    fn digits_stand_in_groups() {
        let shown = [0, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }
}
