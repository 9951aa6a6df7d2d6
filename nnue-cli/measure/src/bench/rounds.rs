//! Rounds in which programs take turns, and how far their times can be trusted.
//!
//! What else the machine does makes times longer and uneven. So after some rounds it is looked how
//! far these are apart, and where that is too far, there is a pause and then as many rounds again.
//! Of all tries the most even one counts.

use std::time::Duration;

use nnue_replay::{Request, Work};

use crate::ProgramError;

/// The most tries: on a machine that others share, times may never be even, and an edit is not waited
/// for longer than a quarter of a minute.
const TRIES: usize = 3;

/// Times are even if their quartiles are no further apart than this share of the median. On an idle
/// virtual machine they were a tenth to an eighth apart, beside other work on all cores a fifth.
const EVEN: f64 = 0.15;

/// What programs do in turns.
pub(super) struct Rounds<'a> {
    /// How many programs there are.
    pub(super) programs: usize,
    /// How many searches each evaluates in a round.
    pub(super) searches: usize,
    /// How many rounds a try has, at least one.
    pub(super) rounds: usize,
    /// Lets a program evaluate a search.
    pub(super) time: &'a mut dyn FnMut(usize, Request) -> Result<Duration, ProgramError>,
    /// Waits until the machine may be quieter.
    pub(super) pause: &'a mut dyn FnMut(),
    /// Is told of all work of a round, one kind after the other.
    pub(super) progress: &'a mut dyn FnMut(),
}

/// Something for each kind of work, in the order of [`Work::ALL`].
type OfWork<T> = [T; Work::ALL.len()];

/// The times of all programs.
pub(super) struct Times {
    /// Of each program, the time of all searches for each kind of work, or why it failed.
    pub(super) programs: Vec<Result<OfWork<Quartiles>, ProgramError>>,
    /// How often the rounds were tried.
    pub(super) tries: usize,
    /// Whether the times are even. If not, no try was.
    pub(super) are_even: bool,
}

/// A quarter of the rounds took less than the first, half of them less than the second, a quarter
/// more than the third. Each search has its own, of which these are the sums.
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

    /// How far the outer ones are apart, as a share of the median.
    fn spread(self) -> f64 {
        let Quartiles([low, median, high]) = self;
        match median.is_zero() {
            true => 0.0,
            false => (high - low).as_secs_f64() / median.as_secs_f64(),
        }
    }
}

/// How often [`measure`](super::measure()) tells of its progress if the first try is even.
pub fn steps(rounds: usize) -> usize {
    Work::ALL.len() * (1 + rounds)
}

impl Rounds<'_> {
    /// Tries until times are even, or [`TRIES`] times. Programs that fail leave the others' times.
    pub(super) fn measure(mut self) -> Times {
        let mut failures = vec![None; self.programs];
        // What is in no cache yet takes longer: this round does not count.
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
            // Reading the trace takes little, and its share of the time says little. In the engine,
            // times are differences of longer ones, which are further apart on any machine.
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

    /// One after the other evaluates a search, and then the next one; another begins each round.
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

    /// Measures programs whose evaluations take what `time` says of the program and of how many
    /// were asked for before; says how often there was a pause.
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

    /// What two programs ask for in a try of nine rounds, and before it in the round that does not
    /// count.
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

    /// The load is uneven for two tries, and then gone.
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

    /// The most even try counts where none is even, and it ends.
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
