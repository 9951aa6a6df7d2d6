//! The program of a network, which runs to measure or to evaluate.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{ChildStdin, Command};
use std::thread;

use nnue_runtime::Level;
use nnue_trace::{Answer, Facts, Request, Task, Took};

use crate::measure::ProgramError;
use crate::measure::child::Running;

/// A running program that has a network with its weights.
pub(super) struct Program {
    running: Running,
    requests: ChildStdin,
}

impl Program {
    /// Starts the program with a net file at a level. It loads the file meanwhile.
    pub(super) fn start(
        path: &Path,
        task: &Task,
        net: &Path,
        level: Level,
    ) -> Result<Program, ProgramError> {
        let mut command = Command::new(path);
        command.args(task.arguments(net, level));
        let (running, requests) = Running::start(&mut command, "the network's program")?;
        Ok(Program { running, requests })
    }

    /// The facts that a program that measures reports about its network.
    pub(super) fn facts(&mut self) -> Result<Facts, ProgramError> {
        Ok(self.running.answer()?.parse()?)
    }

    /// Lets the program evaluate a search.
    pub(super) fn time(&mut self, request: Request) -> Result<Took, ProgramError> {
        self.ask(request);
        Ok(self.answer()?.parse()?)
    }

    /// Sends the program a line.
    pub(super) fn ask(&mut self, request: impl std::fmt::Display) {
        // If the program has ended, its answer says why.
        let _ = writeln!(self.requests, "{request}").and_then(|()| self.requests.flush());
    }

    /// The next line of the program.
    pub(super) fn answer(&mut self) -> Result<String, ProgramError> {
        self.running.answer()
    }

    /// The system's number of the program's process.
    pub(super) fn id(&self) -> u32 {
        self.running.id()
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
    let started = Program::start(path, &Task::Evaluate, net, level)?;
    let Program {
        mut running,
        requests,
    } = started;
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
