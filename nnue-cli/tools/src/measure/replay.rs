//! The speed of a network over the trace of a search. Every value is checked: values must be the
//! same on all levels, and incremental values the same as those of a full refresh.

#[cfg(feature = "beside")]
pub mod beside;
mod measured;
mod networks;
pub mod processes;
mod times;
mod turns;
mod workload;

use nnue_compiler::format::foreign;
use nnue_runtime::{Level, Output, Statistics};
use nnue_trace::{Idle, Trace};

pub use self::measured::Measured;
pub use self::networks::Replay;
pub use self::times::{InEngine, Times};
pub use self::turns::{Runner, take_turns};
pub use self::workload::{Workload, thousands};
pub use nnue_replay::{Contender, Engine, Following, Pass, Work, time_each, time_prepared};

/// The measurements over a trace.
#[derive(Clone, Debug)]
pub struct Results {
    /// The time to read the trace without evaluating anything.
    pub idle: Times,
    /// The results on each level that was measured.
    pub levels: Vec<LevelResults>,
}

/// The measurements on a level.
#[derive(Clone, Debug)]
pub struct LevelResults {
    /// The instruction set that was used.
    pub level: Level,
    /// The times of each [`Pass`], in the order of [`Pass::ALL`]. Times along the search are
    /// without the time to read the trace.
    pub times: [Times; 3],
    /// The times along the search in the engine, if there is an engine.
    pub in_engine: Option<InEngine>,
    /// The work of the evaluator in a pass over the trace.
    pub statistics: Statistics,
    /// The checksum of the values of all evaluations.
    pub checksum: u32,
}

impl Results {
    /// The times of the engine without an evaluator, on all levels; `None` without an engine.
    #[must_use]
    pub fn engine_alone(&self) -> Option<Times> {
        let levels = self.levels.iter();
        let alone = levels.filter_map(|of| Some(&of.in_engine.as_ref()?.alone));
        alone.cloned().reduce(Times::and)
    }
}

/// An evaluation that differs from that of a full refresh on the first level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line} of the trace, evaluation {number}, `{}`: found {} by {work} on `{level}`, \
     expected {} by {} on `{reference}`",
    foreign(.position),
    parts(*.found),
    parts(*.expected),
    Pass::Refresh
)]
pub struct Difference {
    /// The instruction set of the wrong evaluation.
    pub level: Level,
    /// The work in which the position was evaluated.
    pub work: Work,
    /// The line of the search in the trace.
    pub line: usize,
    /// The number of the evaluation in the search, counted from 1.
    pub number: usize,
    /// The position as the first two fields of its FEN.
    pub position: String,
    /// The evaluation that this pass computed.
    pub found: Output,
    /// The evaluation that the full refresh computed.
    pub expected: Output,
    /// The level that computed the expected evaluation.
    pub reference: Level,
}

/// The parts of an evaluation, as the message shows them.
fn parts(output: Output) -> String {
    let Output {
        psqt,
        positional,
        value,
    } = output;
    format!("{value} (psqt {psqt}, positional {positional})")
}

/// Measures a network over a trace, with all levels in each round, so that a disturbance of the
/// machine affects all levels. If there is an engine, the network is measured in the engine too.
/// Calls `progress` before each pass with the numbers of passes done and of all passes.
///
/// # Errors
///
/// [`Difference`] for the first evaluation of the first pass with values that differ from those of
/// a full refresh on the first level.
pub fn measure(
    mut net: Box<dyn Replay>,
    levels: &[Level],
    trace: &Trace,
    rounds: usize,
    engine: Option<&Engine>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Results, Difference> {
    let evaluations = trace.evaluations();
    let mut done = 0;
    let of_level = Pass::ALL.len() + usize::from(engine.is_some());
    let all = levels.len() + rounds * (1 + levels.len() * of_level);
    let mut next_pass = || {
        progress(done, all);
        done += 1;
    };
    let mut outputs = ComparedOutputs {
        trace,
        expected: None,
        found: vec![Output::default(); evaluations],
    };
    let mut results = Results {
        idle: Times::default(),
        levels: Vec::new(),
    };
    for &level in levels {
        next_pass();
        net = net.at_level(level);
        // This pass is not timed: it fills caches and page tables, so that the first timed pass
        // finds them like the others.
        net.time(Pass::Refresh, trace, &mut outputs.found);
        outputs.check(level, Work::Pass(Pass::Refresh))?;
        let statistics = net.count(trace, &mut outputs.found);
        let checksum = checksum(&outputs.found);
        outputs.check(level, Work::Pass(Pass::Incremental))?;
        results.levels.push(LevelResults {
            level,
            times: Default::default(),
            in_engine: engine.map(|_| InEngine::default()),
            statistics,
            checksum,
        });
    }
    let searches = engine.map_or(Vec::new(), |_| trace.by_search());
    for _ in 0..rounds {
        next_pass();
        let idle = trace.replay(&mut Idle, &mut []);
        results.idle.push(idle, evaluations);
        for of_level in &mut results.levels {
            net = net.at_level(of_level.level);
            for (pass, times) in Pass::ALL.into_iter().zip(&mut of_level.times) {
                next_pass();
                let duration = net.time(pass, trace, &mut outputs.found);
                outputs.check(of_level.level, Work::Pass(pass))?;
                times.push(duration, evaluations);
            }
            if let (Some(engine), Some(times)) = (engine, &mut of_level.in_engine) {
                next_pass();
                let mut contender = net.contender(Pass::Incremental, Some(engine));
                let found = &mut outputs.found;
                let [alone, both] = engine.take_turns(&mut *contender, &searches, found);
                outputs.check(of_level.level, Work::InEngine)?;
                times.alone.push(alone, evaluations);
                times.both.push(both, evaluations);
            }
        }
    }
    for of_level in &mut results.levels {
        let along = &mut of_level.times[Pass::Incremental as usize];
        *along = along.without(results.idle.median());
    }
    Ok(results)
}

/// Compares the values of two networks over a trace: those of `net` along the search, on each
/// level, with those of a full refresh of `reference` on the first level.
///
/// # Errors
///
/// [`Difference`] for the first evaluation that is not the same.
pub fn compare(
    reference: Box<dyn Replay>,
    mut net: Box<dyn Replay>,
    levels: &[Level],
    trace: &Trace,
) -> Result<(), Difference> {
    let mut outputs = ComparedOutputs {
        trace,
        expected: None,
        found: vec![Output::default(); trace.evaluations()],
    };
    if let Some(&first) = levels.first() {
        let reference = reference.at_level(first);
        reference.time(Pass::Refresh, trace, &mut outputs.found);
        outputs.check(first, Work::Pass(Pass::Refresh))?;
    }
    for &level in levels {
        net = net.at_level(level);
        net.count(trace, &mut outputs.found);
        outputs.check(level, Work::Pass(Pass::Incremental))?;
    }
    Ok(())
}

/// The values of a pass, and the expected values.
struct ComparedOutputs<'t> {
    trace: &'t Trace,
    /// The values of the very first pass, and its level.
    expected: Option<(Level, Vec<Output>)>,
    found: Vec<Output>,
}

impl ComparedOutputs<'_> {
    /// Compares the values of a pass with the expected values, and then overwrites them, so that
    /// the next pass cannot succeed without writing.
    fn check(&mut self, level: Level, work: Work) -> Result<(), Difference> {
        let (reference, expected) =
            (self.expected).get_or_insert_with(|| (level, self.found.clone()));
        let mut pairs = self.found.iter().zip(&*expected).enumerate();
        let Some((evaluation, (found, expected))) =
            pairs.find(|(_, (found, expected))| found != expected)
        else {
            self.found.fill(Output::default());
            return Ok(());
        };
        let (line, number, position) = place(self.trace, evaluation);
        Err(Difference {
            level,
            work,
            line,
            number,
            position,
            found: *found,
            expected: *expected,
            reference: *reference,
        })
    }
}

/// The place of an evaluation in a trace: the line of its search, its number in the search, counted
/// from 1, and its position.
fn place(trace: &Trace, evaluation: usize) -> (usize, usize, String) {
    match trace.locate(evaluation) {
        Some((search, index)) => (search.line, index + 1, search.evaluated[index].to_string()),
        None => (0, 0, String::new()),
    }
}

/// FNV-1a of all integers of all evaluations, in their order.
fn checksum(outputs: &[Output]) -> u32 {
    let numbers = outputs
        .iter()
        .flat_map(|output| [output.psqt, output.positional, output.value]);
    let bytes = numbers.flat_map(i32::to_le_bytes);
    bytes.fold(0x811C_9DC5, |sum, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::measure::compiled;

    const TRACE: &str = "\
        4k3/8/8/8/8/8/4P3/4K3 w - - 0 1; = e2e4 e8d7 =\n\
        4k3/8/8/8/8/8/4P3/4K3 b - - 0 1; 0 = ~ e8e7 = e1d2 = -\n";

    /// A network with a wrong evaluation in a single pass.
    struct Planted {
        net: Box<dyn Replay>,
        /// The number of passes before the wrong pass.
        passes_before: AtomicUsize,
        evaluation: usize,
    }

    impl Planted {
        fn plant(&self, outputs: &mut [Output]) {
            // After the wrong pass, the number of passes before it wraps around to the largest
            // number.
            if self.passes_before.fetch_sub(1, Ordering::Relaxed) == 0
                && let Some(output) = outputs.get_mut(self.evaluation)
            {
                output.positional += 1;
            }
        }
    }

    impl Replay for Planted {
        fn at_level(self: Box<Self>, level: Level) -> Box<dyn Replay> {
            let net = self.net.at_level(level);
            Box::new(Planted { net, ..*self })
        }

        fn contender<'c>(
            &'c self,
            pass: Pass,
            engine: Option<&'c Engine>,
        ) -> Box<dyn Contender<Value = Output> + Send + 'c> {
            Box::new(PlantedPass {
                contender: self.net.contender(pass, engine),
                planted: self,
            })
        }

        fn count(&self, trace: &Trace, outputs: &mut [Output]) -> Statistics {
            let statistics = self.net.count(trace, outputs);
            self.plant(outputs);
            statistics
        }
    }

    struct PlantedPass<'p> {
        contender: Box<dyn Contender<Value = Output> + Send + 'p>,
        planted: &'p Planted,
    }

    impl Contender for PlantedPass<'_> {
        type Value = Output;

        fn time(&mut self, trace: &Trace, outputs: &mut [Output]) -> Duration {
            let duration = self.contender.time(trace, outputs);
            self.planted.plant(outputs);
            duration
        }
    }

    fn measure_planted(passes_before: usize, evaluation: usize) -> Result<Results, Difference> {
        let levels: Vec<Level> = Level::available().collect();
        measure_planted_in(None, &levels, passes_before, evaluation)
    }

    fn measure_planted_in(
        engine: Option<&Engine>,
        levels: &[Level],
        passes_before: usize,
        evaluation: usize,
    ) -> Result<Results, Difference> {
        let planted = Planted {
            net: compiled::built_in(levels[0]),
            passes_before: passes_before.into(),
            evaluation,
        };
        let trace = Trace::read(TRACE.as_bytes()).unwrap();
        measure(Box::new(planted), levels, &trace, 2, engine, &mut |_, _| {})
    }

    #[test]
    fn a_difference_in_any_pass_is_found() {
        let levels = Level::available().count();
        // Each level has two passes at the start, and three in each round.
        let passes = 2 * levels + 2 * 3 * levels;
        for pass in 1..passes {
            let difference = measure_planted(pass, 2).unwrap_err();
            assert_eq!(
                difference.found.positional,
                difference.expected.positional + 1
            );
            assert_eq!((difference.line, difference.number), (2, 1));
        }
        assert!(measure_planted(passes, 2).is_ok());
        // The other passes are compared with the first pass, so all of them differ from it.
        let difference = measure_planted(0, 0).unwrap_err();
        assert_eq!(
            difference.found.positional + 1,
            difference.expected.positional
        );
    }

    #[test]
    fn a_difference_in_the_engine_is_found() {
        let engine = Engine::new(1 << 12).unwrap();
        let level = [Level::detect()];
        // Two passes at the start, and in each round three before those in the engine. Of these
        // each search has two, of which the first does not count.
        for round in 0..2 {
            for (turn, place) in [None, Some((1, 2)), None, Some((2, 2))]
                .into_iter()
                .enumerate()
            {
                let before = 2 + 7 * round + 3 + turn;
                let found = measure_planted_in(Some(&engine), &level, before, 1);
                let Some(place) = place else {
                    assert!(found.is_ok());
                    continue;
                };
                let difference = found.unwrap_err();
                assert_eq!(difference.work, Work::InEngine);
                assert_eq!((difference.line, difference.number), place);
                assert_eq!(
                    difference.found.positional,
                    difference.expected.positional + 1
                );
                let by = format!(" by incremental updates in an engine on `{}`, ", level[0]);
                let message = difference.to_string();
                assert!(message.contains(&by), "{message}");
            }
        }
    }

    #[test]
    fn a_difference_says_where_and_how() {
        let levels: Vec<Level> = Level::available().collect();
        let (first, last) = (levels[0], levels[levels.len() - 1]);
        let last_pass = 8 * levels.len() - 1;
        let message = measure_planted(last_pass, 4).unwrap_err().to_string();
        let start = "line 2 of the trace, evaluation 3, `8/4k3/8/8/8/8/3KP3/8 b`: found ";
        assert!(message.starts_with(start), "{message}");
        assert!(
            message.contains(&format!(" by forward pass alone on `{last}`, expected ")),
            "{message}"
        );
        assert!(
            message.ends_with(&format!(" by full refresh on `{first}`")),
            "{message}"
        );
    }

    #[test]
    fn progress_is_told_before_each_pass() {
        let levels: Vec<Level> = Level::available().collect();
        let trace = Trace::read(TRACE.as_bytes()).unwrap();
        let mut told = Vec::new();
        let net = compiled::built_in(levels[0]);
        let engine = Engine::new(1 << 12).unwrap();
        let results = measure(net, &levels, &trace, 4, Some(&engine), &mut |done, all| {
            told.push((done, all))
        });
        let passes = levels.len() + 4 * (1 + 4 * levels.len());
        assert!(
            told.iter()
                .copied()
                .eq((0..passes).map(|done| (done, passes)))
        );
        let results = results.unwrap();
        assert_eq!(results.idle.len(), 4);
        let alone = results.engine_alone().unwrap();
        assert_eq!(alone.len(), 4 * levels.len());
        for of_level in results.levels {
            assert_eq!(of_level.in_engine.unwrap().evaluator().len(), 4);
            assert!(of_level.times.iter().all(|times| times.len() == 4));
            // Both kings of both searches.
            assert!(of_level.statistics.misses >= 2);
        }
    }

    #[test]
    fn checksums_are_fnv_1a_of_all_integers() {
        assert_eq!(checksum(&[]), 0x811C_9DC5);
        let output = |psqt, positional, value| Output {
            psqt,
            positional,
            value,
        };
        let sum = checksum(&[output(1, 2, 3), output(4, 5, 6)]);
        for other in [
            [output(4, 5, 6), output(1, 2, 3)],
            [output(1, 2, 3), output(4, 5, 7)],
            [output(1, 3, 2), output(4, 5, 6)],
        ] {
            assert_ne!(checksum(&other), sum);
        }
    }
}
