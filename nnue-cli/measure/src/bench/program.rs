//! The program of a network, while it measures or evaluates.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{ChildStdin, Command};
use std::thread;
use std::time::Duration;

use nnue_compiler::format::foreign;
use nnue_replay::{Answer, Facts, Request, Task};
use nnue_runtime::Level;

use crate::ProgramError;
use crate::child::Running;

/// A network with its weights, waiting for its turn.
pub struct Program {
    running: Running,
    requests: ChildStdin,
    /// What it says of itself.
    pub facts: Facts,
}

impl Program {
    /// Starts it with a net file at a level.
    ///
    /// # Errors
    ///
    /// What it says, if it does not load the file.
    pub fn start(path: &Path, net: &Path, level: Level) -> Result<Program, ProgramError> {
        let (mut running, requests) = start(path, Task::Measure, net, level)?;
        let facts = running.answer()?.parse()?;
        Ok(Program {
            running,
            requests,
            facts,
        })
    }

    /// Lets it evaluate a search.
    ///
    /// # Errors
    ///
    /// What it says, if it finds a value that is not what it should be.
    pub fn time(&mut self, request: Request) -> Result<Duration, ProgramError> {
        // If it has ended, the answer says why.
        let _ = writeln!(self.requests, "{request}").and_then(|()| self.requests.flush());
        let answer = self.running.answer()?;
        match answer.parse() {
            Ok(nanoseconds) => Ok(Duration::from_nanos(nanoseconds)),
            Err(_) => Err(format!("found `{}`, expected nanoseconds", foreign(answer)).into()),
        }
    }
}

/// What a network's program says of some positions at a level; `progress` is told of each.
///
/// # Errors
///
/// What it says, if it does not load the net file or read a position.
pub fn answers(
    path: &Path,
    net: &Path,
    level: Level,
    positions: &[&str],
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Answer>, ProgramError> {
    let (mut running, requests) = start(path, Task::Evaluate, net, level)?;
    // Moved, so that whatever happens the program has ended when the thread is waited for.
    thread::scope(move |scope| {
        // Both pipes are shorter than a long list.
        scope.spawn(move || {
            let mut requests = BufWriter::new(requests);
            let mut lines = positions.iter();
            // If it has ended, its answers say why.
            let _ = lines.try_for_each(|fen| writeln!(requests, "{fen}"));
        });
        let answers = positions.iter().map(|_| {
            let answer = running.answer()?.parse();
            progress();
            Ok(answer?)
        });
        answers.collect()
    })
}

fn start(
    path: &Path,
    task: Task,
    net: &Path,
    level: Level,
) -> Result<(Running, ChildStdin), ProgramError> {
    let mut command = Command::new(path);
    command.arg(task.name()).arg(net).arg(level.name());
    Running::start(&mut command, "the network's program")
}
