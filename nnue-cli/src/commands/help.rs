//! `nnue help`, and the groups in which `nnue --help` lists the subcommands.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, Command, CommandFactory};

use crate::{Arguments, Failure};

/// The subcommands in groups by task, with rare subcommands last.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Look at nets and specs",
        &["eval", "info", "adopt", "check", "report", "draw", "diff"],
    ),
    ("Measure", &["bench", "verify", "match"]),
    (
        "Change net files",
        &["convert", "quantise", "reorder", "onnx", "capi"],
    ),
    ("Train", &["loop", "data", "trainer"]),
    (
        "Rarely needed",
        &[
            "spec",
            "schema",
            "describe",
            "plan",
            "expand",
            "completions",
            "help",
        ],
    ),
];

const NAMES: &str = "\
In all commands, `--net FILE` names the net file and `--spec SPEC` its spec: a TOML file, or the \
name of one in `specs`, such as sfnnv9. The main file needs no option: \
`nnue info FILE`, `nnue check SPEC`. Nor do the two nets of `nnue diff` and `nnue match`.";

/// The program with its subcommands in groups. clap has a single list of subcommands, so the groups
/// are part of the template.
pub(crate) fn grouped(command: Command) -> Command {
    let styles = command.get_styles();
    let (header, literal) = (*styles.get_header(), *styles.get_literal());
    let mut list = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(list, "{header}{title}:{header:#}");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(list, "  {literal}{name:<11}{literal:#}  {about}");
        }
        list.push('\n');
    }
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}\
         {header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template).after_help(NAMES)
}

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue help data batches")]
pub(crate) struct Help {
    /// A subcommand, and one of that; without it, all subcommands are listed
    #[arg(value_name = "COMMAND")]
    names: Vec<String>,
}

impl Help {
    /// Writes the text of `--help` for the subcommand.
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let names = self.names.iter().map(String::as_str);
        let asked = ["nnue"].into_iter().chain(names).chain(["--help"]);
        match grouped(Arguments::command()).try_get_matches_from(asked) {
            Err(help) if help.kind() == ErrorKind::DisplayHelp => {
                write!(out, "{}", help.render().ansi())?;
                Ok(ExitCode::SUCCESS)
            }
            Err(unknown) => {
                // If standard error is closed, the message is lost.
                let _ = unknown.print();
                Ok(ExitCode::from(unknown.exit_code() as u8))
            }
            // clap always answers `--help` with an error, so this is never reached.
            Ok(_) => Ok(ExitCode::SUCCESS),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_subcommand_is_in_one_group() {
        let grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let once: BTreeSet<&str> = grouped.iter().copied().collect();
        assert_eq!(once.len(), grouped.len());
        let program = Arguments::command();
        let shown = program
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        let all: BTreeSet<&str> = shown.map(Command::get_name).collect();
        assert_eq!(once, all);
    }

    #[test]
    fn lists_fit_into_a_terminal() {
        let help = grouped(Arguments::command()).render_help().to_string();
        let (list, _) = help
            .split_once("\nOptions:\n")
            .expect("the options come last");
        for line in list.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
