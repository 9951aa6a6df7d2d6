//! The program of a network, while it measures or evaluates.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use nnue_compiler::format::foreign;
use nnue_replay::{Answer, Facts, Request, Task};
use nnue_runtime::Level;

/// A network with its weights, waiting for its turn.
pub(crate) struct Program {
    running: Running,
    requests: ChildStdin,
    /// What it says of itself.
    pub(crate) facts: Facts,
}

impl Program {
    /// Starts it with a net file at a level.
    ///
    /// # Errors
    ///
    /// What it says, if it does not load the file.
    pub(crate) fn start(path: &Path, net: &Path, level: Level) -> Result<Program, String> {
        let (mut running, requests) = Running::start(path, Task::Measure, net, level)?;
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
    pub(crate) fn time(&mut self, request: Request) -> Result<Duration, String> {
        // If it has ended, the answer says why.
        let _ = writeln!(self.requests, "{request}").and_then(|()| self.requests.flush());
        let answer = self.running.answer()?;
        match answer.parse() {
            Ok(nanoseconds) => Ok(Duration::from_nanos(nanoseconds)),
            Err(_) => Err(format!("found `{}`, expected nanoseconds", foreign(answer))),
        }
    }
}

/// What a network's program says of some positions at a level; `progress` is told of each.
///
/// # Errors
///
/// What it says, if it does not load the net file or read a position.
pub(crate) fn answers(
    path: &Path,
    net: &Path,
    level: Level,
    positions: &[&str],
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Answer>, String> {
    let (mut running, requests) = Running::start(path, Task::Evaluate, net, level)?;
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
            answer
        });
        answers.collect()
    })
}

/// A process that answers on its standard output.
struct Running {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Running {
    fn start(
        path: &Path,
        task: Task,
        net: &Path,
        level: Level,
    ) -> Result<(Running, ChildStdin), String> {
        let mut child = Command::new(path)
            .arg(task.name())
            .arg(net)
            .arg(level.name())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run `{}`: {error}", path.display()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("cannot talk to `{}`", path.display()));
        };
        let answers = BufReader::new(answers);
        Ok((Running { child, answers }, requests))
    }

    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(1..) => Ok(line.trim_end().into()),
            _ => {
                let mut message = String::new();
                if let Some(mut errors) = self.child.stderr.take() {
                    let _ = errors.read_to_string(&mut message);
                }
                Err(match message.trim_end() {
                    "" => "the network's program ended without a word".into(),
                    message => message.into(),
                })
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It ends by itself when nobody asks any more; one that does not must not stay.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
