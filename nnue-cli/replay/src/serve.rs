//! The program of a network.

use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nnue_runtime::{
    Accumulator, Architecture, Board, Counter, Delta, Evaluator, Level, Network, Position,
    SelectedByPieces, Statistics,
};
use nnue_trace::{Follow, Idle, Trace};

use crate::request::{Facts, Pass, Request};

/// How the bucket of a position is found.
pub trait Evaluate<A: Architecture> {
    /// Evaluates where an evaluator stands.
    fn along<C: Counter>(evaluator: &mut Evaluator<A, &Network<A>, C>) -> A::Output;

    /// Evaluates a position from its accumulator.
    fn alone(net: &Network<A>, accumulator: &Accumulator<A>, board: &Board) -> A::Output;
}

/// By the number of pieces, as the spec says.
#[derive(Clone, Copy, Debug)]
pub struct ByPieces;

impl<A: SelectedByPieces> Evaluate<A> for ByPieces {
    #[inline]
    fn along<C: Counter>(evaluator: &mut Evaluator<A, &Network<A>, C>) -> A::Output {
        evaluator.evaluate()
    }

    #[inline]
    fn alone(net: &Network<A>, accumulator: &Accumulator<A>, board: &Board) -> A::Output {
        net.evaluate(accumulator, board)
    }
}

/// By the engine, which always takes the first here.
#[derive(Clone, Copy, Debug)]
pub struct ByBucket;

impl<A: Architecture> Evaluate<A> for ByBucket {
    #[inline]
    fn along<C: Counter>(evaluator: &mut Evaluator<A, &Network<A>, C>) -> A::Output {
        evaluator.evaluate_bucket(0)
    }

    #[inline]
    fn alone(net: &Network<A>, accumulator: &Accumulator<A>, board: &Board) -> A::Output {
        net.evaluate_bucket(accumulator, board.side_to_move(), 0)
    }
}

/// The whole program: `PROGRAM FILE LEVEL` loads a net file, writes its [`Facts`], and answers each
/// [`Request`] with the nanoseconds that it took, until there are no more.
///
/// An error is one line on standard error, and exit code 1.
pub fn serve<A: Architecture, E: Evaluate<A>>(_: E) -> ExitCode {
    match run::<A, E>() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run<A: Architecture, E: Evaluate<A>>() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(level)) = (arguments.next(), arguments.next()) else {
        return Err("expected a net file and a level".into());
    };
    let net = Network::<A>::open(file)?.with_level(Level::by_name(&level)?);
    let searches = Trace::bundled()?.by_search();
    let mut server = Server::<A, E>::new(&net, &searches);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", server.facts()?)?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let request: Request = line?.parse()?;
        writeln!(out, "{}", server.time(request)?.as_nanos())?;
        out.flush()?;
    }
    Ok(())
}

struct Server<'n, A: Architecture, E> {
    net: &'n Network<A>,
    searches: &'n [Trace],
    /// What a full refresh makes of each position, which all passes must give.
    expected: Vec<Vec<A::Output>>,
    evaluator: Along<'n, A, E, ()>,
    accumulator: Accumulator<A>,
    /// Accumulators of positions that are evaluated between two readings of the clock.
    near: Vec<Accumulator<A>>,
    /// What the last pass has written.
    found: Vec<Option<A::Output>>,
}

/// How many accumulators are near: they fit in a cache of 1 MB for every network, and are enough
/// for the time of a reading not to matter.
const NEAR: usize = 64;

impl<'n, A: Architecture, E: Evaluate<A>> Server<'n, A, E> {
    fn new(net: &'n Network<A>, searches: &'n [Trace]) -> Self {
        let start = Board::start();
        let mut accumulator = Accumulator::new(net, &start);
        let mut evaluate = |board: &Board| {
            accumulator.refresh(net, board);
            E::alone(net, &accumulator, board)
        };
        let expected = searches.iter().map(|search| {
            let outputs = search.evaluated().map(&mut evaluate);
            outputs.collect()
        });
        Server {
            net,
            searches,
            expected: expected.collect(),
            evaluator: Along::new(Evaluator::new(net, &start)),
            near: vec![accumulator.clone(); NEAR],
            accumulator,
            found: Vec::new(),
        }
    }

    fn facts(&self) -> Result<Facts, String> {
        let mut counting =
            Along::<A, E, Statistics>::new(Evaluator::counting(self.net, &Board::start()));
        let (mut evaluations, mut blocks, mut all) = (0, 0, 0);
        let mut accumulator = self.accumulator.clone();
        for search in self.searches {
            search.replay(&mut counting, &mut []);
            evaluations += search.evaluations();
            // Every position would take as long as the measurement.
            for board in search.evaluated().step_by(16) {
                accumulator.refresh(self.net, board);
                let outputs: Vec<i32> = accumulator.outputs(board.side_to_move()).collect();
                let chunks = outputs.chunks(4);
                all += chunks.len();
                blocks += chunks
                    .filter(|block| block.iter().any(|&output| output != 0))
                    .count();
            }
        }
        let rows = counting.evaluator.statistics().rows();
        let of_position = A::NEURONS.outputs * A::NEURONS.perspectives;
        let all_blocks = of_position.div_ceil(4) as u64;
        Ok(Facts {
            weights: size_of::<A::Weights>() as u64,
            accumulator: 2 * size_of::<A::Half>() as u64,
            rows: rows as f64 / evaluations as f64,
            blocks: blocks as f64 / all.max(1) as f64 * all_blocks as f64,
            all_blocks,
        })
    }

    fn time(&mut self, request: Request) -> Result<Duration, String> {
        let Request { pass, search } = request;
        let searches = self.searches;
        let Some(trace) = searches.get(search) else {
            let searches = searches.len();
            return Err(format!(
                "found search {search}, expected less than {searches}"
            ));
        };
        // A pass that writes nothing must not find the values of the one before it.
        self.found.clear();
        self.found.resize(self.expected[search].len(), None);
        let duration = match pass {
            Pass::Idle => return Ok(trace.replay(&mut Idle, &mut [])),
            Pass::Incremental => trace.replay(&mut self.evaluator, &mut self.found),
            Pass::Refresh => self.refresh(trace),
            Pass::Forward => self.forward(trace),
        };
        let expected = &self.expected[search];
        let mut pairs = self.found.iter().zip(expected);
        match pairs.position(|(found, expected)| found.as_ref() != Some(expected)) {
            None => Ok(duration),
            Some(number) => Err(format!(
                "search {search}, evaluation {number}: found {:?} by {pass:?}, expected {:?}; please report it",
                self.found[number], expected[number]
            )),
        }
    }

    fn refresh(&mut self, trace: &Trace) -> Duration {
        let started = Instant::now();
        for (board, value) in trace.evaluated().zip(&mut self.found) {
            self.accumulator.refresh(self.net, board);
            *value = Some(E::alone(self.net, &self.accumulator, board));
        }
        started.elapsed()
    }

    fn forward(&mut self, trace: &Trace) -> Duration {
        let boards: Vec<&Board> = trace.evaluated().collect();
        let mut elapsed = Duration::ZERO;
        for (boards, values) in boards.chunks(NEAR).zip(self.found.chunks_mut(NEAR)) {
            for (accumulator, board) in self.near.iter_mut().zip(boards) {
                accumulator.refresh(self.net, *board);
            }
            // The refresh may have removed the layers' weights from the cache.
            for (accumulator, board) in self.near.iter().zip(boards) {
                black_box(E::alone(self.net, accumulator, board));
            }
            let started = Instant::now();
            for ((accumulator, board), value) in self.near.iter().zip(boards).zip(values) {
                *value = Some(E::alone(self.net, accumulator, board));
            }
            elapsed += started.elapsed();
        }
        elapsed
    }
}

/// An evaluator that follows searches.
struct Along<'n, A: Architecture, E, C> {
    evaluator: Evaluator<A, &'n Network<A>, C>,
    evaluate: std::marker::PhantomData<E>,
}

impl<'n, A: Architecture, E, C> Along<'n, A, E, C> {
    fn new(evaluator: Evaluator<A, &'n Network<A>, C>) -> Self {
        Along {
            evaluator,
            evaluate: std::marker::PhantomData,
        }
    }
}

impl<A: Architecture, E: Evaluate<A>, C: Counter> Follow for Along<'_, A, E, C> {
    type Value = Option<A::Output>;

    #[inline]
    fn reset(&mut self, root: &Board) {
        self.evaluator.reset(root);
    }

    #[inline]
    fn make(&mut self, delta: &Delta) {
        self.evaluator.push(delta);
    }

    #[inline]
    fn make_null(&mut self) {
        self.evaluator.push_null();
    }

    #[inline]
    fn unmake(&mut self) {
        self.evaluator.pop();
    }

    #[inline]
    fn evaluate(&mut self) -> Option<A::Output> {
        Some(E::along(&mut self.evaluator))
    }
}
