//! Evaluations as tab-separated values, for programs to read: the network's own integers.
//!
//! The line of a position has the FEN, its side to move, and the chosen bucket, then the PSQT part
//! and the part of the layers for every bucket, then the value in the engine's units. All numbers
//! are from the view of the side to move.
//!
//! Only networks with a single value have such lines: see [`Interpreted::has_one_value`].
//!
//! [`Interpreted::has_one_value`]: nnue_tools::nets::evaluation::Interpreted::has_one_value

use std::io::{self, Write};

use nnue_runtime::Color;
use nnue_tools::nets::evaluation::{BucketOutput, Evaluation, Sums, Value};

/// Writes the line that names the columns.
pub(super) fn header(out: &mut dyn Write, buckets: usize) -> io::Result<()> {
    write!(out, "#fen\tstm\tbucket")?;
    for part in ["psqt", "positional"] {
        for bucket in 0..buckets {
            write!(out, "\t{part}{bucket}")?;
        }
    }
    writeln!(out, "\tengine")
}

/// Writes the line of a position. Tabs and other separators in the FEN become spaces.
pub(super) fn row(out: &mut dyn Write, fen: &str, evaluation: &Evaluation) -> io::Result<()> {
    let side = match evaluation.side_to_move {
        Color::White => 'w',
        Color::Black => 'b',
    };
    write!(
        out,
        "{}\t{side}",
        fen.replace(|letter: char| letter.is_ascii_whitespace(), " ")
    )?;
    if let Some(bucket) = evaluation.bucket {
        write!(out, "\t{bucket}")?;
    }
    for part in [|sums: Sums| sums.psqt, |sums: Sums| sums.positional] {
        for sums in evaluation.outputs.iter().flat_map(BucketOutput::sums) {
            write!(out, "\t{}", part(sums))?;
        }
    }
    if let Some(Value::One(value)) = evaluation.value() {
        write!(out, "\t{value}")?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue_tools::nets::evaluation::Answer;

    #[test]
    fn columns_are_in_the_order_of_their_names() {
        let output = |psqt, positional, value| BucketOutput {
            answer: Answer::Value(Sums {
                psqt,
                positional,
                value,
            }),
            heads: Vec::new(),
        };
        let evaluation = Evaluation {
            side_to_move: Color::Black,
            bucket: Some(1),
            outputs: vec![output(1, -2, 3), output(-4, 5, -6)],
        };
        let mut out = Vec::new();
        header(&mut out, 2).unwrap();
        row(&mut out, "8/8\tb", &evaluation).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "#fen\tstm\tbucket\tpsqt0\tpsqt1\tpositional0\tpositional1\tengine\n\
             8/8 b\tb\t1\t1\t-4\t-2\t5\t-6\n"
        );
    }
}
