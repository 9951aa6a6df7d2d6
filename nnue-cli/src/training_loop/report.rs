//! What a loop has found, on one HTML page that needs no other files.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use nnue_compiler::format::foreign;
use nnue_compiler::network::Network;
use serde_json::Value;

use crate::Failure;
use crate::drawing;
use crate::inputs::read;
use crate::match_play;
use crate::page::{END, start};
use crate::xml::escaped;

use super::run_file::RunFile;
use super::stage::Finished;

/// All that the page shows.
pub(super) struct Report<'a> {
    pub(super) run: &'a RunFile,
    pub(super) network: &'a Network,
    pub(super) stages: &'a [Finished],
    pub(super) matches: &'a [Played],
    /// The folder in which the trainer has written `summary.json` and pictures.
    pub(super) training: &'a Path,
}

/// A match of the new net.
pub(super) struct Played {
    pub(super) opponent: String,
    /// What `nnue match` has found, from the new net's view.
    pub(super) result: match_play::report::Report,
}

impl Report<'_> {
    /// Writes the results of the matches, a line each.
    pub(super) fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        for Played { opponent, result } in self.matches {
            writeln!(
                out,
                "the new net against {}: {} won, {} drawn, {} lost of {}: Elo {}",
                foreign(opponent),
                result.wins,
                result.draws,
                result.losses,
                result.games,
                result.elo()
            )?;
        }
        Ok(())
    }

    /// The page.
    pub(super) fn html(&self) -> Result<String, Failure> {
        let name = &self.network.name;
        let mut page = start(name);
        page += "<h2>Matches of the new net</h2>\n";
        page += &self.matches();
        page += "<h2>Training</h2>\n";
        page += &self.training()?;
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
        Ok(page + END)
    }

    fn matches(&self) -> String {
        let mut table = "<table id=\"matches\">\n<tr><th>opponent</th><th>games</th><th>won</th>\
                         <th>drawn</th><th>lost</th><th>pairs with 0, ½, 1, 1½, 2 points</th>\
                         <th>Elo, interval of 95 %</th><th>nodes a move, of both</th></tr>\n"
            .to_string();
        for Played { opponent, result } in self.matches {
            let pairs = result.pentanomial.map(|pairs| pairs.to_string()).join(", ");
            let counts = [result.games, result.wins, result.draws, result.losses];
            let counts = counts.map(|count| format!("<td class=\"number\">{count}</td>"));
            let nodes = result.nodes_per_move;
            let nodes = nodes.map(|nodes| nodes.map_or("?".into(), |nodes| format!("{nodes:.0}")));
            let _ = writeln!(
                table,
                "<tr><td>{}</td>{}<td>{pairs}</td><td>{}</td><td>{}</td></tr>",
                escaped(opponent),
                counts.concat(),
                result.elo(),
                nodes.join(", ")
            );
        }
        let nodes = self.run.matches.nodes;
        table
            + &format!(
                "</table>\n<p>At most {nodes} nodes a move, each opening with both colours.</p>\n"
            )
    }

    /// The trainer's pictures and numbers.
    fn training(&self) -> Result<String, Failure> {
        // The trainer draws it as XML without a declaration.
        let mut part = fs::read_to_string(self.training.join("curves.svg")).unwrap_or_default();
        let path = self.training.join("summary.json");
        let summary: Value = serde_json::from_slice(&read(&path)?)
            .map_err(|error| Failure::Work(format!("`{}`: {error}", path.display())))?;
        part += "<table id=\"training\">\n";
        rows("", &summary, &mut part);
        Ok(part + "</table>\n")
    }

    fn stages(&self) -> String {
        let mut table = "<table id=\"stages\">\n<tr><th>stage</th><th>seconds</th>\
                         <th>command</th></tr>\n"
            .to_string();
        for stage in self.stages {
            let (name, command) = (escaped(&stage.name), escaped(&stage.command));
            let seconds = stage.seconds;
            let _ = writeln!(
                table,
                "<tr><td>{name}</td><td class=\"number\">{seconds:.1}</td>\
                 <td><code>{command}</code></td></tr>"
            );
        }
        let all: f64 = self.stages.iter().map(|stage| stage.seconds).sum();
        table
            + &format!(
                "<tr><td>all</td><td class=\"number\">{all:.1}</td><td></td></tr>\n</table>\n"
            )
    }
}

/// A row for each value within a value, named by the keys on the way.
fn rows(name: &str, value: &Value, table: &mut String) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let key = key.replace('_', " ");
                let name = match name {
                    "" => key,
                    name => format!("{name}: {key}"),
                };
                rows(&name, value, table);
            }
        }
        // The reports of the run, which are in the curves.
        Value::Array(values) if values.iter().any(Value::is_object) => {}
        value => {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => match number.as_f64() {
                    Some(float) if number.is_f64() => format!("{float:.6}"),
                    _ => number.to_string(),
                },
                other => other.to_string(),
            };
            let _ = writeln!(
                table,
                "<tr><th>{}</th><td class=\"number\">{}</td></tr>",
                escaped(name),
                escaped(&text)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_a_table() {
        let summary = serde_json::json!({
            "rounding_cost": { "mean": 0.25, "largest": 3 },
            "device": "cpu",
            "reports": [{ "loss": 1 }],
        });
        let mut table = String::new();
        rows("", &summary, &mut table);
        for row in [
            "<tr><th>rounding cost: mean</th><td class=\"number\">0.250000</td></tr>",
            "<tr><th>rounding cost: largest</th><td class=\"number\">3</td></tr>",
            "<tr><th>device</th><td class=\"number\">cpu</td></tr>",
        ] {
            assert!(table.contains(row), "{table}");
        }
        assert_eq!(table.lines().count(), 3, "{table}");
    }
}
