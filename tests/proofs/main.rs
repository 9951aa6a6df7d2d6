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

use std::path::Path;
use std::time::Instant;
use std::{fs, panic};

use nnue_runtime::Level;

use table::{PROOFS, Proof};

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

/// `UPDATE_GOLDEN=1` writes the table into the page.
#[test]
fn the_page_has_this_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/proofs.md");
    let found = fs::read_to_string(&path).expect("docs/proofs.md is there");
    let (begin, end) = ("<!-- proofs -->\n", "<!-- end of proofs -->");
    let (before, rest) = found.split_once(begin).expect("the table has a beginning");
    let (_, after) = rest.split_once(end).expect("the table has an end");
    let page = format!("{before}{begin}{}{end}{after}", table::table());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, page).expect("docs/proofs.md can be written");
    } else {
        assert!(
            page == found,
            "`UPDATE_GOLDEN=1 cargo test -p nnue-proofs` writes the table that docs/proofs.md lacks"
        );
    }
}

#[test]
fn levels_are_as_scalar() {
    prove(|_, proof| Some(proof.quick));
}

/// With the above, all that the table says.
#[test]
#[ignore = "takes minutes"]
fn levels_are_as_scalar_for_all_inputs() {
    prove(|level, proof| proof.complete(level.name()));
}

#[test]
fn levels_differ_just_outside() {
    levels().for_each(beyond::check);
}

/// Carries out a part of each proof, at the levels that have the primitives in files of their own, and
/// prints how long that takes. All of them, so that it is seen which fail.
fn prove(part: impl Fn(Level, &Proof) -> Option<fn(Level)>) {
    let mut failed = Vec::new();
    for level in levels() {
        for proof in PROOFS
            .iter()
            .filter(|proof| table::owns(level.name(), proof))
        {
            let Some(check) = part(level, proof) else {
                continue;
            };
            let (name, started) = (proof.primitives[0], Instant::now());
            if panic::catch_unwind(|| check(level)).is_err() {
                failed.push(format!("{level} {name}"));
            }
            println!("{level:<10} {name:<18} {:8.2?}", started.elapsed());
        }
    }
    assert!(failed.is_empty(), "not as scalar: {}", failed.join(", "));
}
