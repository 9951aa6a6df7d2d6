//! Stages: commands whose results stay, so that a loop that was interrupted goes on where it was.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nnue_files::Lock;

use super::record::{Basis, Finished, contents};
use crate::Failure;
use crate::inputs::{unwritable, write};

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
    /// Keys of the run file that it reads.
    settings: BTreeMap<String, String>,
    /// The files that it writes; without one, what it prints is its result.
    products: Vec<PathBuf>,
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
            settings: BTreeMap::new(),
            products: Vec::new(),
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

    /// Keys of the run file, with their values, on which the result depends.
    pub(super) fn settings(mut self, settings: BTreeMap<String, String>) -> Stage {
        self.settings = settings;
        self
    }

    /// A file that it writes.
    pub(super) fn writes(mut self, file: impl Into<PathBuf>) -> Stage {
        self.products.push(file.into());
        self
    }

    pub(super) fn goes_on_from(mut self, path: impl Into<PathBuf>) -> Stage {
        self.partial = Some(path.into());
        self
    }

    /// The command as a shell takes it.
    fn as_typed(&self) -> String {
        let variables = self.variables.iter();
        let variables = variables.map(|(name, value)| format!("{name}={}", quoted(value)));
        let words = std::iter::once(&self.program).chain(&self.arguments);
        let words = words.chain(&self.other).map(|word| quoted(word));
        variables.chain(words).collect::<Vec<_>>().join(" ")
    }

    /// All that its result depends on, as it is now.
    fn basis(&self) -> Result<Basis, Failure> {
        let mut words = self.settings.clone();
        words.extend(
            (self.variables.iter()).map(|(name, value)| (format!("`{name}`"), shown(value))),
        );
        let mut arguments = self.arguments.iter().enumerate().peekable();
        while let Some((index, argument)) = arguments.next() {
            let is_option = |word: &OsStr| word.as_encoded_bytes().starts_with(b"--");
            let value = arguments.next_if(|(_, next)| is_option(argument) && !is_option(next));
            match value {
                Some((_, value)) => words.insert(format!("`{}`", shown(argument)), shown(value)),
                None => words.insert(format!("argument {}", index + 1), shown(argument)),
            };
        }
        let files = contents(&self.inputs)?;
        Ok(Basis { words, files })
    }

    /// The command, in a guard if that is what runs commands.
    fn command(&self, guard: Option<&Guarded>) -> Command {
        let mut command = match guard {
            Some(guard) => guard.command(&self.program),
            None => Command::new(&self.program),
        };
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        let arguments = self.arguments.iter().chain(&self.other);
        command.args(arguments).envs(variables);
        command
    }
}

/// A word in a way that differs for different words.
fn shown(word: &OsStr) -> String {
    match word.to_str() {
        Some(word) => word.into(),
        None => format!("{word:?}"),
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

/// The stages of a loop, in a folder that remembers which are finished. Nobody else works there as
/// long as this value is there, or what it has started runs.
pub(super) struct Stages<'o> {
    folder: PathBuf,
    out: &'o mut dyn Write,
    /// The program that runs commands, so that they end with this one.
    guard: Option<PathBuf>,
    /// What is started has it too.
    running: Lock,
    pub(super) finished: Vec<Finished>,
}

/// How long what an interrupted loop has left may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

impl<'o> Stages<'o> {
    /// Opens a folder of stages, or makes it.
    ///
    /// # Errors
    ///
    /// [`Failure`] if something runs there that an interrupted loop has left.
    pub(super) fn new(
        folder: &Path,
        guard: Option<PathBuf>,
        out: &'o mut dyn Write,
    ) -> Result<Stages<'o>, Failure> {
        let folder = folder.join("stages");
        fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        Ok(Stages {
            running: lock(&folder)?,
            folder,
            out,
            guard,
            finished: Vec::new(),
        })
    }

    /// Runs a stage, unless its record says that it is finished, and what it reads and what it left
    /// are as recorded. What it printed is returned.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it cannot be run or fails; what it wrote to standard error says why.
    pub(super) fn run(&mut self, stage: &Stage) -> Result<String, Failure> {
        let basis = stage.basis()?;
        let (before, reasons) = match fs::read(self.record_of(stage)) {
            Err(_) => (None, Vec::new()),
            Ok(text) => match serde_json::from_slice::<Finished>(&text) {
                Ok(finished) => {
                    let reasons = finished.stale(&basis, &stage.products);
                    (reasons.is_empty().then_some(finished), reasons)
                }
                Err(_) => (None, vec!["its record cannot be read".into()]),
            },
        };
        if !reasons.is_empty() {
            writeln!(
                self.out,
                "{} is done again: {}",
                stage.name,
                first(&reasons)
            )?;
            self.out.flush()?;
        }
        let (finished, note) = match before {
            Some(finished) => (finished, "  done before"),
            None => (self.start(stage, basis)?, ""),
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

    fn start(&self, stage: &Stage, basis: Basis) -> Result<Finished, Failure> {
        let record = self.record_of(stage);
        let begun = record.with_extension("begun");
        let now = serde_json::to_vec_pretty(&basis).map_err(Failure::work)?;
        if fs::read(&begun).is_ok_and(|before| before != now) {
            for left in stage.partial.iter().chain(&stage.products) {
                set_aside(left)?;
            }
        }
        write(&begun, &now)?;
        let started = Instant::now();
        let failed = |reason: String| {
            let (name, command) = (&stage.name, stage.as_typed());
            Failure::Work(format!("{name}: {reason}\nthe command was: {command}"))
        };
        let guarded = self.guard.as_ref().map(|program| Guarded {
            program,
            note: self.folder.join(NOTE),
        });
        let output = stage
            .command(guarded.as_ref())
            .stdin(self.running.share().map_err(Failure::work)?)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| failed(format!("cannot be run: {error}")))?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(failed(format!("{}\n{}", output.status, printed.trim_end())));
        }
        if let Some(product) = stage.products.iter().find(|product| !product.exists()) {
            let product = product.display();
            return Err(failed(format!("it has not written `{product}`")));
        }
        let finished = Finished {
            name: stage.name.clone(),
            command: stage.as_typed(),
            seconds: started.elapsed().as_secs_f64(),
            printed,
            basis,
            products: contents(&stage.products)?,
        };
        let json = serde_json::to_vec_pretty(&finished).map_err(Failure::work)?;
        write(&record, json)?;
        Ok(finished)
    }
}

/// The file with the name and the number of the command that runs.
const NOTE: &str = "running";

/// A program that runs a command, and ends it when this process ends.
struct Guarded<'g> {
    program: &'g Path,
    /// The file in which it says what it runs.
    note: PathBuf,
}

impl Guarded<'_> {
    #[cfg(unix)]
    fn command(&self, guarded: &OsStr) -> Command {
        let mut command = Command::new(self.program);
        command.arg(super::guard::NAME);
        command.arg(std::process::id().to_string());
        command.arg(&self.note).arg("--").arg(guarded);
        // What a terminal sends is for this program.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }

    /// Without groups of processes a guard could end no more than the command itself.
    #[cfg(not(unix))]
    fn command(&self, guarded: &OsStr) -> Command {
        Command::new(guarded)
    }
}

/// Locks the folder of stages, as soon as all has ended that a loop has left there.
fn lock(folder: &Path) -> Result<Lock, Failure> {
    let started = Instant::now();
    loop {
        match Lock::folder(folder) {
            Err(nnue_files::Error::Locked { .. }) if started.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(50));
            }
            Err(nnue_files::Error::Locked { .. }) => {
                let note = fs::read_to_string(folder.join(NOTE));
                let what = note.unwrap_or_else(|_| "a program".into());
                return Err(Failure::Work(format!(
                    "{what}, which an interrupted loop has left, still runs in `{}`: end it, or \
                     wait until it ends",
                    folder.display()
                )));
            }
            locked => return locked.map_err(Failure::work),
        }
    }
}

/// The first reasons of many.
fn first(reasons: &[String]) -> String {
    const SHOWN: usize = 3;

    let mut text = reasons[..reasons.len().min(SHOWN)].join("; ");
    if reasons.len() > SHOWN {
        text += &format!("; and {} more", reasons.len() - SHOWN);
    }
    text
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

    fn settings(value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([("`positions`".into(), value.into())])
    }

    /// Runs a stage again, and returns the reason that was told.
    fn why(folder: &Path, stage: &Stage) -> String {
        // What was set aside is not made by a stage that only prints.
        let mut out = Vec::new();
        let mut stages = Stages::new(folder, None, &mut out).unwrap();
        if stages.run(stage).is_err() {
            write(&stage.products[0], "").unwrap();
            stages.run(stage).unwrap();
        }
        drop(stages);
        let told = String::from_utf8(out).unwrap();
        let first = told.lines().next().unwrap_or_default();
        first
            .trim_start_matches("list of tests is done again: ")
            .into()
    }

    /// Runs a stage, and says whether it was done before.
    fn was_done(folder: &Path, stage: &Stage) -> bool {
        let mut out = Vec::new();
        let printed = Stages::new(folder, None, &mut out)
            .unwrap()
            .run(stage)
            .unwrap();
        assert!(printed.contains("what_is_finished_is_not_done_again"));
        String::from_utf8(out).unwrap().ends_with("done before\n")
    }

    #[test]
    fn what_is_finished_is_not_done_again() {
        let folder = folder("finished");
        let input = folder.join("input");
        let stage = || list().reads(&input).settings(settings("rounds"));
        write(&input, "1").unwrap();
        assert!(!was_done(&folder, &stage()));
        assert!(was_done(&folder, &stage()));
        write(&input, "2").unwrap();
        assert!(!was_done(&folder, &stage()), "its input has changed");
        assert!(was_done(&folder, &stage()));
        let other = || stage().settings(settings("more rounds"));
        assert!(!was_done(&folder, &other()), "its settings have changed");
        let elsewhere = || other().other_option("--nnue", "elsewhere");
        assert!(was_done(&folder, &elsewhere()), "this makes no difference");
        let product = folder.join("product");
        write(&product, "").unwrap();
        let with_product = || other().writes(&product);
        assert!(!was_done(&folder, &with_product()), "it did not write that");
        assert!(was_done(&folder, &with_product()));
        write(&product, "half").unwrap();
        assert_eq!(
            why(&folder, &with_product()),
            format!("`{}` has 4 bytes, and 0 were written", product.display())
        );
        write(&product, "flah").unwrap();
        assert_eq!(
            why(&folder, &with_product()),
            format!("`{}` is not what was written", product.display())
        );
        write(&input, "3").unwrap();
        assert_eq!(
            why(&folder, &with_product().settings(settings("fewer"))),
            format!(
                "`positions` was more rounds and is fewer; `{}` has changed",
                input.display()
            )
        );
        let record = folder.join("stages/list-of-tests.json");
        fs::write(&record, &fs::read(&record).unwrap()[..40]).unwrap();
        assert_eq!(why(&folder, &with_product()), "its record cannot be read");
        remove(&product).unwrap();
        let mut out = Vec::new();
        let error = Stages::new(&folder, None, &mut out)
            .unwrap()
            .run(&with_product());
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
                .settings(self::settings(settings))
                .goes_on_from(&partial);
            let mut out = Vec::new();
            let result = Stages::new(&folder, None, &mut out).unwrap().run(&stage);
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
        let error = Stages::new(&folder, None, &mut out).unwrap().run(&stage);
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
