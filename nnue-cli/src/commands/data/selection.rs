//! The options that select positions.

use std::path::{Path, PathBuf};

use clap::Args;
use nnue_tools::data::{
    DataError, EvalUnit, Filter, Format, Input, Options, Sampling, Share, SharedCounts, Split,
};

use crate::Failure;
use crate::failure::warn;
use crate::inputs::one_of;

#[derive(Args, Debug)]
pub(super) struct Selection {
    /// Files of positions; `-` reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The format of all files, instead of what their names say; of standard input, text
    #[arg(long, value_name = "NAME", value_parser = one_of(Format::ALL.map(|format| (format.name(), format))))]
    format: Option<Format>,
    /// Scores of text are white's, as in the text of bullet, and not those of the side to move
    #[arg(long)]
    white_scores: bool,
    /// What evaluations in pgn count that are whole numbers, instead of what the first of them say;
    /// those with a decimal point are pawns. What scores of text count; without it, those with a
    /// fraction are an error, and others centipawns
    #[arg(long, value_name = "UNIT", value_parser = one_of(EvalUnit::ALL.map(|unit| (unit.name(), unit))))]
    eval_unit: Option<EvalUnit>,
    /// Leave out records that cannot be used, and count them
    #[arg(long)]
    skip_bad: bool,
    /// Leave out K of N blocks, such as 1/20: they measure what was learnt. Blocks end where a game
    /// ends
    #[arg(long, value_name = "K/N", value_parser = share, conflicts_with = "held_out", help_heading = "Selection")]
    hold_out: Option<Share>,
    /// Take only the blocks that `--hold-out` of the same share of the same files leaves out
    #[arg(long, value_name = "K/N", value_parser = share, help_heading = "Selection")]
    held_out: Option<Share>,
    /// Leave out positions in which the side to move is in check
    #[arg(long, help_heading = "Selection")]
    no_checks: bool,
    /// Leave out positions in which the move that was played is a capture or a promotion; of pgn,
    /// viriformat and binpack, which know the move
    #[arg(long, help_heading = "Selection")]
    no_captures: bool,
    /// Leave out positions without a score
    #[arg(long, help_heading = "Selection")]
    scored: bool,
    /// Leave out positions without a result
    #[arg(long, help_heading = "Selection")]
    with_result: bool,
    /// Leave out scores that are further from 0, in centipawns
    #[arg(long, value_name = "CP", help_heading = "Selection")]
    max_score: Option<u32>,
    /// Leave out positions before half move N of the game
    #[arg(long, value_name = "N", help_heading = "Selection")]
    min_ply: Option<u32>,
    /// Leave out positions after half move N of the game
    #[arg(long, value_name = "N", help_heading = "Selection")]
    max_ply: Option<u32>,
    /// Leave out positions with fewer pieces; kings and pawns count
    #[arg(long, value_name = "N", help_heading = "Selection")]
    min_pieces: Option<u32>,
    /// Leave out positions with more pieces
    #[arg(long, value_name = "N", help_heading = "Selection")]
    max_pieces: Option<u32>,
    /// Leave out positions at random, the more often the less likely their score makes the result of
    /// the game; POINTS of a score are a pawn: 100 in centipawns, 208 in binpacks of Stockfish
    #[arg(long, value_name = "POINTS", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Selection")]
    agreeing: Option<u32>,
    /// Leave out positions before half move N of the game at random, the first of them most often
    #[arg(long, value_name = "N", help_heading = "Selection")]
    soft_ply: Option<u32>,
    /// Leave out positions at random, so that numbers of pieces come as often as these weights say,
    /// such as 2:1,16:2,32:1; between two of them, weights change evenly
    #[arg(long, value_name = "N:W,...", value_parser = piece_weights, help_heading = "Selection")]
    piece_weights: Option<PieceWeights>,
    /// Where random numbers come from: the same seed gives the same positions in the same order
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Threads that read, and as many that find rows
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

impl Selection {
    /// Opens all files.
    pub(super) fn inputs(&self) -> Result<Vec<Input>, Failure> {
        let open = |path: &PathBuf| {
            let input = Input::open(path, self.format).map_err(failure)?;
            Ok(input.with_eval_unit(self.eval_unit))
        };
        self.files.iter().map(open).collect()
    }

    /// The paths of all files.
    pub(super) fn paths(&self) -> impl Iterator<Item = Option<&Path>> {
        self.files.iter().map(|path| Some(&**path))
    }

    /// The options for reading the files in their order.
    pub(super) fn options(&self) -> Options {
        let split = match (self.hold_out, self.held_out) {
            (Some(share), _) => Split::Training(share),
            (_, Some(share)) => Split::HeldOut(share),
            _ => Split::All,
        };
        Options {
            shuffle: None,
            white_scores: self.white_scores,
            skip_bad: self.skip_bad,
            filter: Filter {
                no_checks: self.no_checks,
                no_captures: self.no_captures,
                scored: self.scored,
                with_result: self.with_result,
                max_score: self.max_score,
                min_ply: self.min_ply,
                max_ply: self.max_ply,
                min_pieces: self.min_pieces,
                max_pieces: self.max_pieces,
                sampling: Sampling {
                    agreeing: self.agreeing.map(f64::from),
                    soft_ply: self.soft_ply,
                    pieces: self.piece_weights.as_ref().map(|weights| *weights.0),
                },
            },
            seed: self.seed,
            split,
            threads: self.threads.into(),
            ..Options::default()
        }
    }
}

fn share(text: &str) -> Result<Share, String> {
    let numbers = text.split_once('/').and_then(|(part, of)| {
        let share = Share {
            part: part.parse().ok()?,
            of: of.parse().ok()?,
        };
        (share.part > 0 && share.part < share.of).then_some(share)
    });
    numbers.ok_or_else(|| "expected a fraction between 0 and 1, such as 1/20".into())
}

/// The weights of the numbers of pieces, 0 to 32; in a box, beside which other arguments are small.
#[derive(Clone, Debug)]
struct PieceWeights(Box<[f64; 33]>);

fn piece_weights(text: &str) -> Result<PieceWeights, String> {
    let point = |text: &str| {
        let (pieces, weight) = text.split_once(':')?;
        let (pieces, weight): (usize, f64) = (pieces.parse().ok()?, weight.parse().ok()?);
        ((2..=32).contains(&pieces) && (0.0..=1e6).contains(&weight)).then_some((pieces, weight))
    };
    let wrong = || {
        String::from(
            "expected numbers of pieces from 2 to 32 in rising order, each with a weight from 0 to 1000000, such as \
             2:1,16:2,32:1",
        )
    };
    let points: Option<Vec<(usize, f64)>> = text.split(',').map(point).collect();
    let points = points.ok_or_else(wrong)?;
    let rises = points.is_sorted_by(|one, next| one.0 < next.0);
    let has_weight = points.iter().any(|(_, weight)| *weight > 0.0);
    let ends = points.first().zip(points.last());
    let (Some((first, last)), true, true) = (ends, rises, has_weight) else {
        return Err(wrong());
    };
    let mut weights = [first.1; 33];
    weights[last.0..].fill(last.1);
    for pair in points.windows(2) {
        let ((from, start), (to, end)) = (pair[0], pair[1]);
        for (step, weight) in weights[from..to].iter_mut().enumerate() {
            *weight = start + (end - start) * step as f64 / (to - from) as f64;
        }
    }
    Ok(PieceWeights(Box::new(weights)))
}

pub(super) fn failure(error: DataError) -> Failure {
    match error {
        DataError::Output(error) => Failure::Output(error),
        DataError::File(error) => error.into(),
        error => Failure::work(error),
    }
}

/// Reports what the user should know about how files were read, and how many records were skipped,
/// with the first of them.
pub(super) fn report_bad(counts: &SharedCounts) {
    let counts = counts.get();
    counts.notes.iter().for_each(|note| warn(note));
    if counts.bad > 0 {
        let all = counts.bad + counts.read;
        warn(&format!(
            "{} of {all} records are bad and were skipped, the first of them:",
            counts.bad
        ));
        for bad in &counts.examples {
            warn(&bad.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::piece_weights;

    #[test]
    fn weights_change_evenly_between_the_given_ones() {
        let weights = piece_weights("4:1,8:3,32:0").expect("weights").0;
        let found = [0, 4, 5, 7, 8, 20, 32].map(|pieces| weights[pieces]);
        assert_eq!(found, [1.0, 1.0, 1.5, 2.5, 3.0, 1.5, 0.0]);
        assert_eq!(*piece_weights("9:2").expect("a weight").0, [2.0; 33]);
    }

    #[test]
    fn weights_that_cannot_be_used_are_named() {
        for text in [
            "", "4", "1:1", "33:1", "8:1,4:1", "4:1,4:2", "4:-1", "4:0", "4:nan", "4:inf",
        ] {
            let wrong = piece_weights(text).expect_err(text);
            assert!(wrong.starts_with("expected numbers of pieces"), "{wrong}");
        }
    }
}
