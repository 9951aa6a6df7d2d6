//! The engine's own map of the net file, and its own accumulators, which are computed late.

use std::fs::File;
use std::io;
use std::path::Path;

use cozy_chess::{Board, Color, Move};

use crate::Evaluation;
use crate::board::{Changes, changes};
use crate::handwritten::{Accumulator, Weights};

/// Maps a net file, for as long as the program runs.
///
/// # Errors
///
/// Those of the system, and files that are shorter than the weights.
///
/// # Safety
///
/// Nobody may write into the file while the program runs.
#[cfg(all(unix, target_endian = "little"))]
pub unsafe fn map(path: &Path) -> io::Result<&'static Weights> {
    use rustix::mm::{MapFlags, ProtFlags, mmap};

    let file = File::open(path)?;
    let len = size_of::<Weights>();
    if file.metadata()?.len() < len as u64 {
        return Err(io::Error::other("the file is shorter than the weights"));
    }
    let (read, shared) = (ProtFlags::READ, MapFlags::SHARED);
    // SAFETY: the system chooses an address, and nothing unmaps what it maps there. Any bytes are
    // weights, a page begins at a multiple of their alignment, and the caller promises that nobody
    // changes them.
    unsafe {
        let address = mmap(std::ptr::null_mut(), len, read, shared, &file, 0)?;
        Ok(&*address.cast::<Weights>())
    }
}

/// Reads a net file, for as long as the program runs.
///
/// # Errors
///
/// Those of the system.
///
/// # Safety
///
/// There is nothing to promise where no file is mapped.
#[cfg(not(all(unix, target_endian = "little")))]
pub unsafe fn map(path: &Path) -> io::Result<&'static Weights> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut File::open(path)?, &mut bytes)?;
    Ok(Box::leak(Box::new(Weights::read(&bytes))))
}

struct Ply {
    changes: Changes,
    /// `None` until a hint asks for it.
    accumulator: Option<Accumulator>,
}

/// The moves of a line, and those accumulators that hints asked for.
pub struct Eval {
    weights: &'static Weights,
    plies: Vec<Ply>,
}

impl Eval {
    /// Follows a search from a position.
    #[must_use]
    pub fn new(weights: &'static Weights, board: &Board) -> Eval {
        let mut eval = Eval {
            weights,
            plies: Vec::new(),
        };
        eval.reset(board);
        eval
    }

    /// The value of the current position, after a hint.
    ///
    /// # Panics
    ///
    /// If there was none.
    #[must_use]
    pub fn value(&self, board: &Board) -> i32 {
        let ply = self.plies.last().expect("a ply for the start");
        let accumulator = ply.accumulator.as_ref().expect("a hint");
        self.weights.evaluate(accumulator, board.side_to_move())
    }

    /// Asks for the rows of a move, which are needed soon.
    fn prefetch(&self, changes: &Changes) {
        for &piece in changes.taken.iter().chain(&changes.put) {
            for color in Color::ALL {
                prefetch(self.weights.row(color, piece));
            }
        }
    }
}

fn prefetch(row: &[i16]) {
    #[cfg(target_arch = "x86_64")]
    for line in row.chunks(32) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching reads nothing that the program can see.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

impl Evaluation for Eval {
    fn reset(&mut self, board: &Board) {
        self.plies.clear();
        self.plies.push(Ply {
            changes: Changes::default(),
            accumulator: Some(Accumulator::new(self.weights, board)),
        });
    }

    fn make(&mut self, before: &Board, mv: Option<Move>, _after: &Board) {
        let changes = changes(before, mv);
        self.prefetch(&changes);
        self.plies.push(Ply {
            changes,
            accumulator: None,
        });
    }

    fn unmake(&mut self) {
        self.plies.pop();
    }

    fn hint(&mut self) {
        let known = self.plies.iter().rposition(|ply| ply.accumulator.is_some());
        let known = known.expect("the start is known");
        let mut accumulator = self.plies[known].accumulator;
        for ply in &mut self.plies[known + 1..] {
            let next = accumulator.as_mut().expect("the last known one");
            for &piece in &ply.changes.taken {
                next.remove(self.weights, piece);
            }
            for &piece in &ply.changes.put {
                next.add(self.weights, piece);
            }
            ply.accumulator = accumulator;
        }
    }

    fn evaluate(&mut self, board: &Board) -> i32 {
        self.value(board)
    }
}
