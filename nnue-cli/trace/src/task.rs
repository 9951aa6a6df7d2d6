//! The task of a network's program, from its arguments.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use nnue_runtime::Level;

/// The task of a network's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// The program evaluates the searches of a trace. It writes its [`Facts`](crate::Facts), and
    /// answers each [`Request`](crate::Request) with what it [`Took`](crate::Took), until there are
    /// no more requests.
    Measure {
        /// The trace; without one, the trace that comes with the project.
        trace: Option<PathBuf>,
        /// The size of the engine's hash table in bytes.
        table: usize,
    },
    /// The program evaluates a trace at the same time as other programs. It writes `loaded`, with
    /// the reason if weights should be shared and are not; then the checksum of all values; then
    /// for each line how many evaluations it made, and in how many nanoseconds.
    Together {
        /// The trace; without one, the trace that comes with the project.
        trace: Option<PathBuf>,
        /// The size of the engine's hash table in bytes; without one, there is no engine.
        table: Option<usize>,
        /// Where the weights are.
        weights: Weights,
        /// The number of the process among those of its kind, from 0.
        number: usize,
    },
    /// The program evaluates positions. It reads a FEN from each line, and writes an
    /// [`Answer`](crate::Answer) for each.
    Evaluate,
}

/// Where the weights of a process are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// The process has its own weights.
    Private,
    /// All processes of the user share the weights.
    Shared,
}

impl Weights {
    /// Both kinds.
    pub const ALL: [Weights; 2] = [Weights::Private, Weights::Shared];

    fn name(self) -> &'static str {
        match self {
            Weights::Private => "private",
            Weights::Shared => "shared",
        }
    }
}

impl Task {
    /// The arguments with which a network's program does this with a net file at a level.
    #[must_use]
    pub fn arguments(&self, net: &Path, level: Level) -> Vec<OsString> {
        let word = match self {
            Task::Measure { .. } => "measure",
            Task::Together { .. } => "together",
            Task::Evaluate => "evaluate",
        };
        let mut arguments: Vec<OsString> = vec![word.into(), net.into(), level.name().into()];
        // No file has an empty name, and no table is empty.
        let path = |trace: &Option<PathBuf>| OsString::from(trace.clone().unwrap_or_default());
        match self {
            Task::Measure { trace, table } => {
                arguments.extend([path(trace), table.to_string().into()]);
            }
            Task::Together {
                trace,
                table,
                weights,
                number,
            } => arguments.extend([
                path(trace),
                table.unwrap_or(0).to_string().into(),
                weights.name().into(),
                number.to_string().into(),
            ]),
            Task::Evaluate => {}
        }
        arguments
    }

    /// The task, the net file and the level that the arguments of a program name; `None` if they
    /// are no arguments of a task.
    #[must_use]
    pub fn of(arguments: &[OsString]) -> Option<(Task, &Path, &str)> {
        let [word, net, level, rest @ ..] = arguments else {
            return None;
        };
        let trace = |path: &OsStr| (!path.is_empty()).then(|| PathBuf::from(path));
        let number = |word: &OsStr| word.to_str()?.parse::<usize>().ok();
        let task = match (word.to_str()?, rest) {
            ("measure", [path, table]) => Task::Measure {
                trace: trace(path),
                table: number(table)?,
            },
            ("together", [path, table, weights, place]) => Task::Together {
                trace: trace(path),
                table: Some(number(table)?).filter(|table| *table > 0),
                weights: Weights::ALL.into_iter().find(|own| own.name() == weights)?,
                number: number(place)?,
            },
            ("evaluate", []) => Task::Evaluate,
            _ => return None,
        };
        Some((task, Path::new(net), level.to_str()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_read_as_they_are_written() {
        let together = |trace, table, weights| Task::Together {
            trace,
            table,
            weights,
            number: 7,
        };
        for task in [
            Task::Evaluate,
            Task::Measure {
                trace: None,
                table: 1 << 24,
            },
            together(Some("a b.txt".into()), None, Weights::Private),
            together(None, Some(64), Weights::Shared),
        ] {
            let arguments = task.arguments("net".as_ref(), Level::BASELINE);
            let read = Task::of(&arguments);
            assert_eq!(read, Some((task, Path::new("net"), Level::BASELINE.name())));
        }
        for wrong in [
            &["measure", "net"][..],
            &["measure", "net", "scalar", "", "x"],
            &["together", "net", "scalar", "", "0", "mine", "1"],
            &["together", "net", "scalar", "", "0", "shared", "-1"],
            &["evaluate", "net", "scalar", ""],
            &["idle", "net", "scalar"],
        ] {
            let wrong: Vec<OsString> = wrong.iter().map(OsString::from).collect();
            assert_eq!(Task::of(&wrong), None, "{wrong:?}");
        }
    }
}
