//! `nnue report`: everything about a net on one page.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;

use crate::Failure;
use crate::info::Info;
use crate::inputs::{SampledPositions, check_outputs, read, remarks, write};
use crate::known::SpecChoice;
use crate::net_file::NetFile;
use crate::page::{self, Subject};
use crate::picture;

/// How many neurons are drawn.
const NEURONS: usize = 32;

const EXAMPLE: &str = "\
Example: nnue report nn-37f18f62d772.nnue --out report.html";

const NOTES: &str = "\
On the page are warnings, what `nnue info` prints of the file and what its weights prove of sums, the \
drawing of the network that `nnue draw` makes and the table of `nnue check`, the weights as `nnue \
draw --net` draws them, and what neurons do in positions. It needs no other files.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Report {
    /// The net file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The spec of the network, for files that no header tells: its name in `specs`, or a TOML file
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = SpecChoice::parser())]
    spec: Option<SpecChoice>,
    /// The HTML file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    positions: SampledPositions,
}

impl Report {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let inputs = [
            Some(&*self.file),
            self.spec.as_ref().and_then(SpecChoice::path),
            self.positions.path(),
        ];
        check_outputs(inputs, [&*self.out])?;
        let given = self.spec.as_ref().map(SpecChoice::network).transpose()?;
        let bytes = read(&self.file)?;
        let file = NetFile::of_any(&self.file, given, &bytes)?;
        let info = Info::of_opened(&self.file, &bytes, Some(&file))?;
        let name = &file.network.name;
        let positions = self.positions.read(picture::EVERY)?;
        let source = self.positions.source();
        let picture = picture::draw(&file.net()?, NEURONS, &positions, &source)
            .map_err(|problem| Failure::Work(format!("{name} cannot be drawn: {problem}")))?;
        let page = page::html(&Subject {
            network: &file.network,
            info: &info,
            picture: &picture,
            positions: &source,
        });
        write(&self.out, page)?;
        let [path, net] = [&self.out, &self.file].map(|path| foreign(path.display()));
        let mut out = remarks(&self.out, out);
        writeln!(out, "`{path}`: a report on `{net}`, which is {name}")?;
        Ok(ExitCode::SUCCESS)
    }
}
