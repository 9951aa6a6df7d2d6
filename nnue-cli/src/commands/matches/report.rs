//! The result of a match as text.

use std::io::{self, Write};

use nnue_tools::matches::{Report, Side, Verdict};

use crate::table::Table;

/// Writes the result of a match as a table and sentences.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
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
            Side::A => (report.wins, report.losses),
            Side::B => (report.losses, report.wins),
        };
        let share = (wins as f64 + report.draws as f64 / 2.0) / report.games as f64;
        let side = side as usize;
        let mean = |mean: Option<f64>, decimals: usize| match mean {
            Some(mean) => format!("{mean:.decimals$}"),
            None => "-".into(),
        };
        table.row([
            format!("{} {}", ["A", "B"][side], report.names[side]),
            wins.to_string(),
            report.draws.to_string(),
            losses.to_string(),
            mean((report.games > 0).then_some(100.0 * share), 1) + " %",
            report.forfeits[side].to_string(),
            mean(report.nodes_per_move[side], 0),
            mean(report.seconds_per_move[side].map(|s| 1e3 * s), 1),
        ]);
    }
    table.write(out)?;
    let games = if report.games == report.planned {
        format!("{} games", report.games)
    } else {
        format!("{} games of {}", report.games, report.planned)
    };
    let [a, b, c, d, e] = report.pentanomial;
    writeln!(
        out,
        "\n{games}; pairs with 0, ½, 1, 1½, 2 points of A: {a}, {b}, {c}, {d}, {e}"
    )?;
    writeln!(
        out,
        "Elo of A {}, normalised {}",
        report.elo_text(),
        report.normalised_elo_text()
    )?;
    if let Some(test) = &report.sprt {
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
