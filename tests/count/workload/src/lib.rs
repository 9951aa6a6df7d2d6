//! The evaluations whose instructions are counted: those of the first positions that a real search
//! evaluates.

use std::hint::black_box;

use nnue_runtime::line::FromPosition;
use nnue_runtime::{Accumulator, Evaluator, Network, Output, SelectedByPieces};
use nnue_trace::{Event, Search, Trace};

/// Stockfish 15.1's network.
pub mod sfnnv5 {
    nnue_runtime::nnue_net!("../../../specs/sfnnv5.toml");
}

/// The small network of Stockfish 17, 17.1 and 18.
pub mod small128 {
    nnue_runtime::nnue_net!("../../../specs/small128.toml");
}

/// Evaluations of one pass.
pub const EVALUATIONS: usize = 500;

/// Searches of a pass of [`Work::Lines`], of some two thousand evaluations each.
const SEARCHES: usize = 4;

/// What is done for each evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Everything that an evaluator does along the search, moves and their unmakes included.
    Search,
    /// A refresh and a forward pass.
    Refresh,
    /// A forward pass.
    Forward,
    /// [`Self::Search`] for whole searches, one after the other. The plugin `lines.c` is told where
    /// evaluations end.
    Lines,
}

impl Work {
    /// Each with its name.
    pub const ALL: [(&str, Work); 4] = [
        ("search", Work::Search),
        ("refresh", Work::Refresh),
        ("forward", Work::Forward),
        ("lines", Work::Lines),
    ];
}

/// Loads the network that the file is for, and does `passes` passes of the work. Returns a number
/// that depends on all values of a pass.
///
/// # Errors
///
/// The file is for another network.
pub fn run(name: &str, file: &[u8], work: Work, passes: usize) -> Result<u64, String> {
    match name {
        "sfnnv5" => of::<sfnnv5::Net>(file, work, passes),
        "small128" => of::<small128::Net>(file, work, passes),
        _ => Err(format!("found no network `{name}`")),
    }
}

fn of<A>(file: &[u8], work: Work, passes: usize) -> Result<u64, String>
where
    A: SelectedByPieces<Line = FromPosition, Output = Output>,
{
    let net = Network::<A>::from_bytes(file).map_err(|error| error.to_string())?;
    let trace = Trace::bundled().map_err(|error| error.to_string())?;
    let mut searches = trace.searches.iter();
    let search = searches.find(|search| search.evaluated.len() >= EVALUATIONS);
    let search = search.ok_or("no search is long enough")?;
    let boards = &search.evaluated[..EVALUATIONS];
    let accumulators: Vec<_> = boards
        .iter()
        .map(|board| Accumulator::new(&net, board))
        .collect();
    let mut accumulator = accumulators[0].clone();
    let mut sum = 0;
    for _ in 0..passes {
        sum = match work {
            Work::Search => along(&net, search),
            Work::Refresh => checksum(boards.iter().map(|board| {
                accumulator.refresh(&net, board);
                net.evaluate(&accumulator, board)
            })),
            Work::Forward => {
                let positions = black_box(&accumulators).iter().zip(boards);
                checksum(positions.map(|(accumulator, board)| net.evaluate(accumulator, board)))
            }
            Work::Lines => whole(&net, &trace.searches[..SEARCHES]),
        };
        sum = black_box(sum);
    }
    Ok(sum)
}

/// The first evaluations of a search.
fn along<A>(net: &Network<A>, search: &Search) -> u64
where
    A: SelectedByPieces<Line = FromPosition, Output = Output>,
{
    let mut evaluator = Evaluator::new(net, &search.root);
    let events = search.events.iter();
    let values = events.filter_map(|event| follow(&mut evaluator, event));
    checksum(values.take(EVALUATIONS))
}

/// All evaluations of some searches, by an evaluator that is not on the stack.
fn whole<A>(net: &Network<A>, searches: &[Search]) -> u64
where
    A: SelectedByPieces<Line = FromPosition, Output = Output>,
{
    for search in searches {
        caller_owns(&search.events);
    }
    let mut evaluator = Box::new(Evaluator::new(net, &searches[0].root));
    let mut sum = 0;
    for search in searches {
        evaluator.reset(&search.root);
        let events = search.events.iter();
        let values = events.filter_map(|event| follow(&mut evaluator, event));
        sum ^= checksum(values.inspect(|output| evaluation_ends(&output.value)));
    }
    sum
}

/// The next step of a search, and its value if that is an evaluation.
#[inline(always)]
fn follow<A>(evaluator: &mut Evaluator<A, &Network<A>>, event: &Event) -> Option<Output>
where
    A: SelectedByPieces<Line = FromPosition, Output = Output>,
{
    match event {
        Event::Make(delta) => evaluator.push(delta),
        Event::MakeNull => evaluator.push_null(),
        Event::Unmake => evaluator.pop(),
        Event::Evaluate => return Some(evaluator.evaluate()),
    }
    None
}

/// Tells the plugin which memory is the caller's, by reading it.
#[unsafe(no_mangle)]
#[inline(never)]
fn caller_owns(events: &[Event]) {
    for event in events {
        black_box(*event);
    }
}

/// Tells the plugin that an evaluation ends, and where the stack is.
#[unsafe(no_mangle)]
#[inline(never)]
fn evaluation_ends(value: &i32) {
    black_box(*value);
}

fn checksum(values: impl Iterator<Item = Output>) -> u64 {
    values.fold(0, |sum: u64, output| {
        let value = u64::from(output.value.cast_unsigned());
        sum.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(value)
    })
}

/// For a program that has no files: memory for one.
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub extern "C" fn reserve(len: usize) -> *mut u8 {
    Box::leak(vec![0; len].into_boxed_slice()).as_mut_ptr()
}

/// [`run`] with the file at a place in memory; the network is 0 for SFNNv5 and 1 for small128. Zero
/// if the file is for another network.
///
/// # Safety
///
/// The file lies in memory that `reserve` has returned.
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn count(
    network: usize,
    file: *const u8,
    len: usize,
    work: usize,
    passes: usize,
) -> u64 {
    // SAFETY: the caller says so.
    let file = unsafe { std::slice::from_raw_parts(file, len) };
    let (_, work) = Work::ALL[work];
    run(["sfnnv5", "small128"][network], file, work, passes).unwrap_or(0)
}
