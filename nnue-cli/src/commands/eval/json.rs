//! Evaluations as JSON: an object in a line for each position.

use std::io::{self, Write};

use nnue_tools::nets::evaluation::{Evaluation, Value};
use serde::Serialize;

use crate::json::write_plain;

/// The line of a position.
#[derive(Serialize)]
struct Line<'a> {
    /// The position as the user gave it, without the operations of EPD.
    fen: &'a str,
    /// The value for the side to move, in the engine's units: a number, or an object of three
    /// numbers for win, draw and loss. It is `null` if the engine chooses the bucket.
    value: Option<Value>,
    #[serde(flatten)]
    evaluation: &'a Evaluation,
}

/// Writes the line of a position.
pub(super) fn line(out: &mut dyn Write, fen: &str, evaluation: &Evaluation) -> io::Result<()> {
    let line = Line {
        fen,
        value: evaluation.value(),
        evaluation,
    };
    write_plain(&serde_json::to_string(&line)?, out)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use nnue_runtime::{Color, HeadValue};

    use super::*;
    use nnue_tools::nets::evaluation::{Answer, BucketOutput, Sums};

    fn sums(value: i32) -> Sums {
        Sums {
            psqt: 1,
            positional: -2,
            value,
        }
    }

    fn written(evaluation: &Evaluation) -> String {
        let mut out = Vec::new();
        line(&mut out, "8/8 b", evaluation).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_value_is_a_number() {
        let evaluation = Evaluation {
            side_to_move: Color::Black,
            bucket: Some(0),
            outputs: vec![BucketOutput {
                answer: Answer::Value(sums(3)),
                heads: Vec::new(),
            }],
        };
        assert_eq!(
            written(&evaluation),
            "{\"fen\":\"8/8 b\",\"value\":3,\"side_to_move\":\"black\",\"bucket\":0,\
             \"outputs\":[{\"psqt\":1,\"positional\":-2,\"value\":3}]}\n"
        );
    }

    #[test]
    fn three_values_and_heads_have_names() {
        let mut evaluation = Evaluation {
            side_to_move: Color::White,
            bucket: Some(0),
            outputs: vec![BucketOutput {
                answer: Answer::Wdl {
                    win: sums(3),
                    draw: sums(4),
                    loss: sums(5),
                },
                heads: vec![
                    ("y".into(), HeadValue::Float(0.5)),
                    ("x".into(), HeadValue::Integer(-7)),
                ],
            }],
        };
        let text = written(&evaluation);
        assert!(
            text.contains("\"value\":{\"win\":3,\"draw\":4,\"loss\":5}"),
            "{text}"
        );
        assert!(text.contains("\"heads\":{\"y\":0.5,\"x\":-7}"), "{text}");
        evaluation.bucket = None;
        assert!(written(&evaluation).contains("\"value\":null"));
    }
}
