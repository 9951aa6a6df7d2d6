//! The results of a loop, on an HTML page that needs no other files.

mod training;

use maud::{Markup, html};
use nnue_compiler::network::Network;

use crate::loops::{NetMatch, Outcome, RunFile};

pub use self::training::warning;
use super::{drawn, head, page};

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
        let body = html! {
            h2 { "Matches of the new net" }
            (self.matches())
            h2 { "Training" }
            (training::html(&self.outcome.training))
            h2 { "Stages" }
            (self.stages())
            (drawn(self.network))
            h2 { "The run file" }
            pre { (self.run.text) }
        };
        page(&self.network.name, &body)
    }

    fn matches(&self) -> Markup {
        html! {
            table #matches {
                (head(&[
                    "opponent", "games", "won", "drawn", "lost", "Elo, interval of 95 %",
                    "the new net is", "nodes a move of the new net", "of the opponent",
                ]))
                @for NetMatch { opponent, result } in &self.outcome.matches {
                    tr {
                        td { (opponent) }
                        @for count in [result.games, result.wins, result.draws, result.losses] {
                            td.number { (count) }
                        }
                        td { (result.elo_text()) }
                        td { (verdict(result.elo_low, result.elo_high)) }
                        @for nodes in result.nodes_per_move {
                            @match nodes {
                                Some(nodes) => td.number { (format!("{nodes:.0}")) },
                                None => td { "not told" },
                            }
                        }
                    }
                }
            }
            @for NetMatch { opponent, result } in &self.outcome.matches {
                @let [lost, behind, even, ahead, won] = result.pentanomial;
                p {
                    "Against " (opponent) ", " (result.pentanomial.iter().sum::<u64>()) " openings were \
                     played, each with both colours. The new net won both games of " (won) ", and won \
                     one and drew the other of " (ahead) ". Of " (even) " each side had one point. It \
                     lost one and drew the other of " (behind) ", and lost both of " (lost) "."
                }
            }
            p { "A search had at most " (self.run.matches.nodes) " nodes." }
        }
    }

    fn stages(&self) -> Markup {
        let all: f64 = self.outcome.stages.iter().map(|stage| stage.seconds).sum();
        html! {
            table #stages {
                (head(&["stage", "seconds", "command"]))
                @for stage in &self.outcome.stages {
                    tr {
                        td { (stage.name) }
                        td.number { (format!("{:.1}", stage.seconds)) }
                        td { code { (stage.command) } }
                    }
                }
                tr { td { "all" } td.number { (format!("{all:.1}")) } td {} }
            }
        }
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
