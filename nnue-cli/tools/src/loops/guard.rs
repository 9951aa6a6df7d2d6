//! Guards, which end the command of a stage when the loop ends, in whatever way.
//!
//! Nothing tells a process that its parent was killed. So a guard, which is the program `nnue`,
//! runs between the loop and the command of each stage. When it sees that the loop is no longer its
//! parent, it ends the command and all processes that the command has started. The guard is in a
//! process group of its own, so that signals of the terminal for the loop do not end it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, parent_id};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use nnue_compiler::format::foreign;

use crate::loops::error::Error;

/// The subcommand of `nnue` that is a guard.
pub(crate) const NAME: &str = "guard";

/// The interval at which the guard checks whether the loop still runs.
const INTERVAL: Duration = Duration::from_millis(20);

/// The time in which a command may end itself and all processes that it has started.
const PATIENCE: Duration = Duration::from_secs(3);

/// A command that a guard runs, and the process at whose end it must end.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The number of the process at whose end the command must end.
    pub parent: u32,
    /// The file that names the command while it runs.
    pub note: PathBuf,
    /// The program of the command.
    pub program: OsString,
    /// The arguments of the command.
    pub arguments: Vec<OsString>,
}

impl Guard {
    /// Runs the command until it ends, and returns how it ended; `None` if the guard has ended it
    /// because the process of `parent` ended.
    ///
    /// # Errors
    ///
    /// [`Error::Guarded`] if the command cannot be started, [`Error::File`] if the note cannot be
    /// written.
    pub fn run(&self) -> Result<Option<ExitStatus>, Error> {
        let failed = |error| Error::Guarded {
            program: self.program.clone(),
            error,
        };
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).process_group(0);
        let mut child = command.spawn().map_err(failed)?;
        let shown = foreign(self.program.display());
        let note = format!("`{shown}`, process {}", child.id());
        let watched = crate::files::own::write(&self.note, note).map_err(Error::from);
        let watched = watched.and_then(|()| self.watch(&mut child).map_err(failed));
        // Otherwise the command might never end.
        if !matches!(watched, Ok(Some(_))) {
            end(&mut child);
        }
        watched
    }

    /// Waits for the end of the command. Returns `None` if the loop ends first.
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

/// Ends a command and its process group, first by the signal of Ctrl-C. After this signal
/// `nnue match` ends its engines, which have process groups of their own.
fn end(child: &mut Child) {
    let Ok(group) = i32::try_from(child.id()) else {
        return;
    };
    let group = Pid::from_raw(group);
    // The signal fails for a group that has ended, which does not matter.
    let _ = killpg(group, Signal::SIGINT);
    let started = Instant::now();
    while started.elapsed() < PATIENCE && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(INTERVAL);
    }
    let _ = killpg(group, Signal::SIGKILL);
    let _ = child.wait();
}
