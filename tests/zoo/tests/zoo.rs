//! The committed part of the zoo: random networks that together use every word of the spec
//! language.

use std::fs;
use std::path::{Path, PathBuf};

use nnue_zoo::{Coverage, check_for, draw, seed_of};

nnue_zoo::zoo! {
    zoo_01: "specs/zoo_01.toml", check;
    zoo_02: "specs/zoo_02.toml", check;
    zoo_03: "specs/zoo_03.toml", check;
    zoo_04: "specs/zoo_04.toml", check_mixed;
    zoo_05: "specs/zoo_05.toml", check;
    zoo_06: "specs/zoo_06.toml", check_by_caller;
    zoo_07: "specs/zoo_07.toml", check_by_caller;
    zoo_08: "specs/zoo_08.toml", check;
    zoo_09: "specs/zoo_09.toml", check;
    zoo_10: "specs/zoo_10.toml", check;
    zoo_11: "specs/zoo_11.toml", check;
    zoo_12: "specs/zoo_12.toml", check_views;
    zoo_13: "specs/zoo_13.toml", check;
    zoo_14: "specs/zoo_14.toml", check;
    zoo_15: "specs/zoo_15.toml", check;
    zoo_16: "specs/zoo_16.toml", check;
    zoo_17: "specs/zoo_17.toml", check_by_caller;
    zoo_18: "specs/zoo_18.toml", check;
    zoo_19: "specs/zoo_19.toml", check_mixed;
    zoo_20: "specs/zoo_20.toml", check;
    zoo_21: "specs/zoo_21.toml", check;
    zoo_22: "specs/zoo_22.toml", check;
    zoo_23: "specs/zoo_23.toml", check;
    zoo_24: "specs/zoo_24.toml", check;
    zoo_25: "specs/zoo_25.toml", check;
    zoo_26: "specs/zoo_26.toml", check_mixed;
    zoo_27: "specs/zoo_27.toml", check;
    zoo_28: "specs/zoo_28.toml", check;
    zoo_29: "specs/zoo_29.toml", check;
    zoo_30: "specs/zoo_30.toml", check;
    zoo_31: "specs/zoo_31.toml", check;
    zoo_32: "specs/zoo_32.toml", check;
    zoo_33: "specs/zoo_33.toml", check;
    zoo_34: "specs/zoo_34.toml", check;
    zoo_35: "specs/zoo_35.toml", check_views;
    zoo_36: "specs/zoo_36.toml", check;
    zoo_37: "specs/zoo_37.toml", check_mixed;
    zoo_38: "specs/zoo_38.toml", check;
    zoo_39: "specs/zoo_39.toml", check;
    zoo_40: "specs/zoo_40.toml", check;
    zoo_41: "specs/zoo_41.toml", check_custom;
    zoo_42: "specs/zoo_42.toml", check;
    zoo_43: "specs/zoo_43.toml", check;
    zoo_44: "specs/zoo_44.toml", check;
    zoo_45: "specs/zoo_45.toml", check;
    zoo_46: "specs/zoo_46.toml", check;
    zoo_47: "specs/zoo_47.toml", check_by_caller;
    zoo_48: "specs/zoo_48.toml", check;
    zoo_49: "specs/zoo_49.toml", check;
    zoo_50: "specs/zoo_50.toml", check;
    zoo_51: "specs/zoo_51.toml", check_mixed;
    zoo_52: "specs/zoo_52.toml", check_views;
}

/// How many there are.
const NETWORKS: usize = 52;

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
        "no network of the zoo uses {missing:?}: `zoo pick --out tests/zoo/specs` finds some that do, once the generator can \
         draw them"
    );
}

/// Each network is tested by the check that suits it.
#[test]
fn every_network_is_tested() {
    let source = include_str!("zoo.rs");
    for (number, text) in texts() {
        let drawn = draw(seed_of(&text).expect("the first line names a seed"));
        let check = check_for(&drawn.network);
        let line = format!("zoo_{number:02}: \"specs/zoo_{number:02}.toml\", {check};");
        assert!(source.contains(&line), "expected `{line}`");
    }
}
