//! `nnue adopt`: the specs that fit a net file without a header, and what its weights say of them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use nnue_adopt::{Guess, Ranking, marked_spec, module};
use nnue_compiler::format::foreign;
use nnue_nets::evaluation::{Evaluate, Interpreted};
use nnue_nets::net_file::{NetFile, read_net};
use nnue_runtime::Board;
use serde::Serialize;

use crate::Failure;
use crate::inputs::{NetArgument, check_outputs, write, write_json};
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
the units of the evaluation.

Guesses with the same evidence are undecided, and what they say differently is asked for by name, as \
is what no file tells.

The exit code is 0 if a spec was found, and 1 if none fits.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Adopt {
    #[command(flatten)]
    net: NetArgument,
    /// Write into this folder: the spec with its guesses marked, and a Rust module with a test
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What the spec calls the network
    #[arg(long, default_value = "my-net")]
    name: String,
    /// How many guesses are shown
    #[arg(long, value_name = "N", default_value_t = 5)]
    guesses: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The files that `--out` writes.
const FILES: [&str; 2] = ["net.toml", "net.rs"];

/// What is said of a file.
#[derive(Serialize)]
struct Adopted<'r> {
    /// The path of the file.
    file: String,
    /// The length of the file in bytes.
    size: usize,
    /// The name of the network, if the file says which it is; then there is nothing to guess.
    recognised: Option<String>,
    #[serde(flatten)]
    ranking: &'r Ranking,
    /// Evaluations a second by the interpreter, with the first guess.
    interpreted_per_second: Option<f64>,
    /// The files that were written.
    written: Vec<String>,
}

impl Adopt {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let path = self.net.path()?;
        let files = self
            .out
            .iter()
            .flat_map(|folder| FILES.map(|name| folder.join(name)));
        let files: Vec<PathBuf> = files.collect();
        check_outputs([Some(path)], files.iter().map(PathBuf::as_path))?;
        let bytes = read_net(path, None)?;
        let mut adopted = Adopted {
            file: path.display().to_string(),
            size: bytes.len(),
            recognised: None,
            ranking: &Ranking::none(),
            interpreted_per_second: None,
            written: Vec::new(),
        };
        let told = match NetFile::told(path, &bytes)? {
            Some(file) => Some(file),
            None => NetFile::of_any(path, None, &*bytes).ok(),
        };
        if let Some(file) = told {
            adopted.recognised = Some(file.network.name);
            return self.show(&adopted, out);
        }
        let ranking = Ranking::of(&bytes, &self.name);
        adopted.ranking = &ranking;
        if let Some(guess) = ranking.guesses.first() {
            adopted.interpreted_per_second = Some(speed(path, guess, &bytes)?);
            if let (Some(folder), [spec, code]) = (&self.out, &files[..]) {
                fs::create_dir_all(folder)
                    .map_err(|error| nnue_files::Error::unwritable(folder, error))?;
                let net = path
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned());
                let net = net.unwrap_or_default();
                write(spec, marked_spec(&ranking, &net).unwrap_or_default())?;
                write(code, module(guess, FILES[0], &net, &bytes))?;
                adopted
                    .written
                    .extend(files.iter().map(|file| file.display().to_string()));
            }
        }
        self.show(&adopted, out)
    }

    fn show(&self, adopted: &Adopted<'_>, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        match self.json {
            true => write_json(adopted, out)?,
            false => show(adopted, self.guesses, out)?,
        }
        let is_found = adopted.recognised.is_some() || !adopted.ranking.guesses.is_empty();
        Ok(if is_found {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// How many positions a second the interpreter evaluates.
fn speed(path: &Path, guess: &Guess, bytes: &[u8]) -> Result<f64, Failure> {
    const LONG_ENOUGH: Duration = Duration::from_millis(50);
    let net = Interpreted::of(&NetFile::of(path, guess.network.clone(), bytes)?)?;
    let (board, start) = (Board::start(), Instant::now());
    let mut evaluations = 0;
    while start.elapsed() < LONG_ENOUGH {
        net.evaluate(&board);
        evaluations += 1;
    }
    Ok(f64::from(evaluations) / start.elapsed().as_secs_f64())
}

fn show(adopted: &Adopted<'_>, shown: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let file = foreign(&adopted.file);
    if let Some(name) = &adopted.recognised {
        let name = foreign(name);
        writeln!(
            out,
            "`{file}` says which network it is of: {name}; nothing has to be guessed"
        )?;
        return Ok(());
    }
    let guesses = &adopted.ranking.guesses;
    let Some(first) = guesses.first() else {
        writeln!(
            out,
            "`{file}`: no network of the field has files of {} bytes; docs/spec-language.md says how \
             to write a spec",
            adopted.size
        )?;
        return Ok(());
    };
    writeln!(
        out,
        "`{file}`: {} bytes, {} specs fit\n",
        adopted.size,
        guesses.len()
    )?;
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
    ];
    let mut table = Table::new(2, heads);
    for (index, guess) in guesses.iter().enumerate().take(shown) {
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
        ]);
    }
    table.write(out)?;
    let same = guesses.iter().filter(|guess| guess.undecided).count();
    match same {
        0 => writeln!(out, "\nThe first guess has the best evidence:")?,
        _ => writeln!(
            out,
            "\nThe first {same} guesses have the same evidence: undecided. The first one:"
        )?,
    }
    let mut table = Table::new(2, ["fact", "guess"]);
    for fact in &first.facts {
        table.row([fact.name.to_string(), fact.value.clone()]);
    }
    table.write(out)?;
    writeln!(out, "\nAsk the net's author for:")?;
    for question in &adopted.ranking.questions {
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
    if let Some(speed) = adopted.interpreted_per_second {
        writeln!(
            out,
            "\nThe interpreter evaluates {speed:.0} positions a second; `nnue bench SPEC --net FILE` \
             measures the compiled network, with the spec that `--out` writes."
        )?;
    }
    for path in &adopted.written {
        writeln!(out, "Written: `{}`", foreign(path))?;
    }
    Ok(())
}
