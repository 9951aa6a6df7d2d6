//! `nnue report`: an HTML page about a net.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_tools::nets::info::Info;
use nnue_tools::nets::net_file::{NetFile, Recognised, read_net};
use nnue_tools::nets::specs::SpecChoice;
use nnue_tools::picture::page::{self, Subject};
use nnue_tools::picture::weights;

use crate::Failure;
use crate::inputs::{NetArgument, SampledPositions, check_outputs, remarks, write};

/// The number of neurons that are drawn.
const NEURONS: usize = 32;

const EXAMPLE: &str = "\
Example: nnue report nn-37f18f62d772.nnue --out report.html";

const NOTES: &str = "\
On the page are warnings, what `nnue info` prints of the file and what its weights prove of sums, the \
drawing of the network that `nnue draw` makes and the table of `nnue check`, the weights as `nnue \
draw --net` draws them, and what neurons do in positions. It needs no other files. A link leads to the page in the web on which its \
spec can be changed.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Report {
    #[command(flatten)]
    net: NetArgument,
    /// The spec of the network, for files that no header tells: its name in `specs`, or a TOML file
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = crate::inputs::spec_choice())]
    spec: Option<SpecChoice>,
    /// The HTML file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    positions: SampledPositions,
}

impl Report {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let net = self.net.path()?;
        let inputs = [
            Some(net),
            self.spec.as_ref().and_then(SpecChoice::path),
            self.positions.path(),
        ];
        check_outputs(inputs, [&*self.out])?;
        let given = self.spec.as_ref().map(SpecChoice::read).transpose()?;
        let bytes = read_net(net, given.as_ref().map(|spec| &spec.network))?;
        let (file, spec) = match given {
            Some(spec) => (NetFile::of(net, spec.network, &bytes)?, spec.text.into()),
            None => {
                let found = Recognised::of(net, &bytes, "unnamed")?;
                (found.file, found.spec)
            }
        };
        let info = Info::of_opened(net, &bytes, Some(&file))?;
        let name = &file.network.name;
        let positions = self.positions.read(weights::EVERY)?;
        let source = self.positions.source();
        let picture = weights::draw(&file.net()?, NEURONS, &positions, &source)
            .map_err(|problem| Failure::Work(format!("{name} cannot be drawn: {problem}")))?;
        let page = page::html(&Subject {
            network: &file.network,
            spec: &spec,
            info: &info,
            picture: &picture,
            positions: &source,
        });
        write(&self.out, page)?;
        let [path, net] = [&self.out, net].map(|path| foreign(path.display()));
        let mut out = remarks([&*self.out], out);
        writeln!(out, "`{path}`: a report on `{net}`, which is {name}")?;
        Ok(ExitCode::SUCCESS)
    }
}
