//! Processes that evaluate at the same time: how many evaluations they make in all, and how much
//! memory they take, with weights of their own and with shared weights.
//!
//! Processes of both kinds run and take turns, so that a disturbance of the machine affects both.

use std::path::PathBuf;

use crate::files::own;
use crate::nets::specs::Spec;
use nnue_compiler::format::foreign;
use nnue_runtime::Level;
use nnue_trace::{Task, Weights};
use serde::Serialize;

use super::comparison::{Built, Comparison, Event, Wrong};
use super::program::Program;
use crate::measure::processor::processor;
use crate::measure::{Error, ProgramError};

/// The most bytes of what the system says of a process.
const LONGEST: u64 = 1 << 16;

/// The results of networks whose programs run at the same time.
#[derive(Clone, Debug, Serialize)]
pub struct TogetherReport {
    /// The measurements of each network, in the order of the specs.
    pub rows: Vec<TogetherRow>,
    /// The errors for specs without measurements.
    pub errors: Vec<Wrong>,
    /// The name of the processor.
    pub processor: String,
}

/// The measurements of processes of both kinds.
#[derive(Clone, Debug, Serialize)]
pub struct TogetherRow {
    /// The file of the spec.
    pub spec: String,
    /// The name of the network.
    pub network: String,
    /// The net file; `None` for weights that nobody has trained.
    pub net: Option<String>,
    /// The instruction set.
    pub level: &'static str,
    /// How many processes of each kind there are.
    pub processes: usize,
    /// The measurements of the processes with their own weights.
    pub private: Together,
    /// The measurements of the processes that share weights.
    pub shared: Together,
    /// The checksum of all values, which is the same in every process: eight hexadecimal digits.
    pub checksum: String,
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
    /// The evaluations of all processes in a second, in the round with this share of the rounds below
    /// it, from 0 to 1.
    #[must_use]
    pub fn rate(&self, share: f64) -> f64 {
        let mut rates = self.evaluations_per_second.clone();
        rates.sort_by(f64::total_cmp);
        let last = rates.len().saturating_sub(1) as f64;
        let place = (share.clamp(0.0, 1.0) * last).round() as usize;
        rates.get(place).copied().unwrap_or(f64::NAN)
    }
}

impl Comparison<'_> {
    /// Measures the networks of specs one after the other: each in several processes of each kind,
    /// at the first of the levels, in an engine if the size of its table is given.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    pub fn run_together(
        &self,
        specs: impl IntoIterator<Item = Result<Spec, Wrong>>,
        nets: &[PathBuf],
        processes: usize,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<TogetherReport, Error> {
        let (built, mut errors, _turn) = self.build(specs, nets, events)?;
        let mut rows = Vec::new();
        let steps = self.rounds * built.len();
        for (number, of) in built.iter().enumerate() {
            let mut progress = |round| {
                events(Event::Measured {
                    rows: &[],
                    done: number * self.rounds + round,
                    steps,
                });
            };
            let level = self.levels.first().copied().unwrap_or_else(Level::detect);
            match self.together(of, level, processes, &mut progress) {
                Ok(row) => rows.push(row),
                Err(error) => errors.push(Wrong::new(&of.spec, &error)),
            }
        }
        Ok(TogetherReport {
            rows,
            errors,
            processor: processor(),
        })
    }

    /// Starts a program as several processes of each kind, and measures them.
    fn together(
        &self,
        of: &Built,
        level: Level,
        processes: usize,
        progress: &mut dyn FnMut(usize),
    ) -> Result<TogetherRow, ProgramError> {
        let start = |weights: Weights| -> Result<Vec<Process>, ProgramError> {
            let started = (0..processes).map(|number| {
                let task = Task::Together {
                    trace: self.trace_file.map(PathBuf::from),
                    table: self.table,
                    weights,
                    number,
                };
                Program::start(&of.program, &task, &of.file, level).map(Process)
            });
            started.collect()
        };
        let [private, shared] = Weights::ALL;
        let mut all = [start(private)?, start(shared)?];
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
            process.0.ask("");
            let found = process.checksum()?;
            let expected = *checksum.get_or_insert(found);
            if found != expected {
                return Err(ProgramError::from(format!(
                    "found the checksum {found:08x} of all values in one process, and \
                     {expected:08x} in another"
                )));
            }
        }
        for round in 0..self.rounds {
            progress(round);
            for (processes, together) in all.iter_mut().zip(&mut together) {
                together.evaluations_per_second.push(run(processes)?);
            }
        }
        let [private, shared] = together;
        Ok(TogetherRow {
            spec: of.spec.clone(),
            network: of.network.clone(),
            net: of.net.as_ref().map(|net| net.display().to_string()),
            level: level.name(),
            processes,
            private,
            shared,
            checksum: format!("{:08x}", checksum.unwrap_or_default()),
        })
    }
}

/// Lets all processes evaluate at the same time, and returns their evaluations in a second.
fn run(processes: &mut [Process]) -> Result<f64, ProgramError> {
    for process in &mut *processes {
        process.0.ask("");
    }
    let rates = processes.iter_mut().map(Process::rate);
    rates.sum()
}

/// A process that waits for its turn.
struct Process(Program);

impl Process {
    /// Waits until the process has loaded its net. Returns why the weights are not shared although
    /// they should be.
    fn loaded(&mut self) -> Result<Option<String>, ProgramError> {
        let line = self.0.answer()?;
        let reason = line
            .strip_prefix("loaded")
            .ok_or_else(|| unexpected(&line))?;
        let reason = reason.trim();
        Ok((!reason.is_empty()).then(|| reason.to_owned()))
    }

    fn checksum(&mut self) -> Result<u32, ProgramError> {
        let line = self.0.answer()?;
        line.parse().map_err(|_| unexpected(&line))
    }

    /// The evaluations of the process in a second.
    fn rate(&mut self) -> Result<f64, ProgramError> {
        let line = self.0.answer()?;
        let rate = || {
            let (evaluations, nanoseconds) = line.split_once(' ')?;
            let numbers: [f64; 2] = [evaluations.parse().ok()?, nanoseconds.parse().ok()?];
            Some(numbers[0] / numbers[1] * 1e9)
        };
        rate().ok_or_else(|| unexpected(&line))
    }

    /// The proportional set size of the process, in bytes: it has only a part of shared memory.
    fn memory(&self) -> Option<u64> {
        let rollup = format!("/proc/{}/smaps_rollup", self.0.id());
        let rollup = String::from_utf8(own::read(rollup.as_ref(), LONGEST).ok()?).ok()?;
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
    fn rates_are_those_of_the_rounds() {
        let together = Together {
            evaluations_per_second: vec![4.0, 1.0, 3.0, 2.0, 5.0],
            ..Together::default()
        };
        let rates = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| together.rate(share));
        assert_eq!(rates, [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(Together::default().rate(0.5).is_nan());
    }
}
