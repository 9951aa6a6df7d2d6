//! Commands whose results are kept, so that an interrupted loop continues from its last stage.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use nnue_compiler::format::foreign;
use serde::Serialize;

use crate::files::Lock;
use crate::files::own::{read, remove, rename, write};
use crate::loops::error::Error;
use crate::loops::record::{Basis, Finished, contents};
use crate::loops::stage::{Guarded, Stage};

/// The folder of the records, inside the folder of the loop.
pub(crate) const FOLDER: &str = "stages";

/// The most bytes of a record. The record of the largest stage has some thousands.
const LONGEST_RECORD: u64 = 1 << 24;

/// The most bytes of a stage's output that a record keeps.
const LONGEST_PRINTED: usize = 1 << 20;

/// An event in a loop.
#[derive(Clone, Debug)]
pub enum Event {
    /// A finished stage is run again.
    Again {
        /// The name of the stage.
        name: String,
        /// The changes of its inputs or results.
        reasons: Vec<String>,
    },
    /// A stage starts from the beginning, and does not use the results before an interruption.
    Anew {
        /// The name of the stage.
        name: String,
        /// Why it is not known from which inputs these results were made.
        reason: String,
    },
    /// A stage is finished.
    Finished {
        /// The name of the stage.
        name: String,
        /// The time that the stage took, in seconds.
        seconds: f64,
        /// Whether an earlier run has finished the stage.
        before: bool,
    },
}

/// An observer of events, for example to show them; an error of the observer ends the loop.
pub(crate) type Observe<'o> = dyn FnMut(Event) -> io::Result<()> + 'o;

/// The stages of a loop, in a folder with the records of finished stages. Nobody else works there
/// while this value exists, or while a process runs that it has started.
pub(crate) struct Stages<'o> {
    folder: PathBuf,
    observe: &'o mut Observe<'o>,
    /// The program of the guard that ends commands when this program ends.
    guard: Option<PathBuf>,
    /// The lock of the folder, which all started commands hold too.
    running: Lock,
    pub(crate) finished: Vec<Finished>,
}

/// The time that processes of an interrupted loop have to end.
const PATIENCE: Duration = Duration::from_secs(10);

impl<'o> Stages<'o> {
    /// Opens a folder of stages, or makes it.
    ///
    /// # Errors
    ///
    /// [`Error::Running`] if a process of an interrupted loop runs there.
    pub(crate) fn new(
        folder: &Path,
        guard: Option<PathBuf>,
        observe: &'o mut Observe<'o>,
    ) -> Result<Stages<'o>, Error> {
        let folder = folder.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|error| Error::unwritable(&folder, error))?;
        let running = lock(&folder)?;
        remove_parts(&folder)?;
        Ok(Stages {
            running,
            folder,
            observe,
            guard,
            finished: Vec::new(),
        })
    }

    /// Runs a stage, unless its record says that it is finished, and its inputs and results are as
    /// recorded. Returns what the stage printed.
    ///
    /// # Errors
    ///
    /// [`Error::Stage`] if the stage cannot be run or fails, with its text on standard error.
    pub(crate) fn run(&mut self, stage: &Stage) -> Result<String, Error> {
        let basis = stage.basis()?;
        let record = read(&self.record_of(stage), LONGEST_RECORD);
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
            let name = stage.name.clone();
            self.tell(Event::Again { name, reasons })?;
        }
        let (finished, before) = match before {
            Some(finished) => (finished, true),
            None => (self.start(stage, basis)?, false),
        };
        self.tell(Event::Finished {
            // A damaged record may have another name, which nothing compares.
            name: stage.name.clone(),
            seconds: finished.seconds,
            before,
        })?;
        let printed = finished.printed.clone();
        self.finished.push(finished);
        Ok(printed)
    }

    fn tell(&mut self, event: Event) -> Result<(), Error> {
        (self.observe)(event).map_err(Error::Observer)
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

    fn start(&mut self, stage: &Stage, basis: Basis) -> Result<Finished, Error> {
        let record = self.record_of(stage);
        let begun = record.with_extension("begun");
        let note = self.folder.join(NOTE);
        let now = json(&begun, &basis)?;
        let goes_on = match read(&begun, LONGEST_RECORD) {
            Ok(before) => before == now,
            Err(error) if error.is_missing() => false,
            Err(error) => {
                self.tell(Event::Anew {
                    name: stage.name.clone(),
                    reason: error.to_string(),
                })?;
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
            let (name, command) = (stage.name.clone(), stage.in_message());
            Error::Stage {
                name,
                reason,
                command,
            }
        };
        let cannot_run = |error: io::Error| failed(format!("cannot be run: {error}"));
        let guarded = self.guard.as_ref().map(|program| Guarded {
            program,
            note: note.clone(),
        });
        let output = stage
            .command(guarded.as_ref())
            .stdin(self.running.share().map_err(cannot_run)?)
            .stderr(Stdio::inherit())
            .output()
            .map_err(cannot_run)?;
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
        write(&record, json(&record, &finished)?)?;
        Ok(finished)
    }
}

/// A value as the JSON text of a file.
fn json(path: &Path, value: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec_pretty(value).map_err(|error| Error::unwritable(path, error.into()))
}

/// The file with the name and the number of the command that runs.
const NOTE: &str = "running";

/// The most bytes of the note.
const LONGEST_NOTE: u64 = 1 << 12;

/// Locks the folder of stages, as soon as all processes of an earlier loop have ended there.
fn lock(folder: &Path) -> Result<Lock, Error> {
    let started = Instant::now();
    loop {
        match Lock::folder(folder) {
            Err(crate::files::Error::Locked { .. }) if started.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(50));
            }
            Err(crate::files::Error::Locked { .. }) => {
                let note = read(&folder.join(NOTE), LONGEST_NOTE);
                let note = note.unwrap_or_else(|_| b"a program".into());
                return Err(Error::Running {
                    what: String::from_utf8_lossy(&note).into_owned(),
                    folder: folder.into(),
                });
            }
            locked => return Ok(locked?),
        }
    }
}

/// The last lines of a program's output, for a message.
pub(crate) fn last_lines(written: &[u8]) -> String {
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

/// The end of a program's output, so that output without end makes no record without end.
fn last_bytes(printed: &[u8]) -> String {
    let from = printed.len().saturating_sub(LONGEST_PRINTED);
    String::from_utf8_lossy(&printed[from..]).into_owned()
}

/// Renames a file or a folder, if it exists: somebody may still need it.
fn set_aside(path: &Path) -> Result<(), Error> {
    if !path.exists() {
        return Ok(());
    }
    let old = old(path);
    remove(&old)?;
    Ok(rename(path, &old)?)
}

/// The new name of a file or a folder that is set aside.
pub(crate) fn old(path: &Path) -> PathBuf {
    let mut old = path.as_os_str().to_owned();
    old.push(".old");
    old.into()
}

/// Removes a pipe, a device or a socket from the place of a file. Writing to a pipe would wait for
/// a program that reads it.
fn make_room(path: &Path) -> Result<(), Error> {
    if path.is_file() || path.is_dir() {
        Ok(())
    } else {
        Ok(remove(path)?)
    }
}

/// Removes unfinished records of a loop that was killed.
fn remove_parts(folder: &Path) -> Result<(), Error> {
    let unreadable = |error| Error::unreadable(folder, error);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() && path.extension().is_some_and(|kind| kind == "part") {
            remove(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tempfile::TempDir;

    use super::*;

    fn folder() -> TempDir {
        tempfile::tempdir().expect("temporary folders can be made")
    }

    /// A stage that prints something and succeeds: this program lists its tests.
    fn list() -> Stage {
        Stage::new("list of tests", std::env::current_exe().unwrap()).argument("--list")
    }

    fn settings(value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([("`positions`".into(), value.into())])
    }

    /// Runs a stage, and returns its result with the events.
    fn run(folder: &Path, stage: &Stage) -> (Result<String, Error>, Vec<Event>) {
        let mut told = Vec::new();
        let mut observe = |event| {
            told.push(event);
            Ok(())
        };
        let printed = Stages::new(folder, None, &mut observe).unwrap().run(stage);
        (printed, told)
    }

    /// Runs a stage again, and returns the reasons in the event.
    fn why(folder: &Path, stage: &Stage) -> Vec<String> {
        let (printed, told) = run(folder, stage);
        // A stage that only prints does not make the files that were set aside.
        if printed.is_err() {
            write(&stage.products[0], "").unwrap();
            run(folder, stage).0.unwrap();
        }
        match told.into_iter().next() {
            Some(Event::Again { name, reasons }) if name == "list of tests" => reasons,
            other => panic!("{other:?}"),
        }
    }

    /// Runs a stage, and returns whether it was finished before.
    fn was_done(folder: &Path, stage: &Stage) -> bool {
        let (printed, told) = run(folder, stage);
        let printed = printed.unwrap();
        assert!(printed.contains("what_is_finished_is_not_done_again"));
        matches!(told.last(), Some(Event::Finished { before: true, .. }))
    }

    #[test]
    fn what_is_finished_is_not_done_again() {
        let folder = folder();
        let folder = folder.path();
        let input = folder.join("input");
        let stage = || list().reads(&input).settings(settings("rounds"));
        write(&input, "1").unwrap();
        assert!(!was_done(folder, &stage()));
        assert!(was_done(folder, &stage()));
        write(&input, "2").unwrap();
        assert!(!was_done(folder, &stage()), "its input has changed");
        assert!(was_done(folder, &stage()));
        let other = || stage().settings(settings("more rounds"));
        assert!(!was_done(folder, &other()), "its settings have changed");
        let elsewhere = || other().other_option("--nnue", "elsewhere");
        assert!(was_done(folder, &elsewhere()), "this makes no difference");
        let product = folder.join("product");
        write(&product, "").unwrap();
        let with_product = || other().writes(&product);
        assert!(!was_done(folder, &with_product()), "it did not write that");
        assert!(was_done(folder, &with_product()));
        write(&product, "half").unwrap();
        assert_eq!(
            why(folder, &with_product()),
            [format!(
                "`{}` has 4 bytes, and 0 were written",
                product.display()
            )]
        );
        write(&product, "flah").unwrap();
        assert_eq!(
            why(folder, &with_product()),
            [format!("`{}` is not what was written", product.display())]
        );
        write(&input, "3").unwrap();
        assert_eq!(
            why(folder, &with_product().settings(settings("fewer"))),
            [
                "`positions` was more rounds and is fewer".into(),
                format!("`{}` has changed", input.display())
            ]
        );
        let record = folder.join("stages/list-of-tests.json");
        fs::write(&record, &fs::read(&record).unwrap()[..40]).unwrap();
        assert_eq!(why(folder, &with_product()), ["its record cannot be read"]);
        remove(&product).unwrap();
        let message = run(folder, &with_product()).0.unwrap_err().to_string();
        assert!(message.contains("it has not written"), "{message}");
    }

    #[test]
    fn only_the_same_command_goes_on_where_it_was() {
        let folder = folder();
        let folder = folder.path();
        let partial = folder.join("partial");
        let fails = |settings: &str| {
            let stage = Stage::new("failing", std::env::current_exe().unwrap())
                .argument("--no-such-option")
                .settings(self::settings(settings))
                .goes_on_from(&partial);
            let message = run(folder, &stage).0.unwrap_err().to_string();
            assert!(message.contains("--no-such-option"), "{message}");
        };
        fails("1");
        write(&partial, "half").unwrap();
        fails("1");
        assert!(partial.exists());
        fails("2");
        assert!(!partial.exists());
        assert_eq!(fs::read(folder.join("partial.old")).unwrap(), b"half");
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
        let folder = folder();
        let stage = Stage::new("games", "no-such-program");
        let message = run(folder.path(), &stage).0.unwrap_err().to_string();
        assert!(message.starts_with("games: cannot be run: "), "{message}");
        assert!(message.ends_with("the command was: no-such-program"));
    }
}
