//! `nnue adopt`: the specs that fit a net file without a header, and what its weights say of them.

mod compiled;
mod place;

use std::fs;
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use nnue_compiler::check_name;
use nnue_compiler::explain::{Identity, identify};
use nnue_compiler::format::foreign;
use nnue_compiler::network::Network;
use nnue_runtime::Board;
use nnue_tools::adopt::{Guess, LIKELY, Ranking, marked_spec, module};
use nnue_tools::files::{is_standard, own};
use nnue_tools::measure::bench::{Report, Row};
use nnue_tools::nets::Error;
use nnue_tools::nets::evaluation::Interpreted;
use nnue_tools::nets::net_file::{NetFile, Recognised, read_net};
use nnue_tools::nets::specs::{Spec, SpecChoice};
use nnue_tools::nets::told::Origin;
use serde::Serialize;

use self::place::Place;
use super::bench::PackageOptions;
use crate::Failure;
use crate::inputs::{NetArgument, check_outputs, file_name, write, write_json};
use crate::table::Table;

const EXAMPLE: &str = "Example: nnue adopt quantised.bin --out my-net";

const NOTES: &str = "\
Trainers' files say nothing about themselves. If a spec is behind the file (`nnue convert \
--with-spec`) or beside it (`net.toml` of `net.nnue`), that is all. Otherwise all networks of the field whose files have the size \
are tried: bullet's families with any buckets and any width, and the engines' of `specs`. A guess is \
tested on what is true of trained networks. `neighbours`: the rows of a piece on neighbouring \
squares are alike. `kings`: each row of the own king was trained in the bucket of its square. \
`material`: evaluations follow material. `sign`: they change their sign with the side to move. \
`steps`: they change little when a piece moves a square further. `pawn` is what a pawn is worth in \
the units of the evaluation, and `start` the evaluation of the start of a game.

Guesses with the same evidence are undecided, and what they say differently is asked for by name, as \
is what no file tells.

With --speed, the network of the first spec is compiled, and `nnue bench` measures it with the file, at \
every instruction set of this machine: evaluations along a recorded search, the same in an engine, a \
full refresh of each position, and the forward pass alone.

A guess is likely if its score is that of trained networks. If none is, nothing is written without \
`--anyway`.

The exit code is 0 if a likely spec was found, and 1 if not, or if its network cannot be compiled.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Adopt {
    #[command(flatten)]
    net: NetArgument,
    /// Write into this folder: the spec with its guesses marked, and a Rust module with a test
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Take the first guess though it is not likely
    #[arg(long)]
    anyway: bool,
    /// What the spec calls the network, if it has no name yet
    #[arg(long, default_value = "my-net", value_parser = name)]
    name: String,
    /// How many guesses are shown
    #[arg(long, value_name = "N", default_value_t = 5)]
    guesses: usize,
    /// Compile the network of the first spec, and show how long its evaluations take
    #[arg(long)]
    speed: bool,
    #[command(flatten)]
    packages: PackageOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The files that `--out` writes.
const FILES: [&str; 2] = ["net.toml", "net.rs"];

/// How much of a spec is guessed that is known.
const NOTHING: &str = "nothing has to be guessed";

/// How to find out how fast the network is.
const HOW_TO_MEASURE: &str =
    "`--speed` compiles the network, and shows how long its evaluations take.";

/// The report about a file.
#[derive(Serialize)]
struct Adopted<'r> {
    /// The path of the file.
    file: String,
    /// The length of the file in bytes.
    size: usize,
    /// The name of the network, if the file says which it is; then there is nothing to guess.
    recognised: Option<String>,
    /// Where the spec of such a file was found.
    #[serde(skip)]
    origin: Option<Origin>,
    #[serde(flatten)]
    ranking: &'r Ranking,
    /// Evaluations a second by the interpreter, with the first guess.
    interpreted_per_second: Option<f64>,
    /// The speed of the compiled network at each instruction set, if `--speed` asks for it.
    compiled: Option<Vec<Row>>,
    /// The facts from its beginning.
    #[serde(skip)]
    identity: Identity,
    /// The files that were written.
    written: Vec<String>,
    /// Why other files were not written, and what to do with those that were.
    #[serde(skip)]
    remarks: Vec<String>,
}

/// Reads a name that a network can have.
fn name(name: &str) -> Result<String, String> {
    check_name(name).map(|()| name.into())
}

impl Adopt {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let path = self.net.path()?;
        let files = self.files();
        check_outputs([Some(path)], files.iter().flatten().map(PathBuf::as_path))?;
        if self.speed && is_standard(path) {
            return Err(Failure::Arguments(
                "found `--speed` with standard input, expected a file: the compiled network reads \
                 the net again"
                    .into(),
            ));
        }
        let bytes = read_net(path, None)?;
        let mut adopted = Adopted {
            file: path.display().to_string(),
            size: bytes.len(),
            recognised: None,
            origin: None,
            ranking: &Ranking::none(),
            interpreted_per_second: None,
            compiled: None,
            identity: identify(&bytes),
            written: Vec::new(),
            remarks: Vec::new(),
        };
        let recognised = match Recognised::told(path, &bytes)? {
            Some(told) => Some(told),
            None => match Recognised::untold(path, &bytes, &self.name) {
                Err(error @ Error::NoNet { .. }) => return Err(error.into()),
                untold => untold.ok(),
            },
        };
        if let Some(Recognised { spec, origin, file }) = recognised {
            self.write(&mut adopted, &spec, &file.network, &file.bytes)?;
            adopted.recognised = Some(file.network.name.clone());
            adopted.origin = Some(origin);
            return self.show(adopted, Some((spec.into(), file.network)), out);
        }
        let ranking = Ranking::of(&bytes, &self.name);
        adopted.ranking = &ranking;
        let mut first = None;
        let is_taken = ranking.likely || self.anyway;
        if let Some(guess) = ranking.guesses.first().filter(|_| is_taken) {
            adopted.interpreted_per_second = Some(speed(path, guess, &bytes)?);
            let spec = marked_spec(guess, &ranking.questions, &file_name(path));
            self.write(&mut adopted, &spec, &guess.network, &bytes)?;
            first = Some((spec, guess.network.clone()));
        }
        self.show(adopted, first, out)
    }

    /// The paths of the spec and of the module, if they are to be written.
    fn files(&self) -> Option<[PathBuf; 2]> {
        let folder = self.out.as_ref()?;
        Some(FILES.map(|name| folder.join(name)))
    }

    /// Writes the spec and a module for the network, if `--out` asks for them.
    fn write(
        &self,
        adopted: &mut Adopted<'_>,
        spec: &str,
        network: &Network,
        bytes: &[u8],
    ) -> Result<(), Failure> {
        let (Some(folder), Some([spec_path, code_path])) = (&self.out, self.files()) else {
            return Ok(());
        };
        fs::create_dir_all(folder)
            .map_err(|error| nnue_tools::files::Error::unwritable(folder, error))?;
        let (place, net) = (Place::of(folder), self.net.path()?);
        let code = module(network, &place.spec(FILES[0]), &place.net(net), bytes);
        let files = [
            (&spec_path, "spec", Some(spec)),
            (&code_path, "module", code.as_deref()),
        ];
        let files = files.into_iter();
        let files = files.filter_map(|(path, what, text)| Some((path, what, text?)));
        let files = files.map(|(path, what, text)| Ok((path, what, text, is_there(path, text)?)));
        // Where a file has other content, none is written.
        for (path, what, text, is_there) in files.collect::<Result<Vec<_>, Failure>>()? {
            // A spec beside the net may be this file, which was read.
            if is_there {
                let remark = format!("`{}` has this {what} already", displayed(path));
                adopted.remarks.push(remark);
            } else {
                write(path, text)?;
                adopted.written.push(path.display().to_string());
            }
        }
        if code.is_some() {
            adopted.remarks.extend(place.next_steps(FILES, net));
        } else {
            adopted.remarks.push(format!(
                "`{}` is not written: its test needs a network that gives one value for the pieces \
                 of a board",
                displayed(&code_path)
            ));
        }
        Ok(())
    }

    /// Prints the findings; `first` is the text of the first spec, and its network.
    fn show(
        &self,
        mut adopted: Adopted<'_>,
        first: Option<(String, Network)>,
        out: &mut dyn Write,
    ) -> Result<ExitCode, Failure> {
        let is_found = first.is_some();
        if self.json {
            let measured = self.measure(first)?;
            adopted.compiled = measured.map(|report| report.rows);
            write_json(&adopted, out)?;
        } else {
            show(&adopted, self, out)?;
            // Compiling takes its time, and may fail.
            out.flush()?;
            if let Some(report) = self.measure(first)? {
                compiled::show(&report, out)?;
            }
        }
        Ok(if is_found {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }

    /// Measures the compiled network, if `--speed` asks for it and there is a network.
    fn measure(&self, first: Option<(String, Network)>) -> Result<Option<Report>, Failure> {
        let Some((text, network)) = first.filter(|_| self.speed) else {
            return Ok(None);
        };
        let net = self.net.path()?;
        let spec = Spec {
            // Its package has the name of the spec's file or, where none is written, of the net's.
            choice: SpecChoice::File(match self.files() {
                Some([spec, _]) => spec,
                None => net.into(),
            }),
            text,
            network,
        };
        compiled::measure(spec, net, &self.packages).map(Some)
    }
}

/// The most bytes of a spec, of a module or of a manifest.
const LONGEST_TEXT: u64 = 1 << 20;

/// Whether a file has this content already. Refuses one with other content: it may have been edited.
fn is_there(path: &Path, content: &str) -> Result<bool, Failure> {
    match own::read(path, LONGEST_TEXT) {
        Ok(found) if found == content.as_bytes() => Ok(true),
        Err(missing) if missing.is_missing() => Ok(false),
        _ => Err(Failure::Work(format!(
            "`{}` is there and has other content, which nothing is written over: remove it, or \
             choose another folder",
            displayed(path)
        ))),
    }
}

/// A path in a message.
fn displayed(path: &Path) -> String {
    foreign(path.display()).to_string()
}

/// How many positions a second the interpreter evaluates.
fn speed(path: &Path, guess: &Guess, bytes: &[u8]) -> Result<f64, Failure> {
    const LONG_ENOUGH: Duration = Duration::from_millis(50);
    let net = Interpreted::of(&NetFile::of(path, guess.network.clone(), bytes)?)?;
    let (board, start) = (Board::start(), Instant::now());
    let mut evaluations = 0;
    while start.elapsed() < LONG_ENOUGH {
        black_box(net.evaluate(&board));
        evaluations += 1;
    }
    Ok(f64::from(evaluations) / start.elapsed().as_secs_f64())
}

fn show(adopted: &Adopted<'_>, options: &Adopt, out: &mut dyn Write) -> Result<(), Failure> {
    if let (Some(name), Some(origin)) = (&adopted.recognised, &adopted.origin) {
        show_recognised(adopted, name, origin, options, out)?;
        return show_files(adopted, out);
    }
    let guesses = &adopted.ranking.guesses;
    let Some(first) = guesses.first() else {
        return show_unknown(adopted, options, out);
    };
    writeln!(
        out,
        "`{}`: {} bytes, {} specs fit\n",
        foreign(&adopted.file),
        adopted.size,
        guesses.len()
    )?;
    evidence(guesses.iter().take(options.guesses)).write(out)?;
    if !adopted.ranking.likely {
        writeln!(
            out,
            "\nNone is likely: the right specs of trained networks have scores of {LIKELY} or more. The \
             spec may be another, or the file is cut off, or no net."
        )?;
        if !options.anyway {
            writeln!(out, "`--anyway` takes the first one.")?;
            return Ok(());
        }
    }
    let same = guesses.iter().filter(|guess| guess.undecided).count();
    match same {
        0 => writeln!(out, "\nThe first guess has the best evidence:")?,
        _ => writeln!(
            out,
            "\nThe first {same} guesses have the same evidence: undecided. If you have the net's engine, \
             the right one has its evaluation of the start of a game as `start`. The first one:"
        )?,
    }
    show_facts(first, out)?;
    show_questions(adopted.ranking, out)?;
    if let Some(speed) = adopted.interpreted_per_second {
        write!(
            out,
            "\nThe interpreter evaluates {speed:.0} positions a second."
        )?;
        if options.speed {
            writeln!(out)?
        } else {
            writeln!(out, " {HOW_TO_MEASURE}")?
        }
    }
    show_files(adopted, out)
}

/// Shows where the spec of a net is from that needed no guess.
fn show_recognised(
    adopted: &Adopted<'_>,
    name: &str,
    origin: &Origin,
    options: &Adopt,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (file, name) = (foreign(&adopted.file), foreign(name));
    let (found, guessed) = match origin {
        Origin::Behind => (format!("the spec of `{file}` is behind it"), NOTHING),
        Origin::Beside(spec) => (
            format!(
                "the spec of `{file}` is beside it, in `{}`",
                displayed(spec)
            ),
            NOTHING,
        ),
        Origin::Known => (format!("`{file}` is a net of a known network"), NOTHING),
        Origin::Shape => (
            format!("`{file}` says how its network is built"),
            "its spec marks what is guessed",
        ),
    };
    writeln!(out, "{found}: {name}; {guessed}")?;
    if !options.speed {
        writeln!(out, "{HOW_TO_MEASURE}")?;
    }
    Ok(())
}

/// Shows why no network of the field fits.
fn show_unknown(
    adopted: &Adopted<'_>,
    options: &Adopt,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let file = foreign(&adopted.file);
    let reason = adopted.ranking.nothing_fits(adopted.size, adopted.identity);
    writeln!(
        out,
        "`{file}`: {reason}; docs/spec-language.md says how to write a spec"
    )?;
    if options.speed {
        writeln!(out, "there is no network to compile for `--speed`")?;
    }
    Ok(())
}

/// A row for each guess, with what speaks for it.
fn evidence<'a>(guesses: impl Iterator<Item = &'a Guess>) -> Table {
    let heads = [
        "",
        "family",
        "neurons",
        "outputs",
        "score",
        "neighbours",
        "kings",
        "material",
        "sign",
        "steps",
        "pawn",
        "start",
    ];
    let mut table = Table::new(2, heads);
    for (index, guess) in guesses.enumerate() {
        let evidence = &guess.evidence;
        table.row([
            (index + 1).to_string(),
            guess.family.clone(),
            guess.network.transformer.width.to_string(),
            guess.network.stacks.count.to_string(),
            format!("{:.3}", evidence.score),
            format!("{:.2}", evidence.neighbours),
            evidence
                .kings
                .map_or("-".into(), |kings| format!("{kings:.2}")),
            format!("{:.2}", evidence.material),
            format!("{:.2}", evidence.antisymmetry),
            format!("{:.2}", evidence.smoothness),
            format!("{:.0}", evidence.pawn),
            format!("{:.0}", evidence.start),
        ]);
    }
    table
}

fn show_facts(guess: &Guess, out: &mut dyn Write) -> Result<(), Failure> {
    let mut table = Table::new(2, ["fact", "guess"]);
    for fact in &guess.facts {
        let mut lines = fact.lines().into_iter();
        let value = lines.next().unwrap_or_default();
        table.row([fact.name.to_string(), value]);
        lines.for_each(|line| table.row([String::new(), line]));
    }
    Ok(table.write(out)?)
}

fn show_questions(ranking: &Ranking, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "\nAsk the net's author for:")?;
    for question in &ranking.questions {
        let values = question
            .values
            .iter()
            .map(|value| foreign(value).to_string());
        let values: Vec<String> = values.collect();
        writeln!(
            out,
            "* {}, `{}`: {}?",
            question.fact,
            question.key,
            values.join(" or ")
        )?;
    }
    Ok(())
}

fn show_files(adopted: &Adopted<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    for path in &adopted.written {
        writeln!(out, "Written: `{}`", foreign(path))?;
    }
    for remark in &adopted.remarks {
        writeln!(out, "{remark}")?;
    }
    Ok(())
}
