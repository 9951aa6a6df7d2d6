//! `nnue convert`: a net file in the form that another spec of the same network has.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;

use crate::Failure;
use crate::conversion::convert;
use crate::inputs::{NetInAndOut, check_outputs, remarks, write};
use crate::known::SpecChoice;
use crate::net_file::{NetFile, read_net};

const EXAMPLE: &str = "\
Example: nnue convert raw.nnue compressed.nnue --spec raw.toml --to leb128.toml";

const NOTES: &str = "\
If the first spec is factorised and the second is not, the file that is written has the sums: \
virtual rows are added to the real ones, and what stacks share to the weights of each. The other way \
is impossible, because nothing tells the parts of a sum.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Convert {
    #[command(flatten)]
    files: NetInAndOut,
    /// The spec of the file that is read: its name in `specs`, or a TOML file
    #[arg(long, alias = "from", value_name = "NAME|FILE.toml", value_parser = SpecChoice::parser())]
    spec: SpecChoice,
    /// The spec of the file that is written: the same network with another `[file]`, or without
    /// virtual rows and weights that stacks share
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = SpecChoice::parser())]
    to: SpecChoice,
}

impl Convert {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let [input, output] = self.files.paths()?;
        check_outputs([Some(input), self.spec.path(), self.to.path()], [output])?;
        let (from, to) = (self.spec.network()?, self.to.network()?);
        let bytes = read_net(input, Some(&from))?;
        let file = NetFile::of(input, from, &bytes)?;
        let converted = convert(file, &to)?;
        let (path, bytes) = (foreign(output.display()), &converted.bytes);
        write(output, bytes)?;
        let mut out = remarks(output, out);
        writeln!(out, "`{path}`: {} bytes", bytes.len())?;
        for lost in converted.lost {
            writeln!(out, "warning: the file has no place for {lost}")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
