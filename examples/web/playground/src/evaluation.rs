//! The evaluation of a position by the interpreter.

use nnue_compiler::network::Network;
use nnue_runtime::HeadValue;
use nnue_runtime::Square;
use nnue_tools::nets::evaluation::{Answer, BucketOutput, Interpreted, Sums, told_features};
use nnue_tools::nets::given::Given;
use nnue_tools::picture::activity;
use serde::Serialize;

/// What a network says of a position, in the units of its engine unless a part says otherwise.
#[derive(Debug, Serialize)]
pub struct Evaluated {
    /// The value for the side to move; `null` of win, draw and loss.
    pub value: Option<i32>,
    /// The parts of the value, in the network's own units, or win, draw and loss.
    pub parts: Vec<Part<i32>>,
    /// The stack of layers.
    pub bucket: usize,
    /// The values of further heads.
    pub heads: Vec<Part<f64>>,
    /// The side to move: `white` or `black`.
    pub side: String,
    /// The pieces on the board; none where the text has no board.
    pub pieces: Vec<Piece>,
    /// The picture of the neurons, an SVG.
    pub neurons: String,
}

/// A number with a label.
#[derive(Debug, Serialize)]
pub struct Part<T> {
    /// The label.
    pub label: String,
    /// The number.
    pub value: T,
}

/// A piece on the board.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// From 0, a1, to 63, h8.
    pub square: usize,
    /// The letter in FENs.
    pub piece: char,
    /// What white's evaluation loses when the piece is taken off; `null` for kings, and where the
    /// network has no single value.
    pub worth: Option<i32>,
}

/// Evaluates a position as `nnue eval` reads it: a FEN, and behind it what only an engine knows.
pub(crate) fn evaluate(
    net: &Interpreted,
    network: &Network,
    text: &str,
) -> Result<Evaluated, String> {
    let given = Given::with_stack(text.trim(), network).map_err(|error| error.to_string())?;
    let evaluation = net.evaluate_given(&given);
    let (Some(bucket), Some(chosen)) = (evaluation.bucket, evaluation.chosen()) else {
        return Err("found no bucket for the position".into());
    };
    let white = evaluation.white_value();
    // Without a piece, other features of custom sets would be active.
    let white = white.filter(|_| told_features(network).is_none());
    let pieces = given.board.as_ref().map_or(Vec::new(), |board| {
        let worth = white.map(|value| net.contributions(board, value));
        let pieces = Square::ALL.into_iter().filter_map(|square| {
            Some(Piece {
                square: square.index(),
                piece: board.piece_at(square)?.to_char(),
                worth: worth.as_ref().and_then(|worth| worth[square.index()]),
            })
        });
        pieces.collect()
    });
    let heads = chosen.heads.iter().map(|(name, value)| Part {
        label: name.clone(),
        value: match *value {
            HeadValue::Integer(value) => value.into(),
            HeadValue::Float(value) => value.into(),
        },
    });
    Ok(Evaluated {
        value: match chosen.answer {
            Answer::Value(sums) => Some(sums.value),
            Answer::Wdl { .. } => None,
        },
        parts: parts(chosen, net.has_psqt()),
        bucket,
        heads: heads.collect(),
        side: evaluation.side_to_move.to_string(),
        pieces,
        neurons: activity::svg(network, &net.trace(&given, bucket)),
    })
}

fn parts(output: &BucketOutput, has_psqt: bool) -> Vec<Part<i32>> {
    let part = |label: &str, value| Part {
        label: label.into(),
        value,
    };
    match output.answer {
        Answer::Value(Sums {
            psqt, positional, ..
        }) => {
            let psqt = has_psqt.then(|| part("PSQT", psqt));
            psqt.into_iter()
                .chain([part("layers", positional)])
                .collect()
        }
        Answer::Wdl { win, draw, loss } => vec![
            part("win", win.value),
            part("draw", draw.value),
            part("loss", loss.value),
        ],
    }
}
