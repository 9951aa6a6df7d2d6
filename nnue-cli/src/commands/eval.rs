//! `nnue eval`: evaluations of positions, with the contributions of pieces.

mod json;
mod raw;
mod show;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_runtime::Warning;
use nnue_tools::nets::evaluation::Interpreted;
use nnue_tools::nets::given::{Given, GivenError};
use nnue_tools::nets::positions::{Positions, START};

use crate::Failure;
use crate::failure::{complain, warn};
use crate::heading;
use crate::inputs::{ChosenNet, NetOptions, PositionFile};

const EXAMPLE: &str = "\
Example: nnue eval --net my-net.nnue --spec my-net.toml --fens games.epd";

const NOTES: &str = "\
Shown are the board with each piece's contribution, the outputs of all buckets, and the evaluation. \
Without FEN it is that of the start of a game, which is also `startpos`.

Where a network has custom sets, or leaves the stack to its engine, a line says what the engine \
knows: `FEN ; white: 3 17 ; black: 5` has the features that are active for white and for black, \
numbered as the engine supplies them, `views: 44 12` their views, and `stack: 2` the stack. In a \
network for another game, `w` or `b` stands for the FEN: \
`w ; white: 102 1592 ; black: 102 1600 ; views: 44 44 ; stack: 7`.

Evaluations are in the engine's units. Those of the net that is built in are hundredths of a pawn; \
in Stockfish's networks 600 units are what the trainer calls 1.0.

With --raw, a line begins with `#` and the names of the columns. The others have, for each bucket, \
the PSQT part and the part of the layers; then the value of the position's bucket, and those of \
further heads. Networks of win, draw and loss have all of this for each of the three.

With --json, the object of a position has `fen`, `side_to_move`, `bucket`, `value` and `outputs`: a \
list of what each bucket says, which is `psqt`, `positional` and `value`, or these of `win`, `draw` \
and `loss`, and further `heads` where the network has some. `value` is that of the bucket, and null \
where the engine chooses the bucket and the line does not.

The exit code is 0 if all went well, 1 if a position or a file could not be used, 2 if the arguments \
are wrong.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Eval {
    /// Positions in FEN or EPD, each in quotes, or `startpos`, the start of a game; a single
    /// position needs no quotes. --help says how to add the features of custom sets
    #[arg(value_name = "FEN", conflicts_with = "fens")]
    words: Vec<String>,
    #[command(flatten)]
    net: NetOptions,
    #[command(flatten)]
    positions: PositionFile,
    /// Write tab-separated numbers as the network computes them, one line a position
    #[arg(long)]
    raw: bool,
    /// Write a JSON object for each position, one a line, with all values of all buckets
    #[arg(long, conflicts_with = "raw")]
    json: bool,
}

impl Eval {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let chosen = self.net.open()?;
        let net = Interpreted::of(&chosen.file)?;
        if !self.net.is_built_in()
            && let Some(doubt) = net.doubt(&chosen.file.bytes)
        {
            warn(&doubt.to_string());
        }
        let sheet = Sheet {
            net: &net,
            chosen: &chosen,
            form: self.form(),
            out,
        };
        match self.positions.open()? {
            None => evaluate_some(sheet, &self.texts()),
            Some(positions) => evaluate_lines(sheet, positions),
        }
    }

    fn form(&self) -> Form {
        match (self.raw, self.json) {
            (true, _) => Form::Raw,
            (_, true) => Form::Json,
            _ => Form::Shown,
        }
    }

    /// The positions of the arguments. If no argument has a space, all arguments are the fields of
    /// a single position.
    fn texts(&self) -> Vec<String> {
        let is_whole = |word: &String| word == "startpos" || word.contains(char::is_whitespace);
        match self.words.as_slice() {
            [] => vec![START.into()],
            words if words.iter().any(is_whole) => words.to_vec(),
            words => vec![words.join(" ")],
        }
    }
}

fn evaluate_some(mut sheet: Sheet<'_>, texts: &[String]) -> Result<ExitCode, Failure> {
    let read = |text: &String| {
        sheet.read(text).map_err(|error| {
            let advice = if Path::new(text).is_file() {
                "; it is a file: `--net FILE` names a net, `--fens FILE` a list of positions"
            } else {
                ""
            };
            Failure::Work(format!("FEN `{}`: {error}{advice}", foreign(text)))
        })
    };
    let given: Vec<Given> = texts.iter().map(read).collect::<Result<_, _>>()?;
    sheet.begin()?;
    for given in given {
        sheet.position(&given)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn evaluate_lines(mut sheet: Sheet<'_>, mut positions: Positions) -> Result<ExitCode, Failure> {
    let mut code = ExitCode::SUCCESS;
    sheet.begin()?;
    loop {
        // A program that sends one position at a time may wait for each answer.
        if positions.may_wait() {
            sheet.out.flush()?;
        }
        match positions.next_parsed(|text| sheet.read(text))? {
            None => return Ok(code),
            Some(Ok(given)) => sheet.position(&given)?,
            Some(Err(wrong)) => {
                complain(&wrong.to_string());
                code = ExitCode::FAILURE;
            }
        }
    }
}

/// The form in which evaluations are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Shown,
    Raw,
    Json,
}

/// Writes evaluations in the form that the options ask for.
struct Sheet<'a> {
    net: &'a Interpreted,
    /// The net file.
    chosen: &'a ChosenNet,
    form: Form,
    out: &'a mut dyn Write,
}

impl Sheet<'_> {
    /// Reads a position. A line of `--raw` has the value of a single bucket.
    fn read(&self, text: &str) -> Result<Given, GivenError> {
        match self.form {
            Form::Raw => Given::with_stack(text, self.net.network()),
            Form::Shown | Form::Json => Given::parse(text, self.net.network()),
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        if self.form == Form::Shown {
            heading::write(self.chosen, "interpreted", self.out)?;
            return Ok(());
        }
        for warning in self.chosen.file.warnings() {
            if matches!(warning, Warning::LooksLike(_) | Warning::LooksTransposed(_)) {
                warn(&warning.to_string());
            }
        }
        match self.form {
            Form::Raw => raw::header(self.out, self.net.network()),
            _ => Ok(()),
        }
    }

    fn position(&mut self, given: &Given) -> io::Result<()> {
        let evaluation = self.net.evaluate_given(given);
        match self.form {
            Form::Shown => self.report().position(given, &evaluation),
            Form::Raw => raw::row(self.out, &given.text, &evaluation),
            Form::Json => json::line(self.out, &given.text, &evaluation),
        }
    }

    fn report(&mut self) -> show::Report<'_> {
        show::Report {
            net: self.net,
            out: self.out,
        }
    }
}
