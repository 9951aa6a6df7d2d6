//! Tables as text, with columns as wide as their widest cell.

use std::io::{self, Write};

use anstyle::Style;
use nnue_compiler::format::foreign;

use crate::style::{FAINT, PLAIN, paint};

/// The text of a cell, which may come from others.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) style: Style,
    pub(crate) text: String,
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell {
            style: PLAIN,
            text: foreign(text.into()).to_string(),
        }
    }
}

/// Rows of cells. The first columns are aligned left, as names are, and the others right, as
/// numbers are.
pub(crate) struct Table {
    left: usize,
    rows: Vec<Vec<Cell>>,
}

/// The space between two columns.
const GAP: &str = "  ";

impl Table {
    /// A table whose first row names the columns. The first `left` columns are aligned left.
    pub(crate) fn new<C: Into<Cell>>(left: usize, heads: impl IntoIterator<Item = C>) -> Table {
        let mut table = Table {
            left,
            rows: Vec::new(),
        };
        table.styled(FAINT, heads);
        table
    }

    /// Adds a row. A row without cells is an empty line.
    pub(crate) fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(C::into).collect());
    }

    /// Adds a row in a style.
    pub(crate) fn styled<C: Into<Cell>>(
        &mut self,
        style: Style,
        cells: impl IntoIterator<Item = C>,
    ) {
        self.row(cells.into_iter().map(|cell| Cell {
            style,
            ..cell.into()
        }));
    }

    /// Writes all rows, without spaces at the ends of lines.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut widths = Vec::new();
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                if column == widths.len() {
                    widths.push(0);
                }
                widths[column] = widths[column].max(cell.text.chars().count());
            }
        }
        for row in &self.rows {
            let filled = row.iter().rposition(|cell| !cell.text.is_empty());
            let cells = &row[..filled.map_or(0, |last| last + 1)];
            for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let is_last = column + 1 == cells.len();
                let text = match column < self.left {
                    true if is_last => cell.text.clone(),
                    true => format!("{:<width$}", cell.text),
                    false => format!("{:>width$}", cell.text),
                };
                let gap = if column == 0 { "" } else { GAP };
                write!(out, "{gap}{}", paint(cell.style, text))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// A number with a comma between groups of three digits.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::STRONG;

    fn text(table: &Table) -> String {
        let mut text = Vec::new();
        table.write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let mut table = Table::new(2, ["name", "level", "ns", ""]);
        table.row(["Größe", "a", "1.0", "x"]);
        table.row([""; 0]);
        table.row(["B", "scalar", "12500.0", ""]);
        table.row(["C"]);
        let lines = "\
name   level        ns
Größe  a           1.0  x

B      scalar  12500.0
C
";
        let plain = anstream::adapter::strip_str(&text(&table)).to_string();
        assert_eq!(plain, lines);
    }

    #[test]
    fn styles_do_not_count() {
        let mut table = Table::new(1, ["a", "b"]);
        table.styled(STRONG, ["long", "1"]);
        assert_eq!(
            text(&table),
            "\x1b[2ma   \x1b[0m  \x1b[2mb\x1b[0m\n\x1b[1mlong\x1b[0m  \x1b[1m1\x1b[0m\n"
        );
    }

    #[test]
    fn digits_are_grouped_from_the_right() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(thousands),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
