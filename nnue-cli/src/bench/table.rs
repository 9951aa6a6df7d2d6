//! The rows as text.

use std::io::{self, Write};

use super::Row;
use crate::style::STRONG;
use crate::table::{self, Cell};

/// Writes rows with their ratios to the first.
pub(crate) struct Table<'r> {
    pub(crate) rows: &'r [Row],
}

/// What stands above a column, and what it says of a row beside the first one.
type Column = (&'static str, fn(&Row, &Row) -> String);

const COLUMNS: [Column; 11] = [
    ("along search", |row, _| nanoseconds(row.incremental)),
    ("", |row, first| ratio(row.incremental, first.incremental)),
    ("refresh", |row, _| nanoseconds(row.refresh)),
    ("", |row, first| ratio(row.refresh, first.refresh)),
    ("forward", |row, _| nanoseconds(row.forward)),
    ("", |row, first| ratio(row.forward, first.forward)),
    ("rows", |row, _| format!("{:.1}", row.rows)),
    ("blocks", |row, _| {
        format!("{:.0}/{}", row.blocks, row.all_blocks)
    }),
    ("weights", |row, _| size(row.weights)),
    ("accumulator", |row, _| size(row.accumulator)),
    ("per second", |row, _| {
        format!("{:.2} M", row.per_second / 1e6)
    }),
];

impl Table<'_> {
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(first) = self.rows.first() else {
            return Ok(());
        };
        let heads = COLUMNS.map(|(head, _)| head);
        let mut table = table::Table::new(2, ["nanoseconds", "level"].into_iter().chain(heads));
        for row in self.rows {
            let name = Cell {
                style: STRONG,
                text: name(row, self.rows),
            };
            let cells = COLUMNS.map(|(_, cell)| Cell::from(cell(row, first)));
            table.row([name, row.level.into()].into_iter().chain(cells));
        }
        table.write(out)?;
        if self.rows.iter().any(|row| row.net.is_none()) {
            writeln!(
                out,
                "\n* weights that nobody has trained, as active as those of trained networks: `--net FILE` measures a real one"
            )?;
        }
        Ok(())
    }
}

/// The network's name, with its spec where another one has the name too, and a star if nobody has
/// trained its weights.
fn name(row: &Row, rows: &[Row]) -> String {
    let Row { network, spec, .. } = row;
    let same_name = |other: &Row| other.network == *network && other.spec != *spec;
    let name = match rows.iter().any(same_name) {
        true => format!("{network} ({spec})"),
        false => network.clone(),
    };
    match row.net {
        Some(_) => name,
        None => format!("{name} *"),
    }
}

fn nanoseconds(time: f64) -> String {
    format!("{time:.1}")
}

fn ratio(time: f64, first: f64) -> String {
    format!("{:.2}x", time / first)
}

/// A number of bytes, as people say it.
fn size(bytes: u64) -> String {
    match bytes {
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
            refresh: 2.0 * time,
            forward: time / 4.0,
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
                "B", "*", "avx2", "1250.0", "12.50x", "2500.0", "12.50x", "312.5", "12.50x", "7.2",
                "17/32", "6515.5", "KB", "640", "B", "0.80", "M"
            ]
        );
        assert!(lines[1].starts_with("Größe  ") && lines[1].contains("1.00x"));
        assert!(lines[4].starts_with("* weights that nobody has trained"));
    }

    #[test]
    fn rows_of_one_name_are_told_apart() {
        let mut rows = [row("A", Some("a.nnue"), 100.0), row("A", None, 100.0)];
        assert_eq!(name(&rows[1], &rows), "A *");
        rows[1].spec = "b.toml".into();
        assert_eq!(name(&rows[0], &rows), "A (a.toml)");
        assert_eq!(name(&rows[1], &rows), "A (b.toml) *");
    }

    #[test]
    fn sizes_have_units() {
        let sizes = [640, 9_999, 12_345, 47_000_000].map(size);
        assert_eq!(sizes, ["640 B", "9999 B", "12.3 KB", "47.0 MB"]);
    }
}
