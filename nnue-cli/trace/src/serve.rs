//! The program of a network, which does a task.

mod measured;
mod positions;
mod together;

use std::error::Error;
use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use nnue_runtime::line::StartsAt;
use nnue_runtime::{
    Accumulator, Architecture, Board, Counter, Evaluated, Evaluator, Level, Network,
};

use self::measured::measure;
use self::positions::answer;
use self::together::evaluate_together;
use crate::contenders::Evaluate;
use crate::task::{Task, Weights};
use crate::{Engine, Trace, checksum};

/// Runs the whole program: it loads the net file that its arguments name and does its [`Task`].
///
/// An error is written as a line on standard error, and the exit code is 1.
pub fn serve<A, E>(_: E) -> ExitCode
where
    A: Architecture<Line: StartsAt<Board>>,
    E: Evaluate<A, Value = A::Output>,
{
    match run::<A, E>() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run<A, E>() -> Result<(), Box<dyn Error>>
where
    A: Architecture<Line: StartsAt<Board>>,
    E: Evaluate<A, Value = A::Output>,
{
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let read = Task::of(&arguments).ok_or("expected a task, a net file and a level")?;
    let (task, file, level) = read;
    let level = Level::by_name(level)?;
    let (requests, out) = (std::io::stdin().lock(), std::io::stdout().lock());
    match task {
        Task::Evaluate => {
            let net = Network::<A>::open_shared(file)?.with_level(level);
            answer::<A, E>(&net, requests, BufWriter::new(out))
        }
        Task::Measure { trace, table } => {
            let net = Network::<A>::open_shared(file)?.with_level(level);
            let trace = read_trace(trace.as_deref())?;
            measure::<A, E>(&net, &trace, table, requests, out)
        }
        Task::Together {
            trace,
            table,
            weights,
            number,
        } => {
            let net = match weights {
                Weights::Private => Network::<A>::open(file)?,
                Weights::Shared => Network::<A>::open_shared(file)?,
            };
            let net = net.with_level(level);
            let trace = || read_trace(trace.as_deref());
            evaluate_together::<A, E>(&net, trace, table, number, requests, out)
        }
    }
}

/// Reads a trace, which the starter of the program has checked.
#[expect(
    clippy::disallowed_methods,
    reason = "this program writes no file, and the command that starts it knows the trace"
)]
fn read_trace(path: Option<&Path>) -> Result<Trace, Box<dyn Error>> {
    Ok(match path {
        Some(path) => Trace::read(&std::fs::read(path)?)?,
        None => Trace::bundled()?,
    })
}

/// An engine with a hash table of `table` bytes.
fn engine(table: usize) -> Result<Engine, String> {
    Engine::new(table)
        .map_err(|error| format!("cannot allocate a hash table of {table} bytes: {error}"))
}

/// An evaluation by `E` in an option, so that a missing evaluation is noticed.
struct Noted<E>(E);

impl<A: Architecture<Line: StartsAt<Board>>, E: Evaluate<A>> Evaluate<A> for Noted<E> {
    type Value = Option<E::Value>;

    #[inline]
    fn along<C: Counter>(evaluator: &mut Evaluator<A, &Network<A>, C>) -> Self::Value {
        Some(E::along(evaluator))
    }

    #[inline]
    fn alone(net: &Network<A>, accumulator: &Accumulator<A>, board: &Board) -> Self::Value {
        Some(E::alone(net, accumulator, board))
    }
}

/// The checksum of values in their order.
fn checksum_of<'v, O: Evaluated>(values: impl IntoIterator<Item = &'v Option<O>>) -> u32 {
    let values = values.into_iter().flatten();
    checksum(values.flat_map(|value| value.outputs().into_iter().flatten()))
}
