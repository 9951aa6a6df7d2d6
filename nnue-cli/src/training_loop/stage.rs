//! Stages: commands whose results stay, so that a loop that was interrupted goes on where it was.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::Failure;
use crate::inputs::{unreadable, unwritable, write};

/// A command, and all that its result depends on.
pub(super) struct Stage {
    name: String,
    program: OsString,
    arguments: Vec<OsString>,
    /// Variables of its environment.
    variables: Vec<(&'static str, OsString)>,
    /// Files that it reads.
    inputs: Vec<PathBuf>,
    /// Arguments on which the result does not depend, behind the others.
    other: Vec<OsString>,
    /// The part of the run file that it reads.
    settings: String,
    /// The file that it writes; without one, what it prints is its result.
    product: Option<PathBuf>,
    /// What it goes on from after an interruption: a file or a folder. The same command with other
    /// inputs must not find it.
    partial: Option<PathBuf>,
}

impl Stage {
    pub(super) fn new(name: impl Into<String>, program: impl AsRef<OsStr>) -> Stage {
        Stage {
            name: name.into(),
            program: program.as_ref().into(),
            arguments: Vec::new(),
            variables: Vec::new(),
            inputs: Vec::new(),
            other: Vec::new(),
            settings: String::new(),
            product: None,
            partial: None,
        }
    }

    pub(super) fn argument(mut self, argument: impl AsRef<OsStr>) -> Stage {
        self.arguments.push(argument.as_ref().into());
        self
    }

    pub(super) fn option(self, name: &str, value: impl AsRef<OsStr>) -> Stage {
        self.argument(name).argument(value)
    }

    pub(super) fn variable(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Stage {
        self.variables.push((name, value.as_ref().into()));
        self
    }

    /// A file that it reads.
    pub(super) fn reads(mut self, file: impl Into<PathBuf>) -> Stage {
        self.inputs.push(file.into());
        self
    }

    /// An option on which the result does not depend.
    pub(super) fn other_option(mut self, name: &str, value: impl AsRef<OsStr>) -> Stage {
        self.other.extend([name.into(), value.as_ref().into()]);
        self
    }

    pub(super) fn settings(mut self, text: String) -> Stage {
        self.settings = text;
        self
    }

    pub(super) fn writes(mut self, file: impl Into<PathBuf>) -> Stage {
        self.product = Some(file.into());
        self
    }

    pub(super) fn goes_on_from(mut self, path: impl Into<PathBuf>) -> Stage {
        self.partial = Some(path.into());
        self
    }

    /// The command as a shell takes it.
    fn shown(&self) -> String {
        let variables = self.variables.iter();
        let variables = variables.map(|(name, value)| format!("{name}={}", quoted(value)));
        let words = std::iter::once(&self.program).chain(&self.arguments);
        let words = words.chain(&self.other).map(|word| quoted(word));
        variables.chain(words).collect::<Vec<_>>().join(" ")
    }

    /// The same for the same command on files of the same content.
    fn fingerprint(&self) -> Result<String, Failure> {
        let mut hash = Sha256::new();
        let variables = self.variables.iter();
        let variables = variables.flat_map(|(name, value)| [OsStr::new(name), value]);
        let words = variables.chain(self.arguments.iter().map(OsString::as_os_str));
        for word in words {
            hash.update(word.as_encoded_bytes());
            // No word has one.
            hash.update([0]);
        }
        hash.update(self.settings.as_bytes());
        for input in &self.inputs {
            hash.update(hash_of(input).map_err(|error| unreadable(input, &error))?);
        }
        let bytes = hash.finalize();
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        let arguments = self.arguments.iter().chain(&self.other);
        command.args(arguments).envs(variables);
        command
    }
}

/// The hash of a file, which may be larger than the memory.
fn hash_of(path: &Path) -> io::Result<[u8; 32]> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut hash = Sha256::new();
    loop {
        let part = file.fill_buf()?;
        if part.is_empty() {
            return Ok(hash.finalize().into());
        }
        hash.update(part);
        let read = part.len();
        file.consume(read);
    }
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |letter: char| letter.is_alphanumeric() || "-_=+./:,@%".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// What a stage left.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Finished {
    pub(super) name: String,
    /// The command as a shell takes it.
    pub(super) command: String,
    pub(super) seconds: f64,
    /// What it wrote to standard output.
    pub(super) printed: String,
    fingerprint: String,
}

/// The stages of a loop, in a folder that remembers which are finished.
pub(super) struct Stages<'o> {
    folder: PathBuf,
    out: &'o mut dyn Write,
    pub(super) finished: Vec<Finished>,
}

impl<'o> Stages<'o> {
    pub(super) fn new(folder: &Path, out: &'o mut dyn Write) -> Result<Stages<'o>, Failure> {
        let folder = folder.join("stages");
        fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        Ok(Stages {
            folder,
            out,
            finished: Vec::new(),
        })
    }

    /// Runs a stage, unless it is finished and nothing that it reads has changed since. What it
    /// printed is returned.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it cannot be run or fails; what it wrote to standard error says why.
    pub(super) fn run(&mut self, stage: &Stage) -> Result<String, Failure> {
        let record = self.record_of(stage);
        let fingerprint = stage.fingerprint()?;
        let is_there = stage
            .product
            .as_ref()
            .is_none_or(|product| product.exists());
        let before = fs::read(&record).ok();
        let before = before.and_then(|text| serde_json::from_slice::<Finished>(&text).ok());
        let (finished, note) = match before {
            Some(finished) if is_there && finished.fingerprint == fingerprint => {
                (finished, "  done before")
            }
            _ => (self.start(stage, fingerprint)?, ""),
        };
        let Finished { name, seconds, .. } = &finished;
        writeln!(self.out, "{name:<28}{seconds:>7.1} s{note}")?;
        self.out.flush()?;
        let printed = finished.printed.clone();
        self.finished.push(finished);
        Ok(printed)
    }

    fn record_of(&self, stage: &Stage) -> PathBuf {
        let letters = |letter: char| {
            if letter.is_alphanumeric() {
                letter
            } else {
                '-'
            }
        };
        let name: String = stage.name.chars().map(letters).collect();
        self.folder.join(format!("{name}.json"))
    }

    fn start(&self, stage: &Stage, fingerprint: String) -> Result<Finished, Failure> {
        let record = self.record_of(stage);
        let begun = record.with_extension("begun");
        if fs::read(&begun).is_ok_and(|found| found != fingerprint.as_bytes()) {
            for left in [&stage.partial, &stage.product].into_iter().flatten() {
                set_aside(left)?;
            }
        }
        write(&begun, &fingerprint)?;
        let started = Instant::now();
        let failed = |reason: String| {
            let (name, command) = (&stage.name, stage.shown());
            Failure::Work(format!("{name}: {reason}\nthe command was: {command}"))
        };
        let output = stage
            .command()
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| failed(format!("cannot be run: {error}")))?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(failed(format!("{}\n{}", output.status, printed.trim_end())));
        }
        if let Some(product) = stage.product.as_ref().filter(|product| !product.exists()) {
            let product = product.display();
            return Err(failed(format!("it has not written `{product}`")));
        }
        let finished = Finished {
            name: stage.name.clone(),
            command: stage.shown(),
            seconds: started.elapsed().as_secs_f64(),
            printed,
            fingerprint,
        };
        let json = serde_json::to_vec_pretty(&finished).map_err(Failure::work)?;
        // A record that is cut off by an interruption is not read as one.
        write(&record, json)?;
        Ok(finished)
    }
}

/// Renames a file or a folder, if it is there: somebody may miss what it holds.
fn set_aside(path: &Path) -> Result<(), Failure> {
    if !path.exists() {
        return Ok(());
    }
    let mut old = path.as_os_str().to_owned();
    old.push(".old");
    remove(Path::new(&old))?;
    fs::rename(path, &old).map_err(|error| unwritable(path, &error))
}

/// Removes a file or a folder, if it is there.
fn remove(path: &Path) -> Result<(), Failure> {
    let removed = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false if path.exists() => fs::remove_file(path),
        false => Ok(()),
    };
    removed.map_err(|error| unwritable(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that only the test of that name uses.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("nnue-{name}-{}", std::process::id()));
        remove(&folder).unwrap();
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// A stage that prints something and ends well: this program lists its tests.
    fn list() -> Stage {
        Stage::new("list of tests", std::env::current_exe().unwrap()).argument("--list")
    }

    /// Runs a stage, and says whether it was done before.
    fn was_done(folder: &Path, stage: &Stage) -> bool {
        let mut out = Vec::new();
        let printed = Stages::new(folder, &mut out).unwrap().run(stage).unwrap();
        assert!(printed.contains("what_is_finished_is_not_done_again"));
        String::from_utf8(out).unwrap().ends_with("done before\n")
    }

    #[test]
    fn what_is_finished_is_not_done_again() {
        let folder = folder("finished");
        let input = folder.join("input");
        let stage = || list().reads(&input).settings("rounds".into());
        write(&input, "1").unwrap();
        assert!(!was_done(&folder, &stage()));
        assert!(was_done(&folder, &stage()));
        write(&input, "2").unwrap();
        assert!(!was_done(&folder, &stage()), "its input has changed");
        assert!(was_done(&folder, &stage()));
        let other = || stage().settings("more rounds".into());
        assert!(!was_done(&folder, &other()), "its settings have changed");
        let elsewhere = || other().other_option("--nnue", "elsewhere");
        assert!(was_done(&folder, &elsewhere()), "this makes no difference");
        let product = folder.join("product");
        write(&product, "").unwrap();
        let with_product = || other().writes(&product);
        assert!(was_done(&folder, &with_product()));
        remove(&product).unwrap();
        let mut out = Vec::new();
        let error = Stages::new(&folder, &mut out).unwrap().run(&with_product());
        let message = error.unwrap_err().message();
        assert!(message.contains("it has not written"), "{message}");
        remove(&folder).unwrap();
    }

    #[test]
    fn only_the_same_command_goes_on_where_it_was() {
        let folder = folder("partial");
        let partial = folder.join("partial");
        let fails = |settings: &str| {
            let stage = Stage::new("failing", std::env::current_exe().unwrap())
                .argument("--no-such-option")
                .settings(settings.into())
                .goes_on_from(&partial);
            let mut out = Vec::new();
            let result = Stages::new(&folder, &mut out).unwrap().run(&stage);
            let message = result.unwrap_err().message();
            assert!(message.contains("--no-such-option"), "{message}");
        };
        fails("1");
        write(&partial, "half").unwrap();
        fails("1");
        assert!(partial.exists());
        fails("2");
        assert!(!partial.exists());
        assert_eq!(fs::read(folder.join("partial.old")).unwrap(), b"half");
        remove(&folder).unwrap();
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let folder = folder("missing");
        let mut out = Vec::new();
        let stage = Stage::new("games", "no-such-program");
        let error = Stages::new(&folder, &mut out).unwrap().run(&stage);
        let message = error.unwrap_err().message();
        assert!(message.starts_with("games: cannot be run: "), "{message}");
        assert!(message.ends_with("the command was: no-such-program"));
        remove(&folder).unwrap();
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        let quoted = |word: &str| quoted(OsStr::new(word));
        assert_eq!(quoted("a-b=c/d.e"), "a-b=c/d.e");
        assert_eq!(quoted("<material>"), "'<material>'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
