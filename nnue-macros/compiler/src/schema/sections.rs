//! Where the reference explains a key.

use super::Case;
use crate::decode::completes;

/// The headings of the reference, of which a test writes a copy.
const HEADINGS: &str = include_str!("sections.txt");

/// The page that they are from.
const REFERENCE: &str = concat!(
    env!("CARGO_PKG_REPOSITORY"),
    "/blob/main/docs/spec-language.md"
);

const OTHERWISE: &str = "otherwise";

/// A place in specs, and the section about it.
#[derive(Clone)]
pub(super) struct Section {
    /// The table of the spec; empty for the spec itself.
    table: &'static str,
    /// The values that decide which keys the table has.
    cases: Vec<&'static str>,
    heading: Option<&'static str>,
    /// Whether the place is a table that is written as the value of a key.
    is_inner: bool,
}

impl Section {
    /// That of the whole spec.
    pub(super) fn top() -> Section {
        Section {
            table: "",
            cases: Vec::new(),
            heading: None,
            is_inner: false,
        }
    }

    /// Whether a known spec supplies this key of the table.
    pub(super) fn completes(&self, key: &str) -> bool {
        !self.is_inner && completes(self.table, key)
    }

    /// In which cases the table has the key.
    pub(super) fn cases(&self) -> impl Iterator<Item = String> {
        let cases = self.cases.iter();
        cases.map(|case| match *case {
            "" => "a list".into(),
            OTHERWISE => OTHERWISE.into(),
            case => format!("`{case}`"),
        })
    }

    /// The section about a key.
    pub(super) fn key(&self, case: Option<&Case>, key: &'static str) -> Section {
        let cases = match case {
            Some(Case::Is(_, names)) => names.clone(),
            Some(Case::Has(key)) => vec![*key],
            Some(Case::Otherwise) => vec![OTHERWISE],
            None => Vec::new(),
        };
        if self.table.is_empty() {
            let tables = [
                format!("`{key}`"),
                format!("`[{key}]`"),
                format!("`[[{key}]]`"),
            ];
            return Section {
                table: key,
                cases,
                heading: headings().find(|heading| tables.iter().any(|own| own == heading)),
                is_inner: false,
            };
        }
        // Keys within a value are explained where their key is.
        if self.is_inner || matches!(case, Some(Case::Has(_) | Case::Otherwise)) {
            return Section {
                cases,
                is_inner: true,
                ..self.clone()
            };
        }
        let first = cases.iter().find(|case| !case.is_empty());
        let words = first.map(|case| case.to_lowercase());
        // Activations share their sections.
        let shared = (self.table == "layer").then(|| "activations".to_string());
        let words = words.into_iter().chain([self.table.into()]).chain(shared);
        let own = words.map(|word: String| format!("`{word}.{key}`"));
        let of_case = first.map(|case| format!(" = \"{case}\"`"));
        let of_table = [
            format!("`[{}]`", self.table),
            format!("`[[{}]]`", self.table),
        ];
        let mut wanted = own.chain(of_case).chain(of_table);
        let heading =
            wanted.find_map(|wanted| headings().find(|heading| heading.contains(&wanted)));
        Section {
            table: self.table,
            cases,
            heading,
            is_inner: true,
        }
    }

    /// A link to the section; empty if there is none.
    pub(super) fn link(&self) -> String {
        let Some(heading) = self.heading else {
            return String::new();
        };
        format!("[Reference]({REFERENCE}#{})", anchor(heading))
    }
}

fn headings() -> impl Iterator<Item = &'static str> {
    HEADINGS.lines()
}

/// What GitHub makes of a heading in addresses.
fn anchor(heading: &str) -> String {
    let letters = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter
            .is_alphanumeric()
            .then_some(letter.to_ascii_lowercase()),
    });
    letters.collect()
}
