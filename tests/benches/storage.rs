//! Where weights live: `cargo bench -p nnue-benches --bench storage`.
//!
//! First, nanoseconds per evaluation along the trace of a search. Networks whose weights live in
//! different places follow all of it in turns, in one process, so that whatever disturbs the machine
//! for a while disturbs all of them.
//!
//! Second, milliseconds from the start of a program to its first evaluation, by how it gets its
//! weights:
//!
//! * `own`: `Network::open`;
//! * `mapped`: `Network::map`, of a file that is laid out for the level of the machine;
//! * `shared, first`: `Network::open_shared`, where no other process has the net;
//! * `shared`: the same where one has it.
//!
//! Each program is started 25 times, in turns. The nets are released ones, which
//! `cargo run -p nnue-further-tests --bin fetch-nets` fetches; files are in the system's cache.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, process};

use nnue_further_tests::{sfnnv5, sfnnv9, sfnnv16};
use nnue_runtime::line::FromPosition;
use nnue_runtime::{Accumulator, Architecture, Board, Network, Output, SelectedByPieces};
use nnue_test_support::nets;
use nnue_trace::{Along, ByPieces, Trace};

const ROUNDS: usize = 25;

/// How a program gets its weights.
const KINDS: [&str; 4] = ["own", "mapped", "shared, first", "shared"];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [part, kind, net, file] = &*arguments
        && part == "be"
    {
        return match &**net {
            "sfnnv5" => be::<sfnnv5::Net>(kind, file),
            "sfnnv9" => be::<sfnnv9::Net>(kind, file),
            _ => be::<sfnnv16::Net>(kind, file),
        };
    }
    println!(
        "nanoseconds per evaluation, medians of {ROUNDS}: own, shared, mapped, and ratios to own"
    );
    evaluate::<sfnnv5::Net>("sfnnv5", "nn-ad9b42354671")?;
    evaluate::<sfnnv9::Net>("sfnnv9", "nn-1c0000000000")?;
    evaluate::<sfnnv16::Net>("sfnnv16", "nn-1a298aa575a0")?;
    println!("milliseconds to the first evaluation: median, minimum and maximum of {ROUNDS}");
    measure::<sfnnv5::Net>("sfnnv5", "nn-ad9b42354671")?;
    measure::<sfnnv9::Net>("sfnnv9", "nn-1c0000000000")?;
    measure::<sfnnv16::Net>("sfnnv16", "nn-1a298aa575a0")
}

/// The speed of the same net in different places, along the search.
fn evaluate<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
    name: &str,
    released: &str,
) -> Result<(), Box<dyn Error>> {
    let Some(file) = fetched(name, released) else {
        return Ok(());
    };
    let own = Network::<A>::open(&file)?;
    let laid_out = Temporary::laid_out(&own)?;
    let begin = Instant::now();
    // SAFETY: nobody else knows the file.
    let mapped = unsafe { Network::<A>::map(&laid_out.0) }?;
    let mapping = begin.elapsed();
    let nets = [own, Network::open_shared(&file)?, mapped];
    let trace = Trace::bundled()?;
    let mut values = vec![Output::default(); trace.evaluations()];
    let mut followers = nets.each_ref().map(Along::<A, ByPieces>::new);
    let mut times = [const { Vec::new() }; 3];
    for round in 0..=ROUNDS {
        let mut sums = [Duration::ZERO; 3];
        for turn in 0..3 {
            // The first gets the caches of the last, so the order changes.
            let place = (turn + round) % 3;
            sums[place] += trace.replay(&mut followers[place], &mut values);
        }
        // The first round warms up.
        if round > 0 {
            for (times, sum) in times.iter_mut().zip(sums) {
                times.push(sum.as_nanos() as f64 / trace.evaluations() as f64);
            }
        }
    }
    let ratio = |other: usize| {
        let pairs = times[other].iter().zip(&times[0]);
        median(pairs.map(|(other, own)| other / own).collect())
    };
    let [own, shared, mapped] = [0, 1, 2].map(|place| median(times[place].clone()));
    let [of_shared, of_mapped] = [ratio(1), ratio(2)];
    println!("{name:8} {own:6.1} {shared:6.1} {mapped:6.1}   {of_shared:.3} {of_mapped:.3}");
    println!("  mapped in {mapping:.1?}");
    for net in &nets {
        println!("  {}", net.report().memory);
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A program: says its first evaluation, and waits for the end of its input.
fn be<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
    kind: &str,
    file: &str,
) -> Result<(), Box<dyn Error>> {
    let net = match kind {
        "own" => Network::<A>::open(file)?,
        // SAFETY: the file is the parent's, which does not change it.
        "mapped" => unsafe { Network::map(file) }?,
        _ => Network::open_shared(file)?,
    };
    if let Some(reason) = net.not_shared() {
        return Err(reason.into());
    }
    let board = Board::start();
    println!(
        "{}",
        net.evaluate(&Accumulator::new(&net, &board), &board).value
    );
    std::io::stdin().read_line(&mut String::new())?;
    Ok(())
}

fn measure<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
    name: &str,
    released: &str,
) -> Result<(), Box<dyn Error>> {
    let Some(file) = fetched(name, released) else {
        return Ok(());
    };
    let laid_out = Temporary::laid_out(&Network::<A>::open(&file)?)?;
    let mut times = [const { Vec::new() }; KINDS.len()];
    let mut values = Vec::new();
    for _ in 0..ROUNDS {
        // The first that shares is there while the second does.
        let mut running = Vec::new();
        for (kind, times) in KINDS.into_iter().zip(&mut times) {
            let file = if kind == "mapped" { &laid_out.0 } else { &file };
            let (program, time, value) = start(kind, name, file)?;
            times.push(time);
            values.push(value);
            running.push(program);
        }
        for mut program in running {
            drop(program.stdin.take());
            program.wait()?;
        }
    }
    assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
    for (kind, times) in KINDS.iter().zip(&mut times) {
        times.sort();
        let at = |place: usize| times[place].as_secs_f64() * 1e3;
        let [median, least, most] = [ROUNDS / 2, 0, ROUNDS - 1].map(at);
        println!("{name:8} {kind:14} {median:7.1} {least:7.1} {most:7.1}");
    }
    Ok(())
}

/// Starts a program, and waits for its evaluation.
fn start(kind: &str, net: &str, file: &Path) -> Result<(Child, Duration, String), Box<dyn Error>> {
    let begin = Instant::now();
    let mut program = Command::new(env::current_exe()?)
        .args(["be", kind, net])
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut value = String::new();
    let output = program.stdout.take().ok_or("no pipe")?;
    BufReader::new(output).read_line(&mut value)?;
    let time = begin.elapsed();
    if value.is_empty() {
        return Err(format!("`{kind}` of {net} failed").into());
    }
    Ok((program, time, value))
}

/// The file of a released net, unless it has not been fetched.
fn fetched(name: &str, released: &str) -> Option<PathBuf> {
    let file = nets::cached(released);
    if file.is_none() {
        println!("{name}: skipped, for {released} has not been fetched");
    }
    file
}

/// A file that is removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    /// The weights of a network, laid out.
    fn laid_out<A: Architecture>(net: &Network<A>) -> Result<Temporary, Box<dyn Error>> {
        let path = env::temp_dir().join(format!("nnue-storage-{}", process::id()));
        let temporary = Temporary(path);
        net.write_laid_out(fs::File::create(&temporary.0)?)?;
        Ok(temporary)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A file left behind is no reason to fail.
        let _ = fs::remove_file(&self.0);
    }
}
