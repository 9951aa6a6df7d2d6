//! The results of several processes as tables.

use std::io::{self, Write};

use nnue_compiler::format::foreign;
use nnue_tools::measure::bench::{Together, TogetherReport, TogetherRow};

use crate::table::{Table, thousands};

/// Writes a table for each network, with a column for processes with their own weights, and a column
/// for shared weights.
pub(super) fn write(report: &TogetherReport, out: &mut dyn Write) -> io::Result<()> {
    for row in &report.rows {
        let file = match &row.net {
            Some(net) => foreign(net).to_string(),
            None => "weights that nobody has trained".into(),
        };
        let (network, level) = (foreign(&row.network), row.level);
        writeln!(out, "{network} · {file}, {level}\n{}\n", report.processor)?;
        write_row(row, out)?;
    }
    Ok(())
}

fn write_row(row: &TogetherRow, out: &mut dyn Write) -> io::Result<()> {
    let kinds = [&row.private, &row.shared];
    let cells = |name: &str, cell: &dyn Fn(&Together) -> String| {
        [name.to_owned(), cell(kinds[0]), cell(kinds[1])]
    };
    let rate = |share| move |of: &Together| thousands(of.rate(share) as usize);
    let heads = format!("{} processes", row.processes);
    let mut table = Table::new(1, [&*heads, "private weights", "shared weights"]);
    table.row(cells("evaluations per second, all", &rate(0.5)));
    table.row(cells("  first quartile", &rate(0.25)));
    table.row(cells("  third quartile", &rate(0.75)));
    let memory = |bytes: Option<u64>| match bytes {
        Some(bytes) => format!("{:.1} MB", bytes as f64 / 1e6),
        None => "unknown".into(),
    };
    table.row(cells("memory of all", &|of| memory(of.memory)));
    table.row(cells("  of one, its part", &|of| memory(of.memory_of_one)));
    table.write(out)?;
    let [private, shared] = kinds.map(|of| of.rate(0.5));
    writeln!(
        out,
        "\nshared weights: {:.2} times as many evaluations",
        shared / private
    )?;
    if let Some(reason) = &row.shared.not_shared {
        writeln!(out, "warning: weights are not shared: {reason}")?;
    }
    writeln!(
        out,
        "checksum of all values in each process: {}",
        row.checksum
    )
}
