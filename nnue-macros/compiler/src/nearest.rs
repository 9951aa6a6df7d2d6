//! The name that was meant by one that nobody knows.

use crate::diagnostics::LONGEST_NAME;

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

/// How many letters one adds, takes away, changes or swaps with their neighbour to come from one
/// name to the other, none of them twice.
fn distance(from: &str, to: &str) -> usize {
    let [from, to]: [Vec<char>; 2] = [from, to].map(|name| name.chars().collect());
    // Of the first letters of each.
    let mut distances = vec![vec![0; to.len() + 1]; from.len() + 1];
    for i in 0..=from.len() {
        for j in 0..=to.len() {
            distances[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = usize::from(from[i - 1] != to[j - 1]);
                let one_less = distances[i - 1][j].min(distances[i][j - 1]);
                let least = (one_less + 1).min(distances[i - 1][j - 1] + changed);
                let swapped =
                    i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
                match swapped {
                    true => least.min(distances[i - 2][j - 2] + 1),
                    false => least,
                }
            }
        }
    }
    distances[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_names() {
        for (from, to, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("crelu", "crelu", 0),
            ("crelu", "screlu", 1),
            ("crelo", "crelu", 1),
            ("widht", "width", 1),
            ("ca", "abc", 3), // a letter that was swapped is not changed again
            ("kitten", "sitting", 3),
            ("schräg", "schraeg", 2),
            ("nnue", "net", 3),
        ] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
            assert_eq!(distance(to, from), expected, "{to} {from}");
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
