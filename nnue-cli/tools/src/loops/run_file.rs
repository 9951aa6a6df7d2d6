//! The settings of a loop in a run file. The rest of the file is for the trainer.

use std::collections::BTreeMap;
use std::num::{NonZeroU16, NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

use nnue_compiler::format::foreign;
use serde::{Deserialize, Serialize};

use crate::loops::error::Error;
use crate::loops::schema::documented;

/// A run file: the keys that the loop reads. The trainer reads the others, and reports unknown keys.
#[derive(Debug, Deserialize)]
pub struct RunFile {
    /// The path of the run file.
    #[serde(skip)]
    pub path: PathBuf,
    /// The text of the run file.
    #[serde(skip)]
    pub(crate) text: String,
    /// The keys of the run file that are for the trainer, with their values.
    #[serde(skip)]
    pub(crate) for_trainer: BTreeMap<String, String>,
    /// The spec of the new net: the name of a known spec, or a path that is relative to the run
    /// file's folder.
    pub spec: String,
    /// The engine that plays with the new net.
    #[serde(default)]
    pub engine: Engine,
    #[serde(default)]
    pub(crate) trainer: Trainer,
    /// The net that the new net has to beat, besides material.
    pub current: Option<Current>,
    /// The games from which the trainer learns, if the run file names no files for it.
    pub(crate) selfplay: Option<SelfPlay>,
    /// How the new net plays its matches.
    #[serde(default, rename = "match")]
    pub(crate) matches: Matches,
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

documented! {
    /// The engine that plays with the new net.
    #[derive(Debug, Default, Deserialize, Serialize)]
    #[serde(deny_unknown_fields)]
    pub struct Engine {
        /// The folder of the engine's package, if it is not the default folder.
        pub folder: Option<PathBuf>,
        /// How many of the network's units are a pawn, if the engine should know it.
        pub(crate) pawn: Option<NonZeroU16>,
    }
}

documented! {
    /// The program that trains the network.
    #[derive(Debug, Deserialize, Serialize)]
    #[serde(deny_unknown_fields)]
    pub(crate) struct Trainer {
        /// The trainer's program and its first arguments.
        pub(crate) command: Vec<String>,
    }
}

impl Default for Trainer {
    fn default() -> Trainer {
        Trainer {
            command: vec!["nnue-train".into()],
        }
    }
}

documented! {
    /// The net that the new net has to beat.
    #[derive(Debug, Deserialize, Serialize)]
    #[serde(deny_unknown_fields)]
    pub struct Current {
        /// The spec of the net, if it is not that of the new net, in the same form.
        pub spec: Option<String>,
        /// The path of the net file.
        pub(crate) net: PathBuf,
        /// How many of the network's units are a pawn, if the engine should know it.
        pub(crate) pawn: Option<NonZeroU16>,
    }
}

documented! {
    /// The games that the engine plays against itself.
    #[derive(Debug, Deserialize, Serialize)]
    #[serde(deny_unknown_fields)]
    pub(crate) struct SelfPlay {
        /// The number of games.
        pub(crate) games: NonZeroU32,
        /// The number of nodes for each search.
        pub(crate) nodes: NonZeroU64,
        /// The seed of the games.
        #[serde(default = "one")]
        pub(crate) seed: u64,
    }
}

fn one() -> u64 {
    1
}

documented! {
    /// The matches of the new net.
    #[derive(Debug, Deserialize, Serialize)]
    #[serde(default, deny_unknown_fields)]
    pub(crate) struct Matches {
        /// The number of games in each match, an even number.
        pub(crate) games: u32,
        /// The number of nodes for each search.
        pub(crate) nodes: NonZeroU64,
        /// The seed of the openings.
        pub(crate) seed: u64,
    }
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
        let mut run: RunFile = toml::from_str(&text).map_err(no_toml)?;
        let words = run.trainer.command.len();
        if words == 0 {
            return Err(wrong(
                &"`command` in `[trainer]` is empty, expected a program and its arguments",
            ));
        }
        if words > LONGEST_COMMAND {
            return Err(wrong(&format!(
                "`command` in `[trainer]` has {words} words, allowed are at most {LONGEST_COMMAND}"
            )));
        }
        let Matches { games, .. } = run.matches;
        if games < 2 || !games.is_multiple_of(2) {
            return Err(wrong(&format!(
                "`games` in `[match]` is {games}, expected an even number: openings are played with both colours"
            )));
        }
        let mut table: toml::Table = toml::from_str(&text).map_err(no_toml)?;
        table.retain(|key, _| !OWN.contains(&key));
        run.for_trainer = settings(&table).map_err(|error| wrong(&error))?;
        (run.path, run.text) = (path.into(), text);
        Ok(run)
    }

    /// The folder of the run file, to which its paths are relative.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The folder of the engine's package, if it is not the default folder.
    #[must_use]
    pub fn engine(&self) -> Option<PathBuf> {
        Some(self.folder().join(self.engine.folder.as_ref()?))
    }

    /// The path of the current net, if there is one.
    pub(crate) fn current_net(&self) -> Option<PathBuf> {
        Some(self.folder().join(&self.current.as_ref()?.net))
    }

    /// The files that the trainer reads: data, also of stages, and what the training starts with.
    /// A stage that names files does not get the engine's games.
    pub(crate) fn data(&self) -> impl Iterator<Item = PathBuf> {
        let files = self.data.files.iter().filter(|_| self.selfplay.is_none());
        let of_stages = self.stage.iter().flat_map(|TrainingStage { data }| {
            let Data { files, validation } = data;
            files.iter().chain(validation)
        });
        let all = files.chain(&self.data.validation);
        let all = all.chain(of_stages).chain(&self.start);
        all.map(|file| self.folder().join(file))
    }

    /// The files of data that the engine's games replace, which are not those for validation.
    pub(crate) fn replaced(&self) -> impl Iterator<Item = PathBuf> {
        let replaced = self.data.files.iter().filter(|_| self.selfplay.is_some());
        replaced.map(|file| self.folder().join(file))
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
        assert_eq!(run.current_net().unwrap(), Path::new("runs/old.nnue"));
        assert_eq!(run.engine().unwrap(), Path::new("runs/my-engine"));
        assert!(run.data().eq([Path::new("runs/games.pgn")]));
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
        assert!(run.data().eq(all.iter().cloned()));
        // Games replace the files of the run, but not those of a stage.
        let run = run_file(&format!("{text}[selfplay]\ngames = 2\nnodes = 1\n")).unwrap();
        assert!(run.data().eq(all[1..].iter().cloned()));
        assert!(run.replaced().eq(all[..1].iter().cloned()));
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
