//! The program of a network, which runs to measure or to evaluate. It answers requests line by line.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use nnue_runtime::Level;
use nnue_trace::{Answer, Facts, Request, Task, Took};

use crate::measure::ProgramError;

/// A running program that has a network with its weights. It is killed when this value is dropped.
pub(super) struct Program {
    child: Child,
    /// The pipe for requests, unless another thread writes them.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Program {
    /// Starts the program with a net file at a level. It loads the file meanwhile.
    pub(super) fn start(
        path: &Path,
        task: &Task,
        net: &Path,
        level: Level,
    ) -> Result<Program, ProgramError> {
        let mut child = Command::new(path)
            .args(task.arguments(net, level))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run `{}`: {error}", path.display()))?;
        let Some(answers) = child.stdout.take() else {
            return Err(format!("cannot talk to `{}`", path.display()).into());
        };
        Ok(Program {
            requests: child.stdin.take(),
            answers: BufReader::new(answers),
            child,
        })
    }

    /// The facts that a program that measures reports about its network.
    pub(super) fn facts(&mut self) -> Result<Facts, ProgramError> {
        Ok(self.answer()?.parse()?)
    }

    /// Lets the program evaluate a search.
    pub(super) fn time(&mut self, request: Request) -> Result<Took, ProgramError> {
        self.ask(request);
        Ok(self.answer()?.parse()?)
    }

    /// Sends the program a line.
    pub(super) fn ask(&mut self, request: impl std::fmt::Display) {
        if let Some(requests) = &mut self.requests {
            // If the program has ended, its answer says why.
            let _ = writeln!(requests, "{request}").and_then(|()| requests.flush());
        }
    }

    /// Reads the next line of the program.
    ///
    /// # Errors
    ///
    /// The program's standard error, if the program has ended.
    pub(super) fn answer(&mut self) -> Result<String, ProgramError> {
        let mut line = String::new();
        if let Ok(1..) = self.answers.read_line(&mut line) {
            return Ok(line.trim_end().into());
        }
        let mut message = String::new();
        if let Some(mut errors) = self.child.stderr.take() {
            let _ = errors.read_to_string(&mut message);
        }
        Err(match message.trim_end() {
            "" => "the network's program ended without a word".into(),
            message => message.into(),
        })
    }

    /// The system's number of the program's process.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The program ends by itself when its requests end; a program that does not is killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
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
    let mut program = Program::start(path, &Task::Evaluate, net, level)?;
    let requests = program.requests.take();
    // The program is moved here, so that it has ended in any case when the thread is joined.
    thread::scope(move |scope| {
        // The pipes hold less than a long list, so requests are written while answers are read.
        scope.spawn(move || {
            let mut requests = BufWriter::new(requests?);
            let mut lines = positions.iter();
            // If the program has ended, its answers say why.
            lines.try_for_each(|fen| writeln!(requests, "{fen}")).ok()
        });
        let answers = positions.iter().map(|_| {
            let answer = program.answer()?.parse();
            progress();
            Ok(answer?)
        });
        answers.collect()
    })
}
