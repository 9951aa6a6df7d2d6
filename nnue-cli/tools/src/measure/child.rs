//! A running program that answers, line by line, on its standard output.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::measure::ProgramError;

/// A program that is killed when this value is dropped.
pub(crate) struct Running {
    child: Child,
    answers: BufReader<ChildStdout>,
    /// The name of the program in messages.
    name: &'static str,
}

impl Running {
    /// Starts a program. It reads its requests from the pipe.
    ///
    /// # Errors
    ///
    /// A message that names the program that cannot be run.
    pub(crate) fn start(
        command: &mut Command,
        name: &'static str,
    ) -> Result<(Running, ChildStdin), ProgramError> {
        let path = command.get_program().to_owned();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run `{}`: {error}", path.display()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("cannot talk to `{}`", path.display()).into());
        };
        let running = Running {
            child,
            answers: BufReader::new(answers),
            name,
        };
        Ok((running, requests))
    }

    /// The system's number of the program's process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Reads the next line of the program.
    ///
    /// # Errors
    ///
    /// The program's standard error, if the program has ended.
    pub(crate) fn answer(&mut self) -> Result<String, ProgramError> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(1..) => Ok(line.trim_end().into()),
            _ => {
                let mut message = String::new();
                if let Some(mut errors) = self.child.stderr.take() {
                    let _ = errors.read_to_string(&mut message);
                }
                let name = self.name;
                Err(match message.trim_end() {
                    "" => format!("{name} ended without a word").into(),
                    message => message.into(),
                })
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The program ends by itself when its requests end; a program that does not is killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
