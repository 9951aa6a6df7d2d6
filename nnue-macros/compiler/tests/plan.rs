//! The decisions of the compiler for each instruction set, as `nnue plan` prints them:
//! `tests/plan/*.txt`. The difference shows which networks a new decision changes, and that all
//! others stay the same.

use crate::golden;
use crate::specs;
use nnue_compiler::analyse;
use nnue_compiler::layout::Layout;
use nnue_compiler::plan::{Plans, Unroll};

#[test]
fn every_network_is_planned_as_expected() {
    let mut differences = Vec::new();
    for spec in specs::all().into_iter().chain(specs::of("specs/bullet")) {
        let network = analyse(&spec).expect("the spec is right");
        let layout = Layout::of(&network);
        let plans = Plans::of(&layout, Unroll::Auto).expect("there is not too much code");
        let levels = plans.levels.iter().map(|plan| format!("\n{plan}"));
        let printed = plans.prefetch.to_string() + &levels.collect::<String>();
        let path = golden::path(&format!("tests/plan/{}.txt", spec.path));
        differences.extend(golden::compare(&path, &printed).err());
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n\n"));
}
