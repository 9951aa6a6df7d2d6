//! `nnue draw`: a network, or the weights of a net, as a picture.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::network::Network;

use crate::Failure;
use crate::inputs::{SpecFile, read, write};
use crate::net_file::NetFile;
use crate::{drawing, picture};

const WEIGHTS: &str = "\
With --net, the picture is a PNG of the weights. Each neuron of the transformer is a row: how \
often its sum is positive, over positions of a search, then a board for each kind of piece, in the \
order of the feature set, with the mean of its weights over all buckets of kings. Red is positive, \
blue is negative, and the strongest colour is the neuron's largest weight. Below are histograms of \
all tensors, with heights in logarithms and a red line where the type ends. What stands where is \
printed.

Example: nnue draw specs/sfnnv9.toml --out sfnnv9.svg
Example: nnue draw specs/small128.toml --net nn-37f18f62d772.nnue --out small128.png";

#[derive(Args, Debug)]
#[command(after_help = WEIGHTS)]
pub(crate) struct Draw {
    #[command(flatten)]
    spec: SpecFile,
    /// Draw the weights of this net file
    #[arg(long, value_name = "FILE", requires = "out")]
    net: Option<PathBuf>,
    /// How many neurons are drawn, the most active ones first
    #[arg(long, value_name = "COUNT", default_value_t = 32, requires = "net",
        value_parser = clap::value_parser!(u16).range(1..=4096))]
    neurons: u16,
    /// The file to write: SVG, which otherwise goes to standard output, or PNG
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Draw {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let network = self.spec.network()?;
        match (&self.net, &self.out) {
            (Some(net), Some(path)) => self.draw_weights(network, net, path, out)?,
            (_, Some(path)) => write(path, drawing::svg(&network))?,
            (_, None) => write!(out, "{}", drawing::svg(&network))?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn draw_weights(
        &self,
        network: Network,
        net: &Path,
        path: &Path,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let file = NetFile::of(net, network, &read(net)?)?;
        let name = &file.network.name;
        let picture = picture::draw(&file.net()?, self.neurons.into())
            .map_err(|problem| Failure::Work(format!("{name} cannot be drawn: {problem}")))?;
        write(path, &picture.png)?;
        writeln!(out, "`{}`: {name}", path.display())?;
        if picture.planes == 0 {
            writeln!(
                out,
                "no neurons: no feature set has a row for each piece and square"
            )?;
        }
        for (neuron, share) in &picture.neurons {
            let (share, planes) = (100.0 * share, picture.planes);
            writeln!(out, "neuron {neuron}: active {share:.1} %, {planes} boards")?;
        }
        for histogram in &picture.histograms {
            let (low, high) = histogram.range;
            let limits = match histogram.limits {
                Some((least, most)) => format!(", allowed are {least} to {most}"),
                None => String::new(),
            };
            writeln!(out, "{}: {low} to {high}{limits}", histogram.name)?;
        }
        Ok(())
    }
}
