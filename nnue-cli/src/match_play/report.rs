//! The result of a match, as a table and as JSON.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::player::{Player, Side};
use super::results::Results;
use super::statistics::{Estimate, Pentanomial, Sprt, Verdict, elo, normalised_elo};
use crate::table::Table;

/// What `--json` prints. Numbers that do not exist or have no bound are `null`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    /// What the players A and B are.
    names: [String; 2],
    /// How many games were asked for. A test may have ended the match before.
    planned: u64,
    pub(crate) games: u64,
    /// Of A, as are draws and losses.
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
    /// How many pairs gave A 0, ½, 1, 1½ and 2 points.
    pub(crate) pentanomial: Pentanomial,
    /// How many Elo A is stronger, and the interval of 95 %, which needs pairs of different scores.
    elo: Option<f64>,
    pub(crate) elo_low: Option<f64>,
    pub(crate) elo_high: Option<f64>,
    /// The same in units of the standard deviation of a game's result.
    normalised_elo: Option<f64>,
    normalised_elo_low: Option<f64>,
    normalised_elo_high: Option<f64>,
    sprt: Option<Test>,
    /// Games that A and B lost by crashes, hangs, illegal moves and on time.
    forfeits: [u64; 2],
    /// Means of A and B over all moves; nodes as the engines told them last before each move.
    pub(crate) nodes_per_move: [Option<f64>; 2],
    seconds_per_move: [Option<f64>; 2],
}

/// A sequential test and where it stands.
#[derive(Debug, Serialize, Deserialize)]
struct Test {
    #[serde(flatten)]
    sprt: Sprt,
    /// The log-likelihood ratio.
    llr: f64,
    /// At most so much accepts `elo0`.
    lower: f64,
    /// At least so much accepts `elo1`.
    upper: f64,
    /// Which hypothesis is accepted; `null` while the test is not decided.
    accepted: Option<Verdict>,
}

impl Report {
    pub(crate) fn new(
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
                // An engine that tells none has searched some all the same.
                (nodes > 0).then_some(nodes as f64)
            }),
            seconds_per_move: per_move(&|side| Some(results.usage[side].seconds)),
        }
    }

    /// Writes it as a table and sentences.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let heads = [
            "",
            "wins",
            "draws",
            "losses",
            "points",
            "forfeits",
            "nodes/move",
            "ms/move",
        ];
        let mut table = Table::new(1, heads);
        for side in Side::BOTH {
            let (wins, losses) = match side {
                Side::A => (self.wins, self.losses),
                Side::B => (self.losses, self.wins),
            };
            let share = (wins as f64 + self.draws as f64 / 2.0) / self.games as f64;
            let side = side as usize;
            let mean = |mean: Option<f64>, decimals: usize| match mean {
                Some(mean) => format!("{mean:.decimals$}"),
                None => "-".into(),
            };
            table.row([
                format!("{} {}", ["A", "B"][side], self.names[side]),
                wins.to_string(),
                self.draws.to_string(),
                losses.to_string(),
                mean((self.games > 0).then_some(100.0 * share), 1) + " %",
                self.forfeits[side].to_string(),
                mean(self.nodes_per_move[side], 0),
                mean(self.seconds_per_move[side].map(|s| 1e3 * s), 1),
            ]);
        }
        table.write(out)?;
        let games = match self.games == self.planned {
            true => format!("{} games", self.games),
            false => format!("{} games of {}", self.games, self.planned),
        };
        let [a, b, c, d, e] = self.pentanomial;
        writeln!(
            out,
            "\n{games}; pairs with 0, ½, 1, 1½, 2 points of A: {a}, {b}, {c}, {d}, {e}"
        )?;
        writeln!(
            out,
            "Elo of A {}, normalised {}",
            self.elo(),
            text(normalised_elo(&self.pentanomial))
        )?;
        if let Some(test) = &self.sprt {
            let accepted = match test.accepted {
                None => "not decided".into(),
                Some(Verdict::Elo0) => format!("{} accepted", test.sprt.elo0),
                Some(Verdict::Elo1) => format!("{} accepted", test.sprt.elo1),
            };
            let model = format!("{:?}", test.sprt.model).to_lowercase();
            writeln!(
                out,
                "SPRT of {} against {} {model} Elo: LLR {:.2} ({:.2} to {:.2}), {accepted}",
                test.sprt.elo1, test.sprt.elo0, test.llr, test.lower, test.upper
            )?;
        }
        Ok(())
    }

    /// How many Elo A is stronger, as `+12.3 ± 4.5 (+7.8 to +16.8)`.
    pub(crate) fn elo(&self) -> String {
        text(elo(&self.pentanomial))
    }
}

/// The lower or the upper end of an interval.
fn end(estimate: Option<Estimate>, which: usize) -> Option<f64> {
    Some(estimate?.interval?[which])
}

/// An estimate with its interval. If all games were won, or lost, it is infinite, and the interval
/// is left out.
fn text(estimate: Option<Estimate>) -> String {
    match estimate {
        None => "unknown".into(),
        Some(Estimate { value, .. }) if value.is_infinite() => number(value),
        Some(Estimate { value, interval }) => {
            let mut text = format!("{} ± {}", number(value), margin(interval));
            if let Some([low, high]) = interval {
                text += &format!(" ({} to {})", number(low), number(high));
            }
            text
        }
    }
}

/// Half of an interval, or that there is none.
fn margin(interval: Option<[f64; 2]>) -> String {
    interval.map_or("?".into(), |[low, high]| {
        number((high - low) / 2.0).trim_start_matches('+').into()
    })
}

fn number(value: f64) -> String {
    match value {
        f64::INFINITY => "+∞".into(),
        f64::NEG_INFINITY => "-∞".into(),
        // What is rounded to zero has no minus, as zero itself.
        _ if value <= 0.0 && value > -0.05 => "+0.0".into(),
        _ => format!("{value:+.1}"),
    }
}

/// One line of where a match stands.
pub(crate) fn standing(results: &Results, sprt: Option<Sprt>) -> String {
    let Results {
        wins,
        draws,
        losses,
        ..
    } = results;
    let mut line = format!("+{wins} ={draws} -{losses}");
    if let Some(Estimate { value, interval }) = elo(&results.pentanomial) {
        line += &format!(", Elo {}", number(value));
        if value.is_finite() {
            line += &format!(" ± {}", margin(interval));
        }
    }
    if let Some(sprt) = sprt {
        line += &format!(", LLR {:.2}", sprt.llr(&results.pentanomial));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::match_play::statistics::Model;

    fn elo_text(pentanomial: Pentanomial) -> String {
        text(elo(&pentanomial))
    }

    #[test]
    fn estimates_have_their_interval_if_there_is_one() {
        let lopsided = elo_text([3, 10, 40, 30, 17]);
        assert_eq!(lopsided, "+85.0 ± 35.7 (+50.2 to +121.7)");
        assert_eq!(elo_text([0, 0, 1, 0, 9]), "+511.5 ± ∞ (+311.1 to +∞)");
        assert_eq!(elo_text([7, 0, 0, 0, 0]), "-∞");
        assert_eq!(elo_text([0, 0, 7, 0, 0]), "+0.0 ± ?");
        assert_eq!(elo_text([0, 0, 0, 1, 0]), "+190.8 ± ?");
        assert_eq!(elo_text([0; 5]), "unknown");
    }

    #[test]
    fn nothing_is_below_zero_by_nothing() {
        for value in [0.0, -0.0, -0.04, 0.04, -1e-300] {
            assert_eq!(number(value), "+0.0", "{value}");
        }
        assert_eq!(
            (number(-0.06), number(0.06)),
            ("-0.1".into(), "+0.1".into())
        );
        let even = elo(&[1, 0, 2, 0, 1]).unwrap();
        assert!(even.value.is_sign_positive(), "JSON would have -0.0");
    }

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
        assert_eq!(read.elo(), "+∞");
        assert_eq!(serde_json::to_value(&read).unwrap(), json);
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
