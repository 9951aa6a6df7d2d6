//! Errors that show the line of the spec they are about.
//!
//! Every stage takes `&mut Diagnostics` last and adds what it finds; [`crate::analyse()`] stops
//! after the first stage that found anything. The text is rendered here and only here, so that the
//! compiler error in an IDE, the command line and the tests show the same.

use std::fmt;

use nnue_format::is_hidden;

use crate::decode::form::Form;

/// A range of bytes of the spec's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset of the byte behind the last byte.
    pub end: usize,
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Span {
        Span {
            start: range.start,
            end: range.end,
        }
    }
}

/// A value, and its place in the spec.
#[derive(Clone, Debug, PartialEq)]
pub struct Spanned<T> {
    /// The value that the spec gives.
    pub value: T,
    /// The place of the value in the text.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// A value that stands at `span`.
    pub fn new(value: T, span: impl Into<Span>) -> Spanned<T> {
        Spanned {
            value,
            span: span.into(),
        }
    }
}

/// The text of a spec and the name that errors give it.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as the user wrote it, or a name like `inline spec`.
    pub path: String,
    /// The text of the whole file.
    pub text: String,
}

/// The largest number of characters of a name in a spec: names become identifiers and columns of
/// tables.
pub(crate) const LONGEST_NAME: usize = 64;

/// The largest number of errors that are shown. Further errors are only counted.
const MOST_SHOWN: usize = 50;

/// The largest number of characters that are shown of a message, a label or a help. A longer text
/// can only come from what the spec says.
const LONGEST_MESSAGE: usize = 2000;

/// The largest number of characters of a line that are shown on either side of the start of the
/// marked text.
const HALF_LINE: usize = 80;

/// The label of an error about a known spec, at the place where the user's spec names that spec.
const IS_KNOWN: &str = "it says what is marked below; this spec can replace it";

/// A place in a file. Line and column are counted from 1, the column in characters.
struct Location<'a> {
    line: usize,
    column: usize,
    text: &'a str,
}

impl SourceFile {
    /// A file with this path and this text.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> SourceFile {
        SourceFile {
            path: path.into(),
            text: text.into(),
        }
    }

    /// A file with this path and this content.
    ///
    /// # Errors
    ///
    /// A message if the content is not UTF-8.
    pub fn from_utf8(path: impl Into<String>, content: Vec<u8>) -> Result<SourceFile, String> {
        let path = path.into();
        match String::from_utf8(content) {
            Ok(text) => Ok(SourceFile { path, text }),
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                Err(format!(
                    "`{path}` is not UTF-8 text: the byte at offset {offset} is invalid"
                ))
            }
        }
    }

    fn locate(&self, offset: usize) -> Location<'_> {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line_start = self.text[..offset]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let text = self.text[line_start..].lines().next().unwrap_or("");
        Location {
            line: self.text[..line_start].matches('\n').count() + 1,
            column: self.text[line_start..offset].chars().count() + 1,
            text,
        }
    }

    /// Line and column of a byte offset, both counted from 1, the column in characters.
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let location = self.locate(offset);
        (location.line, location.column)
    }
}

/// A mistake in a spec.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The message: what was found and what is allowed, lowercase, without a final period.
    pub message: String,
    /// The text that is underlined.
    pub span: Span,
    /// The text beside the underline; empty if there is no text.
    pub label: String,
    /// Other places that have to do with the mistake, each with the text beside it.
    pub related: Vec<(Span, String)>,
    /// The help: what the user can do about the mistake.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Sets the text beside the underline.
    pub fn label(&mut self, label: impl Into<String>) -> &mut Diagnostic {
        self.label = label.into();
        self
    }

    /// Adds another place, with the text beside it.
    pub fn related(&mut self, span: Span, label: impl Into<String>) -> &mut Diagnostic {
        self.related.push((span, label.into()));
        self
    }

    /// Sets the help.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Diagnostic {
        self.help = Some(help.into());
        self
    }

    fn render(&self, errors: &Errors) -> String {
        let mut places = vec![(self.span, self.label.as_str(), '^')];
        places.extend(
            self.related
                .iter()
                .map(|(span, label)| (*span, label.as_str(), '-')),
        );
        let gutter = places
            .iter()
            .map(|(span, ..)| {
                let (file, span) = errors.place(*span);
                file.locate(span.start).line.to_string().len()
            })
            .max()
            .unwrap_or(1);
        let blank = " ".repeat(gutter);

        let mut text = shown(&self.message);
        for (span, label, mark) in places {
            let (file, span) = errors.place(span);
            let Location {
                line,
                column,
                text: source,
            } = file.locate(span.start);
            let arrow = if mark == '^' { "-->" } else { ":::" };
            let spanned = file.text.get(span.start..span.end).unwrap_or("");
            let marked = spanned.lines().next().unwrap_or("").trim_end();
            let excerpt = Excerpt::of(source, column, marked);
            let indent: String = excerpt
                .before
                .chars()
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let marks = mark.to_string().repeat(excerpt.marked);
            let path = shown(&file.path);
            text += &format!("\n{blank} {arrow} {path}:{line}:{column}");
            text += &format!(
                "\n{blank} |\n{line:>gutter$} | {}{}\n{blank} | {indent}{marks}",
                excerpt.before, excerpt.rest
            );
            if !label.is_empty() {
                text += &format!(" {}", shown(label));
            }
        }
        if let Some(help) = &self.help {
            text += &format!("\n{blank} = help: {}", shown(help));
        }
        text
    }
}

/// The part of a line that an error shows: all of a short line, and the surroundings of the marked
/// text of a long line.
struct Excerpt {
    /// The part of the line before the marked text.
    before: String,
    /// The marked text and what follows it.
    rest: String,
    /// The number of characters that get a mark below.
    marked: usize,
}

impl Excerpt {
    /// The part of `line` around the marked text, which begins at `column`, counted from 1. Hidden
    /// characters are shown as Rust writes them, and the mark is as wide as what is shown.
    fn of(line: &str, column: usize, marked: &str) -> Excerpt {
        const DOTS: &str = "...";
        let before: String = line.chars().take(column - 1).flat_map(visible).collect();
        let excess = (before.chars().count() + 1).saturating_sub(HALF_LINE);
        let before = match excess {
            0 => before,
            _ => DOTS.chars().chain(before.chars().skip(excess)).collect(),
        };
        let mut rest = line.chars().skip(column - 1).flat_map(visible);
        let mut shown: String = rest.by_ref().take(HALF_LINE).collect();
        if rest.next().is_some() {
            shown += DOTS;
        }
        let marked = marked.chars().flat_map(visible).take(HALF_LINE).count();
        Excerpt {
            before,
            rest: shown,
            marked: marked.max(1),
        }
    }
}

/// The letter, or Rust's escape for a hidden letter. A tab is no danger to a terminal.
fn visible(letter: char) -> impl Iterator<Item = char> {
    let is_hidden = is_hidden(letter) && letter != '\t';
    let escape = is_hidden.then(|| letter.escape_default());
    let letter = (!is_hidden).then_some(letter);
    escape.into_iter().flatten().chain(letter)
}

/// A text as errors show it: shortened, and with escapes for hidden letters, because it may quote a
/// spec.
fn shown(text: &str) -> String {
    let mut letters = text.chars().flat_map(visible);
    let mut shown: String = letters.by_ref().take(LONGEST_MESSAGE).collect();
    if letters.next().is_some() {
        shown += "...";
    }
    shown
}

/// The errors that the stages find.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
    completion: Option<Completion>,
    exploration: Option<Exploration>,
}

/// What a decoder was found to accept, where it is run to find that out.
#[derive(Clone, Debug, Default)]
struct Exploration {
    forms: Vec<Form>,
    /// A key that tables seem to have.
    assumed: Option<&'static str>,
}

/// The known spec that completes a spec.
#[derive(Clone, Debug)]
struct Completion {
    known: SourceFile,
    /// The place where the spec names the known spec.
    named: Span,
}

impl Diagnostics {
    /// For a decoder that is run to find out what it accepts, where tables seem to have the key
    /// `assumed`.
    pub(crate) fn exploring(assumed: Option<&'static str>) -> Diagnostics {
        let forms = Vec::new();
        Diagnostics {
            exploration: Some(Exploration { forms, assumed }),
            ..Diagnostics::default()
        }
    }

    /// Whether the decoder is run only to find out what it accepts.
    pub(crate) fn explores(&self) -> bool {
        self.exploration.is_some()
    }

    /// Whether tables seem to have this key.
    pub(crate) fn assumes(&self, key: &str) -> bool {
        let exploration = self.exploration.as_ref();
        exploration.is_some_and(|exploration| exploration.assumed == Some(key))
    }

    /// Notes that a value of this form is accepted.
    pub(crate) fn found(&mut self, form: Form) {
        if let Some(exploration) = &mut self.exploration {
            exploration.forms.push(form);
        }
    }

    /// The forms of the values that are accepted.
    pub(crate) fn explored(self) -> Vec<Form> {
        self.exploration.unwrap_or_default().forms
    }

    /// For errors that nobody is to see.
    pub(crate) fn discarded(&self) -> Diagnostics {
        Diagnostics {
            exploration: self.exploration.clone(),
            ..Diagnostics::default()
        }
    }

    /// Adds an error about the text at `span`; label, related places and help follow on the
    /// returned value.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let message = message.into();
        debug_assert!(
            !message.ends_with('.'),
            "messages carry no final period: {message}"
        );
        let index = self.found.len();
        self.found.push(Diagnostic {
            message,
            span,
            label: String::new(),
            related: Vec::new(),
            help: None,
        });
        &mut self.found[index]
    }

    /// Adds an error about a name that `key` does not know, with the names that it knows.
    pub(crate) fn unknown_name<'n>(
        &mut self,
        key: &str,
        found: &Spanned<String>,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> &mut Diagnostic {
        let message = format!("`{key}` does not know `{}`", found.value);
        self.unknown(found.span, message, &found.value, known)
    }

    /// Adds an error about a name that is not among the known names.
    pub(crate) fn unknown<'n>(
        &mut self,
        span: Span,
        message: String,
        found: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> &mut Diagnostic {
        let error = self
            .error(span, message)
            .label(format!("allowed: {}", list(known.clone())));
        match nearest(found, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }
    }

    /// Whether no error was found so far.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Declares that places behind the end of the spec are places in the known spec, which the spec
    /// names at `named`. The known spec begins one byte behind the end of the spec.
    pub(crate) fn completed_by(&mut self, known: SourceFile, named: Span) {
        self.completion = Some(Completion { known, named });
    }

    /// `value` if nothing was found, else all errors about `file`, in the order of its lines. An
    /// error about what a known spec says points to where `file` names that spec, because the user
    /// can change only `file`.
    pub fn barrier<T>(&mut self, file: &SourceFile, value: T) -> Result<T, Errors> {
        if self.found.is_empty() {
            return Ok(value);
        }
        let mut found = std::mem::take(&mut self.found);
        if let Some(Completion { named, .. }) = &self.completion {
            let elsewhere = found
                .iter_mut()
                .filter(|diagnostic| diagnostic.span.start > file.text.len());
            for diagnostic in elsewhere {
                let label = std::mem::replace(&mut diagnostic.label, IS_KNOWN.to_string());
                diagnostic.related.insert(0, (diagnostic.span, label));
                diagnostic.span = *named;
            }
        }
        found.sort_by_key(|diagnostic| diagnostic.span);
        Err(Errors {
            file: file.clone(),
            known: self.completion.as_ref().map(|of| of.known.clone()),
            found,
        })
    }
}

/// All errors of the stage that failed, and the file they are about.
#[derive(Clone)]
pub struct Errors {
    /// The spec that is wrong.
    pub file: SourceFile,
    /// The known spec that completes the spec, if it names any.
    pub known: Option<SourceFile>,
    /// The errors in the order of the lines that they are about. There is at least one error.
    pub found: Vec<Diagnostic>,
}

impl Errors {
    /// The file that a place of an error is in, and where in that file: places behind the end of
    /// the spec are places in the known spec.
    #[must_use]
    pub fn place(&self, span: Span) -> (&SourceFile, Span) {
        let before = self.file.text.len() + 1;
        match &self.known {
            Some(known) if span.start >= before => {
                let range = span.start - before..span.end.saturating_sub(before);
                (known, range.into())
            }
            _ => (&self.file, span),
        }
    }

    /// The first errors as users read them: message, place, the underlined line, help. If there are
    /// very many, a line follows that says how many more there are.
    pub fn rendered(&self) -> impl Iterator<Item = String> + '_ {
        let shown = self.found.iter().take(MOST_SHOWN);
        let more = self.found.len().saturating_sub(MOST_SHOWN);
        shown
            .map(|diagnostic| diagnostic.render(self))
            .chain((more > 0).then(|| format!("... and {}", counted(more, "more error"))))
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for text in self.rendered() {
            writeln!(f, "error: {text}\n")?;
        }
        let found = counted(self.found.len(), "error");
        write!(f, "found {found} in {}", shown(&self.file.path))
    }
}

/// A count with its noun: `1 error`, `50,000 errors`.
fn counted(count: usize, what: &str) -> String {
    let digits = count.to_string();
    let mut number = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            number.push(',');
        }
        number.push(digit);
    }
    let plural = if count == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

nnue_format::debug_is_message!(Errors);

impl std::error::Error for Errors {}

/// The name in `known` that a user who wrote `found` most likely meant, if any is similar enough.
/// Names that are longer than a spec allows are similar to no name.
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let is_short = |name: &str| name.chars().nth(LONGEST_NAME).is_none();
    if !is_short(found) {
        return None;
    }
    let found = found.to_lowercase();
    known
        .into_iter()
        .filter(|name| is_short(name))
        .map(|name| (distance(&found, &name.to_lowercase()), name))
        // Short names that begin with different letters mean different things, as `i32` and `f32`
        // do.
        .filter(|(_, name)| {
            name.chars().count() > 3 || name.to_lowercase().chars().next() == found.chars().next()
        })
        .filter(|(distance, name)| *distance <= name.chars().count().max(3) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many letters must be inserted, left out, replaced or exchanged with their neighbour to make
/// one text of the other, none of them twice.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    // Row by row, the distances between the beginnings of the texts.
    let mut rows = vec![(0..=to.len()).collect::<Vec<usize>>()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

/// All values, or `None` if any is missing. Every item is computed even then, so that each reports
/// what is wrong with it.
pub(crate) fn all<T>(items: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let items: Vec<_> = items.collect();
    items.into_iter().collect()
}

/// The names that are allowed, as messages list them: `a`, `b` or `c`, each in backticks.
pub fn list(names: impl IntoIterator<Item = impl fmt::Display>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => "none".to_string(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_letters_and_neighbours_that_were_exchanged() {
        for (from, to, expected) in [
            ("", "", 0),
            ("width", "width", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("widht", "width", 1),
            ("wdth", "width", 1),
            ("wwidth", "width", 1),
            ("wadth", "width", 1),
            ("ca", "abc", 3),
            ("äb", "bä", 1),
        ] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }

    #[test]
    fn an_error_shows_place_line_and_help() {
        let file = SourceFile::new(
            "net.toml",
            "name = \"x\"\n[transformer]\n\twidth = 1000 # é\n",
        );
        let mut diagnostics = Diagnostics::default();
        let start = file.text.find("1000").unwrap();
        diagnostics
            .error(
                Span {
                    start,
                    end: start + 4,
                },
                "width 1000 is not a multiple of 32",
            )
            .label("992 or 1024 would fit")
            .related(Span { start: 0, end: 4 }, "of this net")
            .help("round up");
        let errors = diagnostics.barrier(&file, ()).unwrap_err();
        let expected = "\
width 1000 is not a multiple of 32
  --> net.toml:3:10
  |
3 | \twidth = 1000 # é
  | \t        ^^^^ 992 or 1024 would fit
  ::: net.toml:1:1
  |
1 | name = \"x\"
  | ---- of this net
  = help: round up";
        assert_eq!(errors.rendered().collect::<Vec<_>>(), [expected]);
    }

    /// A spec may come from a stranger: characters that control a terminal are shown as escapes,
    /// and the marks stay below the text that they are about.
    #[test]
    fn what_is_hidden_is_escaped_and_marked_as_wide_as_it_is_shown() {
        let text = "# \u{1b}[2J\u{202e}\nname = \"a\u{1b}b\" # \u{200b}";
        let start = text.find("\"a").unwrap();
        let file = SourceFile::new("net\u{1b}.toml", text);
        let mut diagnostics = Diagnostics::default();
        diagnostics
            .error(Span::from(start..start + 5), "a\u{7}b")
            .label("c\u{9b}d")
            .related(Span::from(6..9), "e\nf")
            .help("g\u{202e}h");
        let errors = diagnostics.barrier(&file, ()).unwrap_err();
        let expected = r#"a\u{7}b
  --> net\u{1b}.toml:2:8
  |
2 | name = "a\u{1b}b" # \u{200b}
  |        ^^^^^^^^^^ c\u{9b}d
  ::: net\u{1b}.toml:1:7
  |
1 | # \u{1b}[2J\u{202e}
  |            -------- e\nf
  = help: g\u{202e}h"#;
        assert_eq!(errors.rendered().collect::<Vec<_>>(), [expected]);
        assert!(errors.to_string().ends_with(r"net\u{1b}.toml"));
    }

    #[test]
    fn errors_past_the_end_or_inside_a_character_do_not_panic() {
        let file = SourceFile::new("net.toml", "é");
        for (start, end) in [(0, 1), (1, 2), (2, 9), (7, 9)] {
            let mut diagnostics = Diagnostics::default();
            diagnostics.error(Span { start, end }, "x");
            assert!(diagnostics.barrier(&file, ()).is_err());
        }
    }

    #[test]
    fn long_lines_are_cut_around_what_is_marked() {
        let file = SourceFile::new(
            "net.toml",
            format!("{}x{}", "a".repeat(1000), "b".repeat(1000)),
        );
        let mut diagnostics = Diagnostics::default();
        diagnostics.error(Span::from(1000..1001), "x").label("here");
        diagnostics.error(Span::from(1000..2001), "x".repeat(3000));
        let errors = diagnostics.barrier(&file, ()).unwrap_err();
        let rendered: Vec<_> = errors.rendered().collect();
        let (before, after) = ("a".repeat(79), "b".repeat(79));
        let blank = " ".repeat(82);
        assert_eq!(
            rendered[0],
            format!("x\n  --> net.toml:1:1001\n  |\n1 | ...{before}x{after}...\n  | {blank}^ here")
        );
        assert!(rendered[1].starts_with(&format!("{}...\n", "x".repeat(2000))));
        assert!(rendered[1].ends_with(&format!("\n  | {blank}{}", "^".repeat(80))));
    }

    #[test]
    fn errors_beyond_fifty_are_counted() {
        let text = "x\n".repeat(50_050);
        let file = SourceFile::new("net.toml", text);
        for (found, last) in [
            (50, "x\n   --> net.toml:50:1"),
            (51, "... and 1 more error"),
            (50_050, "... and 50,000 more errors"),
        ] {
            let mut diagnostics = Diagnostics::default();
            for line in 0..found {
                diagnostics.error(Span::from(2 * line..2 * line + 1), "x");
            }
            let errors = diagnostics.barrier(&file, ()).unwrap_err();
            let rendered: Vec<_> = errors.rendered().collect();
            assert_eq!(rendered.len(), found.min(51));
            assert!(
                rendered[rendered.len() - 1].starts_with(last),
                "{rendered:?}"
            );
        }
    }

    #[test]
    fn nothing_is_near_names_of_any_length() {
        let long = "n".repeat(1_000_000);
        assert_eq!(nearest(&long, ["name"]), None);
        assert_eq!(nearest("name", [long.as_str()]), None);
        assert_eq!(nearest(&long, [long.as_str()]), None);
    }

    #[test]
    fn nearest_names() {
        let known = ["crelu", "screlu", "sqr_crelu", "width"];
        assert_eq!(nearest("crelo", known), Some("crelu"));
        assert_eq!(nearest("widht", known), Some("width"));
        assert_eq!(nearest("CReLU", known), Some("crelu"));
        assert_eq!(nearest("banana", known), None);
        assert_eq!(nearest("i32", ["i8", "f32"]), None);
        assert_eq!(nearest("l1", ["l0w", "l1w"]), Some("l1w"));
    }
}
