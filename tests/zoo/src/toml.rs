//! TOML as authors write it: a table, its keys line by line.

use std::fmt::{Display, Write};

/// A text to which tables and keys are appended.
#[derive(Clone, Debug, Default)]
pub(super) struct Toml(pub(super) String);

impl Toml {
    /// A table's header, with a blank line above.
    pub(super) fn table(&mut self, header: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.line(header);
    }

    /// A key and its value as it is written.
    pub(super) fn set(&mut self, key: &str, value: impl Display) {
        self.line(format_args!("{key} = {value}"));
    }

    /// A key and a string.
    pub(super) fn name(&mut self, key: &str, value: impl Display) {
        self.set(key, format_args!("\"{value}\""));
    }

    /// A key and one string, or a list of several.
    pub(super) fn names(&mut self, key: &str, values: &[impl Display]) {
        match values {
            [value] => self.name(key, value),
            _ => self.set(key, list(values)),
        }
    }

    /// A key and a list, with `in_a_line` items in a line.
    pub(super) fn rows(&mut self, key: &str, items: &[impl Display], in_a_line: usize) {
        self.line(format_args!("{key} = ["));
        for items in items.chunks(in_a_line) {
            let items: Vec<String> = items.iter().map(|item| format!("{item},")).collect();
            self.line(format_args!("    {}", items.join(" ")));
        }
        self.line("]");
    }

    fn line(&mut self, line: impl Display) {
        writeln!(self.0, "{line}").expect("a string takes everything");
    }
}

/// A list of strings.
pub(super) fn list(values: &[impl Display]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("\"{value}\"")).collect();
    format!("[{}]", quoted.join(", "))
}
