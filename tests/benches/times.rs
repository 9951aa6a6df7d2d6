//! Times of work that is done over and over, a line for each.

use std::env;
use std::hint::black_box;
use std::time::Instant;

/// A benchmark. All are run, or those whose names have an argument of the command in them:
/// `cargo bench -p nnue-benches --bench evaluate -- small128`.
pub(crate) struct Bench(String);

impl Bench {
    /// The benchmark of this name, if it is to be run.
    pub(crate) fn named(name: String) -> Option<Bench> {
        // Cargo adds the option `--bench`.
        let mut wanted = env::args().skip(1).filter(|text| !text.starts_with('-'));
        let is_wanted = wanted.next().is_none_or(|first| {
            let mut all = wanted.chain([first]);
            all.any(|part| name.contains(&part))
        });
        is_wanted.then_some(Bench(name))
    }

    /// Takes `samples` samples, which each do the work `size` times, and prints the nanoseconds for
    /// doing it once. To drop the last result is not measured.
    pub(crate) fn run<T>(self, samples: usize, size: u32, mut work: impl FnMut() -> T) {
        let mut sample = |_| {
            let started = Instant::now();
            for _ in 1..size {
                black_box(work());
            }
            let last = black_box(work());
            let time = started.elapsed();
            drop(last);
            time.as_nanos() as f64 / f64::from(size)
        };
        let mut times: Vec<f64> = (0..samples).map(&mut sample).collect();
        times.sort_by(f64::total_cmp);
        let (least, median, most) = (times[0], times[samples / 2], times[samples - 1]);
        let Bench(name) = self;
        println!("{name:<40} {least:>14.1} {median:>14.1} {most:>14.1}");
    }
}

/// Prints the names of the columns.
pub(crate) fn heading() {
    let name = "nanoseconds";
    println!(
        "{name:<40} {:>14} {:>14} {:>14}",
        "shortest", "median", "longest"
    );
}
