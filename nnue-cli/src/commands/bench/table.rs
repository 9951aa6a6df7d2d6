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

const COLUMNS: [Column; 17] = [
    ("along search", |row, _| nanoseconds(row.incremental)),
    ("quartiles", |row, _| range(row.incremental_quartiles)),
    ("", |row, rows| ratio(row, rows, ALONG)),
    ("in engine", |row, _| nanoseconds(row.in_engine)),
    ("quartiles", |row, _| range(row.in_engine_quartiles)),
    ("", |row, rows| ratio(row, rows, IN_ENGINE)),
    ("refresh", |row, _| nanoseconds(row.refresh)),
    ("quartiles", |row, _| range(row.refresh_quartiles)),
    ("", |row, rows| ratio(row, rows, REFRESH)),
    ("forward", |row, _| nanoseconds(row.forward)),
    ("quartiles", |row, _| range(row.forward_quartiles)),
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
        format!("{:.2} M", row.per_second / 1e6)
    }),
];

/// A time of a row with its quartiles.
type Time = fn(&Row) -> (f64, [f64; 2]);

const ALONG: Time = |row| (row.incremental, row.incremental_quartiles);
const IN_ENGINE: Time = |row| (row.in_engine, row.in_engine_quartiles);
const REFRESH: Time = |row| (row.refresh, row.refresh_quartiles);
const FORWARD: Time = |row| (row.forward, row.forward_quartiles);

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
            notes.push("~ the quartiles overlap: the difference from the first row is smaller than what rounds differ by");
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
fn name(row: &Row, rows: &[Row]) -> String {
    let Row { network, spec, .. } = row;
    let same_name = |other: &&Row| other.network == *network && other.spec != *spec;
    let others: Vec<&str> = { rows.iter().filter(same_name) }
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
    format!("{time:.1}")
}

fn range([low, high]: [f64; 2]) -> String {
    format!("{low:.1}-{high:.1}")
}

/// Whether the quartiles of a row's time and those of the first row's time do not overlap.
fn differs(row: &Row, rows: &[Row], time: Time) -> bool {
    let (_, [low, high]) = time(row);
    let (_, [first_low, first_high]) = time(&rows[0]);
    low > first_high || high < first_low
}

fn ratio(row: &Row, rows: &[Row], time: Time) -> String {
    let mark = match ptr::eq(row, &rows[0]) || differs(row, rows, time) {
        true => "",
        false => "~",
    };
    format!("{mark}{:.2}x", time(row).0 / time(&rows[0]).0)
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
            incremental_quartiles: [0.99 * time, 1.02 * time],
            in_engine: 1.2 * time,
            in_engine_quartiles: [1.1 * time, 1.4 * time],
            refresh: 2.0 * time,
            refresh_quartiles: [1.9 * time, 2.1 * time],
            forward: time / 4.0,
            forward_quartiles: [time / 4.0; 2],
            per_second: 1e9 / time,
            rows: 7.25,
            blocks: 16.6,
            all_blocks: 32,
            weights: 6_515_520,
            accumulator: 640,
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
                "B",
                "*",
                "avx2",
                "1250.0",
                "1237.5-1275.0",
                "12.50x",
                "1500.0",
                "1375.0-1750.0",
                "12.50x",
                "2500.0",
                "2375.0-2625.0",
                "12.50x",
                "312.5",
                "312.5-312.5",
                "12.50x",
                "7.2",
                "17/32",
                "6515.5",
                "KB",
                "640",
                "B",
                "0.80",
                "M"
            ]
        );
        assert!(lines[1].starts_with("Größe  ") && lines[1].contains("1.00x"));
        assert!(lines[4].starts_with("* weights that nobody has trained"));
    }

    /// A difference of 2 % along the search is smaller than the quartiles, and one of 4 % is not.
    #[test]
    fn differences_within_the_quartiles_are_marked() {
        for (time, mark) in [
            (102.0, "~1.02x"),
            (104.0, "1.04x"),
            (96.0, "0.96x"),
            (98.0, "~0.98x"),
        ] {
            let rows = [row("A", Some("a"), 100.0), row("B", Some("b"), time)];
            assert_eq!(ratio(&rows[1], &rows, ALONG), mark);
            assert_eq!(ratio(&rows[0], &rows, ALONG), "1.00x");
            let mut text = Vec::new();
            Table { rows: &rows }
                .write(&mut text)
                .expect("memory takes all");
            let text = String::from_utf8(text).expect("text");
            // The quartiles of a refresh are wider.
            assert!(text.contains("\n~ the quartiles overlap: "), "{text}");
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
