//! `nnue data convert`: positions in another format, in a single file or in shuffled shards.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_tools::data::{Format, Options, SharedCounts, Written, convert};
use nnue_tools::files::Error;

use super::selection::{Selection, failure, report_bad};
use crate::Failure;
use crate::failure::warn;
use crate::inputs::{one_of, remarks};

const EXAMPLE: &str = "\
Example: nnue data convert games.pgn --scored --to bulletformat --shards 16 --out shards";

const NOTES: &str = "\
The name of the output says its format as names of inputs do: .txt, .bullet, .binpack and others, or \
--to where the name says none. The formats are described in docs/data.md.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Convert {
    #[command(flatten)]
    selection: Selection,
    /// The output: a file, or the folder of shards
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// The format that is written, where the name of the output does not say it; text if neither does
    #[arg(long, value_name = "NAME", value_parser = one_of(Format::WRITTEN.map(|format| (format.name(), format))))]
    to: Option<Format>,
    /// Write N files, with the positions of all files in random order
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    shards: Option<u16>,
}

impl Convert {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let to = Format::of_output(&self.out, self.to).map_err(Failure::Arguments)?;
        let inputs = self.selection.inputs()?;
        let options = Options {
            shuffle: self.shards.map(|_| usize::MAX),
            ..self.selection.options()
        };
        let files = self.files(to)?;
        let counts = SharedCounts::default();
        let written = convert(inputs, &options, &counts, to, &files);
        report_bad(&counts);
        let written = written.map_err(failure)?;
        let cut: u64 = written.iter().map(|written| written.cut).sum();
        if cut > 0 {
            warn(&format!(
                "{cut} records have more half moves than {to} has room for: their counters became the largest that it has"
            ));
        }
        let mut out = remarks([&*self.out], out);
        for (Written { records, .. }, file) in written.iter().zip(&files) {
            writeln!(out, "`{}`: {records} records", foreign(file.display()))?;
        }
        writeln!(out, "{}", counts.get())?;
        Ok(ExitCode::SUCCESS)
    }

    /// The paths of the files to write.
    fn files(&self, to: Format) -> Result<Vec<PathBuf>, Failure> {
        let Some(shards) = self.shards else {
            return Ok(vec![self.out.clone()]);
        };
        fs::create_dir_all(&self.out).map_err(|error| Error::unwritable(&self.out, error))?;
        let name = |number| format!("{number:04}.{}", to.ending());
        Ok((1..=shards)
            .map(|number| self.out.join(name(number)))
            .collect())
    }
}
