//! `nnue verify`: a comparison of a net with golden vectors.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use indicatif::ProgressBar;
use nnue_tools::measure::verification::compare_compiled;
use nnue_tools::measure::wiring::{Checked, check_wiring};
use nnue_tools::nets::given::Given;
use nnue_tools::nets::golden::{self, Expected, Vector};
use nnue_tools::nets::net_file::NetFile;
use nnue_tools::nets::positions::Positions;
use nnue_tools::nets::specs::{Spec, SpecChoice};
use nnue_tools::nets::verification::{Verification, interpret};

use super::bench::{PackageOptions, waiting};
use crate::Failure;
use crate::inputs::{NetArgument, PositionFile, check_outputs, write, write_json};
use crate::progress;
use crate::table::Table;

const EXAMPLE: &str = "\
Example: nnue verify my-net.nnue --spec my-net.toml --golden golden.txt --compile";

const NOTES: &str = "\
Golden vectors are text, with `FEN | value` or `FEN | value | psqt | positional` in a line, or \
`FEN | win | draw | loss`: the integers that `nnue eval` shows, from the view of the side to move. \
Further heads may follow, as `| NAME = VALUE`. Behind the FEN, or in its place, stands what only the \
engine knows, as `nnue eval --help` says: `FEN ; white: 3 17 ; black: 5 | value`. A trainer writes \
golden vectors beside its net, or --write does, with what the interpreter says.

The interpreter computes the network. With --compile it is compiled too, and compared at every \
instruction set of this machine: with a full refresh for each position, and incrementally, where at \
most four pieces are removed and four added since the position in the line before. Networks with \
custom sets, and those whose engine chooses the stack, are not compiled.

With --wiring no net is read. The networks of specs are compiled, and their code is checked with \
weights of its own at every instruction set of this machine: each weight tells where it is, each \
layer is driven alone, and the table shows how much was compared. What is not proved is listed.

The exit code is 0 if all integers are equal, 1 if one differs or something could not be used, 2 if \
the arguments are wrong.";

#[derive(Args, Debug)]
#[command(
    mut_arg("net", |net| net.required_unless_present_any(["named_net", "wiring"])),
    after_help = EXAMPLE,
    after_long_help = format!("{NOTES}\n\n{EXAMPLE}"),
)]
pub(crate) struct Verify {
    #[command(flatten)]
    net: NetArgument,
    /// The network's spec: its name in `specs`, or a TOML file; without it, the net file decides
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = crate::inputs::spec_choice())]
    spec: Option<SpecChoice>,
    /// Compare with the golden vectors of this file; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["write", "fens"])]
    golden: Option<PathBuf>,
    /// Compile the spec, and compare every instruction set too
    #[arg(long, requires_all = ["golden", "spec"])]
    compile: bool,
    /// Compile these specs, and check that their code has each weight where it belongs
    #[arg(
        long,
        value_name = "SPEC",
        num_args = 1..,
        conflicts_with_all = ["net", "named_net", "spec", "golden", "write", "fens"],
        value_parser = crate::inputs::spec_choice(),
    )]
    wiring: Vec<SpecChoice>,
    #[command(flatten)]
    packages: PackageOptions,
    /// Write golden vectors for the positions of --fens to this file
    #[arg(long, value_name = "FILE", requires = "fens")]
    write: Option<PathBuf>,
    #[command(flatten)]
    positions: PositionFile,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        if !self.wiring.is_empty() {
            return self.check_wiring(out);
        }
        if self.json && self.golden.is_none() {
            return Err(Failure::Arguments(
                "found `--json` alone, expected `--golden FILE` or `--wiring SPEC` with it".into(),
            ));
        }
        let inputs = [
            Some(self.net.path()?),
            self.spec.as_ref().and_then(SpecChoice::path),
            self.positions.path(),
        ];
        check_outputs(inputs, self.write.as_deref())?;
        match (&self.golden, &self.write, self.positions.open()?) {
            (Some(golden), ..) => self.verify(golden, out),
            (None, Some(path), Some(positions)) => self.write(path, positions),
            _ => Err(Failure::Arguments(
                "found nothing to do, allowed are `--golden FILE`, and `--write FILE --fens FILE`"
                    .into(),
            )),
        }
    }

    fn open(&self) -> Result<NetFile, Failure> {
        Ok(NetFile::open(self.net.path()?, self.spec.as_ref())?)
    }

    fn verify(&self, golden: &Path, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let file = self.open()?;
        let vectors = golden::read(golden, &file.network)?;
        let mut verification = Verification::of(&file.network, &vectors);
        let bar = progress::bar();
        self.compare(&mut verification, &file, &vectors, &bar)?;
        bar.finish_and_clear();
        if self.json {
            write_json(&verification, out)?
        } else {
            show(&verification, out)?
        }
        Ok(if verification.is_equal() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }

    fn compare(
        &self,
        verification: &mut Verification<'_>,
        file: &NetFile,
        vectors: &[Vector],
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        let progress = || bar.inc(1);
        bar.set_length(vectors.len() as u64);
        let found = interpret(&file.net()?, vectors, |vector| &vector.given, &progress);
        let found = found.into_iter().map(Some);
        verification.compare("interpreted", vectors.iter().zip(found));
        let Some(choice) = self.spec.as_ref().filter(|_| self.compile) else {
            return Ok(());
        };
        let levels = nnue_runtime::Level::available().count();
        bar.inc_length((levels * vectors.len()) as u64);
        let spec = choice.read()?;
        let packages = self.packages.open()?;
        let turn = packages.turn(waiting)?;
        compare_compiled(verification, &turn, &spec, file, vectors, &progress)?;
        Ok(())
    }

    fn check_wiring(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let specs = self.wiring.iter().map(SpecChoice::read);
        let specs: Vec<Spec> = specs.collect::<Result<_, _>>()?;
        let packages = self.packages.open()?;
        let turn = packages.turn(waiting)?;
        let bar = progress::bar();
        bar.set_length(specs.len() as u64);
        let checked = check_wiring(&turn, &specs, &|| bar.inc(1))?;
        bar.finish_and_clear();
        if self.json {
            write_json(&checked, out)?
        } else {
            show_wiring(&checked, out)?
        }
        Ok(if checked.iter().all(|one| one.mismatch.is_none()) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }

    fn write(&self, path: &Path, positions: Positions) -> Result<ExitCode, Failure> {
        let file = self.open()?;
        let parse = |text: &str| Given::with_stack(text, &file.network);
        let given = positions.all_parsed(parse)?;
        let bar = progress::bar();
        bar.set_length(given.len() as u64);
        let found = interpret(&file.net()?, &given, |given| given, &|| bar.inc(1));
        bar.finish_and_clear();
        let mut bytes = Vec::new();
        for (given, found) in given.iter().zip(&found) {
            let expected = Expected::all(&file.network, found);
            golden::write(given, &expected, &mut bytes)?;
        }
        write(path, bytes)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn show(verification: &Verification<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let Verification {
        network, positions, ..
    } = verification;
    writeln!(out, "{network}: {positions} golden vectors\n")?;
    let mut table = Table::new(1, ["computed by", "compared", "equal"]);
    for way in &verification.ways {
        table.row([
            way.computed_by.clone(),
            way.compared.to_string(),
            way.equal.to_string(),
        ]);
    }
    table.write(out)?;
    let told = &verification.differences;
    if !told.is_empty() {
        let of_all = verification.ways.iter();
        let all: usize = of_all.map(|way| way.compared - way.equal).sum();
        writeln!(out, "\n{all} differences; the first are:")?;
        let mut table = Table::new(4, ["position", "expected", "found", "computed by"]);
        for difference in told {
            table.row([
                difference.fen.clone(),
                difference.expected.clone(),
                difference.found.clone(),
                difference.computed_by.clone(),
            ]);
        }
        table.write(out)?;
    }
    Ok(())
}

fn show_wiring(checked: &[Checked], out: &mut dyn Write) -> Result<(), Failure> {
    let heads = [
        "network",
        "layers",
        "weights",
        "levels",
        "comparisons",
        "seconds",
        "wrong",
    ];
    let mut table = Table::new(1, heads);
    for one in checked {
        table.row([
            one.found.network.clone(),
            one.found.layers.to_string(),
            one.found.weights.to_string(),
            one.found.levels.len().to_string(),
            one.found.comparisons.to_string(),
            format!("{:.1}", one.seconds),
            String::from(if one.mismatch.is_some() { "yes" } else { "no" }),
        ]);
    }
    table.write(out)?;
    for one in checked {
        let wrong = one.mismatch.iter().map(|mismatch| ("wrong", mismatch));
        let unproved = one.found.unproved.iter().map(|part| ("not proved", part));
        let mut table = Table::new(2, [&*one.found.network, ""]);
        for (what, part) in wrong.chain(unproved) {
            table.row([what, part]);
        }
        writeln!(out)?;
        table.write(out)?;
    }
    Ok(())
}
