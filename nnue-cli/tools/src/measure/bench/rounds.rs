//! Rounds in which programs take turns, with a check of how even their times are.
//!
//! Other work on the machine makes times longer and uneven. So after some rounds the distance of
//! the times from each other is measured. If it is too large, there is a pause, and the rounds are
//! tried again. The most even try counts.

use std::time::Duration;

use nnue_replay::{Request, Work};

use crate::measure::ProgramError;

/// The most tries. On a shared machine, times may never be even, and a user should not wait longer
/// than a quarter of a minute after an edit.
const TRIES: usize = 3;

/// Times are even if their quartiles are no further apart than this share of the median. On an idle
/// virtual machine the share was 0.1 to 0.125, and 0.2 beside other work on all cores.
const EVEN: f64 = 0.15;

/// The work that programs do in turns.
pub(super) struct Rounds<'a> {
    /// How many programs there are.
    pub(super) programs: usize,
    /// How many searches each program evaluates in a round.
    pub(super) searches: usize,
    /// How many rounds a try has, at least one round.
    pub(super) rounds: usize,
    /// Called to let a program evaluate a search.
    pub(super) time: &'a mut dyn FnMut(usize, Request) -> Result<Duration, ProgramError>,
    /// Called to wait until the machine may be quieter.
    pub(super) pause: &'a mut dyn FnMut(),
    /// Called after each kind of work in a round.
    pub(super) progress: &'a mut dyn FnMut(),
}

/// A value for each kind of work, in the order of [`Work::ALL`].
type OfWork<T> = [T; Work::ALL.len()];

/// The times of all programs.
pub(super) struct Times {
    /// The time of all searches for each program and each kind of work, or why the program failed.
    pub(super) programs: Vec<Result<OfWork<Quartiles>, ProgramError>>,
    /// How often the rounds were tried.
    pub(super) tries: usize,
    /// Whether the times are even. If they are not, those of no try were.
    pub(super) are_even: bool,
}

/// The quartiles of times: a quarter of the rounds took less than the first number, half of them
/// less than the second, and a quarter more than the third. For several searches, each number is a
/// sum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Quartiles(pub(super) [Duration; 3]);

impl Quartiles {
    fn of(mut times: Vec<Duration>) -> Quartiles {
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        let at = |quarters: usize| times.get((quarters * last + 2) / 4).copied();
        Quartiles([1, 2, 3].map(|quarters| at(quarters).unwrap_or_default()))
    }

    fn plus(self, other: Quartiles) -> Quartiles {
        let [Quartiles(one), Quartiles(other)] = [self, other];
        Quartiles([0, 1, 2].map(|index| one[index] + other[index]))
    }

    /// The distance of the outer quartiles from each other, as a share of the median.
    fn spread(self) -> f64 {
        let Quartiles([low, median, high]) = self;
        match median.is_zero() {
            true => 0.0,
            false => (high - low).as_secs_f64() / median.as_secs_f64(),
        }
    }
}

/// How often [`measure`](super::measure()) reports progress if the first try is even.
pub fn steps(rounds: usize) -> usize {
    Work::ALL.len() * (1 + rounds)
}

impl Rounds<'_> {
    /// Measures until times are even, at most [`TRIES`] times. Programs that fail leave the times
    /// of all others.
    pub(super) fn measure(mut self) -> Times {
        let mut failures = vec![None; self.programs];
        // The first round does not count, because nothing is in the caches yet.
        self.round(0, &mut failures, None);
        let mut best: Option<(f64, Vec<OfWork<Quartiles>>)> = None;
        let mut tries = 0;
        while tries < TRIES {
            if tries > 0 {
                (self.pause)();
            }
            tries += 1;
            let found = self.one_try(&mut failures);
            let works = found.iter().zip(&failures);
            let works = works.filter(|(_, failure)| failure.is_none());
            // The quartiles of two kinds of work are ignored. Reading the trace takes little time.
            // Times in the engine are differences of longer times, which are further apart on any
            // machine.
            let spreads =
                works.flat_map(|(passes, _)| passes[..3].iter().map(|pass| pass.spread()));
            let spread = spreads.fold(0.0, f64::max);
            if best.as_ref().is_none_or(|(least, _)| spread < *least) {
                best = Some((spread, found));
            }
            if spread <= EVEN {
                break;
            }
        }
        let (spread, found) = best.unwrap_or_default();
        let programs = found.into_iter().zip(failures);
        Times {
            programs: programs
                .map(|(passes, failure)| failure.map_or(Ok(passes), Err))
                .collect(),
            tries,
            are_even: spread <= EVEN,
        }
    }

    fn one_try(&mut self, failures: &mut [Option<ProgramError>]) -> Vec<OfWork<Quartiles>> {
        let untimed = Work::ALL.map(|_| vec![Vec::with_capacity(self.rounds); self.searches]);
        let mut times = vec![untimed; self.programs];
        for round in 1..=self.rounds {
            self.round(round, failures, Some(&mut times));
        }
        let of_pass = |searches: Vec<Vec<Duration>>| {
            let quartiles = searches.into_iter().map(Quartiles::of);
            quartiles.fold(Quartiles::default(), Quartiles::plus)
        };
        { times.into_iter() }
            .map(|passes| passes.map(of_pass))
            .collect()
    }

    /// Lets all programs evaluate a search, then the next search. Each round begins with another
    /// program.
    fn round(
        &mut self,
        round: usize,
        failures: &mut [Option<ProgramError>],
        mut times: Option<&mut Vec<OfWork<Vec<Vec<Duration>>>>>,
    ) {
        for (index, work) in Work::ALL.into_iter().enumerate() {
            for search in 0..self.searches {
                for turn in 0..self.programs {
                    let place = (turn + round) % self.programs;
                    if failures[place].is_some() {
                        continue;
                    }
                    match (self.time)(place, Request { work, search }) {
                        Ok(time) => {
                            if let Some(times) = &mut times {
                                times[place][index][search].push(time);
                            }
                        }
                        Err(failure) => failures[place] = Some(failure),
                    }
                }
            }
            (self.progress)();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measures programs whose evaluations take the time that `time` returns for a program and the
    /// number of earlier requests. Returns how often there was a pause.
    fn measured(
        programs: usize,
        rounds: usize,
        time: &dyn Fn(usize, usize) -> Result<u64, ProgramError>,
    ) -> (Times, usize) {
        let (mut asked, mut pauses) = (0, 0);
        let times = Rounds {
            programs,
            searches: 3,
            rounds,
            time: &mut |program, _| {
                asked += 1;
                time(program, asked - 1).map(Duration::from_nanos)
            },
            pause: &mut || pauses += 1,
            progress: &mut || {},
        };
        (times.measure(), pauses)
    }

    fn medians(times: &Times) -> Vec<u128> {
        let programs = times.programs.iter();
        let medians = programs.map(|passes| passes.as_ref().expect("times")[0].0[1].as_nanos());
        medians.collect()
    }

    /// The number of requests of two programs in a try of nine rounds; `BEFORE` is the number in
    /// the first round, which does not count.
    const TRY: usize = 9 * BEFORE;
    const BEFORE: usize = Work::ALL.len() * 3 * 2;

    #[test]
    fn quartiles_are_those_of_the_rounds() {
        let of = |times: &[u64]| {
            let times = times.iter().copied().map(Duration::from_nanos);
            Quartiles::of(times.collect()).0.map(|time| time.as_nanos())
        };
        assert_eq!(of(&[3, 900, 1, 2, 800]), [2, 3, 800]);
        assert_eq!(of(&[9, 8, 7, 6, 5, 4, 3, 2, 1]), [3, 5, 7]);
        assert_eq!(of(&[7]), [7, 7, 7]);
        assert_eq!(of(&[]), [0, 0, 0]);
    }

    #[test]
    fn even_times_are_measured_once() {
        let (times, pauses) = measured(2, 9, &|program, _| Ok(100 + 50 * program as u64));
        assert_eq!((times.tries, times.are_even, pauses), (1, true, 0));
        assert_eq!(medians(&times), [300, 450]);
    }

    #[test]
    fn the_first_round_does_not_count() {
        let slow = |_, asked| Ok(if asked < BEFORE { 9000 } else { 100 });
        let (times, _) = measured(2, 9, &slow);
        assert_eq!((times.tries, medians(&times)), (1, vec![300, 300]));
    }

    /// The load makes two tries uneven, and then ends.
    #[test]
    fn it_waits_for_a_quieter_moment() {
        let noise = |asked: usize| (asked as u64 * 7919) % 400;
        let loaded = |program: usize, asked: usize| {
            let quiet = 100 + 10 * program as u64;
            Ok(match asked < BEFORE + 2 * TRY {
                true => quiet + noise(asked),
                false => quiet,
            })
        };
        let (times, pauses) = measured(2, 9, &loaded);
        assert_eq!((times.tries, times.are_even, pauses), (3, true, 2));
        assert_eq!(medians(&times), [300, 330]);
    }

    /// Measuring ends although no try is even, and the most even try counts.
    #[test]
    fn it_gives_up_and_says_so() {
        let loaded = |_: usize, asked: usize| {
            let noise = (asked as u64 * 7919) % 400;
            let second = BEFORE + TRY..BEFORE + 2 * TRY;
            Ok(100
                + if second.contains(&asked) {
                    noise / 10
                } else {
                    noise
                })
        };
        let (times, pauses) = measured(2, 9, &loaded);
        assert_eq!((times.tries, times.are_even), (TRIES, false));
        assert_eq!(pauses, TRIES - 1);
        assert!(medians(&times).iter().all(|median| *median < 3 * 145));
    }

    #[test]
    fn a_program_that_fails_leaves_the_others() {
        let failing = |program, asked| match (program, asked) {
            (1, 100..) => Err(ProgramError::from("found another value")),
            _ => Ok(100),
        };
        let (times, _) = measured(3, 9, &failing);
        assert!(times.are_even);
        assert_eq!(
            times.programs[1],
            Err(ProgramError::from("found another value"))
        );
        assert!(times.programs[0].is_ok() && times.programs[2].is_ok());
    }
}
