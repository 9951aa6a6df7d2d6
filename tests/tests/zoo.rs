//! The committed part of the zoo: forty random networks that together use every word of the spec language.

use std::fs;
use std::path::{Path, PathBuf};

use nnue_tests::zoo::{Coverage, check_for, draw, seed_of};

nnue_tests::zoo! {
TESTS}

/// How many there are.
const NETWORKS: usize = 40;

fn spec(number: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/zoo");
    folder.join(format!("zoo_{number:02}.toml"))
}

fn texts() -> impl Iterator<Item = (usize, String)> {
    let text = |number| fs::read_to_string(spec(number)).expect("the zoo is complete");
    (1..=NETWORKS).map(move |number| (number, text(number)))
}

/// What is drawn today is what was committed: a change of the generator, or of what the compiler accepts, shows.
/// `UPDATE_GOLDEN=1` writes what the seeds draw now.
#[test]
fn seeds_draw_what_is_committed() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    for (number, text) in texts() {
        let seed = seed_of(&text).expect("the first line names a seed");
        let drawn = draw(seed);
        if update {
            fs::write(spec(number), &drawn.text).expect("specs can be written");
            continue;
        }
        assert_eq!(
            text, drawn.text,
            "seed {seed} draws another network than zoo_{number:02}: `UPDATE_GOLDEN=1` writes it, \
             and `zoo pick --out tests/specs/zoo` chooses other seeds"
        );
    }
}

/// A new word of the language fails here until something uses it.
#[test]
fn every_word_of_the_language_is_used() {
    let mut coverage = Coverage::default();
    for (_, text) in texts() {
        coverage.add(&text);
    }
    println!("{coverage}");
    let missing = coverage.missing();
    assert!(
        missing.is_empty(),
        "no network of the zoo uses {missing:?}: `zoo pick --out tests/specs/zoo` finds some that do, once the generator can \
         draw them"
    );
}

/// Each network is tested, and by the check that suits it.
#[test]
fn every_network_is_tested() {
    let source = include_str!("zoo.rs");
    for (number, text) in texts() {
        let drawn = draw(seed_of(&text).expect("the first line names a seed"));
        let check = check_for(&drawn.network);
        let line = format!("zoo_{number:02}: \"specs/zoo/zoo_{number:02}.toml\", {check};");
        assert!(source.contains(&line), "expected `{line}`");
    }
}
