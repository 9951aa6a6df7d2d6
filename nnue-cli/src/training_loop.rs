//! From a spec to a net whose strength is known: an engine for the spec, games that it plays against
//! itself, training, verification, matches, and a report.
//!
//! Each stage is a command that can be run by hand, and the report shows it.

mod files;
#[cfg(unix)]
pub(crate) mod guard;
mod record;
mod report;
mod run_file;
mod stage;
mod stages;
mod training;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::process::Command;

use nnue_compiler::format::foreign;
use nnue_files::{Error, Lock};

use crate::Failure;
use crate::inputs::{unreadable, unwritable, write};
use crate::verification::require_values;

use self::files::{Files, OPPONENTS, sources};
use self::report::{Played, Report};
use self::run_file::RunFile;
use self::stage::Stage;
use self::stages::{Stages, last_lines};
use self::training::Training;

/// What the engine takes for a net that only counts material.
const MATERIAL: &str = "<material>";

/// Goes through all stages of a run file in a folder, from the first one that is not done.
pub(crate) fn run(path: &Path, folder: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let run = RunFile::read(path)?;
    let (text, network) = run.spec.read()?;
    let current = run.current.as_ref();
    let current = current.map(|current| current.spec.read()).transpose()?;
    // What a later stage would refuse is found before an engine plays for minutes.
    require_values(&network)?;
    check_trainer(&run)?;
    Files::within(folder).check(path, &run)?;
    let path = fs::canonicalize(path).map_err(|error| unreadable(path, &error))?;
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    // The engine's package and the run file have other folders.
    let folder = fs::canonicalize(folder).map_err(|error| unwritable(folder, &error))?;
    let _lock = Lock::folder(&folder).map_err(|error| match error {
        Error::Locked { .. } => Failure::Work(format!(
            "another `nnue loop` works in `{}`: wait until it ends, or name another folder with `--out`",
            foreign(folder.display())
        )),
        other => Failure::work(other),
    })?;
    let mut stages = Stages::new(&folder, Some(own_program()?), out)?;
    let files = Files::within(&folder);
    write(&files.spec, text)?;
    if let Some((text, _)) = current {
        write(&files.current_spec, text)?;
    }

    let new = build_engine(&run, &files, &mut stages)?;
    let current = build_current(&run, &files, &new, &mut stages)?;
    play_games(&run, &files, &current, &mut stages)?;
    train(&run, &path, &files, &mut stages)?;
    verify(&files, &mut stages)?;
    let matches = play_matches(&run, &files, [new, current], &mut stages)?;

    let report = Report {
        run: &run,
        network: &network,
        stages: &stages.finished,
        matches: &matches,
        training: &Training::read(&files.training)?,
    };
    write(&files.report, report.html())?;
    report.summary(out)?;
    writeln!(out, "report: {}", foreign(files.report.display()))?;
    Ok(())
}

/// An engine with the net that it plays with.
#[derive(Clone)]
struct Player {
    name: String,
    engine: PathBuf,
    /// The value of its option `EvalFile`.
    net: OsString,
}

impl Player {
    /// What the engine plays with is an input of a stage too, unless it is no file.
    fn plays_in(&self, stage: Stage) -> Stage {
        let stage = stage.reads(&self.engine);
        match self.net == MATERIAL {
            true => stage,
            false => stage.reads(&self.net),
        }
    }
}

fn check_trainer(run: &RunFile) -> Result<(), Failure> {
    let [program, arguments @ ..] = &*run.trainer else {
        return Ok(());
    };

    let output = Command::new(program).args(arguments).arg("--help").output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(Failure::Work(format!(
            "`{} --help` failed: {}",
            foreign(program),
            last_lines(&output.stderr)
        ))),
        Err(error) => Err(Failure::Work(format!(
            "cannot run `{}`, which trains networks: {error}; in the project's folder, \
             `pip install ./trainer` installs it, and `command` in `[trainer]` names another program",
            foreign(program)
        ))),
    }
}

/// Builds the engine for a spec.
fn install(
    run: &RunFile,
    name: &str,
    root: &Path,
    spec: &Path,
    pawn: Option<NonZeroU16>,
) -> Result<(Stage, PathBuf), Failure> {
    let program = root.join("bin").join(executable("nnue-engine"));
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let pawn = pawn.map_or(String::new(), |pawn| pawn.to_string());
    let mut stage = Stage::new(name, cargo)
        .argument("install")
        .argument("--quiet")
        .argument("--locked")
        .argument("--force")
        .option("--path", &run.engine)
        .option("--root", root)
        .variable("NNUE_SPEC", spec)
        .variable("NNUE_PAWN", pawn)
        // Nets are loaded, so that one engine plays with all nets of a spec.
        .variable("EVALFILE", "")
        .reads(spec)
        .writes(&program)
        .writes(root.join("bin").join(executable("nnue-selfplay")));
    // The engine is compiled by the same version of the compiler as this program has.
    stage = stage.reads(own_program()?);
    for source in sources(&run.engine)? {
        stage = stage.reads(source);
    }
    Ok((stage, program))
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// The engine for the new net.
fn build_engine(run: &RunFile, files: &Files, stages: &mut Stages<'_>) -> Result<Player, Failure> {
    let (stage, engine) = install(run, "engine", &files.engine, &files.spec, run.pawn)?;
    stages.run(&stage)?;
    Ok(Player {
        name: "new net".into(),
        engine,
        net: files.net.clone().into(),
    })
}

/// Who makes the games that the new net learns from, and whom it has to beat: the current net, or
/// material.
fn build_current(
    run: &RunFile,
    files: &Files,
    new: &Player,
    stages: &mut Stages<'_>,
) -> Result<Player, Failure> {
    let Some(current) = &run.current else {
        return Ok(material(new));
    };
    let name = current.net.file_name().unwrap_or_default();
    let (stage, engine) = install(
        run,
        "engine of the current net",
        &files.current_engine,
        &files.current_spec,
        current.pawn,
    )?;
    stages.run(&stage)?;
    let net = fs::canonicalize(&current.net).map_err(|error| unreadable(&current.net, &error))?;
    Ok(Player {
        name: format!("current net, {}", name.to_string_lossy()),
        engine,
        net: net.into(),
    })
}

fn material(player: &Player) -> Player {
    Player {
        name: "material".into(),
        engine: player.engine.clone(),
        net: MATERIAL.into(),
    }
}

/// Lets the current net play against itself. Without `[selfplay]` the run file names the data.
fn play_games(
    run: &RunFile,
    files: &Files,
    current: &Player,
    stages: &mut Stages<'_>,
) -> Result<(), Failure> {
    let Some(selfplay) = &run.selfplay else {
        return Ok(());
    };
    // The engine's package has it too.
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
fn train(
    run: &RunFile,
    path: &Path,
    files: &Files,
    stages: &mut Stages<'_>,
) -> Result<(), Failure> {
    let [program, arguments @ ..] = &*run.trainer else {
        return Ok(());
    };
    let stage = Stage::new("training", program);
    let mut stage = arguments
        .iter()
        .fold(stage, |stage, argument| stage.argument(argument))
        .argument(path)
        .option("--out", &files.training)
        .other_option("--nnue", own_program()?)
        .settings(run.for_trainer.clone())
        .reads(&files.spec)
        .writes(&files.net)
        .writes(&files.golden)
        .writes(&files.summary)
        .goes_on_from(&files.training);
    stage = run.data.iter().fold(stage, Stage::reads);
    if run.selfplay.is_some() {
        stage = stage
            .option("--data", &files.positions)
            .reads(&files.positions);
    }
    stages.run(&stage)?;
    Ok(())
}

/// Compares the net, interpreted and compiled for each level, with what the trainer computed.
fn verify(files: &Files, stages: &mut Stages<'_>) -> Result<(), Failure> {
    let stage = Stage::new("verification", own_program()?)
        .argument("verify")
        .argument(&files.net)
        .option("--spec", &files.spec)
        .option("--golden", &files.golden)
        .argument("--compile")
        // Another version of it may find something else.
        .reads(own_program()?)
        .reads(&files.spec)
        .reads(&files.net)
        .reads(&files.golden);
    stages.run(&stage)?;
    Ok(())
}

/// Lets the new net play against material, and against the current net if there is one.
fn play_matches(
    run: &RunFile,
    files: &Files,
    [new, current]: [Player; 2],
    stages: &mut Stages<'_>,
) -> Result<Vec<Played>, Failure> {
    fs::create_dir_all(&files.matches).map_err(|error| unwritable(&files.matches, &error))?;
    let mut opponents = vec![material(&new)];
    if run.current.is_some() {
        opponents.push(current);
    }
    let mut played = Vec::new();
    for (word, opponent) in OPPONENTS.into_iter().zip(opponents) {
        let file = |extension| files.of_match(word, extension);
        let stage = Stage::new(format!("match with {word}"), own_program()?)
            .argument("match")
            .argument(&new.engine)
            .argument(&opponent.engine)
            .option("--options-a", eval_file(&new.net))
            .option("--options-b", eval_file(&opponent.net))
            .option("--games", run.matches.games.to_string())
            .option("--nodes", run.matches.nodes.to_string())
            .option("--openings-seed", run.matches.seed.to_string())
            .option("--pgn", file("pgn"))
            .option("--state", file("state"))
            .argument("--json")
            .writes(file("pgn"))
            .goes_on_from(file("state"));
        let printed = stages.run(&opponent.plays_in(new.plays_in(stage)))?;
        let result = serde_json::from_str(&printed).map_err(|error| {
            Failure::Work(format!(
                "`nnue match` printed what is no JSON: {}",
                foreign(error)
            ))
        })?;
        let opponent = opponent.name;
        played.push(Played { opponent, result });
    }
    Ok(played)
}

fn eval_file(net: &OsStr) -> OsString {
    let mut option = OsString::from("EvalFile=");
    option.push(net);
    option
}

/// The path of this program, which does some of the stages.
fn own_program() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|error| Failure::Work(format!("cannot find this program itself: {error}")))
}
