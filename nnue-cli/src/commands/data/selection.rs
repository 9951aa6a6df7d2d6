//! The options that select positions.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nnue_data::{DataError, Filter, Format, Input, Options, Share, SharedCounts, Split};

use crate::Failure;
use crate::failure::warn;

#[derive(Args, Debug)]
pub(super) struct Selection {
    /// Files of positions; `-` reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The format of all files, instead of what their names say; of standard input, text
    #[arg(long, value_name = "NAME", value_parser = format())]
    format: Option<Format>,
    /// Scores of text are white's, as in the text of bullet, and not those of the side to move
    #[arg(long)]
    white_scores: bool,
    /// Leave out records that cannot be used, and count them
    #[arg(long)]
    skip_bad: bool,
    /// Leave out so many blocks of all, such as 1/20: they measure what was learnt. Blocks end where
    /// a game ends
    #[arg(long, value_name = "K/N", value_parser = share, conflicts_with = "held_out", help_heading = "Selection")]
    hold_out: Option<Share>,
    /// Take only the blocks that `--hold-out` of the same share of the same files leaves out
    #[arg(long, value_name = "K/N", value_parser = share, help_heading = "Selection")]
    held_out: Option<Share>,
    /// Leave out positions in which the side to move is in check
    #[arg(long, help_heading = "Selection")]
    no_checks: bool,
    /// Leave out positions in which the move that was played is a capture or a promotion; of pgn and
    /// viriformat, which know the move
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
    /// Leave out positions before so many half moves of the game
    #[arg(long, value_name = "N", help_heading = "Selection")]
    min_ply: Option<u32>,
    /// Leave out positions after so many half moves of the game
    #[arg(long, value_name = "N", help_heading = "Selection")]
    max_ply: Option<u32>,
    /// Leave out positions with fewer pieces; kings and pawns count
    #[arg(long, value_name = "N", help_heading = "Selection")]
    min_pieces: Option<u32>,
    /// Leave out positions with more pieces
    #[arg(long, value_name = "N", help_heading = "Selection")]
    max_pieces: Option<u32>,
    /// Threads that read, and as many that find rows
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

impl Selection {
    /// Opens all files.
    pub(super) fn inputs(&self) -> Result<Vec<Input>, Failure> {
        let open = |path: &PathBuf| Input::open(path, self.format).map_err(failure);
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
            },
            split,
            threads: self.threads.into(),
            ..Options::default()
        }
    }
}

fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).map(|name| {
        let named = |format: &Format| format.name() == name;
        Format::ALL.into_iter().find(named).unwrap_or(Format::Text)
    })
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

pub(super) fn failure(error: DataError) -> Failure {
    match error {
        DataError::Output(error) => Failure::Output(error),
        DataError::File(error) => error.into(),
        error => Failure::work(error),
    }
}

/// Reports how many records were skipped, with the first of them.
pub(super) fn report_bad(counts: &SharedCounts) {
    let counts = counts.get();
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
