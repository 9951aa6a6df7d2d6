//! The result of a match as data.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::matches::estimate::Estimate;
use crate::matches::player::{Player, Side};
use crate::matches::results::Results;
use crate::matches::statistics::{Pentanomial, Sprt, Verdict, elo, normalised_elo};

/// The result of a match, as `nnue match --json` prints it. In JSON, numbers that do not exist or
/// are infinite are `null`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// The names of the players A and B.
    pub names: [String; 2],
    /// How many games were asked for. A sequential test may have ended the match earlier.
    pub planned: u64,
    /// How many games were played and count.
    pub games: u64,
    /// How many games A won.
    pub wins: u64,
    /// How many games were drawn.
    pub draws: u64,
    /// How many games A lost.
    pub losses: u64,
    /// How many pairs gave A 0, ½, 1, 1½ and 2 points.
    pub pentanomial: Pentanomial,
    /// How many Elo A is stronger.
    pub elo: Option<f64>,
    /// The lower end of the 95 % interval of Elo, which needs pairs of different scores.
    pub elo_low: Option<f64>,
    /// The upper end of the 95 % interval of Elo.
    pub elo_high: Option<f64>,
    /// How much A is stronger in units of the standard deviation of a game's result.
    pub normalised_elo: Option<f64>,
    /// The lower end of the 95 % interval of normalised Elo.
    pub normalised_elo_low: Option<f64>,
    /// The upper end of the 95 % interval of normalised Elo.
    pub normalised_elo_high: Option<f64>,
    /// The sequential test, if the match has a test.
    pub sprt: Option<Test>,
    /// How many games A and B lost by crashes, hangs, illegal moves and on time.
    pub forfeits: [u64; 2],
    /// The mean nodes per move of A and B, by the last report of the engines before each move.
    pub nodes_per_move: [Option<f64>; 2],
    /// The mean seconds per move of A and B.
    pub seconds_per_move: [Option<f64>; 2],
}

/// A sequential test and its state.
#[derive(Debug, Serialize, Deserialize)]
pub struct Test {
    /// The hypotheses of the test. In JSON their keys are beside the others.
    #[serde(flatten)]
    pub sprt: Sprt,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The bound of the ratio: a ratio of at most this accepts `elo0`.
    pub lower: f64,
    /// The bound of the ratio: a ratio of at least this accepts `elo1`.
    pub upper: f64,
    /// Which hypothesis is accepted; `None` while the test is not decided.
    pub accepted: Option<Verdict>,
}

impl Report {
    /// The report of these results; `planned` is how many games were asked for.
    #[must_use]
    pub fn new(
        results: &Results,
        players: &[Player; 2],
        planned: u64,
        sprt: Option<Sprt>,
    ) -> Report {
        let logistic = elo(&results.pentanomial);
        let normalised = normalised_elo(&results.pentanomial);
        let per_move = |of: &dyn Fn(usize) -> Option<f64>| {
            Side::BOTH.map(|side| {
                let moves = results.usage[side as usize].moves;
                let total = of(side as usize)?;
                (moves > 0).then(|| total / moves as f64)
            })
        };
        Report {
            names: players.each_ref().map(|player| player.name.clone()),
            planned,
            games: results.games(),
            wins: results.wins,
            draws: results.draws,
            losses: results.losses,
            pentanomial: results.pentanomial,
            elo: logistic.map(|elo| elo.value),
            elo_low: end(logistic, 0),
            elo_high: end(logistic, 1),
            normalised_elo: normalised.map(|elo| elo.value),
            normalised_elo_low: end(normalised, 0),
            normalised_elo_high: end(normalised, 1),
            sprt: sprt.map(|sprt| {
                let [lower, upper] = sprt.bounds();
                Test {
                    sprt,
                    llr: sprt.llr(&results.pentanomial),
                    lower,
                    upper,
                    accepted: sprt.verdict(&results.pentanomial),
                }
            }),
            forfeits: results.forfeits,
            nodes_per_move: per_move(&|side| {
                let nodes = results.usage[side].nodes;
                // An engine that reports no nodes has searched some all the same.
                (nodes > 0).then_some(nodes as f64)
            }),
            seconds_per_move: per_move(&|side| Some(results.usage[side].seconds)),
        }
    }

    /// How many Elo A is stronger, such as `+12.3 ± 4.5 (+7.8 to +16.8)`.
    #[must_use]
    pub fn elo_text(&self) -> String {
        text(elo(&self.pentanomial))
    }

    /// How much A is stronger in normalised Elo, in the form of [`Report::elo_text`].
    #[must_use]
    pub fn normalised_elo_text(&self) -> String {
        text(normalised_elo(&self.pentanomial))
    }
}

/// The lower or the upper end of an interval.
fn end(estimate: Option<Estimate>, which: usize) -> Option<f64> {
    Some(estimate?.interval?[which])
}

fn text(estimate: Option<Estimate>) -> String {
    estimate.map_or("unknown".into(), |estimate| estimate.to_string())
}

/// A line with the current state of a match, such as `+4 =1 -1, Elo +190.8 ± 35.1, LLR 0.52`.
#[must_use]
pub fn standing(results: &Results, sprt: Option<Sprt>) -> String {
    let Results {
        wins,
        draws,
        losses,
        ..
    } = results;
    let mut line = format!("+{wins} ={draws} -{losses}");
    if let Some(estimate) = elo(&results.pentanomial) {
        let _ = write!(line, ", Elo {}", estimate.short());
    }
    if let Some(sprt) = sprt {
        let _ = write!(line, ", LLR {:.2}", sprt.llr(&results.pentanomial));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::statistics::Model;

    #[test]
    fn a_report_is_read_from_its_json() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.05,
            model: Model::Normalised,
        };
        let results = Results {
            wins: 6,
            pentanomial: [0, 0, 0, 0, 3],
            ..Results::default()
        };
        let players = ["one", "other"].map(|name| Player {
            name: name.into(),
            program: name.into(),
            arguments: Vec::new(),
            options: Vec::new(),
        });
        let report = Report::new(&results, &players, 8, Some(sprt));
        let json = serde_json::to_value(&report).unwrap();
        assert!(json["elo"].is_null(), "{json}");
        let read: Report = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(read.elo_text(), "+∞");
        assert_eq!(serde_json::to_value(&read).unwrap(), json);
        let none = Report::new(&Results::default(), &players, 8, None);
        assert_eq!(none.elo_text(), "unknown");
    }

    #[test]
    fn a_match_stands_on_one_line() {
        let results = Results {
            wins: 4,
            pentanomial: [0, 0, 0, 0, 2],
            ..Results::default()
        };
        assert_eq!(standing(&results, None), "+4 =0 -0, Elo +∞");
        let one_pair = Results {
            wins: 1,
            draws: 1,
            pentanomial: [0, 0, 0, 1, 0],
            ..Results::default()
        };
        assert_eq!(standing(&one_pair, None), "+1 =1 -0, Elo +190.8 ± ?");
        assert_eq!(standing(&Results::default(), None), "+0 =0 -0");
    }
}
