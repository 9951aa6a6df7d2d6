//! The facts about networks that `nnue bench` shows besides their times.

use std::io::{self, Write};

use nnue_tools::measure::bench::{Report, Row};

use super::options::size;
use super::table::{name, range};
use crate::style::STRONG;
use crate::table::{Cell, Table, thousands};

/// The title of a column, and its text for a row; the first number is that of evaluations.
type Column = (&'static str, fn(&Row, f64) -> String);

/// The quartiles of times.
const QUARTILES: [Column; 6] = [
    ("along search", |row, _| range(row.incremental_quartiles)),
    ("in engine", |row, _| range(row.in_engine_quartiles)),
    ("refresh", |row, _| range(row.refresh_quartiles)),
    ("forward", |row, _| range(row.forward_quartiles)),
    ("reading alone", |row, _| format!("{:.1}", row.reading)),
    ("engine alone", |row, _| format!("{:.1}", row.engine_alone)),
];

/// The work of an evaluator.
const WORK: [Column; 7] = [
    ("rows in updates", |row, all| mean(row.updated_rows, all)),
    ("in refreshes", |row, all| mean(row.refreshed_rows, all)),
    ("updates", |row, all| mean(row.updates, all)),
    ("refreshes", |row, all| mean(row.refreshes, all)),
    ("cache hits", |row, _| thousands(row.cache_hits as usize)),
    ("misses", |row, _| thousands(row.cache_misses as usize)),
    ("checksum", |row, _| row.checksum.clone()),
];

fn mean(count: u64, evaluations: f64) -> String {
    format!("{:.2}", count as f64 / evaluations)
}

/// Writes the quartiles, the work of evaluators, and the workload.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let Report { rows, .. } = report;
    let evaluations = report.evaluations as f64;
    for (title, columns) in [("quartiles", &QUARTILES[..]), ("per evaluation", &WORK)] {
        let heads = columns.iter().map(|(head, _)| *head);
        let mut table = Table::new(2, [title, "level"].into_iter().chain(heads));
        for row in rows {
            let name = Cell {
                style: STRONG,
                text: name(row, rows),
            };
            let cells = columns.iter();
            let cells = cells.map(|(_, cell)| Cell::from(cell(row, evaluations)));
            table.row([name, row.level.into()].into_iter().chain(cells));
        }
        writeln!(out)?;
        table.write(out)?;
    }
    let built_for = match rows.iter().find(|row| row.baseline != "scalar") {
        Some(row) => format!("processors with {}", row.baseline),
        None => "any processor".into(),
    };
    let count = |number: usize, noun: &str| {
        let plural = if number == 1 { "" } else { "s" };
        format!("{} {noun}{plural}", thousands(number))
    };
    writeln!(
        out,
        "\n{}, built for {built_for}\n{}, {}, {}, {}, an engine with a hash table of {}",
        report.processor,
        count(report.moves, "move"),
        count(report.evaluations, "evaluation"),
        count(report.roots, "root"),
        count(report.rounds, "round"),
        size(report.engine_table),
    )?;
    writeln!(
        out,
        "All {} values of a network are equal by incremental updates, also in the engine, full refresh and forward pass alone, on all levels.",
        thousands(report.evaluations)
    )
}
