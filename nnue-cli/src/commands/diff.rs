//! `nnue diff`: the differences between two net files.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_tools::nets::Error;
use nnue_tools::nets::difference::Difference;
use nnue_tools::nets::evaluation::told_features;
use nnue_tools::nets::given::{Given, GivenError};
use nnue_tools::nets::net_file::NetFile;
use nnue_tools::nets::positions::START;
use nnue_tools::nets::specs::SpecChoice;

use crate::Failure;
use crate::inputs::{PositionFile, write_json};
use crate::table::Table;

/// The positions that are compared if the user names no file: from the beginning of a game to its
/// end, with both players to move.
const BUILT_IN: [&str; 6] = [
    START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
    "8/8/4k3/3p4/3P4/4K3/8/8 w - - 0 1",
];

#[derive(Args, Debug)]
#[command(
    after_help = "The exit code is 1 if a number differs.\n\nExample: nnue diff before.nnue after.nnue --fens positions.txt"
)]
pub(crate) struct Diff {
    /// A net file
    #[arg(value_name = "A")]
    first: PathBuf,
    /// Another one
    #[arg(value_name = "B")]
    second: PathBuf,
    /// The spec of both, for files that no header tells: its name in `specs`, or a TOML file
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = crate::inputs::spec_choice())]
    spec: Option<SpecChoice>,
    /// The spec of B, if it is another one: that of a file which `nnue convert` wrote, or of another
    /// network
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = crate::inputs::spec_choice())]
    spec_b: Option<SpecChoice>,
    #[command(flatten)]
    positions: PositionFile,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Diff {
    /// The exit code is 1 if a number differs.
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let [first, second] = [self.first()?, self.second()?];
        let networks = [&first.network, &second.network];
        let parse = |text: &str| -> Result<[Given; 2], GivenError> {
            let [first, second] = networks.map(|network| Given::parse(text, network));
            Ok([first?, second?])
        };
        let are_told = networks.into_iter().any(|own| told_features(own).is_some());
        let positions = match self.positions.open()? {
            Some(positions) => positions.all_parsed(parse)?,
            None if are_told => Vec::new(),
            None => {
                let given = BUILT_IN.into_iter().map(parse);
                given.collect::<Result<_, _>>().map_err(Failure::work)?
            }
        };
        let difference = Difference::of([&first, &second], &positions)?;
        if self.json {
            write_json(&difference, out)?
        } else {
            show(&difference, out)?
        }
        Ok(if difference.differ {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }

    fn first(&self) -> Result<NetFile, Failure> {
        self.advised(NetFile::open(&self.first, self.spec.as_ref()))
    }

    fn second(&self) -> Result<NetFile, Failure> {
        let spec = self.spec_b.as_ref().or(self.spec.as_ref());
        self.advised(NetFile::open(&self.second, spec))
    }

    /// Adds advice to an error, because a spec given for both files may fit only one of them.
    fn advised(&self, opened: Result<NetFile, Error>) -> Result<NetFile, Failure> {
        match (opened.map_err(Failure::from), &self.spec_b) {
            (Err(Failure::Work(message)), None) if self.spec.is_some() => {
                let advice = "if B has another spec than A, name it with `--spec-b SPEC`";
                Err(Failure::Work(format!("{message}; {advice}")))
            }
            (opened, _) => opened,
        }
    }
}

fn show(difference: &Difference, out: &mut dyn Write) -> Result<(), Failure> {
    let Difference {
        files, networks, ..
    } = difference;
    for (letter, (file, network)) in ["A", "B"].iter().zip(files.iter().zip(networks)) {
        let (file, network) = (foreign(file), foreign(network));
        writeln!(out, "{letter}: `{file}`, a net of {network}")?;
    }
    let mut table = Table::new(1, ["tensor", "values", "differing", "largest difference"]);
    for tensor in &difference.tensors {
        let values = match tensor.values {
            [first, second] if first == second => first.to_string(),
            [first, second] => format!("{first} in A, {second} in B"),
        };
        // Tensors of different sizes cannot be compared number by number.
        let differing = tensor.differing.map(|count| count.to_string());
        let largest = tensor.largest.map(|distance| distance.to_string());
        table.row([
            tensor.name.clone(),
            values,
            differing.unwrap_or_else(|| "-".into()),
            largest.unwrap_or_else(|| "-".into()),
        ]);
    }
    writeln!(out)?;
    table.write(out)?;
    writeln!(out)?;
    match difference.evaluations.as_slice() {
        [] => writeln!(
            out,
            "no evaluations: only the engine knows the features; a file of `--fens` may have them, as \
             `nnue eval --help` says"
        )?,
        all => {
            let mut table = Table::new(1, ["position", "A", "B"]);
            for values in all {
                table.row([
                    values.fen.clone(),
                    text(&values.first),
                    text(&values.second),
                ]);
            }
            table.write(out)?;
        }
    }
    let verdict = match (difference.differ, difference.same_bytes) {
        (true, _) => "differ",
        (false, true) => "are the same",
        (false, false) => "have the same numbers, in files that differ elsewhere",
    };
    writeln!(out, "\nA and B {verdict}")?;
    Ok(())
}

/// The text of a value, or of the values of win, draw and loss.
fn text(values: &[i32]) -> String {
    let values: Vec<String> = values.iter().map(i32::to_string).collect();
    values.join("/")
}
