//! Evaluations as text for people: the network, the board with each piece's contribution, the table
//! of buckets.

use std::fmt;
use std::io::{self, Write};

use nnue_runtime::{Board, Color, Position, Role, Square};

use crate::any_network::{AnyNetwork, Evaluation};
use crate::colour::{Colours, Painted, Style};

/// Writes reports about a network and its evaluations.
pub struct Report<'a> {
    /// The network that the report is about.
    pub net: &'a dyn AnyNetwork,
    /// Whether to write in colour.
    pub colours: Colours,
    /// The stream that the report is written to.
    pub out: &'a mut dyn Write,
}

impl Report<'_> {
    /// Writes the network's name, the file's name, how the network is used, the file's description,
    /// and the loader's warnings.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn network(&mut self, file: &str, use_of_it: &dyn fmt::Display) -> io::Result<()> {
        let name = self.colours.paint(Style::Strong, self.net.name());
        writeln!(self.out, "{name} · {file} · {use_of_it}")?;
        let description = one_line(self.net.description());
        if !description.is_empty() {
            self.caption("", &description)?;
        }
        for warning in self.net.report().warnings {
            let label = self.colours.paint(Style::Warning, "warning:");
            writeln!(self.out, "{label} {warning}")?;
        }
        Ok(())
    }

    /// Writes for which positions the net that is part of the program is made.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn built_in(&mut self) -> io::Result<()> {
        self.caption(
            "",
            "This is Stockfish's small net, made for lopsided positions: where neither side is far ahead it is inaccurate.",
        )
    }

    /// Writes what the network says of a position: the contribution of each piece, the outputs of
    /// all buckets, and the evaluation for the side to move.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn position(&mut self, fen: &str, board: &Board) -> io::Result<()> {
        let evaluation = self.net.evaluate(board);
        writeln!(self.out, "\n{fen}\n")?;
        self.board(board, &evaluation)?;
        self.caption(
            MARGIN,
            "Under each piece: what white's evaluation loses when it is taken off.",
        )?;
        writeln!(self.out)?;
        self.buckets(board, &evaluation)?;
        let units = "PSQT and layers in the network's own units, totals in the engine's;";
        let side = evaluation.side_to_move;
        self.caption(MARGIN, &format!("For {side}, who is to move. {units}"))?;
        self.caption(
            MARGIN,
            "in Stockfish's networks 600 of those are what the trainer calls 1.0.",
        )?;
        writeln!(self.out)?;
        self.value(&evaluation)
    }

    fn board(&mut self, board: &Board, evaluation: &Evaluation) -> io::Result<()> {
        let colours = self.colours;
        let contributions: [Option<i32>; 64] = Square::ALL.map(|square| {
            let piece = board.piece_at(square)?;
            // No network was trained on boards without a king.
            (piece.role != Role::King).then(|| {
                let without = self.net.evaluate(&board.without(square));
                evaluation.white_value() - without.white_value()
            })
        });
        let lengths = contributions
            .iter()
            .flatten()
            .map(|value| signed(*value).len());
        let width = lengths.max().unwrap_or(0).max(5);
        let widths = [width; 8];

        for rank in (0..8).rev() {
            self.rule(if rank == 7 { TOP } else { BETWEEN }, &widths)?;
            let squares = &Square::ALL[8 * rank..][..8];
            let pieces = squares.iter().map(|square| {
                let piece = board.piece_at(*square);
                let letter = piece.map_or(' ', |piece| piece.to_char());
                let style = piece.map(|piece| match piece.color {
                    Color::White => Style::White,
                    Color::Black => Style::Black,
                });
                format!("{:^width$}", colours.paint(style, letter))
            });
            let label = colours.paint(Style::Faint, rank + 1);
            self.row(&format!(" {label} "), pieces, "")?;
            let values = squares
                .iter()
                .map(|square| match contributions[square.index()] {
                    Some(value) => format!("{:^width$}", by_sign(colours, value)),
                    None => " ".repeat(width),
                });
            self.row(MARGIN, values, "")?;
        }
        self.rule(BOTTOM, &widths)?;
        let files: String = ('a'..='h')
            .map(|file| format!(" {file:^width$}  "))
            .collect();
        self.caption(MARGIN, &format!(" {}", files.trim_end()))
    }

    fn buckets(&mut self, board: &Board, evaluation: &Evaluation) -> io::Result<()> {
        const TITLES: [&str; 5] = ["bucket", "pieces", "PSQT", "layers", "total"];

        let colours = self.colours;
        let rows: Vec<[String; 5]> = (evaluation.outputs.iter().enumerate())
            .map(|(bucket, output)| {
                [
                    bucket.to_string(),
                    self.piece_counts(bucket),
                    signed(output.psqt),
                    signed(output.positional),
                    signed(output.value),
                ]
            })
            .collect();
        let widths: [usize; 5] = std::array::from_fn(|column| {
            let lengths = rows.iter().map(|row| row[column].len());
            lengths.max().unwrap_or(0).max(TITLES[column].len())
        });

        self.rule(TOP, &widths)?;
        let titles = TITLES.iter().zip(widths);
        let titles = titles.map(|(title, width)| {
            let title = colours.paint(Style::Faint, title);
            format!("{title:>width$}")
        });
        self.row(MARGIN, titles, "")?;
        self.rule(BETWEEN, &widths)?;
        for (bucket, (row, output)) in rows.iter().zip(&evaluation.outputs).enumerate() {
            let used = bucket == evaluation.bucket;
            let name = used.then_some(Style::Chosen);
            let styles = [
                name,
                name,
                Style::of_sign(output.psqt),
                Style::of_sign(output.positional),
                Style::of_sign(output.value),
            ];
            let cells = row.iter().zip(styles).zip(widths);
            let cells = cells
                .map(|((text, style), width)| format!("{:>width$}", colours.paint(style, text)));
            let note = if used {
                let pieces = format!("◀ {} pieces", board.occupied().len());
                colours.paint(Style::Chosen, pieces).to_string()
            } else {
                String::new()
            };
            self.row(MARGIN, cells, &note)?;
        }
        self.rule(BOTTOM, &widths)
    }

    fn value(&mut self, evaluation: &Evaluation) -> io::Result<()> {
        let colours = self.colours;
        let label = colours.paint(Style::Strong, "evaluation");
        let value = by_sign(colours, evaluation.value());
        write!(
            self.out,
            "{label} {value} for {}, who is to move",
            evaluation.side_to_move
        )?;
        if evaluation.side_to_move == Color::Black {
            let white = by_sign(colours, evaluation.white_value());
            write!(self.out, "; {white} for white")?;
        }
        writeln!(self.out)
    }

    /// The numbers of pieces that lead to a bucket, as in `29-32`. Boards have two kings at least.
    fn piece_counts(&self, bucket: usize) -> String {
        let counts: Vec<usize> = (2..=32)
            .filter(|pieces| self.net.bucket(*pieces) == bucket)
            .collect();
        let runs = counts.chunk_by(|count, next| count + 1 == *next);
        let runs: Vec<String> = runs
            .map(|run| match run {
                [first, .., last] => format!("{first}-{last}"),
                _ => run[0].to_string(),
            })
            .collect();
        runs.join(", ")
    }

    fn caption(&mut self, margin: &str, text: &str) -> io::Result<()> {
        writeln!(
            self.out,
            "{margin}{}",
            self.colours.paint(Style::Faint, text)
        )
    }

    /// Writes a line of a table with columns of these widths.
    fn rule(&mut self, Rule(left, between, right): Rule, widths: &[usize]) -> io::Result<()> {
        let columns: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        let line = format!("{left}{}{right}", columns.join(between));
        writeln!(
            self.out,
            "{MARGIN}{}",
            self.colours.paint(Style::Faint, line)
        )
    }

    /// Writes a row of a table: padded cells, with a text before and one after them.
    fn row(
        &mut self,
        before: &str,
        cells: impl Iterator<Item = String>,
        after: &str,
    ) -> io::Result<()> {
        let bar = self.colours.paint(Style::Faint, "│");
        write!(self.out, "{before}{bar}")?;
        for cell in cells {
            write!(self.out, " {cell} {bar}")?;
        }
        if !after.is_empty() {
            write!(self.out, " {after}")?;
        }
        writeln!(self.out)
    }
}

/// The margin to the left of a table, which has room for the number of a rank.
const MARGIN: &str = "   ";

/// The characters with which a line of a table begins, crosses columns and ends.
struct Rule(&'static str, &'static str, &'static str);

const TOP: Rule = Rule("┌", "┬", "┐");
const BETWEEN: Rule = Rule("├", "┼", "┤");
const BOTTOM: Rule = Rule("└", "┴", "┘");

fn by_sign(colours: Colours, value: i32) -> Painted<String> {
    colours.paint(Style::of_sign(value), signed(value))
}

/// A number with its sign; zero has none.
fn signed(value: i32) -> String {
    match value {
        0 => "0".into(),
        _ => format!("{value:+}"),
    }
}

/// A description as one short line, without control characters that a terminal would obey.
fn one_line(description: &[u8]) -> String {
    const LIMIT: usize = 160;

    let text = String::from_utf8_lossy(description).replace(char::is_control, " ");
    let text = text.trim();
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use nnue_runtime::Level;

    use super::*;
    use crate::specs;

    fn position(fen: &str, colours: Colours) -> String {
        let net = specs::built_in(Level::detect());
        let mut out = Vec::new();
        let mut report = Report {
            net: &*net,
            colours,
            out: &mut out,
        };
        report
            .position(fen, &Board::from_fen(fen).unwrap())
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    /// The text without escape sequences.
    fn plain(text: &str) -> String {
        let mut parts = text.split('\x1B');
        let first = parts.next().unwrap_or_default();
        let rest = parts.map(|part| part.split_once('m').unwrap().1);
        std::iter::once(first).chain(rest).collect()
    }

    #[test]
    fn colours_change_nothing_else() {
        let fen = "r3k1n1/5pb1/n1p3pr/3B2P1/P3Np1p/3PP2P/P1P2K2/7Q b - - 1 41";
        let coloured = position(fen, Colours::ON);
        assert_ne!(coloured, plain(&coloured));
        assert_eq!(plain(&coloured), position(fen, Colours::OFF));
        for painted in ["\x1B[32m+1383\x1B[0m", "\x1B[31m-1157\x1B[0m"] {
            assert!(coloured.contains(painted), "{coloured}");
        }
    }

    #[test]
    fn contributions_are_differences_for_white() {
        let net = specs::built_in(Level::detect());
        let value = |fen: &str| net.evaluate(&Board::from_fen(fen).unwrap()).white_value();
        let lost = value("4k3/8/8/8/8/8/8/4KR2 b - -") - value("4k3/8/8/8/8/8/8/4K3 b - -");
        let shown = position("4k3/8/8/8/8/8/8/4KR2 b - -", Colours::OFF);
        assert!(lost > 0);
        // Kings have none.
        let numbers = shown
            .lines()
            .filter(|line| line.contains(&format!("│ +{lost}")));
        assert_eq!(numbers.count(), 1, "{shown}");
        assert!(shown.contains("│   k   │") && shown.contains("│   K   │   R   │"));
    }

    #[test]
    fn tables_are_straight() {
        let shown = position("4k3/8/8/8/8/8/8/4KR2 b - -", Colours::OFF);
        let mut width = 0;
        let mut rows = 0;
        for line in shown.lines().filter(|line| line.contains(['│', '─'])) {
            let (table, _note) = line.rsplit_once(['│', '┐', '┤', '┘']).unwrap();
            if table.contains('┌') {
                width = table.chars().count();
            }
            assert_eq!(table.chars().count(), width, "{shown}");
            rows += 1;
        }
        assert_eq!(rows, (1 + 3 * 8) + (3 + 1 + 8));
    }

    #[test]
    fn descriptions_stay_on_their_line() {
        assert_eq!(one_line(b" a\tb\x1B[31m\nc\0"), "a b [31m c");
        assert_eq!(one_line(b"\xFF"), "\u{FFFD}");
        let long = one_line(&[b'x'; 1000]);
        assert!(long.len() < 200 && long.ends_with('…'));
    }
}
