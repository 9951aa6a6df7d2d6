//! What a help says is done, as a user would do it who pastes it: the error is gone then, and where
//! a right spec was changed, the network is the right one again, or the help says that it is one of
//! several.
//!
//! A help that can be followed has one of these forms; all others explain something, and are counted:
//!
//! * ``did you mean `x`?`` replaces what is marked;
//! * ``write `key = value` ``, or ``for example `...` ``, sets a key of the table that has the mark, or of the layer or table
//!   that the help names before; ``write `x` `` replaces what is marked;
//! * ``add `key = value` to it`` is the same; ``remove `key` `` and `remove it` delete a key;
//! * `shift 6 takes 8128 to 127` replaces the marked number.

mod edit;

use std::collections::BTreeSet;
use std::fs;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::{Diagnostic, Errors, SourceFile};
use nnue_compiler::network::Network;

use crate::{diagnostics, specs};

/// The words of a help that say that there are other ways.
const SEVERAL: [&str; 5] = ["if ", " or ", " unless ", "for example ", "did you mean"];

/// Words of a help that give an instruction.
const INSTRUCTIONS: [&str; 5] = [
    "write `",
    "add `",
    "remove `",
    "remove it",
    "did you mean `",
];

/// The helps with such words that cannot be followed by a program, and why.
const NOT_FOLLOWED: [(&str, &str); 8] = [
    (
        "write `[",
        "a table is missing, whose keys have to be written too",
    ),
    ("with two brackets", "the headers of all such tables change"),
    ("there too", "the same"),
    ("write `format = ", "the user chooses one of several"),
    ("write `{ id = ... }`", "the user chooses one of several"),
    (
        "everything in `weights.bin` has a name",
        "it is an entry of a list",
    ),
    ("remove it from the list", "it is an entry of a list"),
    ("or in the output's `sum`", "the user knows what reads it"),
];

/// Helps that are followed until there is no error; more errors than any spec here has.
const MOST_STEPS: usize = 40;

fn checked(text: &str) -> Result<Network, Errors> {
    analyse(&SourceFile::new("spec.toml", text))
}

/// The text after the help of the first error that has one which can be followed, and that error.
fn follow(text: &str, errors: &Errors) -> Option<(String, Diagnostic)> {
    errors.found.iter().find_map(|error| {
        // Places of a known spec cannot be edited.
        let in_text = error.span.end <= text.len();
        let after = in_text.then(|| edit::follow(text, error)).flatten()?;
        Some((after, error.clone()))
    })
}

/// Each help of the wrong specs that can be followed takes its error away.
#[test]
fn what_a_help_says_takes_the_error_away() {
    let (mut followed, mut explained, mut failures) = (BTreeSet::new(), BTreeSet::new(), vec![]);
    for path in diagnostics::bad_specs() {
        let text = diagnostics::spec_of(&fs::read_to_string(&path).unwrap());
        let Err(errors) = checked(&text) else {
            continue;
        };
        for error in &errors.found {
            let Some(help) = &error.help else { continue };
            let after = (error.span.end <= text.len()).then(|| edit::follow(&text, error));
            let Some(after) = after.flatten() else {
                explained.insert(help.clone());
                continue;
            };
            followed.insert(help.clone());
            let alike = |errors: &Errors| {
                let found = errors.found.iter();
                found.filter(|other| other.message == error.message).count()
            };
            if let Err(left) = checked(&after)
                && alike(&left) >= alike(&errors)
            {
                let name = path.display();
                failures.push(format!("{name}: {}\n  {help}\n{after}", error.message));
            }
        }
    }
    println!(
        "{} helps followed, {} explain something",
        followed.len(),
        explained.len()
    );
    for help in &explained {
        println!("  {help}");
        let tells = INSTRUCTIONS.iter().any(|words| help.contains(words));
        let is_known = NOT_FOLLOWED.iter().any(|(words, _)| help.contains(words));
        if tells && !is_known {
            failures.push(format!("no program can follow: {help}"));
        }
    }
    assert!(followed.len() > 100, "{}", followed.len());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// A right spec with one change, whose helps are followed: it is right again, or they say that there
/// are other ways.
#[test]
fn a_changed_spec_becomes_the_right_one_again() {
    let (mut changed, mut right, mut failures) = (0, 0, vec![]);
    for folder in ["specs", "specs/bullet", "specs/engines"] {
        for source in specs::of(folder) {
            let Ok(network) = analyse(&source) else {
                continue;
            };
            for change in edit::changes(&source.text) {
                let Err(errors) = checked(&change) else {
                    continue;
                };
                changed += 1;
                match end_of(&change, errors) {
                    Some((after, _)) if same(&after, &network) => right += 1,
                    Some((_, helps)) if !helps.iter().any(|help| says_several(help)) => {
                        let difference = difference(&source.text, &change);
                        let name = &source.path;
                        failures.push(format!("{name}: {difference}: {helps:?}"));
                    }
                    _ => {}
                }
            }
        }
    }
    println!("{changed} changes are refused, of which {right} become right by following helps");
    assert!(right > 500, "{right} of {changed}");
    assert!(
        failures.is_empty(),
        "{}\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn says_several(help: &str) -> bool {
    SEVERAL.iter().any(|words| help.contains(words))
}

/// What the network is once all helps were followed, and these; `None` if a help explains something.
fn end_of(text: &str, mut errors: Errors) -> Option<(Network, Vec<String>)> {
    let (mut text, mut helps) = (text.to_string(), Vec::new());
    for _ in 0..MOST_STEPS {
        let (after, error) = follow(&text, &errors)?;
        helps.extend(error.help);
        match checked(&after) {
            Ok(network) => return Some((network, helps)),
            Err(left) => (text, errors) = (after, left),
        }
    }
    None
}

fn same(found: &Network, expected: &Network) -> bool {
    let name = found.name.clone();
    let expected = Network {
        name,
        ..expected.clone()
    };
    *found == expected
}

/// The line that was changed.
fn difference(text: &str, change: &str) -> String {
    let lines = text.lines().zip(change.lines());
    let line = lines.into_iter().find(|(line, changed)| line != changed);
    line.map_or(String::new(), |(line, changed)| {
        format!("`{line}` to `{changed}`")
    })
}
