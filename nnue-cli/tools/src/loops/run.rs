//! The stages of a loop, in their order.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::Lock;
use crate::files::own::write;
use crate::loops::error::Error;
use crate::loops::files::{Files, OPPONENTS, sources};
use crate::loops::record::Finished;
use crate::loops::run_file::RunFile;
use crate::loops::stage::Stage;
use crate::loops::stages::{Observe, Stages, last_lines};
use crate::loops::training::Training;
use crate::matches::Report;
use crate::nets::specs::Spec;

/// A loop that can be run.
#[derive(Clone, Copy, Debug)]
pub struct Loop<'l> {
    /// The run file.
    pub run: &'l RunFile,
    /// The spec of the new net.
    pub spec: &'l Spec,
    /// The spec of the current net, which must be there if the run file names one.
    pub current_spec: Option<&'l Spec>,
    /// The folder for all files of the loop, which is made if it does not exist.
    pub folder: &'l Path,
    /// The folder of the engine's package, used if the run file names none.
    pub engine: &'l Path,
    /// The program `nnue`, whose subcommands `match`, `verify` and `guard` run some of the stages.
    pub nnue: &'l Path,
}

/// The outcome of a loop. While this value exists, no other loop can work in the folder.
#[derive(Debug)]
pub struct Outcome {
    /// The stages, in their order.
    pub stages: Vec<Finished>,
    /// The matches of the new net.
    pub matches: Vec<NetMatch>,
    /// The trainer's report of the run.
    pub training: Training,
    /// The path for a report of the outcome. The caller writes the report.
    pub report: PathBuf,
    _lock: Lock,
}

/// A match of the new net.
#[derive(Debug)]
pub struct NetMatch {
    /// The opponent of the new net.
    pub opponent: String,
    /// The result of `nnue match`, from the new net's view.
    pub result: Report,
}

/// The value of the engine's option `EvalFile` for an evaluation that only counts material.
const MATERIAL: &str = "<material>";

impl Loop<'_> {
    /// Runs all stages that are not finished, in their order. `observe` is called with each event,
    /// and its error ends the loop.
    ///
    /// # Errors
    ///
    /// [`Error`] if a stage fails, or if the loop would write over a file.
    pub fn run(&self, observe: &mut Observe<'_>) -> Result<Outcome, Error> {
        self.check_trainer()?;
        self.check_files()?;
        let path = fs::canonicalize(&self.run.path)
            .map_err(|error| Error::unreadable(&self.run.path, error))?;
        fs::create_dir_all(self.folder).map_err(|error| Error::unwritable(self.folder, error))?;
        // The engine's package and the run file are in other folders.
        let folder =
            fs::canonicalize(self.folder).map_err(|error| Error::unwritable(self.folder, error))?;
        let lock = Lock::folder(&folder).map_err(|error| match error {
            crate::files::Error::Locked { folder } => Error::Locked { folder },
            other => other.into(),
        })?;
        let mut stages = Stages::new(&folder, Some(self.nnue.into()), observe)?;
        let files = Files::within(&folder);
        write(&files.spec, &self.spec.text)?;
        if let Some(current) = self.current_spec {
            write(&files.current_spec, &current.text)?;
        }

        let new = self.build_engine(&files, &mut stages)?;
        let current = self.build_current(&files, &new, &mut stages)?;
        self.play_games(&files, &current, &mut stages)?;
        self.train(&path, &files, &mut stages)?;
        self.verify(&files, &mut stages)?;
        let matches = self.play_matches(&files, [new, current], &mut stages)?;
        Ok(Outcome {
            stages: stages.finished,
            matches,
            training: Training::read(&files.training)?,
            report: files.report,
            _lock: lock,
        })
    }

    fn check_trainer(&self) -> Result<(), Error> {
        let [program, arguments @ ..] = &*self.run.trainer.command else {
            return Ok(());
        };

        let output = Command::new(program).args(arguments).arg("--help").output();
        let program = program.clone();
        match output {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(Error::Trainer {
                program,
                words: last_lines(&output.stderr),
            }),
            Err(error) => Err(Error::NoTrainer { program, error }),
        }
    }

    fn check_files(&self) -> Result<(), Error> {
        let specs = [Some(self.spec), self.current_spec].into_iter().flatten();
        let specs = specs.filter_map(|spec| Some(spec.choice.path()?.to_path_buf()));
        let other = [self.run.path.clone()].into_iter().chain(specs);
        let other: Vec<PathBuf> = other.chain(self.run.replaced()).collect();
        let read: Vec<PathBuf> = self
            .run
            .current_net()
            .into_iter()
            .chain(self.run.data())
            .collect();
        Files::within(self.folder).check(other, read, &self.engine())
    }

    /// The folder of the engine's package.
    fn engine(&self) -> PathBuf {
        self.run.engine().unwrap_or_else(|| self.engine.into())
    }

    /// Builds the engine for a spec, as a stage.
    fn install(
        &self,
        name: &str,
        root: &Path,
        spec: &Path,
        pawn: Option<NonZeroU16>,
    ) -> Result<(Stage, PathBuf), Error> {
        let program = root.join("bin").join(executable("nnue-engine"));
        let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
        let pawn = pawn.map_or(String::new(), |pawn| pawn.to_string());
        let mut stage = Stage::new(name, cargo)
            .argument("install")
            .argument("--quiet")
            .argument("--locked")
            .argument("--force")
            .option("--path", self.engine())
            .option("--root", root)
            .variable("NNUE_SPEC", spec)
            .variable("NNUE_PAWN", pawn)
            // Nets are loaded at run time, so that the same engine plays with all nets of a spec.
            .variable("EVALFILE", "")
            .reads(spec)
            .writes(&program)
            .writes(root.join("bin").join(executable("nnue-selfplay")));
        // The engine is compiled by the compiler's version in that program.
        stage = stage.reads(self.nnue);
        for source in sources(&self.engine())? {
            stage = stage.reads(source);
        }
        Ok((stage, program))
    }

    /// The engine for the new net.
    fn build_engine(&self, files: &Files, stages: &mut Stages<'_>) -> Result<Player, Error> {
        let (stage, engine) =
            self.install("engine", &files.engine, &files.spec, self.run.engine.pawn)?;
        stages.run(&stage)?;
        Ok(Player {
            name: "new net".into(),
            engine,
            net: files.net.clone().into(),
        })
    }

    /// The player that makes the games for the training, and that the new net must beat: an engine
    /// with the current net, or with material alone.
    fn build_current(
        &self,
        files: &Files,
        new: &Player,
        stages: &mut Stages<'_>,
    ) -> Result<Player, Error> {
        let Some(current) = &self.run.current else {
            return Ok(material(new));
        };
        let path = self.run.folder().join(&current.net);
        let name = path.file_name().unwrap_or_default();
        let (stage, engine) = self.install(
            "engine of the current net",
            &files.current_engine,
            &files.current_spec,
            current.pawn,
        )?;
        stages.run(&stage)?;
        let net = fs::canonicalize(&path).map_err(|error| Error::unreadable(&path, error))?;
        Ok(Player {
            name: format!("current net, {}", name.to_string_lossy()),
            engine,
            net: net.into(),
        })
    }

    /// Lets the current player play against itself. Without `[selfplay]` the run file names the
    /// data.
    fn play_games(
        &self,
        files: &Files,
        current: &Player,
        stages: &mut Stages<'_>,
    ) -> Result<(), Error> {
        let Some(selfplay) = &self.run.selfplay else {
            return Ok(());
        };
        // The engine's package also has the program for games against itself.
        let program = current.engine.with_file_name(executable("nnue-selfplay"));
        let stage = Stage::new("games", &program)
            .option("--games", selfplay.games.to_string())
            .option("--nodes", selfplay.nodes.to_string())
            .option("--seed", selfplay.seed.to_string())
            .option("--eval-file", &current.net)
            .option("--out", &files.positions)
            .reads(&program)
            .writes(&files.positions);
        stages.run(&current.plays_in(stage))?;
        Ok(())
    }

    /// Trains and quantises a net, and leaves golden values beside it.
    fn train(&self, path: &Path, files: &Files, stages: &mut Stages<'_>) -> Result<(), Error> {
        let [program, arguments @ ..] = &*self.run.trainer.command else {
            return Ok(());
        };
        let stage = Stage::new("training", program);
        let mut stage = arguments
            .iter()
            .fold(stage, |stage, argument| stage.argument(argument))
            .argument(path)
            .option("--out", &files.training)
            .other_option("--nnue", self.nnue)
            .settings(self.run.for_trainer.clone())
            .reads(&files.spec)
            .writes(&files.net)
            .writes(&files.golden)
            .writes(&files.summary)
            .goes_on_from(&files.training);
        stage = self.run.data().fold(stage, Stage::reads);
        if self.run.selfplay.is_some() {
            stage = stage
                .option("--data", &files.positions)
                .reads(&files.positions);
        }
        stages.run(&stage)?;
        Ok(())
    }

    /// Compares the net, interpreted and compiled for each level, with the values that the trainer
    /// computed.
    fn verify(&self, files: &Files, stages: &mut Stages<'_>) -> Result<(), Error> {
        let stage = Stage::new("verification", self.nnue)
            .argument("verify")
            .argument(&files.net)
            .option("--spec", &files.spec)
            .option("--golden", &files.golden)
            .argument("--compile")
            // Another version of the program may find other differences.
            .reads(self.nnue)
            .reads(&files.spec)
            .reads(&files.net)
            .reads(&files.golden);
        stages.run(&stage)?;
        Ok(())
    }

    /// Plays a match of the new net against material, and then against the current net, if any.
    fn play_matches(
        &self,
        files: &Files,
        [new, current]: [Player; 2],
        stages: &mut Stages<'_>,
    ) -> Result<Vec<NetMatch>, Error> {
        fs::create_dir_all(&files.matches)
            .map_err(|error| Error::unwritable(&files.matches, error))?;
        let mut opponents = vec![material(&new)];
        if self.run.current.is_some() {
            opponents.push(current);
        }
        let mut matches = Vec::new();
        for (word, opponent) in OPPONENTS.into_iter().zip(opponents) {
            let file = |extension| files.of_match(word, extension);
            let stage = Stage::new(format!("match with {word}"), self.nnue)
                .argument("match")
                .argument(&new.engine)
                .argument(&opponent.engine)
                .option("--options-a", eval_file(&new.net))
                .option("--options-b", eval_file(&opponent.net))
                .option("--games", self.run.matches.games.to_string())
                .option("--nodes", self.run.matches.nodes.to_string())
                .option("--openings-seed", self.run.matches.seed.to_string())
                .option("--pgn", file("pgn"))
                .option("--state", file("state"))
                .argument("--json")
                .writes(file("pgn"))
                .goes_on_from(file("state"));
            let printed = stages.run(&opponent.plays_in(new.plays_in(stage)))?;
            let result = serde_json::from_str(&printed).map_err(|error| Error::Json {
                origin: "`nnue match` printed what is no JSON".into(),
                error,
            })?;
            let opponent = opponent.name;
            matches.push(NetMatch { opponent, result });
        }
        Ok(matches)
    }
}

/// An engine with the net that it plays with.
#[derive(Clone)]
struct Player {
    name: String,
    engine: PathBuf,
    /// The value of the engine's option `EvalFile`.
    net: OsString,
}

impl Player {
    /// Adds the player's program and net as inputs of a stage; `<material>` is no file.
    fn plays_in(&self, stage: Stage) -> Stage {
        let stage = stage.reads(&self.engine);
        if self.net == MATERIAL {
            stage
        } else {
            stage.reads(&self.net)
        }
    }
}

fn material(player: &Player) -> Player {
    Player {
        name: "material".into(),
        engine: player.engine.clone(),
        net: MATERIAL.into(),
    }
}

fn eval_file(net: &OsStr) -> OsString {
    let mut option = OsString::from("EvalFile=");
    option.push(net);
    option
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}
