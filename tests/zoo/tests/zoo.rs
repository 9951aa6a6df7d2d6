//! The committed part of the zoo: random networks that together use every word of the spec
//! language. `tests/differential` has some of them.

use std::fs;
use std::path::{Path, PathBuf};

use nnue_test_support::coverage::Coverage;
use nnue_test_support::differential;
use nnue_zoo::{check_for, draw, seed_of};

differential! {
    zoo_05: "specs/zoo_05.toml";
    zoo_06: "specs/zoo_06.toml", check_by_caller;
    zoo_07: "specs/zoo_07.toml", check_by_caller;
    zoo_08: "specs/zoo_08.toml", check_custom;
    zoo_09: "specs/zoo_09.toml";
    zoo_12: "specs/zoo_12.toml";
    zoo_13: "specs/zoo_13.toml";
    zoo_16: "specs/zoo_16.toml";
    zoo_21: "specs/zoo_21.toml";
    zoo_23: "specs/zoo_23.toml";
    zoo_25: "specs/zoo_25.toml", check_views;
    zoo_26: "specs/zoo_26.toml";
    zoo_29: "specs/zoo_29.toml";
    zoo_31: "specs/zoo_31.toml";
    zoo_32: "specs/zoo_32.toml";
    zoo_35: "specs/zoo_35.toml";
    zoo_36: "specs/zoo_36.toml";
    zoo_37: "specs/zoo_37.toml";
    zoo_38: "specs/zoo_38.toml";
    zoo_40: "specs/zoo_40.toml", check_mixed;
    zoo_41: "specs/zoo_41.toml", check_custom;
    zoo_42: "specs/zoo_42.toml";
    zoo_43: "specs/zoo_43.toml";
    zoo_44: "specs/zoo_44.toml";
    zoo_45: "specs/zoo_45.toml";
    zoo_46: "specs/zoo_46.toml";
    zoo_47: "specs/zoo_47.toml", check_by_caller;
    zoo_48: "specs/zoo_48.toml";
    zoo_49: "specs/zoo_49.toml";
    zoo_52: "specs/zoo_52.toml", check_by_caller;
}

/// How many there are.
const NETWORKS: usize = 56;

fn spec(number: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs");
    folder.join(format!("zoo_{number:02}.toml"))
}

fn texts() -> impl Iterator<Item = (usize, String)> {
    let text = |number| fs::read_to_string(spec(number)).expect("the zoo is complete");
    (1..=NETWORKS).map(move |number| (number, text(number)))
}

/// The seeds draw the specs that are committed. A change of the generator, or of what the compiler
/// accepts, fails here. `UPDATE_GOLDEN=1` writes the new specs.
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
             and `zoo pick --out tests/zoo/specs` chooses other seeds"
        );
    }
}

/// Words of networks that the generator does not draw, beside the differential tests.
const DRAWN_BY_HAND: [&str; 3] = [
    "layer.weights = i16, reads i32",
    "layer.weights = i8, reads i32",
    "transformer.activation = sqr_relu",
];

/// A new word of the language fails here until something uses it.
#[test]
fn every_word_of_the_language_is_used() {
    let mut coverage = Coverage::default();
    for (_, text) in texts() {
        coverage.add(&text);
    }
    println!("{coverage}");
    let missing = coverage.missing().into_iter();
    let missing: Vec<&str> = missing
        .filter(|word| !DRAWN_BY_HAND.contains(word))
        .collect();
    assert!(
        missing.is_empty(),
        "no network of the zoo uses {missing:?}: `zoo pick --out tests/zoo/specs` finds some that do, once the generator can \
         draw them"
    );
}

/// Each network is tested by the check that suits it.
#[test]
fn every_network_is_tested() {
    let here = include_str!("zoo.rs");
    let elsewhere = include_str!("../../differential/main.rs");
    for (number, text) in texts() {
        let drawn = draw(seed_of(&text).expect("the first line names a seed"));
        let check = check_for(&drawn.network);
        let line = format!("zoo_{number:02}.toml\", {check};").replace(", check;", ";");
        let is_here = here.contains(&format!("\"specs/{line}"));
        let is_elsewhere = elsewhere.contains(&format!("\"zoo/specs/{line}"));
        assert!(is_here != is_elsewhere, "expected one line with `{line}`");
    }
}
