//! Which of the language's words specs use.

mod vocabulary;
mod words;

use std::collections::BTreeMap;
use std::fmt::Display;

use nnue_compiler::diagnostics::{Diagnostics, SourceFile};
use nnue_compiler::{analyse, decode};

use toml::de::{DeTable, DeValue};
use words::Words;

/// How many specs use each word of the language.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage(BTreeMap<String, usize>);

impl Default for Coverage {
    /// Every word of the language, and no spec that uses it.
    fn default() -> Coverage {
        let mut words = Words::default();
        words.vocabulary();
        Coverage(words.0.into_iter().map(|word| (word, 0)).collect())
    }
}

impl Coverage {
    /// Counts the words of a spec.
    ///
    /// # Panics
    ///
    /// If the compiler refuses the spec, or it uses a word that is not in the table.
    pub fn add(&mut self, text: &str) {
        for word in words_of(text) {
            match self.0.get_mut(&word) {
                Some(count) => *count += 1,
                None => panic!("`{word}` is no known word of the language"),
            }
        }
    }

    /// How much a spec with these words would add: rare words count more, and each word of a spec
    /// makes it larger.
    #[must_use]
    pub fn gain(&self, words: &[String]) -> f64 {
        let rare = words.iter().filter_map(|word| self.0.get(word));
        let rare: f64 = rare.map(|count| 0.1f64.powi(*count as i32)).sum();
        rare / (8.0 + words.len() as f64)
    }

    /// The words that no spec uses.
    #[must_use]
    pub fn missing(&self) -> Vec<&str> {
        let missing = self.0.iter().filter(|(_, count)| **count == 0);
        missing.map(|(word, _)| word.as_str()).collect()
    }
}

impl Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (word, count) in &self.0 {
            writeln!(f, "{count:>5}  {word}")?;
        }
        Ok(())
    }
}

/// The words that a spec uses.
///
/// # Panics
///
/// If the compiler refuses it.
#[must_use]
pub fn words_of(text: &str) -> Vec<String> {
    let file = SourceFile::new("spec", text);
    let spec = decode(&file, &mut Diagnostics::default()).unwrap_or_else(|| panic!("{text}"));
    let network = analyse(&file).unwrap_or_else(|errors| panic!("{errors}"));
    let mut words = Words::default();
    words.spec(&spec, &network);
    let document = DeTable::parse(text).unwrap_or_else(|error| panic!("{error}"));
    if let Some(like) = document.get_ref().get("like") {
        words.add("like");
        let is_bullet = like.get_ref().as_str() == Some("bullet");
        words.add_if(is_bullet, "like = bullet");
    }
    if let Some(DeValue::Array(sets)) = document
        .get_ref()
        .get("features")
        .map(|sets| sets.get_ref())
    {
        let sets = sets.iter().filter_map(|set| set.get_ref().as_table());
        sets.for_each(|set| words.features(set));
    }
    words.0.into_iter().collect()
}
