//! What one of the processes does.

use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use nnue_runtime::Output;
use nnue_trace::Trace;

use super::super::{Engine, Pass, Replay, checksum};

/// Says that the net is loaded, and why its weights are not shared if they were to be. Waits for a
/// line: meanwhile the process has its weights in memory and little else.
///
/// # Errors
///
/// Those of the streams.
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

/// Says what all values are, and then, for each line with a number of milliseconds, evaluates for as
/// long, and says how many evaluations that were and how many nanoseconds they took.
///
/// `number` is that of the process: each begins with another search, because engines that play
/// different games do not read the same weights at the same time.
///
/// # Errors
///
/// Those of the streams.
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
    let mut turns = (0..searches.len()).cycle().skip(number % searches.len());
    let mut contender = net.contender(Pass::Incremental, engine);
    for request in requests.lines() {
        let milliseconds = request?.trim().parse().map_err(io::Error::other)?;
        let (limit, begin) = (Duration::from_millis(milliseconds), Instant::now());
        let mut evaluations = 0;
        while begin.elapsed() < limit {
            let search = turns.next().map(|turn| &searches[turn]);
            let Some(search) = search else { break };
            contender.time(search, &mut values);
            evaluations += search.evaluations();
        }
        writeln!(out, "{evaluations} {}", begin.elapsed().as_nanos())?;
        out.flush()?;
    }
    Ok(())
}
