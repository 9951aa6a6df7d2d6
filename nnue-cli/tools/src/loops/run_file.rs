//! The settings of a loop in a run file. The rest of the file is for the trainer.

use std::collections::BTreeMap;
use std::num::{NonZeroU16, NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

use nnue_compiler::format::foreign;
use serde::Deserialize;

use crate::loops::error::Error;

/// The keys of a run file that the loop reads. The trainer reads the others, and reports unknown
/// keys.
#[derive(Debug, Deserialize)]
struct Keys {
    spec: String,
    #[serde(default)]
    engine: Engine,
    #[serde(default)]
    trainer: Trainer,
    current: Option<Current>,
    selfplay: Option<SelfPlay>,
    #[serde(default, rename = "match")]
    matches: Matches,
    #[serde(default)]
    data: Data,
    start: Option<PathBuf>,
    #[serde(default)]
    stage: Vec<TrainingStage>,
}

/// What the loop reads of a stage of the training.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TrainingStage {
    data: Data,
}

/// The files that the trainer reads, if the engine plays no games for it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Data {
    files: Vec<PathBuf>,
    validation: Vec<PathBuf>,
}

/// The keys of the loop that the trainer does not read.
const OWN: [&str; 5] = ["engine", "trainer", "current", "selfplay", "match"];

/// The most words of the trainer's program and first arguments, because messages show them.
const LONGEST_COMMAND: usize = 64;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Engine {
    folder: Option<PathBuf>,
    pawn: Option<NonZeroU16>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Trainer {
    command: Vec<String>,
}

impl Default for Trainer {
    fn default() -> Trainer {
        Trainer {
            command: vec!["nnue-train".into()],
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Current {
    spec: Option<String>,
    net: PathBuf,
    pawn: Option<NonZeroU16>,
}

/// The games that the engine plays against itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlay {
    /// The number of games.
    pub games: NonZeroU32,
    /// The number of nodes for each search.
    pub nodes: NonZeroU64,
    /// The seed of the games.
    #[serde(default = "one")]
    pub seed: u64,
}

fn one() -> u64 {
    1
}

/// The matches of the new net.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Matches {
    /// The number of games in each match, an even number.
    pub games: u32,
    /// The number of nodes for each search.
    pub nodes: NonZeroU64,
    /// The seed of the openings.
    pub seed: u64,
}

impl Default for Matches {
    fn default() -> Matches {
        Matches {
            games: 400,
            nodes: const { NonZeroU64::new(5000).unwrap() },
            seed: one(),
        }
    }
}

/// A run file in the form that a loop needs: paths are relative to the working folder.
#[derive(Debug)]
pub struct RunFile {
    /// The path of the run file.
    pub path: PathBuf,
    /// The text of the run file.
    pub text: String,
    /// The keys of the run file that are for the trainer, with their values.
    pub for_trainer: BTreeMap<String, String>,
    /// The spec of the new net, as the run file has it: the name of a known spec, or a path that is
    /// relative to the run file's folder.
    pub spec: String,
    /// How many of the network's units are a pawn, if the engine should know it.
    pub pawn: Option<NonZeroU16>,
    /// The folder of the engine's package, if it is not the default folder.
    pub engine: Option<PathBuf>,
    /// The trainer's program and its first arguments.
    pub trainer: Vec<String>,
    /// The net that the new net has to beat, besides material.
    pub current: Option<CurrentNet>,
    /// The games from which the trainer learns, if the run file names no files for it.
    pub selfplay: Option<SelfPlay>,
    /// How the new net plays its matches.
    pub matches: Matches,
    /// The files that the run file names for the trainer: data, also of stages, and what the
    /// training starts with.
    pub data: Vec<PathBuf>,
    /// The files of data that the engine's games replace.
    pub replaced: Vec<PathBuf>,
}

/// The net that the new net has to beat.
#[derive(Debug)]
pub struct CurrentNet {
    /// The spec of the net, as the run file has it: the name of a known spec, or a path that is
    /// relative to the run file's folder.
    pub spec: String,
    /// The path of the net file.
    pub net: PathBuf,
    /// How many of the network's units are a pawn, if the engine should know it.
    pub pawn: Option<NonZeroU16>,
}

impl RunFile {
    /// Reads the text of the run file at `path`.
    ///
    /// # Errors
    ///
    /// [`Error::RunFile`] if the text is no TOML, or has settings that a loop does not allow. The
    /// trainer reports unknown keys.
    pub fn parse(path: &Path, text: String) -> Result<RunFile, Error> {
        let wrong = |wrong: &dyn std::fmt::Display| Error::RunFile {
            path: path.into(),
            wrong: wrong.to_string(),
        };
        let no_toml = |error: toml::de::Error| {
            // The message shows the line of the file below the error.
            let message = error.to_string();
            let lines = message.trim_end().lines();
            let lines: Vec<String> = lines.map(|line| foreign(line).to_string()).collect();
            wrong(&lines.join("\n"))
        };
        let keys: Keys = toml::from_str(&text).map_err(no_toml)?;
        let mut table: toml::Table = toml::from_str(&text).map_err(no_toml)?;
        table.retain(|key, _| !OWN.contains(&key));
        let folder = path.parent().unwrap_or(Path::new(""));
        if keys.trainer.command.is_empty() {
            return Err(wrong(
                &"`command` in `[trainer]` is empty, expected a program and its arguments",
            ));
        }
        let words = keys.trainer.command.len();
        if words > LONGEST_COMMAND {
            return Err(wrong(&format!(
                "`command` in `[trainer]` has {words} words, allowed are at most {LONGEST_COMMAND}"
            )));
        }
        let Matches { games, .. } = keys.matches;
        if games < 2 || !games.is_multiple_of(2) {
            return Err(wrong(&format!(
                "`games` in `[match]` is {games}, expected an even number: openings are played with both colours"
            )));
        }
        let current = keys.current.map(|current| CurrentNet {
            spec: current.spec.unwrap_or_else(|| keys.spec.clone()),
            net: folder.join(current.net),
            pawn: current.pawn,
        });
        let Data { files, validation } = keys.data;
        // The engine's games replace the files for training, but not those for validation.
        let (files, replaced) = match keys.selfplay {
            Some(_) => (Vec::new(), files),
            None => (files, Vec::new()),
        };
        // A stage that names files does not get the games.
        let of_stages = keys.stage.into_iter().flat_map(|stage| {
            let Data { files, validation } = stage.data;
            files.into_iter().chain(validation)
        });
        let data = files.into_iter().chain(validation);
        let data = data.chain(of_stages).chain(keys.start);
        let within = |file: PathBuf| folder.join(file);
        Ok(RunFile {
            path: path.into(),
            for_trainer: settings(&table).map_err(|error| wrong(&error))?,
            text,
            spec: keys.spec,
            pawn: keys.engine.pawn,
            engine: keys.engine.folder.map(|engine| folder.join(engine)),
            trainer: keys.trainer.command,
            current,
            selfplay: keys.selfplay,
            matches: keys.matches,
            data: data.map(within).collect(),
            replaced: replaced.into_iter().map(within).collect(),
        })
    }
}

/// The keys of a table and of the tables in it, with their values as JSON.
fn settings(table: &toml::Table) -> serde_json::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for (key, value) in table {
        match serde_json::to_value(value)? {
            serde_json::Value::Object(inner) => {
                let inner = inner.iter();
                found.extend(
                    inner.map(|(name, value)| (format!("`{key}.{name}`"), value.to_string())),
                );
            }
            value => {
                found.insert(format!("`{key}`"), value.to_string());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_file(text: &str) -> Result<RunFile, String> {
        let run = RunFile::parse("runs/one.toml".as_ref(), text.into());
        run.map_err(|error| error.to_string())
    }

    #[test]
    fn keys_of_the_trainer_are_left_to_it() {
        let text = "spec = \"small128\"\nbatches = 7\n[loss]\npower = 2.5\n[match]\ngames = 2\n";
        let run = run_file(text).unwrap();
        assert_eq!(run.matches.games, 2);
        assert_eq!(run.matches.nodes.get(), 5000);
        let expected = [
            ("`batches`", "7"),
            ("`loss.power`", "2.5"),
            ("`spec`", "\"small128\""),
        ];
        let expected = expected.map(|(key, value)| (key.to_string(), value.to_string()));
        assert_eq!(run.for_trainer, BTreeMap::from(expected));
    }

    #[test]
    fn paths_are_relative_to_the_run_file() {
        let text = "spec = \"my-net.toml\"\nengine.folder = \"my-engine\"\ncurrent.net = \"old.nnue\"\n\
                    data.files = [\"games.pgn\"]\n";
        let run = run_file(text).unwrap();
        assert_eq!(run.spec, "my-net.toml");
        let current = run.current.unwrap();
        assert_eq!(
            current.spec, run.spec,
            "the same spec as that of the new net"
        );
        assert_eq!(current.net, Path::new("runs/old.nnue"));
        assert_eq!(run.engine.unwrap(), Path::new("runs/my-engine"));
        assert_eq!(run.data, [Path::new("runs/games.pgn")]);
    }

    #[test]
    fn the_trainer_reads_what_stages_name_and_what_it_starts_with() {
        let text = "spec = \"small128\"\nstart = \"old.nnue\"\n\
                    data = { files = [\"a.txt\"], validation = [\"b.txt\"] }\n\
                    [[stage]]\n[[stage]]\ndata = { files = [\"c.txt\"], validation = [\"d.txt\"] }\n";
        let paths = |names: &[&str]| {
            names
                .iter()
                .map(|name| Path::new("runs").join(name))
                .collect()
        };
        let run = run_file(text).unwrap();
        let all: Vec<PathBuf> = paths(&["a.txt", "b.txt", "c.txt", "d.txt", "old.nnue"]);
        assert_eq!(run.data, all);
        // Games replace the files of the run, but not those of a stage.
        let run = run_file(&format!("{text}[selfplay]\ngames = 2\nnodes = 1\n")).unwrap();
        assert_eq!(run.data, all[1..]);
        assert_eq!(run.replaced, all[..1]);
    }

    #[test]
    fn mistakes_are_shown() {
        for (text, words) in [
            (
                "spec = \"small128\"\n[match]\nnods = 2\n",
                "unknown field `nods`",
            ),
            ("[match]\nnodes = 2\n", "missing field `spec`"),
            ("spec =\n", "line 1"),
            (
                "spec = \"small128\"\ntrainer.command = []\n",
                "`command` in `[trainer]` is empty",
            ),
            (
                &format!("spec = \"small128\"\ntrainer.command = {:?}\n", ["x"; 65]),
                "has 65 words, allowed are at most 64",
            ),
            (
                "spec = \"small128\"\nmatch.games = 401\n",
                "expected an even number",
            ),
            (
                "spec = \"small128\"\nmatch.nodes = 0\n",
                "expected a nonzero u64",
            ),
            (
                "spec = \"small128\"\nmatch.games = -1\n",
                "invalid value: integer `-1`",
            ),
        ] {
            let message = run_file(text).expect_err("it is refused");
            assert!(message.starts_with("`runs/one.toml`: "), "{message}");
            assert!(message.contains(words), "{message}");
        }
    }
}
