//! Evaluations as text for people: the board with each piece's contribution, the table of buckets.

use std::io::{self, Write};

use nnue_compiler::format::foreign;
use nnue_runtime::{Board, Color, HeadValue, Position, Square};
use nnue_tools::nets::evaluation::{
    Answer, BucketOutput, Evaluation, Interpreted, Sums, Value, told_features,
};
use nnue_tools::nets::given::Given;

use crate::style::{BLACK, CHOSEN, FAINT, PLAIN, STRONG, WHITE, of_sign, paint};
use crate::table::Cell;

/// Writes reports about a network's evaluations.
pub(super) struct Report<'a> {
    /// The network that the report is about.
    pub(super) net: &'a Interpreted,
    /// The stream that the report is written to.
    pub(super) out: &'a mut dyn Write,
}

impl Report<'_> {
    /// Writes the evaluation of a position: the contribution of each piece, the outputs of all
    /// buckets, and the value for the side to move.
    pub(super) fn position(&mut self, given: &Given, evaluation: &Evaluation) -> io::Result<()> {
        writeln!(self.out, "\n{}\n", foreign(&given.text))?;
        if let Some(board) = &given.board {
            // Without a piece, other features of custom sets would be active.
            let is_told = told_features(self.net.network()).is_some();
            let value = evaluation.white_value().filter(|_| !is_told);
            self.board(board, value)?;
            if value.is_some() {
                self.caption(
                    MARGIN,
                    "Under each piece: what white's evaluation loses when it is taken off.",
                )?;
            }
            writeln!(self.out)?;
        }
        self.buckets(given, evaluation)?;
        let summands = if self.net.has_psqt() {
            "PSQT and layers"
        } else {
            "Layers"
        };
        let units = format!("{summands} in the network's own units, totals in the engine's");
        let side = evaluation.side_to_move;
        let is_of_stockfish = self.net.is_of_stockfish();
        let end = if is_of_stockfish { ";" } else { "." };
        self.caption(MARGIN, &format!("For {side}, who is to move. {units}{end}"))?;
        if is_of_stockfish {
            self.caption(
                MARGIN,
                "in Stockfish's networks 600 of those are what the trainer calls 1.0.",
            )?;
        }
        writeln!(self.out)?;
        self.value(evaluation)
    }

    /// Writes the board, and under its pieces what white's `value` loses without them.
    fn board(&mut self, board: &Board, value: Option<i32>) -> io::Result<()> {
        let contributions = value.map(|value| self.net.contributions(board, value));
        let contributions = contributions.unwrap_or([None; 64]);
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
                let style = piece.map_or(PLAIN, |piece| match piece.color {
                    Color::White => WHITE,
                    Color::Black => BLACK,
                });
                paint(style, format!("{letter:^width$}"))
            });
            let label = paint(FAINT, rank + 1);
            self.row(&format!(" {label} "), pieces, "")?;
            let values = squares
                .iter()
                .map(|square| match contributions[square.index()] {
                    Some(value) => paint(of_sign(value), format!("{:^width$}", signed(value))),
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

    fn buckets(&mut self, given: &Given, evaluation: &Evaluation) -> io::Result<()> {
        let has_psqt = self.net.has_psqt();
        let first = evaluation.outputs.first();
        let titles = first.map_or(Vec::new(), |output| titles(output, has_psqt));
        let rows: Vec<Vec<Cell>> = evaluation
            .outputs
            .iter()
            .enumerate()
            .map(|(bucket, output)| {
                let used = evaluation.bucket == Some(bucket);
                let name = if used { CHOSEN } else { PLAIN };
                let names = [bucket.to_string(), self.piece_counts(bucket)];
                let names = names.map(|text| Cell { style: name, text });
                names.into_iter().chain(numbers(output, has_psqt)).collect()
            })
            .collect();
        let widths: Vec<usize> = titles
            .iter()
            .enumerate()
            .map(|(column, title)| {
                let lengths = rows.iter().map(|row| row[column].text.len());
                lengths.max().unwrap_or(0).max(title.len())
            })
            .collect();

        self.rule(TOP, &widths)?;
        let titles = titles.iter().zip(&widths);
        let titles = titles.map(|(title, width)| paint(FAINT, format!("{title:>width$}")));
        self.row(MARGIN, titles, "")?;
        self.rule(BETWEEN, &widths)?;
        for (bucket, row) in rows.iter().enumerate() {
            let cells = row.iter().zip(&widths);
            let cells =
                cells.map(|(cell, width)| paint(cell.style, format!("{:>width$}", cell.text)));
            let pieces = given.board.as_ref().map(|board| board.occupied().len());
            let note = match pieces.filter(|pieces| self.net.bucket(*pieces) == Some(bucket)) {
                _ if evaluation.bucket != Some(bucket) => String::new(),
                Some(pieces) => paint(CHOSEN, format!("◀ {pieces} pieces")),
                None => paint(CHOSEN, "◀"),
            };
            self.row(MARGIN, cells, &note)?;
        }
        self.rule(BOTTOM, &widths)
    }

    fn value(&mut self, evaluation: &Evaluation) -> io::Result<()> {
        let label = paint(STRONG, "evaluation");
        let side = evaluation.side_to_move;
        match evaluation.value() {
            Some(Value::One(value)) => {
                write!(
                    self.out,
                    "{label} {} for {side}, who is to move",
                    by_sign(value)
                )?;
                if let (Color::Black, Some(white)) = (side, evaluation.white_value()) {
                    write!(self.out, "; {} for white", by_sign(white))?;
                }
                writeln!(self.out)
            }
            Some(Value::Wdl { win, draw, loss }) => writeln!(
                self.out,
                "{label} win {}, draw {}, loss {} for {side}, who is to move",
                by_sign(win),
                by_sign(draw),
                by_sign(loss)
            ),
            None => writeln!(
                self.out,
                "{label}: one of the totals, for this network leaves it to the engine to choose the bucket (`FEN ; stack: 0`)"
            ),
        }
    }

    /// The numbers of pieces that lead to a bucket, such as `29-32`. A board has at least two
    /// kings.
    fn piece_counts(&self, bucket: usize) -> String {
        let counts: Vec<usize> = (2..=32)
            .filter(|pieces| self.net.bucket(*pieces) == Some(bucket))
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
        writeln!(self.out, "{margin}{}", paint(FAINT, text))
    }

    /// Writes a line of a table with columns of these widths.
    fn rule(&mut self, Rule(left, between, right): Rule, widths: &[usize]) -> io::Result<()> {
        let columns: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        let line = format!("{left}{}{right}", columns.join(between));
        self.caption(MARGIN, &line)
    }

    /// Writes a row of a table: padded cells, with a text before them and a text after them.
    fn row(
        &mut self,
        before: &str,
        cells: impl Iterator<Item = String>,
        after: &str,
    ) -> io::Result<()> {
        let bar = paint(FAINT, "│");
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

fn number(value: i32) -> Cell {
    Cell {
        style: of_sign(value),
        text: signed(value),
    }
}

/// The titles of the table of buckets, for the numbers of this output.
fn titles(output: &BucketOutput, has_psqt: bool) -> Vec<String> {
    let heads: &[&str] = match output.answer {
        Answer::Value(_) => &["layers"],
        Answer::Wdl { .. } => &["win", "draw", "loss"],
    };
    let psqt = has_psqt.then_some("PSQT");
    let sums = heads
        .iter()
        .flat_map(|head| psqt.into_iter().chain([*head, "total"]));
    let titles = ["bucket", "pieces"].into_iter().chain(sums);
    titles
        .map(String::from)
        .chain(output.heads.iter().map(|(name, _)| name.clone()))
        .collect()
}

/// The numbers of a row of the table of buckets.
fn numbers(output: &BucketOutput, has_psqt: bool) -> impl Iterator<Item = Cell> {
    let sums = output.sums().into_iter().flat_map(move |sums| {
        let Sums {
            psqt,
            positional,
            value,
        } = sums;
        let psqt = has_psqt.then_some(psqt);
        psqt.into_iter().chain([positional, value]).map(number)
    });
    let heads = output.heads.iter().map(|(_, value)| match *value {
        HeadValue::Integer(value) => number(value),
        HeadValue::Float(value) => Cell {
            style: PLAIN,
            text: format!("{value:+}"),
        },
    });
    sums.chain(heads)
}

fn by_sign(value: i32) -> String {
    paint(of_sign(value), signed(value))
}

/// A number with its sign; zero has no sign.
fn signed(value: i32) -> String {
    match value {
        0 => "0".into(),
        _ => format!("{value:+}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue_tools::nets::net_file::NetFile;

    fn net() -> Interpreted {
        let path = "../examples/nets/nn-37f18f62d772.nnue";
        let file = NetFile::open(path.as_ref(), None).unwrap();
        Interpreted::of(&file).unwrap()
    }

    fn position(fen: &str) -> String {
        let net = net();
        let mut out = Vec::new();
        let mut report = Report {
            net: &net,
            out: &mut out,
        };
        let given = Given::parse(fen, net.network()).unwrap();
        report
            .position(&given, &net.evaluate_given(&given))
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    /// The text without escape sequences of the terminal.
    fn plain(text: &str) -> String {
        let mut parts = text.split('\x1B');
        let first = parts.next().unwrap_or_default();
        let rest = parts.map(|part| part.split_once('m').unwrap().1);
        std::iter::once(first).chain(rest).collect()
    }

    #[test]
    fn numbers_have_the_colour_of_their_sign() {
        let coloured = position("r3k1n1/5pb1/n1p3pr/3B2P1/P3Np1p/3PP2P/P1P2K2/7Q b - - 1 41");
        for painted in ["\x1B[32m+1383\x1B[0m", "\x1B[31m-1157\x1B[0m"] {
            assert!(coloured.contains(painted), "{coloured}");
        }
    }

    #[test]
    fn contributions_are_differences_for_white() {
        let net = net();
        let value = |fen: &str| {
            let evaluation = net.evaluate(&Board::from_fen(fen).unwrap());
            evaluation.white_value().unwrap()
        };
        let lost = value("4k3/8/8/8/8/8/8/4KR2 b - -") - value("4k3/8/8/8/8/8/8/4K3 b - -");
        let shown = plain(&position("4k3/8/8/8/8/8/8/4KR2 b - -"));
        assert!(lost > 0);
        // Kings have no contribution.
        let numbers = shown
            .lines()
            .filter(|line| line.contains(&format!("│ +{lost}")));
        assert_eq!(numbers.count(), 1, "{shown}");
        assert!(shown.contains("│   k   │") && shown.contains("│   K   │   R   │"));
    }

    #[test]
    fn tables_are_straight() {
        let shown = plain(&position("4k3/8/8/8/8/8/8/4KR2 b - -"));
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
}
