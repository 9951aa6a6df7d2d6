//! `nnue convert`: a net file in the form that another spec of the same network has.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;

use crate::Failure;
use crate::conversion::convert;
use crate::inputs::{check_outputs, read, remarks, write};
use crate::known::SpecChoice;
use crate::net_file::NetFile;

const EXAMPLE: &str = "\
Example: nnue convert raw.nnue compressed.nnue --from raw.toml --to leb128.toml";

const NOTES: &str = "\
If the first spec is factorised and the second is not, the file that is written has the sums: \
virtual rows are added to the real ones, and what stacks share to the weights of each. The other way \
is impossible, because nothing tells the parts of a sum.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Convert {
    /// The net file that is read
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The net file that is written
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The spec of the file that is read: its name in `specs`, or a TOML file
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = SpecChoice::parser())]
    from: SpecChoice,
    /// The spec of the file that is written: the same network with another `[file]`, or without
    /// virtual rows and weights that stacks share
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = SpecChoice::parser())]
    to: SpecChoice,
}

impl Convert {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let inputs = [Some(&*self.input), self.from.path(), self.to.path()];
        check_outputs(inputs, [&*self.output])?;
        let (from, to) = (self.from.network()?, self.to.network()?);
        let file = NetFile::of(&self.input, from, &read(&self.input)?)?;
        let converted = convert(file, &to)?;
        let (path, bytes) = (foreign(self.output.display()), &converted.bytes);
        write(&self.output, bytes)?;
        let mut out = remarks(&self.output, out);
        writeln!(out, "`{path}`: {} bytes", bytes.len())?;
        for lost in converted.lost {
            writeln!(out, "warning: the file has no place for {lost}")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
