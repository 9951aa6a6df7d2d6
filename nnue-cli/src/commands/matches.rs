//! `nnue match`: which of two engines, or two nets, is stronger.

mod players;
mod report;
mod values;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clap::{ArgGroup, Args};
use cozy_chess::Board;
use indicatif::ProgressBar;
use nnue_tools::files::Output;
use nnue_tools::matches::{
    BadOpening, DrawRule, Error, Event, Fingerprints, Limit, ListedBook, Match, Model, Player,
    RandomBook, Report, Rules, Settings, Side, Sprt, State, WinRule, standing,
};
use nnue_tools::nets::positions::{Lines, WrittenPosition};

use self::players::players;
use self::values::{
    MODELS, draw_rule, error_rate, even, hypotheses, time_control, uci_option, win_rule,
};
use crate::Failure;
use crate::inputs::{check_outputs, one_of, remarks, write_json};
use crate::progress;

const EXAMPLE: &str = "\
Example: nnue match new.nnue old.nnue --engine ./nnue-engine --games 400 --nodes 5000";

const NOTES: &str = "\
The two games of a pair have the same opening, with colours swapped. Pairs count in the order of \
their openings. With `--nodes`, and engines that search with one thread and forget everything at \
`ucinewgame`, a match has the same result each time it is played.

A player that crashes, does not answer, makes an illegal move or exceeds its time loses the game, \
which is told on standard error; its engine is started again, and the match goes on.

docs/match.md of the project describes the statistics, the files, and the JSON.

The exit code is 0 if the match was played, whatever its result, 1 if it could not be played or was \
interrupted, 2 if the arguments are wrong.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
#[command(group = ArgGroup::new("limit").required(true))]
pub(crate) struct MatchCommand {
    /// A UCI engine; with `--engine`, a net file, or another value of its option EvalFile such as
    /// `<material>`
    #[arg(value_name = "A")]
    first: PathBuf,
    /// What A plays against
    #[arg(value_name = "B")]
    second: PathBuf,
    /// The UCI engine that plays the nets A and B
    #[arg(long, value_name = "PATH")]
    engine: Option<PathBuf>,
    /// The most games that are played, an even number from 2 to 1000000
    #[arg(long, value_name = "N", default_value = "400", value_parser = even)]
    games: u32,

    #[command(flatten)]
    thinking: Thinking,
    #[command(flatten)]
    set_up: SetUp,
    #[command(flatten)]
    openings: Openings,
    #[command(flatten)]
    test: Test,

    /// Call it a draw from move FROM on when both engines have stayed within CP centipawns for MOVES
    /// moves each, without a capture or a move of a pawn, such as 40,8,10; by default never
    #[arg(long, value_name = "FROM,MOVES,CP", value_parser = draw_rule)]
    draw: Option<DrawRule>,
    /// Call it a win when both engines have seen it at least CP centipawns ahead for MOVES moves
    /// each, such as 4,800; by default never
    #[arg(long, value_name = "MOVES,CP", value_parser = win_rule)]
    resign: Option<WinRule>,

    /// How many games are played at a time, 1 to 1024; by default as many as there are cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// Write the games to this file, with what the engines thought of each move
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Keep finished pairs in this file, and go on with those that it has
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How long engines think.
#[derive(Args, Debug)]
struct Thinking {
    /// Let engines search N nodes for each move
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Let them think MS milliseconds for each move
    #[arg(long, value_name = "MS", group = "limit", value_parser = clap::value_parser!(u32).range(1..))]
    movetime: Option<u32>,
    /// Give them S seconds for a game, and I more for each move, such as 8+0.08
    #[arg(long, value_name = "S+I", group = "limit", value_parser = time_control)]
    tc: Option<Limit>,
    /// By how many milliseconds an engine may exceed its time
    #[arg(long, value_name = "MS", default_value_t = 50)]
    time_margin: u32,
    /// After how many seconds an engine hangs that has to start, or to search nodes
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    patience: u32,
}

/// How engines are started.
#[derive(Args, Debug)]
struct SetUp {
    /// Set a UCI option of both engines; may be given several times, as the five below
    #[arg(long, value_name = "NAME=VALUE", value_parser = uci_option)]
    options: Vec<(String, String)>,
    /// Set an option of A
    #[arg(long, value_name = "NAME=VALUE", value_parser = uci_option)]
    options_a: Vec<(String, String)>,
    /// Set an option of B
    #[arg(long, value_name = "NAME=VALUE", value_parser = uci_option)]
    options_b: Vec<(String, String)>,
    /// Start both engines with this argument, such as --args=--uci
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    args: Vec<String>,
    /// Start A with this argument
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    args_a: Vec<String>,
    /// Start B with this argument
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    args_b: Vec<String>,
}

/// Where games begin.
#[derive(Args, Debug)]
struct Openings {
    /// Take openings from this file, one FEN or EPD a line, in an order that the seed chooses
    #[arg(long, value_name = "FILE", conflicts_with_all = ["opening_plies", "opening_imbalance"])]
    book: Option<PathBuf>,
    /// Choose openings by this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    openings_seed: u32,
    /// Make openings of N random moves, 0 to 40
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(0..=40))]
    opening_plies: u8,
    /// Leave out openings in which captures put a player more pawns ahead than this
    #[arg(long, value_name = "PAWNS", default_value_t = 1)]
    opening_imbalance: u8,
    /// Play Chess960, which engines are told by UCI_Chess960
    #[arg(long)]
    chess960: bool,
}

/// When to stop early.
#[derive(Args, Debug)]
struct Test {
    /// Stop as soon as a sequential test accepts that A is ELO1 stronger, or only ELO0
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = hypotheses)]
    sprt: Option<(f64, f64)>,
    /// The probability that the test accepts ELO1 though ELO0 is true
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = error_rate)]
    alpha: f64,
    /// The probability that the test accepts ELO0 though ELO1 is true
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = error_rate)]
    beta: f64,
    /// The Elo that the test is about: normalised Elo, as on OpenBench, or logistic Elo
    #[arg(long, value_name = "MODEL", default_value = "normalised", value_parser = one_of(MODELS))]
    sprt_model: Model,
}

impl MatchCommand {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let rules = self.rules()?;
        let mut fingerprints = Fingerprints::default();
        let players = players(
            [&self.first, &self.second],
            self.engine.as_deref(),
            &self.set_up,
            &mut fingerprints,
        )?;
        let files = players.iter().flat_map(Player::files).map(Some);
        check_outputs(
            files.chain([self.openings.book.as_deref()]),
            [&self.pgn, &self.state]
                .into_iter()
                .flatten()
                .map(PathBuf::as_path),
        )?;
        let pairs = (self.games / 2) as usize;
        let openings = self.openings(pairs)?;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let (mut state, finished) = match &self.state {
            Some(path) => {
                let settings = self.settings(&rules, &players, &mut fingerprints)?;
                let (state, finished) = State::open(path, &settings)?;
                (Some(state), finished)
            }
            None => Default::default(),
        };
        let mut games = self.pgn.as_deref().map(Games::create).transpose()?;
        let stop = Arc::new(AtomicBool::new(false));
        stop_at_interrupt(&stop)?;
        let sprt = self.test.sprt();
        let bar = progress::bar_with_standing();
        bar.set_length(self.games.into());
        let tournament = Match {
            players: &players,
            rules: &rules,
            openings: &openings,
            concurrency: self.concurrency.map_or(cores, usize::from),
            sprt,
            stop: &stop,
        };
        let results = tournament.play(finished, &mut |event| match event {
            Event::Forfeit(description) => {
                warn(&bar, &description);
                Ok(())
            }
            Event::Finished(pair) => match &mut state {
                Some(state) => Ok(state.add(pair)?),
                None => Ok(()),
            },
            Event::Counted(pair, results) => {
                bar.set_position(results.games());
                bar.set_message(standing(results, sprt));
                match &mut games {
                    Some(games) => pair.games.iter().try_for_each(|game| games.add(&game.pgn)),
                    None => Ok(()),
                }
            }
        });
        bar.finish_and_clear();
        let results = results?;
        if let Some(games) = games {
            games.file.finish()?;
        }
        let report = Report::new(&results, &players, self.games.into(), sprt);
        let mut out = remarks(self.pgn.as_deref(), out);
        if self.json {
            write_json(&report, &mut out)?
        } else {
            report::write(&report, &mut out)?
        }
        if results.pairs == pairs || tournament.verdict(&results).is_some() {
            return Ok(ExitCode::SUCCESS);
        }
        Err(self.interrupted())
    }

    fn rules(&self) -> Result<Rules, Failure> {
        Ok(Rules {
            limit: self.thinking.limit()?,
            chess960: self.openings.chess960,
            draw: self.draw,
            win: self.resign,
            margin: Duration::from_millis(self.thinking.time_margin.into()),
            patience: Duration::from_secs(self.thinking.patience.into()),
        })
    }

    fn interrupted(&self) -> Failure {
        Failure::Work(match &self.state {
            Some(path) => format!(
                "interrupted; the same command goes on with the pairs in `{}`",
                path.display()
            ),
            None => "interrupted; with `--state` the match could go on".into(),
        })
    }

    fn openings(&self, pairs: usize) -> Result<Vec<Board>, Failure> {
        match &self.openings.book {
            Some(path) => self.listed_openings(path, pairs),
            None => self.random_openings(pairs),
        }
    }

    /// The openings of a file with a line for each opening.
    fn listed_openings(&self, path: &Path, pairs: usize) -> Result<Vec<Board>, Failure> {
        let mut lines = Lines::open(path)?;
        let mut book = ListedBook::new(&*lines.source, self.openings.chess960);
        while let Some(line) = lines.next_line()? {
            let given = WrittenPosition::parse(&line).map_err(|error| lines.wrong(error))?;
            book.add(&given.fen).map_err(|error| match error {
                BadOpening::Chess960 { .. } => {
                    lines.wrong(format!("{error}, which needs `--chess960`"))
                }
                error => lines.wrong(error),
            })?;
        }
        Ok(book.openings(self.openings.openings_seed.into(), pairs)?)
    }

    fn random_openings(&self, pairs: usize) -> Result<Vec<Board>, Failure> {
        let Openings {
            openings_seed,
            opening_plies,
            opening_imbalance,
            chess960,
            ..
        } = self.openings;
        let book = RandomBook {
            seed: openings_seed.into(),
            plies: opening_plies,
            chess960,
            imbalance: opening_imbalance,
        };
        book.openings(pairs).map_err(|error| match error {
            Error::FewMoves { .. } => Failure::Work(format!("{error}; use more `--opening-plies`")),
            error => error.into(),
        })
    }

    /// Everything that decides how the games of an opening are played.
    fn settings(
        &self,
        rules: &Rules,
        players: &[Player; 2],
        fingerprints: &mut Fingerprints,
    ) -> Result<Settings, Failure> {
        let mut settings = Settings::new();
        let mut set = |name: &str, value: String| settings.insert(name.into(), value);
        for side in Side::BOTH {
            let player = &players[side as usize];
            let options = player.options.iter();
            let options: Vec<_> = options
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            set(
                &format!("the engine of {side:?}"),
                fingerprints.of(&player.program)?,
            );
            set(
                &format!("the arguments of {side:?}"),
                list(&player.arguments),
            );
            set(&format!("the options of {side:?}"), list(&options));
            for (name, fingerprint) in fingerprints.of_player(player)? {
                set(&format!("{name} of {side:?}"), fingerprint);
            }
        }
        let never = || String::from("never");
        set("the limit", rules.limit.to_string());
        set(
            "--draw",
            rules.draw.map_or_else(never, |rule| rule.to_string()),
        );
        set(
            "--resign",
            rules.win.map_or_else(never, |rule| rule.to_string()),
        );
        set("--time-margin", self.thinking.time_margin.to_string());
        set("--patience", self.thinking.patience.to_string());
        set("--chess960", rules.chess960.to_string());
        match &self.openings.book {
            // All positions of the book together decide the order of the openings.
            Some(path) => set("the book", fingerprints.of(path)?),
            None => set(
                "the openings",
                format!(
                    "{} plies within {} pawns",
                    self.openings.opening_plies, self.openings.opening_imbalance
                ),
            ),
        };
        set("--openings-seed", self.openings.openings_seed.to_string());
        Ok(settings)
    }
}

impl Thinking {
    fn limit(&self) -> Result<Limit, Failure> {
        match self {
            Thinking {
                nodes: Some(nodes), ..
            } => Ok(Limit::Nodes(*nodes)),
            Thinking {
                movetime: Some(time),
                ..
            } => Ok(Limit::MoveTime(Duration::from_millis((*time).into()))),
            Thinking {
                tc: Some(limit), ..
            } => Ok(*limit),
            // clap requires one of these options.
            _ => Err(Failure::Arguments(
                "one of `--nodes`, `--movetime` and `--tc` is needed".into(),
            )),
        }
    }
}

impl Test {
    fn sprt(&self) -> Option<Sprt> {
        let (elo0, elo1) = self.sprt?;
        Some(Sprt {
            elo0,
            elo1,
            alpha: self.alpha,
            beta: self.beta,
            model: self.sprt_model,
        })
    }
}

/// The file of games, which gets its name when the match ends.
struct Games<'p> {
    path: &'p Path,
    file: Output,
}

impl Games<'_> {
    fn create(path: &Path) -> Result<Games<'_>, Failure> {
        let file = Output::create(path)?;
        Ok(Games { path, file })
    }

    fn add(&mut self, pgn: &str) -> Result<(), Failure> {
        self.file.add(pgn.as_bytes())?;
        // A match takes long, and its first games are worth reading before its end.
        self.file.flush().map_err(|error| {
            let path = self.path.into();
            nnue_tools::files::Error::Unwritable { path, error }.into()
        })
    }
}

/// Writes to standard error, above the progress bar.
fn warn(bar: &ProgressBar, description: &str) {
    bar.suspend(|| crate::failure::warn(description));
}

fn stop_at_interrupt(stop: &Arc<AtomicBool>) -> Result<(), Failure> {
    let stop = Arc::clone(stop);
    ctrlc::set_handler(move || stop.store(true, Ordering::Relaxed))
        .map_err(|error| Failure::Work(format!("cannot wait for signals: {error}")))
}

/// The texts as a list, or `none`.
fn list(texts: &[String]) -> String {
    match texts {
        [] => "none".into(),
        _ => texts.join(", "),
    }
}
