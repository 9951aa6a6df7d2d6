//! Runners that take turns at evaluating the same searches.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::Times;

/// A function that evaluates the search of a number, and returns how long that took.
pub type Runner<'r, E> = Box<dyn FnMut(usize) -> Result<Duration, E> + Send + 'r>;

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
pub fn take_turns<E: Send>(
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
        let threads: Vec<_> = (teams.into_iter().enumerate())
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn team<'r>(
        thread: usize,
        log: &'r Mutex<Vec<(usize, usize, usize)>>,
        fails: Option<usize>,
    ) -> Vec<Runner<'r, &'static str>> {
        let runner = |place: usize| {
            let mut runs = 0;
            let run = move |search| {
                runs += 1;
                log.lock().unwrap().push((thread, place, search));
                match fails {
                    Some(fails) if place == 1 && runs > fails => Err("planted"),
                    _ => Ok(Duration::from_nanos(
                        (1000 * (place + 1) + 100 * thread) as u64,
                    )),
                }
            };
            Box::new(run) as Runner<'r, &'static str>
        };
        vec![runner(0), runner(1)]
    }

    #[test]
    fn each_search_is_run_by_all_before_the_next_one() {
        let (log, told) = (Mutex::default(), Mutex::new(Vec::new()));
        let progress = |round| told.lock().unwrap().push(round);
        let times = take_turns(vec![team(0, &log, None)], 2, 10, 2, &progress).unwrap();
        let order: Vec<(usize, usize)> = (log.into_inner().unwrap().into_iter())
            .map(|(_, place, search)| (place, search))
            .collect();
        let even = [(0, 0), (1, 0), (0, 1), (1, 1)];
        let odd = [(1, 0), (0, 0), (1, 1), (0, 1)];
        assert_eq!(order, [even, odd, even].concat());
        assert_eq!(told.into_inner().unwrap(), [0, 1, 2]);
        // Each runner makes two searches: the first of 1000 ns each, the second of 2000 ns each.
        let medians: Vec<f64> = times.iter().map(Times::median).collect();
        assert_eq!(medians, [200.0, 400.0]);
        assert_eq!(times[0].len(), 2);
    }

    #[test]
    fn threads_run_the_same_at_the_same_time() {
        let log = Mutex::default();
        let teams = vec![team(0, &log, None), team(1, &log, None)];
        let times = take_turns(teams, 3, 10, 4, &|_| {}).unwrap();
        for pair in log.into_inner().unwrap().chunks(2) {
            let ((_, place, search), (_, other, same)) = (pair[0], pair[1]);
            assert_eq!((place, search), (other, same));
            assert_ne!(pair[0].0, pair[1].0);
        }
        // The mean of 1000 and 1100 ns, three times.
        assert_eq!(times[0].median(), 315.0);
    }

    #[test]
    fn a_failure_ends_all_threads() {
        let log = Mutex::default();
        let teams = vec![team(0, &log, None), team(1, &log, Some(4))];
        assert_eq!(take_turns(teams, 3, 10, 9, &|_| {}).unwrap_err(), "planted");
        // Two rounds of three searches by two runners in two threads.
        assert_eq!(log.into_inner().unwrap().len(), 2 * 3 * 2 * 2);
    }
}
