//! The program of a network, which runs to measure or to evaluate.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{ChildStdin, Command};
use std::thread;
use std::time::Duration;

use nnue_compiler::format::foreign;
use nnue_replay::{Answer, Facts, Request, Task};
use nnue_runtime::Level;

use crate::measure::ProgramError;
use crate::measure::child::Running;

/// A running program that has a network with its weights.
pub struct Program {
    running: Running,
    requests: ChildStdin,
    /// The facts that the program reports about its network.
    pub facts: Facts,
}

impl Program {
    /// Starts the program with a net file at a level.
    ///
    /// # Errors
    ///
    /// The message of the program if it does not load the file.
    pub fn start(path: &Path, net: &Path, level: Level) -> Result<Program, ProgramError> {
        let (mut running, requests) = start(path, Task::Measure, net, level)?;
        let facts = running.answer()?.parse()?;
        Ok(Program {
            running,
            requests,
            facts,
        })
    }

    /// Lets the program evaluate a search.
    ///
    /// # Errors
    ///
    /// The message of the program if it finds a wrong value.
    pub fn time(&mut self, request: Request) -> Result<Duration, ProgramError> {
        // If the program has ended, its answer says why.
        let _ = writeln!(self.requests, "{request}").and_then(|()| self.requests.flush());
        let answer = self.running.answer()?;
        match answer.parse() {
            Ok(nanoseconds) => Ok(Duration::from_nanos(nanoseconds)),
            Err(_) => Err(format!("found `{}`, expected nanoseconds", foreign(answer)).into()),
        }
    }
}

/// The answers of a network's program for some positions at a level; `progress` is called for each.
///
/// # Errors
///
/// The message of the program if it does not load the net file or does not read a position.
pub fn answers(
    path: &Path,
    net: &Path,
    level: Level,
    positions: &[&str],
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Answer>, ProgramError> {
    let (mut running, requests) = start(path, Task::Evaluate, net, level)?;
    // The program is moved here, so that it has ended in any case when the thread is joined.
    thread::scope(move |scope| {
        // The pipes hold less than a long list, so requests are written while answers are read.
        scope.spawn(move || {
            let mut requests = BufWriter::new(requests);
            let mut lines = positions.iter();
            // If the program has ended, its answers say why.
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
