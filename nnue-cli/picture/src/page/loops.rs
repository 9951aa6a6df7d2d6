//! What a loop has found, on one HTML page that needs no other files.

mod training;

use std::fmt::Write;

use nnue_compiler::network::Network;
use nnue_loop::{NetMatch, Outcome, RunFile};

pub use self::training::warning;
use super::{END, start};
use crate::drawing;
use crate::xml::escaped;

/// All that the page shows.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    /// What the loop was told to do.
    pub run: &'a RunFile,
    /// The network of the new net.
    pub network: &'a Network,
    /// What came of it.
    pub outcome: &'a Outcome,
}

impl Page<'_> {
    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let name = &self.network.name;
        let mut page = start(name);
        page += "<h2>Matches of the new net</h2>\n";
        page += &self.matches();
        page += "<h2>Training</h2>\n";
        page += &training::html(&self.outcome.training);
        page += "<h2>Stages</h2>\n";
        page += &self.stages();
        page += "<h2>The network</h2>\n";
        page += &drawing::svg(self.network);
        let _ = writeln!(
            page,
            "<pre>{}</pre>",
            escaped(&nnue_compiler::diagram(self.network))
        );
        page += "<h2>The run file</h2>\n";
        let _ = writeln!(page, "<pre>{}</pre>", escaped(&self.run.text));
        page + END
    }

    fn matches(&self) -> String {
        let mut table = "<table id=\"matches\">\n<tr><th>opponent</th><th>games</th><th>won</th>\
                         <th>drawn</th><th>lost</th><th>Elo, interval of 95 %</th>\
                         <th>the new net is</th><th>nodes a move of the new net</th>\
                         <th>of the opponent</th></tr>\n"
            .to_string();
        let mut openings = String::new();
        for NetMatch { opponent, result } in &self.outcome.matches {
            let opponent = escaped(opponent);
            let counts = [result.games, result.wins, result.draws, result.losses];
            let counts = counts.map(|count| format!("<td class=\"number\">{count}</td>"));
            let nodes = result.nodes_per_move.map(|nodes| match nodes {
                Some(nodes) => format!("<td class=\"number\">{nodes:.0}</td>"),
                None => "<td>not told</td>".into(),
            });
            let _ = writeln!(
                table,
                "<tr><td>{opponent}</td>{}<td>{}</td><td>{}</td>{}</tr>",
                counts.concat(),
                result.elo_text(),
                verdict(result.elo_low, result.elo_high),
                nodes.concat()
            );
            let [lost, behind, even, ahead, won] = result.pentanomial;
            let all: u64 = result.pentanomial.iter().sum();
            let _ = writeln!(
                openings,
                "<p>Against {opponent}, {all} openings were played, each with both colours. The \
                 new net won both games of {won}, and won one and drew the other of {ahead}. Of \
                 {even} each side had one point. It lost one and drew the other of {behind}, and \
                 lost both of {lost}.</p>"
            );
        }
        let nodes = self.run.matches.nodes;
        format!("{table}</table>\n{openings}<p>A search had at most {nodes} nodes.</p>\n")
    }

    fn stages(&self) -> String {
        let mut table = "<table id=\"stages\">\n<tr><th>stage</th><th>seconds</th>\
                         <th>command</th></tr>\n"
            .to_string();
        for stage in &self.outcome.stages {
            let (name, command) = (escaped(&stage.name), escaped(&stage.command));
            let seconds = stage.seconds;
            let _ = writeln!(
                table,
                "<tr><td>{name}</td><td class=\"number\">{seconds:.1}</td>\
                 <td><code>{command}</code></td></tr>"
            );
        }
        let all: f64 = self.outcome.stages.iter().map(|stage| stage.seconds).sum();
        table
            + &format!(
                "<tr><td>all</td><td class=\"number\">{all:.1}</td><td></td></tr>\n</table>\n"
            )
    }
}

/// What a match shows, by the ends of the interval of Elo. An end that is infinite is missing in JSON,
/// as is an interval that is not known.
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
