//! What has changed since an earlier run, as words of a message.

use std::collections::{BTreeMap, BTreeSet};

use nnue_compiler::format::foreign;

/// The keys of two maps, each once.
pub(crate) fn keys<'m, V>(
    one: &'m BTreeMap<String, V>,
    other: &'m BTreeMap<String, V>,
) -> BTreeSet<&'m String> {
    one.keys().chain(other.keys()).collect()
}

/// The settings that are others now, in the order of their names.
pub(crate) fn changed_settings(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Vec<String> {
    let value = |settings: &BTreeMap<String, String>, name| {
        foreign(settings.get(name).map_or("not given", String::as_str)).to_string()
    };
    let names = keys(before, now).into_iter();
    let changed = names.filter(|name| before.get(*name) != now.get(*name));
    let changes = changed.map(|name| {
        let (was, is) = (value(before, name), value(now, name));
        format!("{} was {was} and is {is}", foreign(name))
    });
    changes.collect()
}

/// The first changes of a long list, and how many more there are.
#[must_use]
pub fn first(changes: &[String]) -> String {
    const SHOWN: usize = 5;

    let mut text = changes[..changes.len().min(SHOWN)].join("; ");
    if changes.len() > SHOWN {
        text += &format!("; and {} more", changes.len() - SHOWN);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::first;

    #[test]
    fn of_many_changes_the_first_are_told() {
        let changes = |count: usize| first(&vec!["why".to_string(); count]);
        assert_eq!(changes(1), "why");
        assert_eq!(changes(5), "why; why; why; why; why");
        assert_eq!(changes(7), "why; why; why; why; why; and 2 more");
    }
}
