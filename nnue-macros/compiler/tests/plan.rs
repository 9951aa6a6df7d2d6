//! What the compiler decides for each instruction set, as `nnue-compiler plan` prints it: `tests/plan/*.txt`. Whoever
//! tunes a decision sees here which networks it changes, and that it leaves the others alone.

mod golden;
mod specs;

use nnue_compiler::layout::Layout;
use nnue_compiler::plan::{Printed, Unroll};
use nnue_compiler::{analyse, plan};

#[test]
fn every_network_is_planned_as_expected() {
    let mut differences = Vec::new();
    for spec in specs::all() {
        let network = analyse(&spec).expect("the spec is right");
        let layout = Layout::of(&network);
        let plans = plan(&network, &layout, Unroll::Auto);
        let printed = plans.iter().map(|plan| {
            Printed {
                network: &network,
                layout: &layout,
                plan,
            }
            .to_string()
        });
        let printed = printed.collect::<Vec<_>>().join("\n");
        let path = golden::path(&format!("tests/plan/{}.txt", spec.path));
        differences.extend(golden::compare(&path, &printed).err());
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n\n"));
}
