//! `nnue help`, and the groups in which `nnue --help` lists the subcommands.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Command};

use crate::Failure;

/// The subcommands by what people want to do, the rare ones last.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Look at nets and specs",
        &["eval", "info", "check", "report", "draw", "diff"],
    ),
    ("Measure", &["bench", "replay", "verify", "match"]),
    (
        "Change net files",
        &["convert", "quantise", "reorder", "onnx"],
    ),
    ("Train", &["loop", "data", "trainer"]),
    (
        "Rarely needed",
        &["spec", "describe", "plan", "expand", "completions", "help"],
    ),
];

const NAMES: &str = "\
In all commands, `--net FILE` names a net file and `--spec SPEC` a spec: a TOML file, or the name of \
one in `specs`, such as sfnnv9. What a command is about may stand without its option: \
`nnue info FILE`, `nnue check SPEC`.";

/// The program with its subcommands in groups. clap has one list of subcommands only, so the groups
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
    /// Writes what `--help` after the subcommand prints.
    pub(super) fn run(&self, program: Command, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let mut program = program;
        program.build();
        let mut asked = &mut program;
        for name in &self.names {
            let all: Vec<String> = { asked.get_subcommands() }
                .map(|command| format!("`{}`", command.get_name()))
                .collect();
            let of = asked.get_name().to_string();
            asked = asked.find_subcommand_mut(name).ok_or_else(|| {
                Failure::Arguments(match all.is_empty() {
                    true => format!("`{of}` has no subcommands, found `{name}`"),
                    false => format!(
                        "unknown subcommand `{name}` of `{of}`, allowed are {}",
                        all.join(", ")
                    ),
                })
            })?;
        }
        write!(out, "{}", asked.render_long_help().ansi())?;
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::Arguments;

    #[test]
    fn every_subcommand_is_in_one_group() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let once: BTreeSet<&str> = grouped.iter().copied().collect();
        assert_eq!(once.len(), grouped.len());
        let program = Arguments::command();
        let all: BTreeSet<&str> = program.get_subcommands().map(Command::get_name).collect();
        assert_eq!(once, all);
    }

    #[test]
    fn lists_fit_into_a_terminal() {
        let help = grouped(Arguments::command()).render_help().to_string();
        let (list, _) = help.split_once("\nOptions:\n").expect("the options come last");
        for line in list.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
