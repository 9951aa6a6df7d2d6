//! Changes specs in ways that a seed decides.

use fastrand::Rng;

/// Numbers at the borders of what keys allow, and of what integers hold.
const NUMBERS: [&str; 28] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "8",
    "15",
    "16",
    "31",
    "32",
    "33",
    "63",
    "64",
    "127",
    "128",
    "255",
    "256",
    "4096",
    "16384",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "0x7AF32F20",
    "1.5",
    "nan",
];

/// Pieces of text that mean something to TOML or to the compiler.
const PIECES: [&str; 23] = [
    "\"", "'", "\"\"\"", "[", "]", "{", "}", "[[", "]]", "=", ".", ",", "#", "\n", "\\", "-", "..",
    "\t", "é", "\u{0}", "\r", "\r\n", "\u{FEFF}",
];

/// A number of letters that is too large for any name.
const LONG_NAME: usize = 100_000;

/// Makes one text of good specs.
pub(crate) struct Mutator<'a> {
    random: Rng,
    specs: &'a [String],
}

impl Mutator<'_> {
    pub(crate) fn new(seed: u64, specs: &[String]) -> Mutator<'_> {
        let random = Rng::with_seed(seed);
        Mutator { random, specs }
    }

    pub(crate) fn mutant(&mut self) -> String {
        let mut text = self.any_spec().to_string();
        for _ in 0..=self.random.usize(..3) {
            text = match self.random.usize(..8) {
                0 | 1 => self.change_line(&text),
                2..=4 => self.change_word(&text, |c| c.is_ascii_digit(), Mutator::any_number),
                5 | 6 => self.change_word(
                    &text,
                    |c| c.is_ascii_alphanumeric() || c == '_',
                    Mutator::any_word,
                ),
                _ => self.change_character(&text),
            };
        }
        match self.random.usize(..64) {
            0 => self.change_word(
                &text,
                |c| c.is_ascii_alphanumeric() || c == '_',
                |_| "n".repeat(LONG_NAME),
            ),
            1..=4 => text.replace('\n', "\r\n"),
            5..=8 => format!("\u{FEFF}{text}"),
            9 => text + "\0",
            _ => text,
        }
    }

    fn any<'t>(&mut self, of: &[&'t str]) -> &'t str {
        let index = self.random.usize(..of.len());
        of[index]
    }

    fn any_spec(&mut self) -> &str {
        let index = self.random.usize(..self.specs.len());
        &self.specs[index]
    }

    fn any_number(&mut self) -> String {
        self.any(&NUMBERS).to_string()
    }

    fn any_word(&mut self) -> String {
        let spec = self.any_spec().to_string();
        let words: Vec<&str> = spec
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .collect();
        self.any(&words).to_string()
    }

    /// Deletes, duplicates, moves or replaces a line.
    fn change_line(&mut self, text: &str) -> String {
        let spec = self.any_spec().to_string();
        let other: Vec<&str> = spec.lines().collect();
        let mut lines: Vec<&str> = text.lines().collect();
        if lines.is_empty() {
            return spec;
        }
        let (at, to) = (
            self.random.usize(..lines.len()),
            self.random.usize(..lines.len()),
        );
        match self.random.usize(..4) {
            0 => {
                lines.remove(at);
            }
            1 => lines.insert(at, lines[to]),
            2 => lines.swap(at, to),
            _ => lines[at] = self.any(&other),
        }
        lines.join("\n")
    }

    /// Replaces one of the words that consist of `letter`.
    fn change_word(
        &mut self,
        text: &str,
        letter: fn(char) -> bool,
        with: fn(&mut Self) -> String,
    ) -> String {
        let is_start = |(index, c): &(usize, char)| letter(*c) && !text[..*index].ends_with(letter);
        let starts: Vec<usize> = text
            .char_indices()
            .filter(is_start)
            .map(|(index, _)| index)
            .collect();
        if starts.is_empty() {
            return text.to_string();
        }
        let start = starts[self.random.usize(..starts.len())];
        let rest = text[start..].trim_start_matches(letter);
        format!("{}{}{rest}", &text[..start], with(self))
    }

    /// Deletes or replaces a character, inserts a piece of text, or cuts the rest off.
    fn change_character(&mut self, text: &str) -> String {
        let characters: Vec<char> = text.chars().collect();
        let at = self.random.usize(..characters.len() + 1);
        let (before, after) = characters.split_at(at);
        let before: String = before.iter().collect();
        let rest: String = after.iter().skip(1).collect();
        let after: String = after.iter().collect();
        match self.random.usize(..4) {
            0 => before + &rest,
            1 => before + self.any(&PIECES) + &rest,
            2 => before + self.any(&PIECES) + &after,
            _ => before,
        }
    }
}
