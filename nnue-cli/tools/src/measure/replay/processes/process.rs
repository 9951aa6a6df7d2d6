//! The work of a measured process.

use std::io::{self, BufRead, Write};
use std::time::Instant;

use nnue_runtime::Output;
use nnue_trace::Trace;

use super::super::{Engine, Pass, Replay, checksum};

/// Writes that the net is loaded, and why its weights are not shared if they should be. Then waits
/// for a line, while the process has its weights in memory and little else.
///
/// # Errors
///
/// The errors of the streams.
pub fn say_loaded(
    not_shared: Option<&str>,
    requests: &mut dyn BufRead,
    out: &mut dyn Write,
) -> io::Result<()> {
    // A reason may have several lines.
    let reason = not_shared.unwrap_or_default().replace('\n', " ");
    writeln!(out, "loaded {reason}")?;
    out.flush()?;
    requests.read_line(&mut String::new()).map(drop)
}

/// The least number of evaluations in a round. The whole trace is repeated until it is reached, so
/// that every round is the same work.
const ROUND: usize = 50_000;

/// Writes the checksum of all values. Then, for each line that it reads, evaluates the trace often
/// enough to be measured, and writes the number of evaluations and their nanoseconds.
///
/// `number` is the number of the process. Each process begins with another search, because engines
/// that play different games do not read the same weights at the same time.
///
/// # Errors
///
/// The errors of the streams.
pub fn serve(
    net: &dyn Replay,
    trace: &Trace,
    engine: Option<&Engine>,
    number: usize,
    requests: &mut dyn BufRead,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut values = vec![Output::default(); trace.evaluations()];
    net.time(Pass::Incremental, trace, &mut values);
    writeln!(out, "{:08x}", checksum(&values))?;
    out.flush()?;
    let searches = trace.by_search();
    let first = number % searches.len();
    let passes = ROUND.div_ceil(trace.evaluations());
    let mut contender = net.contender(Pass::Incremental, engine);
    for request in requests.lines() {
        request?;
        let begin = Instant::now();
        for _ in 0..passes {
            for search in searches.iter().cycle().skip(first).take(searches.len()) {
                contender.time(search, &mut values);
            }
        }
        let evaluations = passes * trace.evaluations();
        writeln!(out, "{evaluations} {}", begin.elapsed().as_nanos())?;
        out.flush()?;
    }
    Ok(())
}
