//! `nnue onnx`: a network with its weights as an ONNX model.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_tools::export::onnx;
use nnue_tools::nets::net_file::NetFile;
use nnue_tools::nets::specs::SpecChoice;

use crate::Failure;
use crate::inputs::{SpecArgument, check_outputs, remarks, unless_net_is_given, write};

/// The help for users of the model.
const MODEL: &str = "\
The model computes the network's integers, bit by bit, for any number of positions at once. Its \
inputs are int64:

  rows   [positions, perspectives, active]
         The numbers of the active rows of the transformer, counted through all feature sets of \
the spec: those of the side to move, then the opponent's; or white's first, where the spec says \
`order = \"white-first\"`. Where a position has fewer rows than the axis, the number of all rows \
of the network fills it up: that row has only zeros.
  stack  [positions]
         The stack of layers that each position uses; of networks with several stacks.

Its outputs are int32, one number for each position: value, positional (before it is scaled), \
psqt if there is any, heads.NAME for further heads; win.value, draw.value and loss.value of \
networks that have these.

Networks with f32, and with weights for white and for black, are not supported.

Example: nnue onnx --net nn-37f18f62d772.nnue --out small128.onnx";

#[derive(Args, Debug)]
#[command(mut_arg("spec", unless_net_is_given), after_help = MODEL)]
pub(crate) struct Onnx {
    #[command(flatten)]
    spec: SpecArgument,
    /// The net file with the weights
    #[arg(long, value_name = "FILE")]
    net: PathBuf,
    /// The model to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl Onnx {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let inputs = [
            Some(&*self.net),
            self.spec.given().and_then(SpecChoice::path),
        ];
        check_outputs(inputs, [&*self.out])?;
        let file = NetFile::open(&self.net, self.spec.given())?;
        let name = &file.network.name;
        let model = onnx::export(&file.net()?).map_err(|problem| {
            Failure::Work(format!("{name} cannot be written as ONNX: {problem}"))
        })?;
        write(&self.out, &model)?;
        writeln!(
            remarks([&*self.out], out),
            "`{}`: {name}, {} bytes",
            foreign(self.out.display()),
            model.len()
        )?;
        Ok(ExitCode::SUCCESS)
    }
}
