//! Counts of positions: by score, by the result of the game, by the number of pieces.

use std::thread;

use nnue_runtime::Color;
use serde::Serialize;

use crate::data::batches::{Batches, Options, SharedCounts};
use crate::data::error::DataError;
use crate::data::input::Input;
use crate::data::record::{GameResult, Record};

/// Counts of the positions of some files.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// How many positions were counted.
    pub positions: u64,
    /// Positions with white to move; all positions in bulletformat, which turns boards.
    pub white_to_move: u64,
    /// Positions in which the side to move is in check.
    pub checks: u64,
    /// Positions in which the move that was played is a capture or a promotion.
    pub captures: u64,
    /// Positions whose number of half moves is known.
    pub with_ply: u64,
    /// Runs of positions with a growing number of half moves. If the positions of a game follow
    /// each other, each run is a game.
    pub games: u64,
    /// The scores of the positions, if some have scores.
    pub scores: Option<Scores>,
    /// Positions by the result of their game: won by white, drawn, won by black, unknown.
    pub results: [u64; 4],
    /// Positions by the number of pieces, 0 to 32.
    pub pieces: Vec<u64>,
}

/// Scores in centipawns, from the side to move's view.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Scores {
    /// How many positions have a score.
    pub count: u64,
    /// The lowest score.
    pub lowest: f32,
    /// The highest score.
    pub highest: f32,
    /// The mean score.
    pub mean: f64,
    /// The mean distance of the scores from 0.
    pub mean_distance: f64,
}

/// Reads all positions that the options choose, and counts them.
///
/// # Errors
///
/// [`DataError`] if a file cannot be used.
pub fn summarise(
    inputs: Vec<Input>,
    options: &Options,
    counts: &SharedCounts,
) -> Result<Summary, DataError> {
    thread::scope(|scope| {
        let mut counted = Counted::default();
        for batch in Batches::new(scope, inputs, options.clone(), counts.clone())? {
            batch?.iter().for_each(|record| counted.add(record));
        }
        Ok(counted.summary())
    })
}

/// The counts, and the sums of the scores, while records are read.
struct Counted {
    summary: Summary,
    scores: Scores,
    last_ply: Option<u16>,
}

impl Default for Counted {
    fn default() -> Counted {
        Counted {
            summary: Summary {
                positions: 0,
                white_to_move: 0,
                checks: 0,
                captures: 0,
                with_ply: 0,
                games: 0,
                scores: None,
                results: [0; 4],
                pieces: vec![0; 33],
            },
            scores: Scores {
                count: 0,
                lowest: f32::INFINITY,
                highest: f32::NEG_INFINITY,
                mean: 0.0,
                mean_distance: 0.0,
            },
            last_ply: None,
        }
    }
}

impl Counted {
    fn add(&mut self, record: &Record) {
        let summary = &mut self.summary;
        summary.positions += 1;
        summary.white_to_move += u64::from(record.side_to_move() == Color::White);
        summary.checks += u64::from(record.is_check());
        summary.captures += u64::from(record.tactical == Some(true));
        if let Some(ply) = record.rest.ply {
            summary.with_ply += 1;
            summary.games += u64::from(self.last_ply.is_none_or(|last| ply <= last));
        }
        self.last_ply = record.rest.ply;
        let result = match record.result {
            Some(GameResult::White) => 0,
            Some(GameResult::Draw) => 1,
            Some(GameResult::Black) => 2,
            None => 3,
        };
        summary.results[result] += 1;
        summary.pieces[record.pieces().min(32)] += 1;
        if let Some(score) = record.score {
            let scores = &mut self.scores;
            scores.count += 1;
            scores.lowest = scores.lowest.min(score);
            scores.highest = scores.highest.max(score);
            // The mean and the mean distance are sums until the end.
            scores.mean += f64::from(score);
            scores.mean_distance += f64::from(score.abs());
        }
    }

    fn summary(self) -> Summary {
        let Scores {
            count,
            mean,
            mean_distance,
            ..
        } = self.scores;
        Summary {
            scores: (count > 0).then(|| Scores {
                mean: mean / count as f64,
                mean_distance: mean_distance / count as f64,
                ..self.scores
            }),
            ..self.summary
        }
    }
}
