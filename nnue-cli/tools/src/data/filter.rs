//! Conditions that decide which positions are used.

use crate::data::error::DataError;
use crate::data::input::Input;
use crate::data::record::Record;
use crate::data::sampling::Sampling;

/// Conditions of a position; by default there are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Only positions in which the side to move is not in check.
    pub no_checks: bool,
    /// Only positions in which the move that was played neither captures a piece nor promotes a
    /// pawn.
    pub no_captures: bool,
    /// Only positions with a score.
    pub scored: bool,
    /// Only positions with a result.
    pub with_result: bool,
    /// The largest distance of the score from 0, in centipawns; positions without a score pass.
    pub max_score: Option<u32>,
    /// The fewest half moves since the start of the game.
    pub min_ply: Option<u32>,
    /// The most half moves since the start of the game.
    pub max_ply: Option<u32>,
    /// The fewest pieces on the board, kings and pawns included.
    pub min_pieces: Option<u32>,
    /// The most pieces on the board, kings and pawns included.
    pub max_pieces: Option<u32>,
    /// The random conditions, for positions that meet the other conditions.
    pub sampling: Sampling,
}

/// A condition that a position does not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unmet {
    /// The side to move is in check.
    Check,
    /// The move captures a piece or promotes a pawn.
    Capture,
    /// The position has no score.
    NoScore,
    /// The position has no result.
    NoResult,
    /// The score is too far from 0.
    Score,
    /// Too few or too many half moves were made, or their number is not known.
    Ply,
    /// There are too few pieces or too many.
    Pieces,
    /// The score makes the result unlikely, and chance decided.
    Disagreeing,
    /// The ply is early, and chance decided.
    Early,
    /// The number of pieces comes too often, and chance decided.
    Frequent,
}

impl Unmet {
    /// All conditions.
    pub const ALL: [Unmet; 10] = [
        Unmet::Check,
        Unmet::Capture,
        Unmet::NoScore,
        Unmet::NoResult,
        Unmet::Score,
        Unmet::Ply,
        Unmet::Pieces,
        Unmet::Disagreeing,
        Unmet::Early,
        Unmet::Frequent,
    ];

    /// The words that describe the positions which this condition leaves out.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unmet::Check => "in check",
            Unmet::Capture => "with a capture or promotion played",
            Unmet::NoScore => "without a score",
            Unmet::NoResult => "without a result",
            Unmet::Score => "with a score beyond the limit",
            Unmet::Ply => "with another ply or an unknown one",
            Unmet::Pieces => "with another number of pieces",
            Unmet::Disagreeing => "with an unlikely result, at random",
            Unmet::Early => "of an early ply, at random",
            Unmet::Frequent => "with numbers of pieces that come often, at random",
        }
    }
}

impl Filter {
    /// Checks that the files contain the values that the conditions need.
    ///
    /// # Errors
    ///
    /// [`DataError::Format`] of the first file whose format does not contain it.
    pub fn check(&self, inputs: &[Input]) -> Result<(), DataError> {
        for input in inputs {
            let format = input.format();
            if self.no_captures && !format.knows_moves() {
                return Err(input.wrong(format!(
                    "{format} does not say which move was played, so captures cannot be left out; pgn, viriformat and binpack do"
                )));
            }
            let limits_plies = [self.min_ply, self.max_ply, self.sampling.soft_ply]
                .iter()
                .any(Option::is_some);
            if limits_plies && !format.knows_plies() {
                return Err(input.wrong(format!(
                    "{format} does not say how many moves were made, so plies cannot be limited; text, pgn, viriformat and binpack do"
                )));
            }
        }
        Ok(())
    }

    /// The first condition that a position does not meet, apart from the random conditions.
    #[must_use]
    pub fn unmet(&self, record: &Record) -> Option<Unmet> {
        let within = |number: u32, least: Option<u32>, most: Option<u32>| {
            least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most)
        };
        let far = |score: f32, limit: u32| f64::from(score.abs()) > f64::from(limit);
        let plies = (self.min_ply, self.max_ply);
        let is_unmet = |unmet: &Unmet| match unmet {
            Unmet::Check => self.no_checks && record.is_check(),
            Unmet::Capture => self.no_captures && record.tactical == Some(true),
            Unmet::NoScore => self.scored && record.score.is_none(),
            Unmet::NoResult => self.with_result && record.result.is_none(),
            Unmet::Score => match (record.score, self.max_score) {
                (Some(score), Some(limit)) => far(score, limit),
                _ => false,
            },
            Unmet::Ply => match (record.rest.ply, plies) {
                (_, (None, None)) => false,
                (None, _) => true,
                (Some(ply), (least, most)) => !within(ply.into(), least, most),
            },
            Unmet::Pieces => !within(record.pieces() as u32, self.min_pieces, self.max_pieces),
            Unmet::Disagreeing | Unmet::Early | Unmet::Frequent => false,
        };
        Unmet::ALL.into_iter().find(is_unmet)
    }
}
