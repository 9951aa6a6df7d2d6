//! The results of several processes as a table.

use std::io::{self, Write};

use nnue_tools::measure::replay::processes::{Results, Together};
use nnue_tools::measure::replay::thousands;

use crate::table::Table;

/// Writes the table, with a column for processes with their own weights, and a column for shared
/// weights.
pub(super) fn write(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    let kinds = [&results.private, &results.shared];
    let row = |name: &str, cell: &dyn Fn(&Together) -> String| {
        [name.to_owned(), cell(kinds[0]), cell(kinds[1])]
    };
    let rate = |share| move |of: &Together| thousands(of.rates().quantile(share) as usize);
    let heads = format!("{} processes", results.processes);
    let mut table = Table::new(1, [&*heads, "private weights", "shared weights"]);
    let median = |of: &Together| thousands(of.rates().median() as usize);
    table.row(row("evaluations per second, all", &median));
    table.row(row("  first quartile", &rate(0.25)));
    table.row(row("  third quartile", &rate(0.75)));
    let memory = |bytes: Option<u64>| match bytes {
        Some(bytes) => format!("{:.1} MB", bytes as f64 / 1e6),
        None => "unknown".into(),
    };
    table.row(row("memory of all", &|of| memory(of.memory)));
    table.row(row("  of one, its part", &|of| memory(of.memory_of_one)));
    table.write(out)?;
    let [private, shared] = kinds.map(|of| of.rates().median());
    writeln!(
        out,
        "\nshared weights: {:.2} times as many evaluations",
        shared / private
    )?;
    if let Some(reason) = &results.shared.not_shared {
        writeln!(out, "warning: weights are not shared: {reason}")?;
    }
    writeln!(
        out,
        "checksum of all values in each process: {:08x}",
        results.checksum
    )
}
