//! Rounds in which programs take turns.
//!
//! Other work on the machine makes times longer, and never shorter. So of each search the shortest
//! time over the rounds counts, and the sum over the searches is the time of all: on a machine that
//! others share it repeats within 2 %, where medians do not within 5.

use std::time::Duration;

use nnue_trace::{Pass, Request, Took, Work};

use crate::measure::ProgramError;

/// How many rounds come before those in an engine, which take longer than all others: the first
/// table should not wait for them.
const BEFORE_ENGINE: usize = 4;

/// The kinds of work of a round outside an engine.
const PASSES: [Work; 3] = [
    Work::Pass(Pass::Incremental),
    Work::Pass(Pass::Refresh),
    Work::Pass(Pass::Forward),
];

/// The steps of a measurement, each with the kinds of work that are done in it. What is done in an
/// engine takes longer than all else, so it comes second, and every other round does without it.
pub(super) fn steps(rounds: usize) -> Vec<&'static [Work]> {
    let passes: &[Work] = &PASSES;
    let engine: &[Work] = &[Work::InEngine];
    let before = rounds.min(BEFORE_ENGINE);
    let mut steps = vec![passes; before];
    for round in 0..rounds {
        if round % 2 == 0 {
            steps.push(engine);
        }
        if before + round < rounds {
            steps.push(passes);
        }
    }
    steps
}

/// The times of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    /// For each kind of work, in the order of [`Work::ALL`], and each search, a time for each round.
    works: [Vec<Vec<Took>>; Work::ALL.len()],
}

/// The time of a kind of work, over all searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Time {
    /// The sum of the shortest times.
    pub(super) least: f64,
    /// The same sums of the first and of the third quartile of each search's times.
    pub(super) quartiles: [f64; 2],
    /// The sum of the shortest times, by every second round and by the others.
    pub(super) halves: [f64; 2],
    /// The part of [`Time::least`] that was subtracted: the time without an evaluator.
    pub(super) alone: f64,
}

impl Times {
    /// The time of a kind of work in nanoseconds, for all evaluations of all searches; NaN if it was
    /// not done yet. The time without an evaluator is subtracted.
    pub(super) fn of(&self, work: Work) -> Time {
        let searches = &self.works[place(work)];
        let rounds = searches.iter().map(Vec::len).min().unwrap_or(0);
        let half = |first: usize| -> [f64; 2] {
            // A single round is both halves.
            let first = first.min(rounds.saturating_sub(1));
            let chosen = searches
                .iter()
                .map(|times| times.iter().skip(first).step_by(2));
            sums(chosen.map(|times| quantile(times.copied(), 0.0)))
        };
        let all = |share| {
            let times = searches.iter().map(|times| times.iter().copied());
            sums(times.map(|times| quantile(times, share)))
        };
        let evaluator = |[alone, all]: [f64; 2]| match rounds {
            0 => f64::NAN,
            _ => all - alone,
        };
        let least = all(0.0);
        Time {
            least: evaluator(least),
            quartiles: [0.25, 0.75].map(|share| evaluator(all(share))),
            halves: [0, 1].map(|first| evaluator(half(first))),
            alone: match rounds {
                0 => f64::NAN,
                _ => least[0],
            },
        }
    }

    /// Adds the time of a search.
    fn push(&mut self, Request { work, search }: Request, took: Took) {
        let searches = &mut self.works[place(work)];
        if searches.len() <= search {
            searches.resize(search + 1, Vec::new());
        }
        searches[search].push(took);
    }
}

fn place(work: Work) -> usize {
    let place = Work::ALL.into_iter().position(|own| own == work);
    place.unwrap_or_default()
}

/// The sums of nanoseconds without an evaluator, and with it.
fn sums(times: impl Iterator<Item = Took>) -> [f64; 2] {
    times.fold([0.0; 2], |[alone, all], took| {
        let [own_alone, own_all] = [took.alone, took.all].map(|time| time.as_nanos() as f64);
        [alone + own_alone, all + own_all]
    })
}

/// The times below which this share of the times is, from 0 to 1.
fn quantile(times: impl Iterator<Item = Took> + Clone, share: f64) -> Took {
    let of = |part: fn(Took) -> Duration| {
        let mut parts: Vec<Duration> = times.clone().map(part).collect();
        parts.sort_unstable();
        let last = parts.len().saturating_sub(1) as f64;
        parts.get((share * last).round() as usize).copied()
    };
    Took {
        alone: of(|took| took.alone).unwrap_or_default(),
        all: of(|took| took.all).unwrap_or_default(),
    }
}

/// The programs that take turns.
pub(super) struct Turns<'a> {
    /// How many searches each program evaluates.
    pub(super) searches: usize,
    /// Called to let a program evaluate a search.
    pub(super) time: &'a mut dyn FnMut(usize, Request) -> Result<Took, ProgramError>,
}

impl Turns<'_> {
    /// Lets all programs do the work of a step with a search, then with the next search. In each step
    /// another program begins. A program that fails leaves the times of all others.
    pub(super) fn step(
        &mut self,
        number: usize,
        works: &[Work],
        programs: &mut [Result<Times, ProgramError>],
    ) {
        for &work in works {
            for search in 0..self.searches {
                for turn in 0..programs.len() {
                    let place = (turn + number + search) % programs.len();
                    let Ok(times) = &mut programs[place] else {
                        continue;
                    };
                    let request = Request { work, search };
                    match (self.time)(place, request) {
                        Ok(took) => times.push(request, took),
                        Err(failure) => programs[place] = Err(failure),
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measures programs; `time` returns the nanoseconds of a program's work with a search, for the
    /// number of earlier requests.
    fn measured(
        programs: usize,
        rounds: usize,
        time: &dyn Fn(usize, Request, usize) -> Result<u64, ProgramError>,
    ) -> Vec<Result<Times, ProgramError>> {
        let mut asked = 0;
        let mut turns = Turns {
            searches: 3,
            time: &mut |program, request| {
                asked += 1;
                let all = time(program, request, asked - 1).map(Duration::from_nanos)?;
                let alone = Duration::from_nanos(match request.work {
                    Work::InEngine => 40,
                    _ => 0,
                });
                Ok(Took { alone, all })
            },
        };
        let mut times = vec![Ok(Times::default()); programs];
        for (number, works) in steps(rounds).into_iter().enumerate() {
            turns.step(number, works, &mut times);
        }
        times
    }

    const ALONG: Work = Work::Pass(Pass::Incremental);

    #[test]
    fn the_engine_comes_second_and_half_as_often() {
        for rounds in [1, 2, 4, 9] {
            let steps = steps(rounds);
            let done = |work| steps.iter().filter(|step| step.contains(&work)).count();
            for work in PASSES {
                assert_eq!(done(work), rounds);
            }
            assert_eq!(done(Work::InEngine), rounds.div_ceil(2));
            let first = steps.iter().position(|step| step.contains(&Work::InEngine));
            assert_eq!(first, Some(rounds.min(BEFORE_ENGINE)));
        }
    }

    #[test]
    fn the_shortest_time_of_each_search_counts() {
        // Each search has its quiet moment in another round.
        let noisy = |program, request: Request, asked: usize| {
            let is_quiet = asked / 18 % 3 == request.search;
            Ok(100 + 50 * program as u64 + if is_quiet { 0 } else { 7 + asked as u64 })
        };
        let times = measured(2, 9, &noisy);
        let least = times
            .iter()
            .map(|times| times.as_ref().unwrap().of(ALONG).least);
        assert!(least.eq([300.0, 450.0]));
    }

    #[test]
    fn the_time_without_an_evaluator_is_subtracted() {
        let times = measured(1, 3, &|_, _, _| Ok(100));
        let time = times[0].as_ref().unwrap().of(Work::InEngine);
        assert_eq!(time.least, 180.0);
        assert_eq!(time.alone, 120.0);
        assert_eq!((time.quartiles, time.halves), ([180.0; 2], [180.0; 2]));
        let nothing = Times::default().of(ALONG);
        assert!(nothing.least.is_nan() && nothing.halves[0].is_nan() && nothing.alone.is_nan());
    }

    #[test]
    fn quartiles_and_halves_are_those_of_the_rounds() {
        let mut times = Times::default();
        for nanoseconds in [9, 8, 7, 6, 5, 4, 3, 2, 1] {
            let all = Duration::from_nanos(nanoseconds);
            let alone = Duration::ZERO;
            let request = Request {
                work: ALONG,
                search: 0,
            };
            times.push(request, Took { alone, all });
        }
        let time = times.of(ALONG);
        assert_eq!(time.least, 1.0);
        assert_eq!((time.quartiles, time.halves), ([3.0, 7.0], [1.0, 2.0]));
        let once = measured(1, 1, &|_, _, _| Ok(7));
        let time = once[0].as_ref().unwrap().of(ALONG);
        assert_eq!((time.least, time.halves), (21.0, [21.0; 2]));
    }

    #[test]
    fn a_program_that_fails_leaves_the_others() {
        let failing = |program, _: Request, asked| match (program, asked) {
            (1, 100..) => Err(ProgramError::from("found another value")),
            _ => Ok(100),
        };
        let times = measured(3, 9, &failing);
        let failure = times[1].as_ref().unwrap_err();
        assert_eq!(*failure, ProgramError::from("found another value"));
        for place in [0, 2] {
            assert_eq!(times[place].as_ref().unwrap().of(ALONG).least, 300.0);
        }
    }

    #[test]
    fn programs_begin_in_turns() {
        let mut first = Vec::new();
        let mut turns = Turns {
            searches: 2,
            time: &mut |program, _| {
                first.push(program);
                Ok(Took::default())
            },
        };
        let mut programs = vec![Ok(Times::default()); 3];
        for number in 0..2 {
            turns.step(number, &[ALONG], &mut programs);
        }
        assert_eq!(first, [0, 1, 2, 1, 2, 0, 1, 2, 0, 2, 0, 1]);
    }
}
