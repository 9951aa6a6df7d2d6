//! The results of a loop, on an HTML page that needs no other files.

mod training;

use nnue_compiler::network::Network;

use crate::loops::{NetMatch, Outcome, RunFile};
use crate::picture::markup::{Markup, tag};
use crate::picture::page::{cell, drawn, number, page, table};

pub use self::training::warning;

/// The subject of a loop's page.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    /// The run file of the loop.
    pub run: &'a RunFile,
    /// The network of the new net.
    pub network: &'a Network,
    /// The outcome of the loop.
    pub outcome: &'a Outcome,
}

impl Page<'_> {
    /// The page about a loop.
    #[must_use]
    pub fn html(&self) -> String {
        let body = Markup::from([
            tag("h2", "Matches of the new net"),
            self.matches(),
            tag("h2", "Training"),
            training::html(&self.outcome.training),
            tag("h2", "Stages"),
            self.stages(),
            drawn(self.network),
            tag("h2", "The run file"),
            tag("pre", &self.run.text),
        ]);
        page(&self.network.name, body)
    }

    fn matches(&self) -> Markup {
        let matches = &self.outcome.matches;
        let rows = matches.iter().map(|NetMatch { opponent, result }| {
            let counts = [result.games, result.wins, result.draws, result.losses];
            let nodes = result.nodes_per_move.map(|nodes| match nodes {
                Some(nodes) => number(format!("{nodes:.0}")),
                None => cell("not told"),
            });
            let cells = [
                cell(opponent),
                counts.map(number).into(),
                cell(result.elo_text()),
                cell(verdict(result.elo_low, result.elo_high)),
                nodes.into(),
            ];
            tag("tr", cells)
        });
        let columns = [
            "opponent",
            "games",
            "won",
            "drawn",
            "lost",
            "Elo, interval of 95 %",
            "the new net is",
            "nodes a move of the new net",
            "of the opponent",
        ];
        let openings = matches.iter().map(|NetMatch { opponent, result }| {
            let [lost, behind, even, ahead, won] = result.pentanomial;
            let all: u64 = result.pentanomial.iter().sum();
            let told = format!(
                "Against {opponent}, {all} openings were played, each with both colours. The new \
                 net won both games of {won}, and won one and drew the other of {ahead}. Of {even} \
                 each side had one point. It lost one and drew the other of {behind}, and lost \
                 both of {lost}."
            );
            tag("p", told)
        });
        let most = self.run.matches.nodes;
        Markup::from([
            table("matches", &columns, rows),
            Markup::from_iter(openings),
            tag("p", format!("A search had at most {most} nodes.")),
        ])
    }

    fn stages(&self) -> Markup {
        let stages = &self.outcome.stages;
        let all: f64 = stages.iter().map(|stage| stage.seconds).sum();
        let seconds = |seconds: f64| number(format!("{seconds:.1}"));
        let rows = stages.iter().map(|stage| {
            let command = cell(tag("code", &stage.command));
            tag("tr", [cell(&stage.name), seconds(stage.seconds), command])
        });
        let last = tag("tr", [cell("all"), seconds(all), cell("")]);
        let columns = ["stage", "seconds", "command"];
        table("stages", &columns, rows.chain([last]))
    }
}

/// The verdict of a match, by the ends of the interval of Elo. JSON leaves out infinite ends, and
/// an interval that is not known.
fn verdict(low: Option<f64>, high: Option<f64>) -> &'static str {
    match (low, high) {
        (Some(low), _) if low > 0.0 => "stronger",
        (_, Some(high)) if high < 0.0 => "weaker",
        _ => "not shown to be stronger or weaker: more games would tell",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_shows_something_only_beyond_its_interval() {
        assert_eq!(verdict(Some(3.0), Some(40.0)), "stronger");
        assert_eq!(verdict(Some(3.0), None), "stronger");
        assert_eq!(verdict(None, Some(-1.0)), "weaker");
        for open in [(Some(-3.0), Some(1.0)), (None, None), (None, Some(2.0))] {
            assert!(verdict(open.0, open.1).starts_with("not shown"));
        }
    }
}
