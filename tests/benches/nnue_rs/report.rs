//! The results of a race as text. For each of our levels there is a column for `nnue-rs`, a column
//! for our crate, and a column for the ratio.

use nnue_trace::Trace;

use super::peer::Way;
use super::race::{LevelResults, Results};
use super::times::Times;

/// Prints the results of a race over a trace. `alone` names what was subtracted.
pub(crate) fn print(results: &Results, trace: &Trace, alone: &str) {
    let row = |label: &str, cells: &dyn Fn(&LevelResults) -> [String; 3]| {
        print!("{label:<40}");
        for cell in results.levels.iter().flat_map(cells) {
            print!("{cell:>11}");
        }
        println!();
    };
    row("ns per evaluation", &|of| {
        ["nnue-rs", of.level.name(), "ratio"].map(String::from)
    });
    for way in Way::ALL {
        row(&format!("{way}, median"), &|of| {
            times(way, Times::median, of)
        });
        row("  lower quartile", &|of| {
            times(way, |times| times.quantile(0.25), of)
        });
        row("  upper quartile", &|of| {
            times(way, |times| times.quantile(0.75), of)
        });
    }
    row(&format!("{alone} alone, median, subtracted"), &|of| {
        [
            String::new(),
            format!("{:.1}", of.idle.median()),
            String::new(),
        ]
    });
    let equal = trace.evaluations();
    match results.rounded_otherwise {
        0 => println!("\nAll {equal} values are equal."),
        some => println!(
            "\nAll {equal} values are equal as nnue-rs rounds them: {some} are not the engine's."
        ),
    }
}

/// The times of both crates, and their ratio.
fn times(way: Way, figure: fn(&Times) -> f64, of: &LevelResults) -> [String; 3] {
    let peer = figure(&of.peer[way as usize]);
    let ours = figure(&of.ours[way.pass() as usize]);
    [
        format!("{peer:.1}"),
        format!("{ours:.1}"),
        format!("{:.2} x", peer / ours),
    ]
}
