//! What a loop has started ends with it, however the loop ends.
//!
//! Nothing tells a process that the one above it was killed. So a guard, which is this program once
//! more, runs between the loop and the command of each stage: it sees that it has another parent
//! than the loop, and ends the command with all that this has started. The guard is in a group of
//! processes of its own, so that what a terminal sends to the loop does not end it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use std::os::unix::process::{CommandExt, parent_id};

use clap::Args;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use nnue_compiler::format::foreign;

use crate::Failure;
use crate::failure::complain;
use crate::inputs::write;

/// The subcommand that is a guard.
pub(super) const NAME: &str = "guard";

/// How often it is looked whether the loop is still there.
const INTERVAL: Duration = Duration::from_millis(20);

/// How long a command may take to end what it has started, and itself.
const PATIENCE: Duration = Duration::from_secs(3);

/// A command and what it ends with.
#[derive(Args, Debug)]
pub(crate) struct Guard {
    /// The number of the process with which the command ends
    parent: u32,
    /// The file that names the command while it runs
    note: PathBuf,
    /// The command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<OsString>,
}

impl Guard {
    /// Runs the command, and returns its exit code.
    ///
    /// # Errors
    ///
    /// [`Failure`] if it cannot be started.
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let [program, arguments @ ..] = &*self.command else {
            return Err(Failure::Arguments("there is no command to guard".into()));
        };
        let shown = foreign(Path::new(program).display());
        let failed = |error| Failure::Work(format!("cannot run `{shown}`: {error}"));
        let mut command = Command::new(program);
        command.args(arguments).process_group(0);
        let mut child = command.spawn().map_err(failed)?;
        let note = format!("`{shown}`, process {}", child.id());
        let watched = write(&self.note, note).and_then(|()| self.watch(&mut child).map_err(failed));
        // Nobody would end it later.
        if !matches!(watched, Ok(Some(_))) {
            end(&mut child);
        }
        Ok(match watched? {
            Some(status) => match status.code() {
                Some(code) => ExitCode::from(code as u8),
                None => {
                    complain(&format!("`{shown}` was ended by {status}"));
                    ExitCode::FAILURE
                }
            },
            None => ExitCode::FAILURE,
        })
    }

    /// Waits for the end of the command, and returns nothing if the loop ends first.
    fn watch(&self, child: &mut Child) -> io::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if parent_id() != self.parent {
                return Ok(None);
            }
            thread::sleep(INTERVAL);
        }
    }
}

/// Ends a command and all in its group: first as Ctrl-C does, after which `nnue match` ends its
/// engines, which have groups of their own.
fn end(child: &mut Child) {
    let Ok(group) = i32::try_from(child.id()) else {
        return;
    };
    let group = Pid::from_raw(group);
    // Who has ended needs no signal.
    let _ = killpg(group, Signal::SIGINT);
    let started = Instant::now();
    while started.elapsed() < PATIENCE && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(INTERVAL);
    }
    let _ = killpg(group, Signal::SIGKILL);
    let _ = child.wait();
}
