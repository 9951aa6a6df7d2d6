//! The results of `nnue bench` as a table.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::ptr;

use nnue_tools::measure::bench::Row;

use crate::style::STRONG;
use crate::table::{self, Cell};

/// A table of rows, with the ratios of their times to those of the first row.
pub(super) struct Table<'r> {
    pub(super) rows: &'r [Row],
}

/// The title of a column, and its text for a row, which may depend on all rows.
type Column = (&'static str, fn(&Row, &[Row]) -> String);

const COLUMNS: [Column; 13] = [
    ("along search", |row, _| nanoseconds(row.incremental)),
    ("", |row, rows| ratio(row, rows, ALONG)),
    ("in engine", |row, _| nanoseconds(row.in_engine)),
    ("", |row, rows| ratio(row, rows, IN_ENGINE)),
    ("refresh", |row, _| nanoseconds(row.refresh)),
    ("", |row, rows| ratio(row, rows, REFRESH)),
    ("forward", |row, _| nanoseconds(row.forward)),
    ("", |row, rows| ratio(row, rows, FORWARD)),
    ("rows", |row, _| format!("{:.1}", row.rows)),
    ("blocks", |row, _| {
        format!("{:.0}/{}", row.blocks, row.all_blocks)
    }),
    ("weights", |row, rows| size(row, rows, |row| row.weights)),
    ("accumulator", |row, rows| {
        size(row, rows, |row| row.accumulator)
    }),
    ("per second", |row, _| {
        if row.per_second.is_finite() {
            format!("{:.2} M", row.per_second / 1e6)
        } else {
            NOT_YET.into()
        }
    }),
];

/// The text for a time that was not measured yet.
const NOT_YET: &str = "...";

/// How far a time may differ from that of another run, as a share of it.
const REPEATS_WITHIN: f64 = 0.02;

/// A time of a row, and the same by both halves of the rounds.
type Time = fn(&Row) -> (f64, [f64; 2]);

const ALONG: Time = |row| (row.incremental, row.incremental_halves);
const IN_ENGINE: Time = |row| (row.in_engine, row.in_engine_halves);
const REFRESH: Time = |row| (row.refresh, row.refresh_halves);
const FORWARD: Time = |row| (row.forward, row.forward_halves);

impl Table<'_> {
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let heads = COLUMNS.map(|(head, _)| head);
        let mut table = table::Table::new(2, ["nanoseconds", "level"].into_iter().chain(heads));
        for row in self.rows {
            let name = Cell {
                style: STRONG,
                text: name(row, self.rows),
            };
            let cells = COLUMNS.map(|(_, cell)| Cell::from(cell(row, self.rows)));
            table.row([name, row.level.into()].into_iter().chain(cells));
        }
        table.write(out)?;
        let mut notes = Vec::new();
        if self.rows.iter().any(|row| row.net.is_none()) {
            notes.push("* weights that nobody has trained, as active as those of trained networks: `--net FILE` measures a real one");
        }
        let others = || self.rows.iter().skip(1);
        let is_doubtful = |time: &Time| others().any(|row| !differs(row, self.rows, *time));
        if [ALONG, IN_ENGINE, REFRESH, FORWARD].iter().any(is_doubtful) {
            notes.push("~ the difference from the first row is less than 2 %, or than what two halves of the rounds differ by");
        }
        for (index, note) in notes.into_iter().enumerate() {
            let gap = if index == 0 { "\n" } else { "" };
            writeln!(out, "{gap}{note}")?;
        }
        Ok(())
    }
}

/// The network's name, with the name of its file if another spec has the same network name, and a
/// star for weights that nobody has trained.
pub(super) fn name(row: &Row, rows: &[Row]) -> String {
    let Row { network, spec, .. } = row;
    let same_name = |other: &&Row| other.network == *network && other.spec != *spec;
    let others: Vec<&str> = rows
        .iter()
        .filter(same_name)
        .map(|other| &*other.spec)
        .collect();
    // Files in different folders may have the same name.
    let is_shared = |other: &&str| file_name(other) == file_name(spec);
    let name = match others.is_empty() {
        true => network.clone(),
        false if others.iter().any(is_shared) => format!("{network} ({spec})"),
        false => format!("{network} ({})", file_name(spec)),
    };
    match row.net {
        Some(_) => name,
        None => format!("{name} *"),
    }
}

fn file_name(path: &str) -> &str {
    let name = Path::new(path).file_name().and_then(OsStr::to_str);
    name.unwrap_or(path)
}

fn nanoseconds(time: f64) -> String {
    if time.is_finite() {
        format!("{time:.1}")
    } else {
        NOT_YET.into()
    }
}

pub(super) fn range([low, high]: [f64; 2]) -> String {
    format!("{low:.1}-{high:.1}")
}

/// Whether a row's time differs from that of the first row by more than times differ from run to
/// run.
fn differs(row: &Row, rows: &[Row], time: Time) -> bool {
    let [(own, halves), (first, halves_of_first)] = [row, &rows[0]].map(time);
    let noise = [halves, halves_of_first].map(|[one, other]| (one - other).abs());
    let noise = noise.into_iter().sum::<f64>();
    let distance = (own - first).abs();
    // A time that was not measured yet is no reason to doubt.
    distance.is_nan() || distance > noise.max(REPEATS_WITHIN * first.abs())
}

fn ratio(row: &Row, rows: &[Row], time: Time) -> String {
    let ratio = time(row).0 / time(&rows[0]).0;
    let mark = if ptr::eq(row, &rows[0]) || differs(row, rows, time) {
        ""
    } else {
        "~"
    };
    if ratio.is_finite() {
        format!("{mark}{ratio:.2}x")
    } else {
        String::new()
    }
}

/// A number of bytes for people, in the same unit for all rows.
fn size(row: &Row, rows: &[Row], bytes: fn(&Row) -> u64) -> String {
    let largest = rows.iter().map(bytes).max().unwrap_or(0);
    let bytes = bytes(row);
    match largest {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(network: &str, net: Option<&str>, time: f64) -> Row {
        Row {
            spec: "a.toml".into(),
            network: network.into(),
            net: net.map(String::from),
            level: "avx2",
            incremental: time,
            incremental_quartiles: [1.01 * time, 1.1 * time],
            incremental_halves: [time, 1.01 * time],
            in_engine: 1.2 * time,
            in_engine_quartiles: [1.3 * time, 1.4 * time],
            in_engine_halves: [1.2 * time, 1.3 * time],
            refresh: 2.0 * time,
            refresh_quartiles: [2.1 * time, 2.2 * time],
            refresh_halves: [2.0 * time, 2.01 * time],
            forward: time / 4.0,
            forward_quartiles: [time / 4.0; 2],
            forward_halves: [time / 4.0; 2],
            per_second: 1e9 / time,
            reading: 40.0,
            engine_alone: 400.0,
            rows: 7.25,
            updated_rows: 500,
            refreshed_rows: 225,
            updates: 200,
            refreshes: 40,
            cache_hits: 35,
            cache_misses: 5,
            blocks: 16.6,
            all_blocks: 32,
            weights: 6_515_520,
            accumulator: 640,
            checksum: "0123abcd".into(),
            baseline: "scalar",
        }
    }

    #[test]
    fn columns_are_aligned_and_compared_with_the_first_row() {
        let rows = [row("Größe", Some("a.nnue"), 100.0), row("B", None, 1250.0)];
        let mut text = Vec::new();
        Table { rows: &rows }
            .write(&mut text)
            .expect("memory takes all");
        let text = anstream::adapter::strip_bytes(&text).into_vec();
        let text = String::from_utf8(text).expect("text");
        let lines: Vec<&str> = text.lines().collect();
        let widths: Vec<usize> = lines[..3].iter().map(|line| line.chars().count()).collect();
        assert_eq!(widths, [widths[0]; 3], "{text}");
        let words: Vec<&str> = lines[2].split_whitespace().collect();
        assert_eq!(
            words,
            [
                "B", "*", "avx2", "1250.0", "12.50x", "1500.0", "12.50x", "2500.0", "12.50x",
                "312.5", "12.50x", "7.2", "17/32", "6515.5", "KB", "640", "B", "0.80", "M"
            ]
        );
        assert!(lines[1].starts_with("Größe  ") && lines[1].contains("1.00x"));
        assert!(lines[4].starts_with("* weights that nobody has trained"));
    }

    #[test]
    fn what_is_not_measured_yet_is_supplied() {
        let mut rows = [row("A", Some("a"), 100.0), row("B", Some("b"), 200.0)];
        for row in &mut rows {
            (row.in_engine, row.in_engine_halves) = (f64::NAN, [f64::NAN; 2]);
        }
        let mut text = Vec::new();
        Table { rows: &rows }
            .write(&mut text)
            .expect("memory takes all");
        let text = String::from_utf8(text).expect("text");
        assert_eq!(text.matches(NOT_YET).count(), 2, "{text}");
        assert!(text.contains("2.00x") && !text.contains("NaN"), "{text}");
        assert!(!text.contains('~'), "{text}");
    }

    /// Halves of the rounds differ by 1 % along the search.
    #[test]
    fn differences_that_another_run_may_not_find_are_marked() {
        for (time, mark) in [
            (102.0, "~1.02x"),
            (104.0, "1.04x"),
            (96.0, "0.96x"),
            (98.5, "~0.98x"),
        ] {
            let rows = [row("A", Some("a"), 100.0), row("B", Some("b"), time)];
            assert_eq!(ratio(&rows[1], &rows, ALONG), mark);
            assert_eq!(ratio(&rows[0], &rows, ALONG), "1.00x");
            let mut text = Vec::new();
            Table { rows: &rows }
                .write(&mut text)
                .expect("memory takes all");
            let text = String::from_utf8(text).expect("text");
            // In the engine, halves differ by more.
            assert!(
                text.contains("\n~ the difference from the first row "),
                "{text}"
            );
        }
        let rows = [row("A", Some("a"), 100.0), row("B", Some("b"), 157.0)];
        let mut text = Vec::new();
        Table { rows: &rows }
            .write(&mut text)
            .expect("memory takes all");
        assert!(!String::from_utf8(text).expect("text").contains('~'));
    }

    #[test]
    fn rows_of_one_name_are_told_apart() {
        let mut rows = [row("A", Some("a.nnue"), 100.0), row("A", None, 100.0)];
        assert_eq!(name(&rows[1], &rows), "A *");
        rows[0].spec = "old/a.toml".into();
        rows[1].spec = "new/b.toml".into();
        assert_eq!(name(&rows[0], &rows), "A (a.toml)");
        assert_eq!(name(&rows[1], &rows), "A (b.toml) *");
        rows[1].spec = "new/a.toml".into();
        assert_eq!(name(&rows[0], &rows), "A (old/a.toml)");
        assert_eq!(name(&rows[1], &rows), "A (new/a.toml) *");
    }

    #[test]
    fn sizes_of_a_column_have_one_unit() {
        let sizes = |all: &[u64]| {
            let rows = all.iter().map(|weights| Row {
                weights: *weights,
                ..row("A", None, 1.0)
            });
            let rows: Vec<Row> = rows.collect();
            let sizes = rows.iter().map(|row| size(row, &rows, |row| row.weights));
            sizes.collect::<Vec<_>>()
        };
        assert_eq!(sizes(&[640, 9_999]), ["640 B", "9999 B"]);
        assert_eq!(sizes(&[640, 12_345]), ["0.6 KB", "12.3 KB"]);
        assert_eq!(sizes(&[6_515_520, 12_300_000]), ["6.5 MB", "12.3 MB"]);
    }
}
