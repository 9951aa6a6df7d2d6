//! `nnue diff`: two net files side by side.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::Failure;
use crate::difference::Difference;
use crate::inputs::write_json;
use crate::net_file::NetFile;
use crate::positions;

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue diff before.nnue after.nnue --fens positions.txt")]
pub(crate) struct Diff {
    /// A net file
    #[arg(value_name = "A")]
    first: PathBuf,
    /// Another one
    #[arg(value_name = "B")]
    second: PathBuf,
    /// The spec of both, for files that no header tells
    #[arg(long, value_name = "SPEC")]
    spec: Option<PathBuf>,
    /// Compare the evaluations of the positions in this file, a FEN in each line
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Diff {
    /// The exit code is 1 if something differs.
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let spec = self.spec.as_deref();
        let first = NetFile::open(&self.first, spec)?;
        let second = NetFile::open(&self.second, spec)?;
        let positions = positions::read(self.fens.as_deref())?;
        let difference = Difference::of([&first, &second], &positions)?;
        match self.json {
            true => write_json(&difference, out)?,
            false => show(&difference, out)?,
        }
        Ok(match difference.differ {
            true => ExitCode::FAILURE,
            false => ExitCode::SUCCESS,
        })
    }
}

fn show(difference: &Difference, out: &mut dyn Write) -> Result<(), Failure> {
    let Difference {
        files, networks, ..
    } = difference;
    for (letter, (file, network)) in ["A", "B"].iter().zip(files.iter().zip(networks)) {
        writeln!(out, "{letter}: `{file}`, a net of {network}")?;
    }
    let names = { difference.tensors.iter() }.map(|tensor| tensor.name.len());
    let width = names.max().unwrap_or(0);
    writeln!(
        out,
        "\n{:width$}    values  differing    largest difference",
        "tensor"
    )?;
    for tensor in &difference.tensors {
        match (tensor.differing, tensor.largest, tensor.values) {
            (Some(differing), Some(largest), [values, _]) => writeln!(
                out,
                "{:width$} {values:9} {differing:10} {largest:21}",
                tensor.name
            )?,
            (_, _, [first, second]) => {
                writeln!(out, "{:width$} {first} in A, {second} in B", tensor.name)?
            }
        }
    }
    match difference.evaluations.as_slice() {
        [] => writeln!(
            out,
            "\nno evaluations: the engine tells the features of the network"
        )?,
        all => {
            writeln!(out, "\n         A          B  position")?;
            for values in all {
                let (first, second) = (text(&values.first), text(&values.second));
                writeln!(out, "{first:>10} {second:>10}  {}", values.fen)?;
            }
        }
    }
    let verdict = if difference.differ {
        "differ"
    } else {
        "are the same"
    };
    writeln!(out, "\nA and B {verdict}")?;
    Ok(())
}

/// A value, or those of win, draw and loss.
fn text(values: &[i32]) -> String {
    let values: Vec<String> = values.iter().map(i32::to_string).collect();
    values.join("/")
}
