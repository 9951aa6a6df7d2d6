//! Processes that replay a search at the same time: how many evaluations they make in all, and how
//! much memory they take, with weights of their own and with shared weights.
//!
//! Processes of both kinds run and take turns, so that a disturbance of the machine affects both.

mod process;

use std::env;
use std::fmt;
use std::fs;
use std::io::Write;
use std::process::{ChildStdin, Command};
use std::str::FromStr;

use nnue_compiler::format::foreign;
use serde::Serialize;

pub use self::process::{say_loaded, serve};
use super::Times;
use crate::measure::ProgramError;
use crate::measure::child::Running;

/// Where the weights of a process are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// The process has its own weights.
    Private,
    /// All processes of the user share the weights.
    Shared,
}

impl Weights {
    const ALL: [Weights; 2] = [Weights::Private, Weights::Shared];

    fn name(self) -> &'static str {
        match self {
            Weights::Private => "private",
            Weights::Shared => "shared",
        }
    }
}

/// The role of a process among those that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// Where the weights of the process are.
    pub weights: Weights,
    /// The number of the process among those of its kind, from 0.
    pub number: usize,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.weights.name(), self.number)
    }
}

/// A text that is no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found `{}`, expected `shared:0`", foreign(.0))]
pub struct ParseRoleError(String);

impl FromStr for Role {
    type Err = ParseRoleError;

    fn from_str(text: &str) -> Result<Role, ParseRoleError> {
        let role = || {
            let (name, number) = text.split_once(':')?;
            let weights = Weights::ALL.into_iter().find(|own| own.name() == name)?;
            let number = number.parse().ok()?;
            Some(Role { weights, number })
        };
        role().ok_or_else(|| ParseRoleError(text.into()))
    }
}

/// The measurements of processes of both kinds.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// How many processes of each kind there are.
    pub processes: usize,
    /// The measurements of the processes with their own weights.
    pub private: Together,
    /// The measurements of the processes that share weights.
    pub shared: Together,
    /// The checksum of all values, which is the same in every process.
    pub checksum: u32,
}

/// The measurements of all processes of a kind.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Together {
    /// The evaluations of all processes in a second, a number for each round.
    pub evaluations_per_second: Vec<f64>,
    /// The memory of all processes in bytes when they have loaded the net and nothing else: their
    /// proportional set size (PSS). `None` if the system does not tell it.
    pub memory: Option<u64>,
    /// The memory in bytes of the process that takes least.
    pub memory_of_one: Option<u64>,
    /// Why weights are not shared, in the words of the first process that cannot share them.
    pub not_shared: Option<String>,
}

impl Together {
    /// The numbers of [`Self::evaluations_per_second`], for their median.
    #[must_use]
    pub fn rates(&self) -> Times {
        self.evaluations_per_second.iter().copied().collect()
    }
}

/// Starts this program as several processes of each kind, and measures them.
///
/// # Errors
///
/// The message of a process that fails, or a message about values that differ.
pub fn measure(
    processes: usize,
    rounds: usize,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Results, ProgramError> {
    let start = |weights| -> Result<Vec<Process>, ProgramError> {
        let roles = (0..processes).map(|number| Role { weights, number });
        let started: Vec<Process> = roles.map(Process::start).collect::<Result<_, _>>()?;
        Ok(started)
    };
    let mut all = [start(Weights::Private)?, start(Weights::Shared)?];
    let mut together = [Together::default(), Together::default()];
    for (processes, together) in all.iter_mut().zip(&mut together) {
        for process in &mut *processes {
            together.not_shared = process.loaded()?.or(together.not_shared.take());
        }
    }
    // All sizes are read at one moment, because processes share the pages of their program.
    for (processes, together) in all.iter().zip(&mut together) {
        let memory: Option<Vec<u64>> = processes.iter().map(Process::memory).collect();
        together.memory = memory.as_ref().map(|memory| memory.iter().sum());
        together.memory_of_one = memory.and_then(|memory| memory.into_iter().min());
    }
    let mut checksum = None;
    for process in all.iter_mut().flatten() {
        process.ask()?;
        let found = process.checksum()?;
        let expected = *checksum.get_or_insert(found);
        if found != expected {
            return Err(ProgramError::from(format!(
                "found the checksum {found:08x} of all values in one process, and {expected:08x} in another"
            )));
        }
    }
    for round in 0..rounds {
        progress(round, rounds);
        for (processes, together) in all.iter_mut().zip(&mut together) {
            together.evaluations_per_second.push(run(processes)?);
        }
    }
    let [private, shared] = together;
    Ok(Results {
        processes,
        private,
        shared,
        checksum: checksum.unwrap_or_default(),
    })
}

/// Lets all processes evaluate at the same time, and returns their evaluations in a second.
fn run(processes: &mut [Process]) -> Result<f64, ProgramError> {
    for process in &mut *processes {
        process.ask()?;
    }
    let rates = processes.iter_mut().map(Process::rate);
    rates.sum()
}

/// A process that waits for its turn.
struct Process {
    running: Running,
    requests: ChildStdin,
}

impl Process {
    fn start(role: Role) -> Result<Process, ProgramError> {
        let program = env::current_exe();
        let program = program.map_err(|error| format!("cannot start a process: {error}"))?;
        let mut command = Command::new(program);
        command
            .args(env::args_os().skip(1))
            .arg(format!("--process={role}"));
        let (running, requests) = Running::start(&mut command, "a process")?;
        Ok(Process { running, requests })
    }

    /// Waits until the process has loaded its net. Returns why the weights are not shared although
    /// they should be.
    fn loaded(&mut self) -> Result<Option<String>, ProgramError> {
        let line = self.running.answer()?;
        let reason = line
            .strip_prefix("loaded")
            .ok_or_else(|| unexpected(&line))?;
        let reason = reason.trim();
        Ok((!reason.is_empty()).then(|| reason.to_owned()))
    }

    fn checksum(&mut self) -> Result<u32, ProgramError> {
        let line = self.running.answer()?;
        u32::from_str_radix(&line, 16).map_err(|_| unexpected(&line))
    }

    /// Sends the process a request to go on.
    fn ask(&mut self) -> Result<(), ProgramError> {
        let request = writeln!(self.requests);
        let request = request.and_then(|()| self.requests.flush());
        Ok(request.map_err(|error| format!("cannot talk to a process: {error}"))?)
    }

    /// The evaluations of the process in a second.
    fn rate(&mut self) -> Result<f64, ProgramError> {
        let line = self.running.answer()?;
        let rate = || {
            let (evaluations, nanoseconds) = line.split_once(' ')?;
            let numbers: [f64; 2] = [evaluations.parse().ok()?, nanoseconds.parse().ok()?];
            Some(numbers[0] / numbers[1] * 1e9)
        };
        rate().ok_or_else(|| unexpected(&line))
    }

    /// The proportional set size of the process, in bytes: it has only a part of shared memory.
    fn memory(&self) -> Option<u64> {
        let rollup =
            fs::read_to_string(format!("/proc/{}/smaps_rollup", self.running.id())).ok()?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kilobytes * 1024)
    }
}

fn unexpected(line: &str) -> ProgramError {
    format!("found `{}` in the answer of a process", foreign(line)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_as_they_are_written() {
        for weights in Weights::ALL {
            let role = Role { weights, number: 7 };
            assert_eq!(role.to_string().parse(), Ok(role));
        }
        for text in ["", "shared", "shared:", "shared:x", "mine:1", "shared:-1"] {
            assert!(text.parse::<Role>().is_err(), "{text}");
        }
    }
}
