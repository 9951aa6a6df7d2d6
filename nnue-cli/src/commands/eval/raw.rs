//! Evaluations as tab-separated values, for programs to read: the network's own integers.
//!
//! The line of a position has the FEN, its side to move, and the chosen bucket, then the PSQT part
//! and the part of the layers for every bucket, then the values of the chosen bucket: that in the
//! engine's units, and those of further heads. Where the network says win, draw and loss, each of
//! the three has its parts and its value. All numbers are from the view of the side to move.

use std::io::{self, Write};

use nnue_compiler::network::Network;
use nnue_runtime::{Color, HeadValue};
use nnue_tools::nets::evaluation::{BucketOutput, Evaluation};

/// Writes the line that names the columns.
pub(super) fn header(out: &mut dyn Write, network: &Network) -> io::Result<()> {
    let heads: &[(&str, &str)] = match network.output.heads.len() {
        1 => &[("", "engine")],
        _ => &[("win_", "win"), ("draw_", "draw"), ("loss_", "loss")],
    };
    write!(out, "#fen\tstm\tbucket")?;
    for (head, _) in heads {
        for part in ["psqt", "positional"] {
            for bucket in 0..network.stacks.count {
                write!(out, "\t{head}{part}{bucket}")?;
            }
        }
    }
    let further = network.output.further.iter().map(|head| &*head.name);
    for name in heads.iter().map(|(_, value)| *value).chain(further) {
        write!(out, "\t{name}")?;
    }
    writeln!(out)
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
    let buckets: Vec<_> = evaluation.outputs.iter().map(BucketOutput::sums).collect();
    let heads = buckets.first().map_or(0, Vec::len);
    for head in 0..heads {
        for sums in &buckets {
            write!(out, "\t{}", sums[head].psqt)?;
        }
        for sums in &buckets {
            write!(out, "\t{}", sums[head].positional)?;
        }
    }
    let Some(chosen) = evaluation.chosen() else {
        return writeln!(out);
    };
    for sums in chosen.sums() {
        write!(out, "\t{}", sums.value)?;
    }
    for (_, value) in &chosen.heads {
        match value {
            HeadValue::Integer(value) => write!(out, "\t{value}")?,
            HeadValue::Float(value) => write!(out, "\t{value}")?,
        }
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue_tools::nets::evaluation::{Answer, Sums};
    use nnue_tools::nets::specs::SpecChoice;

    fn header_of(spec: &str) -> String {
        let network = SpecChoice::of(spec.into()).unwrap().network().unwrap();
        let mut out = Vec::new();
        header(&mut out, &network).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_head_has_columns() {
        let layers = "../tests/specs/layers";
        assert_eq!(
            header_of(&format!("{layers}/further_heads.toml")),
            "#fen\tstm\tbucket\tpsqt0\tpsqt1\tpositional0\tpositional1\tengine\tuncertainty\tmobility\n"
        );
        assert_eq!(
            header_of(&format!("{layers}/further_heads_of_three.toml")),
            "#fen\tstm\tbucket\twin_psqt0\twin_positional0\tdraw_psqt0\tdraw_positional0\t\
             loss_psqt0\tloss_positional0\twin\tdraw\tloss\tmoves_left\n"
        );
    }

    #[test]
    fn columns_are_in_the_order_of_their_names() {
        let output = |psqt, positional, value| BucketOutput {
            answer: Answer::Value(Sums {
                psqt,
                positional,
                value,
            }),
            heads: vec![
                ("x".into(), HeadValue::Integer(value + 14)),
                ("y".into(), HeadValue::Float(0.5)),
            ],
        };
        let evaluation = Evaluation {
            side_to_move: Color::Black,
            bucket: Some(1),
            outputs: vec![output(1, -2, 3), output(-4, 5, -6)],
        };
        let mut out = Vec::new();
        row(&mut out, "8/8\tb", &evaluation).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "8/8 b\tb\t1\t1\t-4\t-2\t5\t-6\t8\t0.5\n"
        );
    }
}
