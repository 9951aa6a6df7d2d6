//! The command `nnue` as a person meets it, and what its crates make of specs and nets.
//!
//! All are one program, for each program links everything that the command is made of.

#![allow(
    clippy::disallowed_methods,
    reason = "tests make the files that the program reads, and read what it writes"
)]

mod adopt;
mod bench;
mod bullet;
mod bullet_itself;
mod calibration;
mod capi;
mod convert;
mod convert_factorised;
mod data;
mod describe;
mod diff;
mod draw;
mod draw_weights;
mod dummies;
mod eval;
mod foreign;
mod given;
#[path = "../../nnue-macros/compiler/tests/golden/mod.rs"]
mod golden;
mod info;
mod interruptions;
mod loop_kills;
mod match_engine;
mod matches;
mod networks;
mod onnx;
mod outputs;
mod program;
mod quantise;
mod quantise_loss;
mod quantised;
mod reorder;
mod report;
mod schema;
mod spec;
mod spec_commands;
mod subcommands;
mod told;
mod train_loop;
mod trainer;
mod verify;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A file that is no module is no test either, and nothing else would say so. The compiler's tests are
/// one program too.
#[test]
fn every_file_is_a_module() {
    for folder in ["tests", "../nnue-macros/compiler/tests"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let main = fs::read_to_string(folder.join("main.rs")).expect("the tests are there");
        let modules = main.lines();
        let modules = modules.filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
        let modules: BTreeSet<_> = modules.chain(["main"]).collect();
        for file in folder.read_dir().expect("the tests are there").flatten() {
            let name = file.file_name().into_string().expect("names are text");
            if let Some(name) = name.strip_suffix(".rs") {
                assert!(
                    modules.contains(name),
                    "no `mod {name}` in main.rs beside it"
                );
            }
        }
    }
}
