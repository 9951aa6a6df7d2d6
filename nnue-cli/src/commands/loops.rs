//! `nnue loop`: from a spec to a net of known strength.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_tools::changes::first;
use nnue_tools::loops::{Error, Event, Loop, NetMatch, Outcome, Page, RunFile, warning};
use nnue_tools::nets::specs::SpecChoice;
use nnue_tools::nets::verification::require_values;

use crate::Failure;
use crate::inputs::{text, write};

const EXAMPLE: &str = "\
Example: nnue loop examples/loops/first-net.toml";

const NOTES: &str = "\
The stages are: the example engine is built for the spec, and once more for the current net if the \
run file names one; the engine plays against itself; `nnue-train` trains and quantises a net; `nnue \
verify` compares it with what the trainer computed, interpreted and compiled; the new net plays \
against material and against the current net; a report shows all of it. Each stage is a command of \
its own, which the report shows.

A stage that is done is not done again, unless something that it reads or has left is no longer as it \
was, which a line says. The trainer goes on from its last checkpoint, and a match from its last pair \
of games. What a loop has started ends with it.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct LoopCommand {
    /// The run file: the network, its data, and its matches
    #[arg(value_name = "RUN.toml")]
    run: PathBuf,
    /// The folder for all that it makes; without it, the run file's name with `.loop` in the
    /// working folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl LoopCommand {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let folder = match &self.out {
            Some(folder) => folder.clone(),
            None => PathBuf::from(self.run.file_name().unwrap_or_default()).with_extension("loop"),
        };
        let run = RunFile::parse(&self.run, text(&self.run)?)?;
        let spec = spec_of(&run, &run.spec)?;
        let current = run.current.as_ref();
        let current = current
            .map(|current| spec_of(&run, current.spec.as_ref().unwrap_or(&run.spec)))
            .transpose()?;
        let spec = spec.read()?;
        let current = current.as_ref().map(SpecChoice::read).transpose()?;
        // A later stage would refuse this network after an engine has played for minutes.
        require_values(&spec.network)?;
        let nnue = std::env::current_exe()
            .map_err(|error| Failure::Work(format!("cannot find this program itself: {error}")))?;
        let work = Loop {
            run: &run,
            spec: &spec,
            current_spec: current.as_ref(),
            folder: &folder,
            engine: &engine(&run)?,
            nnue: &nnue,
        };
        let outcome = work.run(&mut |event| tell(&event, out))?;
        let page = Page {
            run: &run,
            network: &spec.network,
            outcome: &outcome,
        };
        write(&outcome.report, page.html())?;
        show(&outcome, out)?;
        writeln!(out, "report: {}", foreign(outcome.report.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The folder of the engine's package, below a folder of the project.
const ENGINE: &str = "examples/engine";

/// The package of the engine: the run file's, or the project's. This program may be installed
/// without the project, and the run file then is in a checkout, or the working folder is.
fn engine(run: &RunFile) -> Result<PathBuf, Failure> {
    if let Some(engine) = run.engine() {
        return Ok(engine);
    }
    let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let starts = [&*run.path, Path::new(".")];
    let starts = starts
        .into_iter()
        .filter_map(|path| path.canonicalize().ok());
    let places = [built_from].into_iter().chain(starts);
    find_engine(places).ok_or_else(|| {
        Failure::work(Error::RunFile {
            path: run.path.clone(),
            wrong: format!(
                "found no engine: neither this file nor the working folder is in a checkout of the \
                 project, which has `{ENGINE}`; name the folder of an engine's package as \
                 `engine.folder`"
            ),
        })
    })
}

/// The first engine in one of the places, or in a folder that has the place in it.
fn find_engine(places: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    let is_engine = |folder: &PathBuf| folder.join("Cargo.toml").is_file();
    let mut folders = places.into_iter().flat_map(|place| {
        let folders = place.ancestors().map(|folder| folder.join(ENGINE));
        folders.collect::<Vec<_>>()
    });
    folders.find(is_engine)
}

/// The spec that a run file names.
fn spec_of(run: &RunFile, name: &str) -> Result<SpecChoice, Failure> {
    SpecChoice::within(run.folder(), name).map_err(|error| {
        Failure::work(Error::RunFile {
            path: run.path.clone(),
            wrong: error.to_string(),
        })
    })
}

/// Writes the result of each match in a line, and a warning about the training.
fn show(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    for NetMatch { opponent, result } in &outcome.matches {
        writeln!(
            out,
            "the new net against {}: {} won, {} drawn, {} lost of {}: Elo {}",
            foreign(opponent),
            result.wins,
            result.draws,
            result.losses,
            result.games,
            result.elo_text()
        )?;
    }
    if let Some(warning) = warning(&outcome.training) {
        writeln!(out, "warning: {warning}")?;
    }
    Ok(())
}

/// Writes an event of a loop in a line.
fn tell(event: &Event, out: &mut dyn Write) -> io::Result<()> {
    match event {
        Event::Again { name, reasons } => {
            writeln!(out, "{name} is done again: {}", first(reasons))?;
        }
        Event::Anew { name, reason } => writeln!(out, "{name} begins anew: {reason}")?,
        Event::Finished {
            name,
            seconds,
            before,
        } => {
            let note = if *before { "  done before" } else { "" };
            writeln!(out, "{name:<28}{seconds:>7.1} s{note}")?;
        }
    }
    // The next stage may take long, so the line is shown now.
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_known_or_beside_the_run_file() {
        let spec = |name: &str| {
            let text = format!("spec = \"{name}\"\n");
            let run = RunFile::parse("runs/one.toml".as_ref(), text).expect("a run file");
            spec_of(&run, &run.spec).map(|spec| spec.to_string())
        };
        assert_eq!(spec("small128").expect("it is known"), "small128");
        let beside = Path::new("runs").join("my-net.toml");
        let found = spec("my-net.toml").expect("a file");
        assert_eq!(Path::new(&found), beside);
        let message = spec("smal128").expect_err("it is refused").message();
        assert!(
            message.starts_with("`runs/one.toml`: ")
                && message.contains("did you mean `small128`?"),
            "{message}"
        );
    }

    #[test]
    fn the_engine_is_found_from_any_place_of_a_checkout() {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let project = project.canonicalize().expect("the project has a folder");
        let engine = project.join("examples/engine");
        let elsewhere = || std::env::temp_dir();
        for place in [".", "examples/loops/first-net.toml", "nnue-cli/src"] {
            let found = find_engine([elsewhere(), project.join(place)]);
            let found = found.map(|found| found.canonicalize().expect("it is there"));
            assert_eq!(found.as_ref(), Some(&engine), "{place}");
        }
        assert_eq!(find_engine([elsewhere()]), None);
    }
}
