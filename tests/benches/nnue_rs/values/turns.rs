//! Who runs when, and what a failure does.

use std::sync::Mutex;

use std::time::Duration;

use crate::times::Times;
use crate::turns::{Runner, take_turns};

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
    let order: Vec<(usize, usize)> = log
        .into_inner()
        .unwrap()
        .into_iter()
        .map(|(_, place, search)| (place, search))
        .collect();
    let even = [(0, 0), (1, 0), (0, 1), (1, 1)];
    let odd = [(1, 0), (0, 0), (1, 1), (0, 1)];
    assert_eq!(order, [even, odd, even].concat());
    assert_eq!(told.into_inner().unwrap(), [0, 1, 2]);
    // Each runner makes two searches: the first of 1000 ns each, the second of 2000 ns each.
    let medians: Vec<f64> = times.iter().map(Times::median).collect();
    assert_eq!(medians, [200.0, 400.0]);
    assert_eq!(times[0].0.len(), 2);
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
