//! The words of an explanation, which stand in place of the loader's message.

use std::fmt::{Display, Write};

use nnue_format::{FileLayout, LoadError, WrongWord};

use super::{Explanation, Identity};

impl Explanation {
    /// The message of an error with what explains it.
    #[must_use]
    pub fn message(&self, layout: &FileLayout, refused: &LoadError) -> String {
        let mut message = match refused.refused() {
            LoadError::NetworkHash(word) if !self.differences.is_empty() => {
                self.wrong_network(word)
            }
            refused => self.facts(refused),
        };
        if let Some(candidates) = self.alike {
            let spec = &layout.name;
            message += &format!(" for {spec}: the file begins like a net of {candidates}");
        }
        // What the file is says more than which lengths would fit.
        match self.identity {
            _ if !self.differences.is_empty() => {}
            Identity::Unknown => message += &joined(&self.causes, ": as if ", ", or as if "),
            known => message += &format!(": this is {known}"),
        }
        message + &joined(&self.changes, "; the file fits if ", ", or if ")
    }

    /// What the loader says. Where a section would be found elsewhere is left out if something
    /// better is known.
    fn facts(&self, refused: &LoadError) -> String {
        let mut refused = refused.clone();
        if let LoadError::SectionHash { elsewhere, .. } | LoadError::NotCompressed { elsewhere, .. } =
            &mut refused
            && (self.identity != Identity::Unknown || !self.changes.is_empty())
        {
            *elsewhere = None;
        }
        refused.facts().to_string()
    }

    fn wrong_network(&self, word: &WrongWord) -> String {
        let differences = joined(&self.differences, "", "; ");
        // A family in words repeats the differences, and the name of the spec itself would be no
        // answer.
        let what = match self.identity {
            Identity::Relative(_) => "another network".to_owned(),
            identity if identity.is_only(&word.spec) => "another network".to_owned(),
            identity => identity.to_string(),
        };
        format!("this is {what}: {differences} (the network hash at offset 4 is {word})")
    }
}

/// The items with words before the first and before each further item.
fn joined(items: &[impl Display], first: &str, further: &str) -> String {
    let mut text = String::new();
    for (index, item) in items.iter().enumerate() {
        // Writing to a text cannot fail.
        let _ = write!(text, "{}{item}", if index == 0 { first } else { further });
    }
    text
}
