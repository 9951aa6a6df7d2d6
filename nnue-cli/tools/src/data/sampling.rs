//! Positions that are left out at random: those whose result their score makes unlikely, those of
//! early plies, and those with numbers of pieces that come too often.
//!
//! The records are looked at one after the other, in their order, so that the same seed leaves out
//! the same records with any number of threads.

use fastrand::Rng;

use crate::data::filter::Unmet;
use crate::data::record::Record;

/// The positions that are left out at random; by default none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampling {
    /// How many points of a score a pawn is worth, 100 in centipawns. With it, a position is used
    /// with the probability that its score gives to the result of its game. Positions without a
    /// score or without a result are used.
    pub agreeing: Option<f64>,
    /// Before this number of half moves of the game, a position is used with a probability that
    /// grows with their number. Positions whose number of half moves is unknown are left out.
    pub soft_ply: Option<u32>,
    /// The weights of the numbers of pieces, 0 to 32: how often positions with each of them should
    /// come, in relation to the others. Where the weight is 0, positions are left out.
    pub pieces: Option<[f64; 33]>,
}

/// At least this share of the positions with a number of pieces is used, if its weight is not 0.
const LEAST: f64 = 0.1;

/// After this number of positions, the weights of the numbers of pieces are computed again.
const PERIOD: u64 = 256;

/// Decides for each position, in order, whether it is left out.
pub(crate) struct Sampler {
    sampling: Sampling,
    random: Rng,
    pieces: Option<Pieces>,
}

impl Sampler {
    pub(crate) fn new(sampling: Sampling, random: Rng) -> Sampler {
        Sampler {
            pieces: sampling.pieces.map(Pieces::new),
            sampling,
            random,
        }
    }

    /// Why the next position is left out, if it is.
    pub(crate) fn leaves_out(&mut self, record: &Record) -> Option<Unmet> {
        let mut fails = |probability: f64| self.random.f64() >= probability;
        if let Some(pawn) = self.sampling.agreeing
            && let Some(probability) = agreement(record, pawn)
            && fails(probability)
        {
            return Some(Unmet::Disagreeing);
        }
        if let Some(most) = self.sampling.soft_ply {
            let ply = f64::from(record.rest.ply.unwrap_or(0));
            if ply < f64::from(most) && fails(ply / f64::from(most)) {
                return Some(Unmet::Early);
            }
        }
        if let Some(pieces) = &mut self.pieces
            && fails(pieces.share(record.pieces()))
        {
            return Some(Unmet::Frequent);
        }
        None
    }
}

/// The probability of the result of the game, by the score of the position and the number of half
/// moves. `pawn` is how many points of the score a pawn is worth.
///
/// It is the model that Stockfish's trainer uses, fitted to Stockfish's games of 2020: the points at
/// which half of the games are won, and how sharp the border is, are polynomials of the number of
/// half moves. The border is half as sharp again as the fit, as there.
fn agreement(record: &Record, pawn: f64) -> Option<f64> {
    const HALF_WON: [f64; 4] = [-3.683_893_04, 30.070_659_21, -60.528_787_23, 149.533_785_57];
    const WIDTH: [f64; 4] = [-2.018_185_7, 15.856_850_38, -29.834_520_23, 47.590_788_27];
    /// The model knows no more half moves.
    const MOST: u16 = 240;
    /// The number of half moves for which the polynomials are sums of their coefficients; a game of
    /// unknown length is taken for one of these.
    const UNIT: u16 = 64;

    let (score, points) = (record.score?, record.points()?);
    let ply = record.rest.ply.unwrap_or(UNIT).min(MOST);
    let moves = f64::from(ply) / f64::from(UNIT);
    let polynomial = |of: [f64; 4]| of.into_iter().fold(0.0, |sum, next| sum * moves + next);
    let (half_won, width) = (polynomial(HALF_WON), 1.5 * polynomial(WIDTH));
    let score = (100.0 * f64::from(score) / pawn).clamp(-2000.0, 2000.0);
    let logistic = |distance: f64| 1.0 / (1.0 + (-distance / width).exp());
    let (won, lost) = (logistic(score - half_won), logistic(-score - half_won));
    Some(match points {
        1.0 => won,
        0.0 => lost,
        _ => 1.0 - won - lost,
    })
}

/// How often each number of pieces came, and which share of its positions is used.
struct Pieces {
    weights: [f64; 33],
    seen: [u64; 33],
    all: u64,
    shares: [f64; 33],
}

impl Pieces {
    fn new(weights: [f64; 33]) -> Pieces {
        Pieces {
            weights,
            seen: [0; 33],
            all: 0,
            // Nothing is known yet.
            shares: weights.map(|weight| f64::from(u8::from(weight > 0.0))),
        }
    }

    /// Counts a position, and returns which share of its like is used.
    fn share(&mut self, pieces: usize) -> f64 {
        let pieces = pieces.min(32);
        self.seen[pieces] += 1;
        self.all += 1;
        if self.all.is_multiple_of(PERIOD) {
            self.update();
        }
        self.shares[pieces]
    }

    /// Makes the shares such that numbers of pieces come as often as their weights say. Those that
    /// come far too seldom are used whole: the most frequent ones never lose more than all but
    /// [`LEAST`].
    fn update(&mut self) {
        let seen = self.weights.iter().zip(self.seen);
        let needs = seen.map(|(weight, seen)| weight / seen as f64);
        // What did not come yet has no need that is a number.
        let known = || needs.clone().filter(|need| *need > 0.0 && need.is_finite());
        let (least, most) = known().fold((f64::INFINITY, 0.0f64), |(least, most), need| {
            (least.min(need), most.max(need))
        });
        let of_least = (least / most).max(LEAST);
        for (share, (weight, seen)) in self
            .shares
            .iter_mut()
            .zip(self.weights.iter().zip(self.seen))
        {
            if seen > 0 && *weight > 0.0 {
                *share = (weight / seen as f64 / least * of_least).min(1.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::GameResult;
    use crate::fen::Rest;

    fn record(score: f32, result: GameResult, ply: u16) -> Record {
        Record {
            score: Some(score),
            result: Some(result),
            rest: Rest {
                ply: Some(ply),
                ..Rest::default()
            },
            ..Record::new(&cozy_chess::Board::default())
        }
    }

    /// The probabilities of the three results are 1 together, and grow with the score as they
    /// should.
    #[test]
    fn results_are_as_likely_as_scores_say() {
        for ply in [0, 40, 64, 200, 1000] {
            let of = |score, result| agreement(&record(score, result, ply), 100.0).expect("known");
            for score in [-3000.0, -100.0, 0.0, 35.0, 500.0] {
                let [white, draw, black] = [GameResult::White, GameResult::Draw, GameResult::Black]
                    .map(|result| of(score, result));
                assert!((white + draw + black - 1.0).abs() < 1e-9);
                assert!(white >= 0.0 && draw >= 0.0 && black >= 0.0);
            }
            assert!(of(1000.0, GameResult::White) > 0.99);
            assert!(of(-1000.0, GameResult::White) < 0.01);
            assert_eq!(of(50.0, GameResult::White), of(-50.0, GameResult::Black));
        }
        // The model says of the 64th half move that half of the games are won at 115.39 points, on
        // a width of 1.5 times 31.59.
        let half = agreement(&record(115.391_76, GameResult::White, 64), 100.0);
        assert!((half.expect("known") - 0.5).abs() < 1e-6);
        let pawns = |pawn| agreement(&record(208.0, GameResult::White, 64), pawn);
        assert_eq!(
            pawns(208.0),
            agreement(&record(100.0, GameResult::White, 64), 100.0)
        );
    }

    /// The shares correct numbers of pieces that came too often, by at most a factor of ten.
    #[test]
    fn shares_correct_what_came_too_often() {
        let mut weights = [0.0; 33];
        (weights[4], weights[10], weights[20], weights[32]) = (1.0, 1.0, 2.0, 1.0);
        let mut pieces = Pieces::new(weights);
        assert_eq!((pieces.shares[4], pieces.shares[5]), (1.0, 0.0));
        (
            pieces.seen[5],
            pieces.seen[10],
            pieces.seen[20],
            pieces.seen[32],
        ) = (9, 100, 100, 50);
        pieces.update();
        let found = [4, 5, 10, 20, 32].map(|number| pieces.shares[number]);
        assert_eq!(found, [1.0, 0.0, 0.5, 1.0, 1.0]);
        pieces.seen[4] = 1;
        pieces.update();
        let found = [4, 10, 20, 32].map(|number| (100.0 * pieces.shares[number]).round());
        assert_eq!(found, [100.0, 10.0, 20.0, 20.0]);
    }
}
