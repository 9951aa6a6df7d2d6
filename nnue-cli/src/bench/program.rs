//! The program of a network, while it runs.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use nnue_replay::{Facts, Request};
use nnue_runtime::Level;

/// A network with its weights, waiting for its turn.
pub(crate) struct Program {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
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
        let mut child = Command::new(path)
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
        let mut program = Program {
            child,
            requests,
            answers: BufReader::new(answers),
            facts: Facts::default(),
        };
        program.facts = program.answer()?.parse()?;
        Ok(program)
    }

    /// Lets it evaluate a search.
    ///
    /// # Errors
    ///
    /// What it says, if it finds a value that is not what it should be.
    pub(crate) fn time(&mut self, request: Request) -> Result<Duration, String> {
        // If it has ended, the answer says why.
        let _ = writeln!(self.requests, "{request}").and_then(|()| self.requests.flush());
        let answer = self.answer()?;
        match answer.parse() {
            Ok(nanoseconds) => Ok(Duration::from_nanos(nanoseconds)),
            Err(_) => Err(format!("found `{answer}`, expected nanoseconds")),
        }
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

impl Drop for Program {
    fn drop(&mut self) {
        // It ends by itself when nobody asks any more; one that does not must not stay.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
