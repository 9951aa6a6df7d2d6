//! The program of a network that evaluates at the same time as others.

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

use nnue_runtime::line::StartsAt;
use nnue_runtime::{Architecture, Board, Network};

use super::{Noted, checksum_of, engine};
use crate::Trace;
use crate::contenders::{Along, Evaluate};
use crate::engine::Following;
use crate::pass::Contender;

/// The least number of evaluations in a round. The whole trace is repeated until it is reached, so
/// that every round is the same work.
const ROUND: usize = 50_000;

/// Writes that the net is loaded, and why its weights are not shared if they should be. Then waits
/// for a line, while the process has its weights in memory and little else. Then writes the checksum
/// of all values, and for each line evaluates the trace often enough to be measured.
///
/// `number` is the number of the process. Each process begins with another search, because engines
/// that play different games do not read the same weights at the same time.
pub(super) fn evaluate_together<A, E>(
    net: &Network<A>,
    trace: impl FnOnce() -> Result<Trace, Box<dyn Error>>,
    table: Option<usize>,
    number: usize,
    mut requests: impl BufRead,
    mut out: impl Write,
) -> Result<(), Box<dyn Error>>
where
    A: Architecture<Line: StartsAt<Board>>,
    E: Evaluate<A, Value = A::Output>,
{
    // A reason may have several lines.
    let reason = net.not_shared().unwrap_or_default().replace('\n', " ");
    writeln!(out, "loaded {reason}")?;
    out.flush()?;
    requests.read_line(&mut String::new())?;
    let trace = trace()?;
    let engine = table.map(engine).transpose()?;
    let mut alone = Following::new(Along::<A, Noted<E>>::new(net), None);
    let mut values = vec![None; trace.evaluations()];
    alone.time(&trace, &mut values);
    writeln!(out, "{}", checksum_of(&values))?;
    out.flush()?;
    let searches = trace.by_search();
    let first = number % searches.len();
    let passes = ROUND.div_ceil(trace.evaluations());
    let mut contender = Following::new(Along::<A, Noted<E>>::new(net), engine.as_ref());
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
