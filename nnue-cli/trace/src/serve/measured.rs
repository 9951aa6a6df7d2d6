//! The program of a network that is measured beside others.

use std::error::Error;
use std::io::{BufRead, Write};
use std::slice;

use nnue_runtime::line::StartsAt;
use nnue_runtime::{Accumulator, Architecture, Board, Level, Network, Position, Statistics};

use super::{Noted, checksum_of, engine};
use crate::contenders::{Along, Evaluate, Prepared, Refreshed};
use crate::engine::{Engine, Following};
use crate::facts::Facts;
use crate::pass::{Contender, Pass, Work};
use crate::request::{Request, Took};
use crate::{Idle, Trace};

/// Writes facts about the network, and answers requests until there are no more.
pub(super) fn measure<A, E>(
    net: &Network<A>,
    trace: &Trace,
    table: usize,
    requests: impl BufRead,
    mut out: impl Write,
) -> Result<(), Box<dyn Error>>
where
    A: Architecture<Line: StartsAt<Board>>,
    E: Evaluate<A, Value = A::Output>,
{
    let searches = trace.by_search();
    let engine = engine(table)?;
    let mut server = Server::<A, E>::new(net, &engine, &searches);
    writeln!(out, "{}", server.facts())?;
    out.flush()?;
    for line in requests.lines() {
        let request: Request = line?.parse()?;
        writeln!(out, "{}", server.time(request)?)?;
        out.flush()?;
    }
    Ok(())
}

struct Server<'n, A: Architecture<Line: StartsAt<Board>>, E: Evaluate<A>> {
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

impl<'n, A, E> Server<'n, A, E>
where
    A: Architecture<Line: StartsAt<Board>>,
    E: Evaluate<A, Value = A::Output>,
{
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
        let (mut blocks, mut all) = (0, 0);
        let mut accumulator = Accumulator::new(self.net, &Board::start());
        for search in self.searches {
            search.replay(&mut counting, &mut []);
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
            blocks: blocks as f64 / all.max(1) as f64 * all_blocks as f64,
            all_blocks,
            statistics: counting.statistics(),
            checksum: checksum_of(self.expected.iter().flatten()),
            baseline: Level::BASELINE,
        }
    }

    fn time(&mut self, request: Request) -> Result<Took, String> {
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
        let by_itself = |all| Took {
            all,
            ..Took::default()
        };
        let took = match work {
            Work::Pass(Pass::Incremental) => Took {
                alone: trace.replay(&mut Idle, &mut []),
                all: self.along.time(trace, found),
            },
            Work::Pass(Pass::Refresh) => by_itself(self.refreshed.time(trace, found)),
            Work::Pass(Pass::Forward) => by_itself(self.prepared.time(trace, found)),
            Work::InEngine => {
                let traces = slice::from_ref(trace);
                let [alone, all] = self.engine.take_turns(&mut self.in_engine, traces, found);
                Took { alone, all }
            }
        };
        let mut pairs = self.found.iter().zip(expected);
        match pairs.position(|(found, expected)| found != expected) {
            None => Ok(took),
            Some(number) => {
                let search = &trace.searches[0];
                Err(format!(
                    "line {} of the trace, evaluation {}, `{}`: found {:?} by {work}, expected {:?} \
                     by {}; please report it",
                    search.line,
                    number + 1,
                    search.evaluated[number],
                    self.found[number],
                    expected[number],
                    Pass::Refresh
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use nnue_runtime::{Counter, Evaluator, Output};

    use super::*;
    use crate::contenders::ByPieces;

    mod simple {
        nnue_runtime::nnue_net!("../../specs/bullet/simple.toml");
    }

    const TRACE: &str = "\
        4k3/8/8/8/8/8/4P3/4K3 w - - 0 1; = e2e4 e8d7 =\n\
        4k3/8/8/8/8/8/4P3/4K3 b - - 0 1; 0 = ~ e8e7 = e1d2 = -\n";

    /// How many evaluations come before the one that is wrong.
    static BEFORE: AtomicUsize = AtomicUsize::new(usize::MAX);

    /// A wrong evaluation among many.
    struct Planted;

    impl Planted {
        fn plant(mut output: Output) -> Output {
            // After the wrong evaluation, the number wraps around to the largest number.
            if BEFORE.fetch_sub(1, Ordering::Relaxed) == 0 {
                output.positional += 1;
            }
            output
        }
    }

    impl Evaluate<simple::Net> for Planted {
        type Value = Output;

        fn along<C: Counter>(
            evaluator: &mut Evaluator<simple::Net, &Network<simple::Net>, C>,
        ) -> Output {
            Planted::plant(<ByPieces as Evaluate<simple::Net>>::along(evaluator))
        }

        fn alone(
            net: &Network<simple::Net>,
            accumulator: &Accumulator<simple::Net>,
            board: &Board,
        ) -> Output {
            Planted::plant(ByPieces::alone(net, accumulator, board))
        }
    }

    /// A net whose weights are small and differ.
    fn net() -> Network<simple::Net> {
        let weights = (0..98_689i32).map(|index| (index % 61 - 30) as i16);
        let mut file: Vec<u8> = weights.flat_map(i16::to_le_bytes).collect();
        // The trainer ends its files so.
        let tail = b"bullet"
            .iter()
            .cycle()
            .take(file.len().next_multiple_of(64) - file.len());
        file.extend(tail);
        Network::from_bytes(&file).expect("a net of bullet")
    }

    /// Each evaluation whose time counts is compared, in every kind of work.
    #[test]
    fn a_wrong_evaluation_is_found_in_any_work() {
        let net = net();
        let searches = Trace::read(TRACE.as_bytes()).expect("a trace").by_search();
        let engine = engine(1 << 12).expect("there is memory");
        let mut server = Server::<simple::Net, Planted>::new(&net, &engine, &searches);
        for work in Work::ALL {
            for (search, evaluations) in [(0, 2), (1, 3)] {
                let request = Request { work, search };
                let mut found = Vec::new();
                // No work evaluates a search more often than three times.
                for before in 0..3 * evaluations {
                    BEFORE.store(before, Ordering::Relaxed);
                    if let Err(message) = server.time(request) {
                        let place = format!("line {} of the trace, evaluation ", search + 1);
                        assert!(message.starts_with(&place), "{message}");
                        assert!(
                            message.contains(&format!(" by {work}, expected ")),
                            "{message}"
                        );
                        found.push(message);
                    }
                }
                BEFORE.store(usize::MAX, Ordering::Relaxed);
                assert_eq!(found.len(), evaluations, "{work}: {found:?}");
                assert!(server.time(request).is_ok(), "{work}");
            }
        }
    }

    #[test]
    fn facts_are_written_and_requests_answered() {
        let trace = Trace::read(TRACE.as_bytes()).expect("a trace");
        let mut out = Vec::new();
        let requests = "incremental 0\nengine 1\nforward 1\n";
        measure::<simple::Net, ByPieces>(&net(), &trace, 64, requests.as_bytes(), &mut out)
            .expect("all values are the same");
        let out = String::from_utf8(out).expect("text");
        let (facts, times) = out.split_once('\n').expect("lines");
        let facts: Facts = facts.parse().expect("facts");
        // Both kings of both searches are new to the cache.
        assert!(facts.statistics.misses >= 2 && facts.all_blocks == 64);
        let times: Vec<Took> = times
            .lines()
            .map(|line| line.parse().expect("times"))
            .collect();
        assert_eq!(times.len(), 3);
        assert!(times.iter().all(|took| !took.all.is_zero()));
        assert_eq!(times[2].alone.as_nanos(), 0);
        let refused = |request: &str| {
            let out = &mut Vec::new();
            let net = net();
            measure::<simple::Net, ByPieces>(&net, &trace, 64, request.as_bytes(), out)
        };
        assert!(refused("engine 2\n").is_err() && refused("engines 0\n").is_err());
    }

    #[test]
    fn processes_say_the_same_checksum() {
        let trace = || Ok(Trace::read(TRACE.as_bytes())?);
        let checksum = |number, table| {
            let mut out = Vec::new();
            super::super::together::evaluate_together::<simple::Net, ByPieces>(
                &net(),
                trace,
                table,
                number,
                "\n\n".as_bytes(),
                &mut out,
            )
            .expect("it evaluates");
            let out = String::from_utf8(out).expect("text");
            let lines: Vec<&str> = out.lines().collect();
            assert_eq!((lines.len(), lines[0].trim()), (3, "loaded"));
            let (evaluations, nanoseconds) = lines[2].split_once(' ').expect("two numbers");
            assert_eq!(evaluations.parse(), Ok(50_000));
            assert!(nanoseconds.parse::<u64>().expect("a number") > 0);
            lines[1].to_owned()
        };
        assert_eq!(checksum(0, None), checksum(1, Some(1 << 12)));
    }
}
