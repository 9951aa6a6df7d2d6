//! `nnue draw`: a network, or the weights of a net, as a picture.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_tools::nets::net_file::NetFile;
use nnue_tools::nets::specs::SpecChoice;
use nnue_tools::picture::{drawing, weights};

use crate::Failure;
use crate::inputs::{
    SampledPositions, SpecArgument, check_outputs, remarks, unless_net_is_given, write,
};

const WEIGHTS: &str = "\
With --net, the picture is a PNG of the weights; SPEC may be left out if the file is of a known \
network. It has labels. Each row is a neuron of the transformer. Those are drawn that tell positions \
apart: whose activated values vary most, by their standard deviation, over positions of a search or of \
--fens. A neuron has a board for each kind of piece, in the order of the feature set, with the mean of \
its weights over all buckets of kings. Red is positive, blue is negative, and the strongest colour is \
the neuron's largest weight. Below are histograms of all tensors, with heights in logarithms and a red \
line where the type ends.

Example: nnue draw sfnnv9 --out sfnnv9.svg
Example: nnue draw --net nn-37f18f62d772.nnue --out small128.png";

#[derive(Args, Debug)]
#[command(mut_arg("spec", unless_net_is_given), after_help = WEIGHTS)]
pub(crate) struct Draw {
    #[command(flatten)]
    spec: SpecArgument,
    /// Draw the weights of this net file
    #[arg(long, value_name = "FILE", requires = "out")]
    net: Option<PathBuf>,
    /// How many neurons are drawn, those first whose activity varies most
    #[arg(long, value_name = "COUNT", default_value_t = 32, requires = "net",
        value_parser = clap::value_parser!(u16).range(1..=4096))]
    neurons: u16,
    #[command(flatten)]
    positions: SampledPositions,
    /// The file to write: SVG, which otherwise goes to standard output, or PNG
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Draw {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        if let Some(path) = &self.out {
            let form = match self.net {
                Some(_) => "png",
                None => "svg",
            };
            let extension = path.extension().unwrap_or(form.as_ref());
            if !extension.eq_ignore_ascii_case(form) {
                return Err(Failure::Arguments(format!(
                    "`{}`: the drawing of a network is an SVG, and that of weights, with `--net`, is a PNG",
                    path.display()
                )));
            }
        }
        let inputs = [
            self.net.as_deref(),
            self.spec.given().and_then(SpecChoice::path),
            self.positions.path(),
        ];
        check_outputs(inputs, self.out.as_deref())?;
        if let (Some(net), Some(path)) = (&self.net, &self.out) {
            self.draw_weights(net, path, out)?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.positions.are_given() {
            return Err(Failure::Arguments(
                "`--fens` is for the weights of a net: it needs `--net FILE`".to_string(),
            ));
        }
        let drawing = drawing::svg(&self.spec.network()?);
        match &self.out {
            Some(path) => write(path, drawing)?,
            None => write!(out, "{drawing}")?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn draw_weights(&self, net: &Path, path: &Path, out: &mut dyn Write) -> Result<(), Failure> {
        let file = NetFile::open(net, self.spec.given())?;
        let positions = self.positions.read(weights::EVERY)?;
        let name = &file.network.name;
        let (net, source) = (file.net()?, self.positions.source());
        let picture = weights::draw(&net, self.neurons.into(), &positions, &source)
            .map_err(|problem| Failure::Work(format!("{name} cannot be drawn: {problem}")))?;
        write(path, &picture.png)?;
        let mut out = remarks([path], out);
        writeln!(out, "`{}`: {name}", foreign(path.display()))?;
        if picture.planes == 0 {
            writeln!(
                out,
                "no neurons: no feature set has a row for each piece and square"
            )?;
        }
        for neuron in &picture.neurons {
            let (number, planes) = (neuron.number, picture.planes);
            let (deviation, active) = (neuron.deviation, 100.0 * neuron.active);
            writeln!(
                out,
                "neuron {number}: varies by {deviation:.3}, active {active:.1} %, {planes} boards"
            )?;
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
