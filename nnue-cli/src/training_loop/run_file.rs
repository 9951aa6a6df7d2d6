//! What a run file says to `nnue loop`. The rest of it is for the trainer.

use std::collections::BTreeMap;
use std::num::{NonZeroU16, NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

use nnue_compiler::format::foreign;
use serde::Deserialize;

use crate::Failure;
use crate::inputs::text;
use crate::known::SpecChoice;

/// The keys of a run file that are not for the trainer. Those that are for neither are reported by
/// the trainer.
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
    matches: Match,
    #[serde(default)]
    data: Data,
}

/// The files that the trainer reads, if the engine plays no games for it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Data {
    files: Vec<PathBuf>,
    validation: Vec<PathBuf>,
}

/// Keys of the loop that the trainer does not read.
const OWN: [&str; 5] = ["engine", "trainer", "current", "selfplay", "match"];

/// How many words the trainer's program has with its first arguments, at most: messages show them.
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

/// Games that the engine plays against itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SelfPlay {
    pub(super) games: NonZeroU32,
    /// Nodes of a search.
    pub(super) nodes: NonZeroU64,
    #[serde(default = "one")]
    pub(super) seed: u64,
}

fn one() -> u64 {
    1
}

/// The matches of the new net.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Match {
    /// Games of each match, an even number.
    pub(super) games: u32,
    /// Nodes of a search.
    pub(super) nodes: NonZeroU64,
    /// Which openings.
    pub(super) seed: u64,
}

impl Default for Match {
    fn default() -> Match {
        Match {
            games: 400,
            nodes: const { NonZeroU64::new(5000).unwrap() },
            seed: one(),
        }
    }
}

/// A run file as the loop needs it: paths are relative to the working folder.
pub(super) struct RunFile {
    /// Its text.
    pub(super) text: String,
    /// The keys of it that are for the trainer, with their values.
    pub(super) for_trainer: BTreeMap<String, String>,
    pub(super) spec: SpecChoice,
    /// How many of the network's units are a pawn, if the engine is to be told.
    pub(super) pawn: Option<NonZeroU16>,
    /// The folder of the engine's package.
    pub(super) engine: PathBuf,
    /// The trainer's program and its first arguments.
    pub(super) trainer: Vec<String>,
    pub(super) current: Option<CurrentNet>,
    pub(super) selfplay: Option<SelfPlay>,
    pub(super) matches: Match,
    /// The files that the trainer reads as the run file says.
    pub(super) data: Vec<PathBuf>,
    /// Files of data whose place games of the engine take.
    pub(super) replaced: Vec<PathBuf>,
}

/// The net that the new one has to beat.
pub(super) struct CurrentNet {
    pub(super) spec: SpecChoice,
    pub(super) net: PathBuf,
    pub(super) pawn: Option<NonZeroU16>,
}

impl RunFile {
    pub(super) fn read(path: &Path) -> Result<RunFile, Failure> {
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::Work(format!("`{}`: {error}", foreign(path.display())))
        };
        let no_toml = |error: toml::de::Error| {
            // It shows the line of the file below what is wrong with it.
            let message = error.to_string();
            let lines = message.trim_end().lines();
            let lines: Vec<String> = lines.map(|line| foreign(line).to_string()).collect();
            wrong(&lines.join("\n"))
        };
        let text = text(path)?;
        let keys: Keys = toml::from_str(&text).map_err(no_toml)?;
        let mut table: toml::Table = toml::from_str(&text).map_err(no_toml)?;
        table.retain(|key, _| !OWN.contains(&key));
        let folder = path.parent().unwrap_or(Path::new(""));
        let spec = |text: &str| SpecChoice::within(folder, text).map_err(|error| wrong(&error));
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
        let Match { games, .. } = keys.matches;
        if games < 2 || !games.is_multiple_of(2) {
            return Err(wrong(&format!(
                "`games` in `[match]` is {games}, expected an even number: openings are played with both colours"
            )));
        }
        let current = match keys.current {
            None => None,
            Some(current) => Some(CurrentNet {
                spec: spec(current.spec.as_deref().unwrap_or(&keys.spec))?,
                net: folder.join(current.net),
                pawn: current.pawn,
            }),
        };
        let Data { files, validation } = keys.data;
        // Games of the engine take the place of the files, but not of those for validation.
        let (files, replaced) = match keys.selfplay {
            Some(_) => (Vec::new(), files),
            None => (files, Vec::new()),
        };
        let within = |files: Vec<PathBuf>| files.into_iter().map(|file| folder.join(file));
        Ok(RunFile {
            for_trainer: settings(&table)?,
            text,
            spec: spec(&keys.spec)?,
            pawn: keys.engine.pawn,
            engine: match keys.engine.folder {
                Some(engine) => folder.join(engine),
                None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/engine"),
            },
            trainer: keys.trainer.command,
            current,
            selfplay: keys.selfplay,
            matches: keys.matches,
            data: within(files).chain(within(validation)).collect(),
            replaced: within(replaced).collect(),
        })
    }
}

/// The keys of a table and of the tables in it, with their values as JSON.
fn settings(table: &toml::Table) -> Result<BTreeMap<String, String>, Failure> {
    let mut found = BTreeMap::new();
    for (key, value) in table {
        match serde_json::to_value(value).map_err(Failure::work)? {
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

    fn run_file(name: &str, text: &str) -> Result<RunFile, String> {
        let file = format!("nnue-run-{name}-{}.toml", std::process::id());
        let path = std::env::temp_dir().join(file);
        std::fs::write(&path, text).unwrap();
        let run = RunFile::read(&path).map_err(|failure| failure.message());
        std::fs::remove_file(&path).unwrap();
        run
    }

    #[test]
    fn keys_of_the_trainer_are_left_to_it() {
        let text = "spec = \"small128\"\nbatches = 7\n[loss]\npower = 2.5\n[match]\ngames = 2\n";
        let run = run_file("keys", text).unwrap();
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
        let text = "spec = \"my-net.toml\"\n[current]\nnet = \"old.nnue\"\n";
        let run = run_file("paths", text).unwrap();
        let spec = std::env::temp_dir()
            .join("my-net.toml")
            .display()
            .to_string();
        assert_eq!(run.spec.to_string(), spec);
        let current = run.current.unwrap();
        assert_eq!(
            current.spec.to_string(),
            spec,
            "the same spec as that of the new net"
        );
        assert_eq!(current.net, std::env::temp_dir().join("old.nnue"));
    }

    #[test]
    fn mistakes_are_shown() {
        for (name, text, words) in [
            (
                "key",
                "spec = \"small128\"\n[match]\nnods = 2\n",
                "unknown field `nods`",
            ),
            ("none", "[match]\nnodes = 2\n", "missing field `spec`"),
            ("name", "spec = \"smal128\"\n", "did you mean `small128`?"),
            ("syntax", "spec =\n", "line 1"),
            (
                "command",
                "spec = \"small128\"\ntrainer.command = []\n",
                "`command` in `[trainer]` is empty",
            ),
            (
                "words",
                &format!("spec = \"small128\"\ntrainer.command = {:?}\n", ["x"; 65]),
                "has 65 words, allowed are at most 64",
            ),
            (
                "odd",
                "spec = \"small128\"\nmatch.games = 401\n",
                "expected an even number",
            ),
            (
                "nodes",
                "spec = \"small128\"\nmatch.nodes = 0\n",
                "expected a nonzero u64",
            ),
            (
                "games",
                "spec = \"small128\"\nmatch.games = -1\n",
                "invalid value: integer `-1`",
            ),
        ] {
            let message = run_file(name, text).err().expect("it is refused");
            assert!(message.contains(words), "{message}");
        }
    }
}
