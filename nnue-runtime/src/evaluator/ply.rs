//! The positions of a line.

use super::cache::NO_VIEW;
use crate::delta::Delta;

/// A position of a line: the move that led there, and what is computed of it.
///
/// Callers in C write it, as `nnue_ply` of their header: the two words of the move, then the views as
/// one number with all bits set, and all flags as the number zero.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Ply {
    /// The move that led here from the ply before.
    pub(super) delta: Delta,
    /// Per perspective, the view with which the accumulator is computed; [`NO_VIEW`] if it is not
    /// computed.
    pub(super) views: [u16; 2],
    /// Whether the placement after the move is computed. It never is for moves that are taken back
    /// before anyone evaluates.
    pub(super) placed: bool,
    /// Whether the next ply was computed without the accumulators of this ply.
    pub(super) skipped: bool,
    /// Per perspective, whether the accumulator is not computed because it is that of the nearest
    /// earlier ply that has one.
    pub(super) unchanged: [bool; 2],
}

const _: () = assert!(size_of::<Ply>() == 24, "the fields fill all bytes");

impl Ply {
    /// The ply after a move, of which nothing is computed.
    #[inline]
    #[must_use]
    pub const fn after(delta: &Delta) -> Ply {
        Ply {
            delta: *delta,
            views: [NO_VIEW; 2],
            placed: false,
            skipped: false,
            unchanged: [false; 2],
        }
    }
}
