//! Runners that take turns at evaluating the same searches.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::times::Times;

/// A function that evaluates the search of a number, and returns how long that took.
pub(crate) type Runner<'r, E> = Box<dyn FnMut(usize) -> Result<Duration, E> + Send + 'r>;

/// Lets runners evaluate each search in turn. So a disturbance of the machine affects all of them,
/// and each runner finds the data of the others in the processor's cache.
///
/// Every team is a thread, and has the same runners in the same order. Runners at the same place
/// run at the same time. Returns the times of each place, a time for each round, in nanoseconds per
/// evaluation of a thread. A further round comes first and is not counted. `progress` is called
/// before each round, with the number of rounds before it.
///
/// # Errors
///
/// The error of the first runner that fails, after its round.
pub(crate) fn take_turns<E: Send>(
    teams: Vec<Vec<Runner<'_, E>>>,
    searches: usize,
    evaluations: usize,
    rounds: usize,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Times>, E> {
    let places = teams.first().map_or(0, Vec::len);
    let threads = teams.len() as u32;
    let (start, failed) = (Barrier::new(teams.len()), AtomicBool::new(false));
    let (start, failed) = (&start, &failed);
    let run = move |number: usize, mut team: Vec<Runner<'_, E>>| {
        let mut times = vec![Vec::with_capacity(rounds); places];
        let mut failure = None;
        for round in 0..=rounds {
            if number == 0 {
                progress(round);
            }
            let mut sums = vec![Duration::ZERO; places];
            for search in 0..searches {
                for turn in 0..places {
                    // The first runner finds the data of the last in the caches, so each round has
                    // another first.
                    let place = (turn + round) % places;
                    start.wait();
                    match team[place](search) {
                        Ok(time) => sums[place] += time,
                        Err(error) => {
                            failure.get_or_insert(error);
                            failed.store(true, Ordering::Relaxed);
                        }
                    }
                }
            }
            // All threads leave after the same round, or some would wait for others forever. No
            // runner fails between this point and the start of the next turn.
            start.wait();
            if failed.load(Ordering::Relaxed) {
                break;
            }
            if round > 0 {
                for (times, sum) in times.iter_mut().zip(sums) {
                    times.push(sum);
                }
            }
        }
        match failure {
            Some(error) => Err(error),
            None => Ok(times),
        }
    };
    let results: Vec<Result<Vec<Vec<Duration>>, E>> = thread::scope(|scope| {
        let threads: Vec<_> = teams
            .into_iter()
            .enumerate()
            .map(|(number, team)| scope.spawn(move || run(number, team)))
            .collect();
        let joined = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    });
    let mut teams = Vec::new();
    for result in results {
        teams.push(result?);
    }
    let mean = |place: usize, round: usize| {
        let sum: Duration = teams.iter().map(|team| team[place][round]).sum();
        sum / threads
    };
    let of_place = |place| {
        let mut times = Times::default();
        for round in 0..rounds {
            times.push(mean(place, round), evaluations);
        }
        times
    };
    Ok((0..places).map(of_place).collect())
}
