//! Commands whose results stay, so that a loop that was interrupted goes on where it was.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use nnue_compiler::format::foreign;
use nnue_files::Lock;

use super::record::{Basis, Finished, contents};
use super::stage::{Guarded, Stage};
use crate::Failure;
use crate::inputs::{unreadable, unwritable, write};

/// The folder of the records, in that of the loop.
pub(super) const FOLDER: &str = "stages";

/// The most bytes of a record that are read; one of the largest stage has some thousands.
const LONGEST_RECORD: u64 = 1 << 24;

/// How many bytes a record keeps of what a stage printed, at most.
const LONGEST_PRINTED: usize = 1 << 20;

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
        let folder = folder.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        let running = lock(&folder)?;
        remove_parts(&folder)?;
        Ok(Stages {
            running,
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
        let record = nnue_files::read(&self.record_of(stage), LONGEST_RECORD);
        let (before, reasons) = match record {
            Err(error) if error.is_missing() => (None, Vec::new()),
            Err(error) => (None, vec![error.to_string()]),
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
        // A record can be damaged in what nothing compares.
        let (name, seconds) = (&stage.name, finished.seconds);
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

    fn start(&mut self, stage: &Stage, basis: Basis) -> Result<Finished, Failure> {
        let record = self.record_of(stage);
        let begun = record.with_extension("begun");
        let note = self.folder.join(NOTE);
        let now = serde_json::to_vec_pretty(&basis).map_err(Failure::work)?;
        let goes_on = match nnue_files::read(&begun, LONGEST_RECORD) {
            Ok(before) => before == now,
            Err(error) if error.is_missing() => false,
            Err(error) => {
                writeln!(self.out, "{} begins anew: {error}", stage.name)?;
                self.out.flush()?;
                false
            }
        };
        if !goes_on {
            for left in stage.partial.iter().chain(&stage.products) {
                set_aside(left)?;
            }
        }
        for written in [&record, &begun, &note] {
            make_room(written)?;
        }
        write(&begun, &now)?;
        let started = Instant::now();
        let failed = |reason: String| {
            let (name, command) = (&stage.name, stage.in_message());
            Failure::Work(format!("{name}: {reason}\nthe command was: {command}"))
        };
        let guarded = self.guard.as_ref().map(|program| Guarded {
            program,
            note: note.clone(),
        });
        let output = stage
            .command(guarded.as_ref())
            .stdin(self.running.share().map_err(Failure::work)?)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| failed(format!("cannot be run: {error}")))?;
        if !output.status.success() {
            let end = last_lines(&output.stdout);
            return Err(failed(format!("{}\n{end}", output.status)));
        }
        if let Some(product) = stage.products.iter().find(|product| !product.exists()) {
            let product = foreign(product.display());
            return Err(failed(format!("it has not written `{product}`")));
        }
        let finished = Finished {
            name: stage.name.clone(),
            command: stage.as_typed(),
            seconds: started.elapsed().as_secs_f64(),
            printed: last_bytes(&output.stdout),
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

/// The most bytes that it has.
const LONGEST_NOTE: u64 = 1 << 12;

/// Locks the folder of stages, as soon as all has ended that a loop has left there.
fn lock(folder: &Path) -> Result<Lock, Failure> {
    let started = Instant::now();
    loop {
        match Lock::folder(folder) {
            Err(nnue_files::Error::Locked { .. }) if started.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(50));
            }
            Err(nnue_files::Error::Locked { .. }) => {
                let note = nnue_files::read(&folder.join(NOTE), LONGEST_NOTE);
                let note = note.unwrap_or_else(|_| b"a program".into());
                let what = foreign(String::from_utf8_lossy(&note));
                return Err(Failure::Work(format!(
                    "{what}, which an interrupted loop has left, still runs in `{}`: end it, or \
                     wait until it ends",
                    foreign(folder.display())
                )));
            }
            locked => return locked.map_err(Failure::work),
        }
    }
}

/// The last lines of what a program wrote, for a message.
pub(super) fn last_lines(written: &[u8]) -> String {
    const SHOWN: usize = 20;

    let text = String::from_utf8_lossy(written);
    let mut lines = text.trim_end().lines().rev();
    let mut last: Vec<String> = (lines.by_ref().take(SHOWN))
        .map(|line| foreign(line).to_string())
        .collect();
    if lines.next().is_some() {
        last.push(format!("... and its last {SHOWN} lines:"));
    }
    last.reverse();
    last.join("\n")
}

/// The end of what a program printed, so that who prints without end makes no record without end.
fn last_bytes(printed: &[u8]) -> String {
    let from = printed.len().saturating_sub(LONGEST_PRINTED);
    String::from_utf8_lossy(&printed[from..]).into_owned()
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
    let old = old(path);
    remove(&old)?;
    fs::rename(path, &old).map_err(|error| unwritable(path, &error))
}

/// What the name of a file or a folder becomes that is set aside.
pub(super) fn old(path: &Path) -> PathBuf {
    let mut old = path.as_os_str().to_owned();
    old.push(".old");
    old.into()
}

/// Removes a pipe, a device or a socket from the place of a file: a pipe would be written to, which
/// waits for who reads it.
fn make_room(path: &Path) -> Result<(), Failure> {
    match path.is_file() || path.is_dir() {
        true => Ok(()),
        false => remove(path),
    }
}

/// Removes what was written of records when a loop was killed.
fn remove_parts(folder: &Path) -> Result<(), Failure> {
    let unreadable = |error| unreadable(folder, &error);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() && path.extension().is_some_and(|kind| kind == "part") {
            remove(&path)?;
        }
    }
    Ok(())
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
    use std::collections::BTreeMap;

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
    fn of_what_is_printed_without_end_a_record_keeps_the_end() {
        assert_eq!(last_bytes(b"printed\n"), "printed\n");
        let printed = [vec![b'x'; 3 * LONGEST_PRINTED], b"end".to_vec()].concat();
        let kept = last_bytes(&printed);
        assert!(kept.len() == LONGEST_PRINTED && kept.ends_with("xend"));
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
}
