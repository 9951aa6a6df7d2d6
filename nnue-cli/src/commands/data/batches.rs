//! `nnue data batches`: the stream that a trainer reads.

use std::io::{self, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_tools::data::{DataError, Options, RowMaker, SharedCounts, write_stream};
use nnue_tools::files::Output;
use nnue_tools::nets::specs::SpecChoice;

use super::selection::{Selection, failure, report_bad};
use crate::Failure;
use crate::inputs::check_outputs;

const EXAMPLE: &str = "\
Example: nnue data batches small128 games.txt.gz --seed 7 | my-trainer";

const NOTES: &str = "\
A line of text is `FEN | score | result`, where the score is in centipawns for the side to move and \
the result is 1.0, 0.5 or 0.0 for white. Either may be `-` or left out. What gzip, bzip2 or zstd \
have compressed is unpacked. The stream and the other formats are described in docs/data.md.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Batches {
    /// The spec: a TOML file, or the name of one in `specs`
    #[arg(value_name = "SPEC", value_parser = crate::inputs::spec_choice())]
    spec: SpecChoice,
    #[command(flatten)]
    selection: Selection,
    /// The most positions in a batch
    #[arg(long, value_name = "N", default_value_t = 16384, value_parser = positive(1 << 20))]
    batch_size: u32,
    /// End after N positions
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Read the files again and again, in another order each time
    #[arg(long)]
    endless: bool,
    /// Leave the positions in their order
    #[arg(long, conflicts_with = "buffer")]
    in_order: bool,
    /// How many positions wait to be shuffled, of 64 bytes each
    #[arg(long, value_name = "N", default_value_t = 1 << 20, value_parser = positive(1 << 28))]
    buffer: u32,
    /// Write the positions to this file, one FEN a line, in the order of the stream
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
}

fn positive(most: u32) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(most))
}

impl Batches {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        // The standard output of other subcommands drops a terminal's codes, which this binary
        // stream may contain.
        let mut out = io::stdout().lock();
        if out.is_terminal() {
            return Err(Failure::Arguments(
                "the stream is binary: send it to a program or a file".into(),
            ));
        }
        let inputs = self.selection.paths().chain([self.spec.path()]);
        let stream = Path::new("-");
        check_outputs(
            inputs,
            [Some(stream), self.positions.as_deref()]
                .into_iter()
                .flatten(),
        )?;
        let maker = RowMaker::new(&self.spec.network()?).map_err(Failure::work)?;
        let inputs = self.selection.inputs()?;
        if self.endless
            && let Some(once) = inputs.iter().find(|input| input.is_read_once())
        {
            return Err(Failure::Arguments(format!(
                "{} can be read only once: `--endless` needs files",
                foreign(once.name())
            )));
        }
        let options = Options {
            batch_size: self.batch_size as usize,
            shuffle: (!self.in_order).then_some(self.buffer as usize),
            endless: self.endless,
            limit: self.limit,
            ..self.selection.options()
        };
        options.filter.check(&inputs).map_err(failure)?;
        let positions = self.positions.as_deref().map(Output::create);
        let mut positions = positions.transpose()?;
        let counts = SharedCounts::default();
        let fens = positions.as_mut();
        let written = write_stream(inputs, &options, &maker, &counts, &mut out, fens);
        report_bad(&counts);
        // If the reader ends early, the positions of its batches are still written.
        let has_positions = match &written {
            Err(DataError::Output(error)) => error.kind() == ErrorKind::BrokenPipe,
            written => written.is_ok(),
        };
        if let (true, Some(positions)) = (has_positions, positions) {
            positions.finish()?;
        }
        written.map_err(failure)?;
        Ok(ExitCode::SUCCESS)
    }
}
