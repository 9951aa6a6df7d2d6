//! The primitives of every level are those of `scalar`, for all inputs: proved by trying all of them,
//! or by a reduction to fewer that is written down beside the test. `docs/proofs.md` has the table.
//!
//! What takes minutes is ignored by default.

#[macro_use]
mod levels;
mod beyond;
mod boards;
mod floats;
mod lists;
mod moves;
mod parallel;
mod products;
mod sums;
mod table;
mod words;

use std::fs;
use std::path::Path;
use std::time::Instant;

use nnue_runtime::Level;

use table::PROOFS;

/// The levels of this machine that are compared with `scalar`.
fn levels() -> impl Iterator<Item = Level> {
    Level::available().filter(|level| level.name() != "scalar")
}

/// A primitive that is proved by no entry of the table, or an entry of none.
#[test]
fn every_primitive_is_proved() {
    let mut primitives = table::primitives();
    let proved = PROOFS
        .iter()
        .flat_map(|proof| proof.primitives.iter().copied());
    let mut proved: Vec<&str> = proved.collect();
    primitives.sort_unstable();
    proved.sort_unstable();
    assert!(primitives.len() > 50, "{primitives:?}");
    assert_eq!(proved, primitives);
}

/// `UPDATE_GOLDEN=1` writes the tables into the page.
#[test]
fn the_page_has_these_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/proofs.md");
    let found = fs::read_to_string(&path).expect("docs/proofs.md is there");
    let mut page = found.clone();
    for (name, table) in [("proofs", table::table()), ("beyond", beyond::table())] {
        let (begin, end) = (
            format!("<!-- {name} -->\n"),
            format!("<!-- end of {name} -->"),
        );
        let (before, rest) = page.split_once(&begin).expect("the table has a beginning");
        let (_, after) = rest.split_once(&end).expect("the table has an end");
        page = format!("{before}{begin}{table}{end}{after}");
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, page).expect("docs/proofs.md can be written");
    } else {
        assert!(
            page == found,
            "`UPDATE_GOLDEN=1 cargo test -p nnue-proofs` writes the tables that docs/proofs.md has not"
        );
    }
}

#[test]
fn levels_are_as_scalar() {
    for level in levels() {
        for proof in PROOFS {
            timed(level, proof, proof.quick);
        }
    }
}

/// With the above, all that the table says.
#[test]
#[ignore = "takes minutes"]
fn levels_are_as_scalar_for_all_inputs() {
    for level in levels() {
        for proof in PROOFS {
            if let Some(complete) = proof.complete.filter(|_| table::owns(level.name(), proof)) {
                timed(level, proof, complete);
            }
        }
    }
}

#[test]
fn levels_differ_just_outside() {
    levels().for_each(beyond::check);
}

/// Prints how long a proof takes.
fn timed(level: Level, proof: &table::Proof, check: fn(Level)) {
    let started = Instant::now();
    check(level);
    let time = started.elapsed();
    println!("{level:<10} {:<18} {time:8.2?}", proof.primitives[0]);
}
