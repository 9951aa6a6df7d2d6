//! The program of a network, which answers requests.

use std::error::Error;
use std::io::{BufRead, BufWriter, Write};
use std::process::ExitCode;
use std::slice;
use std::time::Duration;

use nnue_runtime::{
    Accumulator, Architecture, Board, Counter, Evaluated, Evaluator, Level, Network, Position,
    Statistics,
};
use nnue_trace::{Idle, Trace};

use crate::answer::{Values, answer};
use crate::contenders::{Along, Evaluate, Prepared, Refreshed};
use crate::engine::{Engine, Following};
use crate::pass::{Contender, Pass, Work};
use crate::request::{Facts, Request};

/// The task of a network's program: the first of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The program evaluates the searches of the trace. It writes its [`Facts`], and answers each
    /// [`Request`] with the nanoseconds that it took, until there are no more requests.
    Measure,
    /// The program evaluates positions. It reads a FEN from each line, and writes an
    /// [`Answer`](crate::Answer) for each.
    Evaluate,
}

impl Task {
    /// The word of the task in the arguments.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Task::Measure => "measure",
            Task::Evaluate => "evaluate",
        }
    }
}

/// Runs the whole program: `PROGRAM TASK FILE LEVEL` loads a net file and does its [`Task`].
///
/// An error is written as a line on standard error, and the exit code is 1.
pub fn serve<A, E>(_: E) -> ExitCode
where
    A: Architecture,
    E: Evaluate<A, Value = A::Output>,
    <A::Output as Evaluated>::Evaluation: Values,
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
    A: Architecture,
    E: Evaluate<A, Value = A::Output>,
    <A::Output as Evaluated>::Evaluation: Values,
{
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [task, file, level] = &*arguments else {
        return Err("expected a task, a net file and a level".into());
    };
    let net = Network::<A>::open_shared(file)?.with_level(Level::by_name(level)?);
    if task == Task::Evaluate.name() {
        let out = BufWriter::new(std::io::stdout().lock());
        return answer::<A, E>(&net, std::io::stdin().lock(), out);
    }
    if task != Task::Measure.name() {
        let allowed = [Task::Measure, Task::Evaluate]
            .map(Task::name)
            .join("` and `");
        return Err(format!("found the task `{task}`, allowed are `{allowed}`").into());
    }
    measure::<A, E>(&net)
}

fn measure<A, E>(net: &Network<A>) -> Result<(), Box<dyn Error>>
where
    A: Architecture,
    E: Evaluate<A, Value = A::Output>,
{
    let searches = Trace::bundled()?.by_search();
    let engine = Engine::new(Engine::TABLE)?;
    let mut server = Server::<A, E>::new(net, &engine, &searches);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", server.facts())?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let request: Request = line?.parse()?;
        writeln!(out, "{}", server.time(request)?.as_nanos())?;
        out.flush()?;
    }
    Ok(())
}

/// An evaluation by `E` in an option, so that a missing evaluation is noticed.
struct Noted<E>(E);

impl<A: Architecture, E: Evaluate<A>> Evaluate<A> for Noted<E> {
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

struct Server<'n, A: Architecture, E: Evaluate<A>> {
    net: &'n Network<A>,
    engine: &'n Engine,
    searches: &'n [Trace],
    /// The evaluations of each position by a full refresh, which all passes must give.
    expected: Vec<Vec<Option<E::Value>>>,
    along: Following<'n, Along<'n, A, Noted<E>>>,
    in_engine: Following<'n, Along<'n, A, Noted<E>>>,
    refreshed: Refreshed<'n, A, Noted<E>>,
    prepared: Prepared<'n, A, Noted<E>>,
    /// The evaluations of the last pass.
    found: Vec<Option<E::Value>>,
}

impl<'n, A: Architecture, E: Evaluate<A, Value = A::Output>> Server<'n, A, E> {
    fn new(net: &'n Network<A>, engine: &'n Engine, searches: &'n [Trace]) -> Self {
        let mut refreshed = Refreshed::new(net);
        let expected = searches.iter().map(|search| {
            let mut values = vec![None; search.evaluations()];
            refreshed.time(search, &mut values);
            values
        });
        Server {
            net,
            engine,
            searches,
            expected: expected.collect(),
            along: Following::new(Along::new(net), None),
            in_engine: Following::new(Along::new(net), Some(engine)),
            refreshed,
            prepared: Prepared::new(net),
            found: Vec::new(),
        }
    }

    fn facts(&self) -> Facts {
        let mut counting = Along::<A, E, Statistics>::counting(self.net);
        let (mut evaluations, mut blocks, mut all) = (0, 0, 0);
        let mut accumulator = Accumulator::new(self.net, &Board::start());
        for search in self.searches {
            search.replay(&mut counting, &mut []);
            evaluations += search.evaluations();
            // To evaluate every position would take as long as the measurement.
            for board in search.evaluated().step_by(16) {
                accumulator.refresh(self.net, board);
                let outputs: Vec<i32> = accumulator.outputs(board.side_to_move()).collect();
                let chunks = outputs.chunks(4);
                all += chunks.len();
                let is_active = |block: &&[i32]| block.iter().any(|output| *output != 0);
                blocks += chunks.filter(is_active).count();
            }
        }
        let of_position = A::NEURONS.outputs * A::NEURONS.perspectives;
        let all_blocks = of_position.div_ceil(4) as u64;
        Facts {
            weights: size_of::<A::Weights>() as u64,
            accumulator: 2 * size_of::<A::Half>() as u64,
            rows: counting.statistics().rows() as f64 / evaluations as f64,
            blocks: blocks as f64 / all.max(1) as f64 * all_blocks as f64,
            all_blocks,
        }
    }

    fn time(&mut self, request: Request) -> Result<Duration, String> {
        let Request { work, search } = request;
        let searches = self.searches;
        let Some(trace) = searches.get(search) else {
            let searches = searches.len();
            return Err(format!(
                "found search {search}, expected less than {searches}"
            ));
        };
        let expected = &self.expected[search];
        // The values of the last work must not be taken for those of this work.
        self.found.clear();
        self.found.resize(expected.len(), None);
        let found = &mut *self.found;
        let duration = match work {
            Work::Pass(Pass::Incremental) => self.along.time(trace, found),
            Work::Pass(Pass::Refresh) => self.refreshed.time(trace, found),
            Work::Pass(Pass::Forward) => self.prepared.time(trace, found),
            Work::InEngine => {
                let traces = slice::from_ref(trace);
                let [engine, both] = self.engine.take_turns(&mut self.in_engine, traces, found);
                both.saturating_sub(engine)
            }
            Work::Reading => return Ok(trace.replay(&mut Idle, &mut [])),
        };
        let mut pairs = self.found.iter().zip(expected);
        match pairs.position(|(found, expected)| found != expected) {
            None => Ok(duration),
            Some(number) => Err(format!(
                "search {search}, evaluation {number}: found {:?} by {work}, expected {:?}; please report it",
                self.found[number], expected[number]
            )),
        }
    }
}
